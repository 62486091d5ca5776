"""`check_grads`: derivatives against finite differences, with the culprit's name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy

from . import tree
from .backend import as_data, is_inexact, namespace
from .core.array import Array
from .core.face import bare
from .core.op import Op, codes
from .core.program import trace
from .inspect.record import SourceTape
from .transforms import misuse
from .transforms.arguments import check_function
from .transforms.linearize import jvp, vjp

Arrays = list[Any]
Flat = Callable[..., Arrays]

FULL_NAMES = {"fwd": "forward", "rev": "reverse"}


def check_grads(
    fun: Callable[..., Any],
    args: Sequence[Any],
    *,
    order: int = 2,
    modes: Sequence[str] = ("fwd", "rev"),
) -> None:
    """Check the derivatives of ``fun(*args)`` up to `order` against central differences.

    All arrays and numbers of floating point in `args` are varied, along random directions. Where a
    derivative is wrong, AssertionError names the argument and the element, and the first operation
    whose own derivative disagrees, with the line that called it.

    >>> import numpy as np, tapegrad as tg, tapegrad.numpy as tnp
    >>> tg.check_grads(lambda x: tnp.sin(x) * x, (np.array([1.0, 2.0]),))
    """
    for mode in modes:
        if mode not in FULL_NAMES:
            raise misuse.bad_option("check_grads", "modes", tuple(FULL_NAMES), mode)
    check_function("check_grads", fun)
    if not isinstance(args, tuple | list):
        raise misuse.not_tuple("check_grads", "args", args)
    args = tuple(args)
    leaves, structure = tree.flatten(args)
    data = [as_data(x) if type(x) in (float, complex) else x for x in leaves]
    chosen = [i for i, x in enumerate(data) if is_inexact(getattr(x, "dtype", None))]
    if not chosen:
        raise misuse.nothing_to_check()
    names = [
        f"argument {path[1 : path.index(']')]}{path[path.index(']') + 1 :]}"
        for path in tree.paths(args)
    ]

    def flat(*arrays: Any) -> Arrays:
        filled = list(leaves)
        for i, x in zip(chosen, arrays, strict=True):
            filled[i] = x
        return inexact(tree.leaves(fun(*tree.unflatten(structure, filled))))

    failure = first_failure(flat, [data[i] for i in chosen], order, modes)
    if failure is not None:
        where = names[chosen[failure.argument]]
        blame = culprit(flat, [data[i] for i in chosen], order, modes)
        raise AssertionError(f"check_grads: {failure.text(where)} {blame}")


class Failure:
    """A derivative that is not what differences say."""

    def __init__(
        self,
        mode: str,
        order: int,
        argument: int,
        element: tuple[int, ...],
        got: Any,
        expected: Any,
    ) -> None:
        self.mode = mode
        self.order = order
        self.argument = argument
        self.element = element
        self.got = got
        self.expected = expected

    def text(self, where: str) -> str:
        """The failure in a sentence."""
        at = f"{where}, element {self.element}" if self.element else where
        return (
            f"the derivative of order {self.order} in {FULL_NAMES[self.mode]} mode is wrong at "
            f"{at}: it gives {self.got:.6g}, but the difference of values is {self.expected:.6g}."
        )


def inexact(values: Sequence[Any]) -> Arrays:
    """The arrays of floating point among `values`."""
    arrays = [bare(x) if isinstance(x, Array) else as_data(x) for x in values]
    return [x for x in arrays if is_inexact(getattr(x, "dtype", None))]


def first_failure(f: Flat, xs: Arrays, order: int, modes: Sequence[str]) -> Failure | None:
    """What is wrong with the derivatives of `f` at `xs`, lowest order first."""
    functions = [f]
    for level in range(1, order + 1):
        derivatives: list[Flat] = []
        for g in functions:
            for mode in modes:
                failure = compare(g, xs, mode, level)
                if failure is not None:
                    return failure
                derivatives.append(derivative(g, xs, mode))
        functions = derivatives
    return None


def derivative(f: Flat, xs: Arrays, mode: str) -> Flat:
    """The derivative of `f` along a fixed direction (of its inputs, or of its results)."""
    if mode == "fwd":
        ts = tuple(directions(xs))
        return lambda *ys: inexact(jvp(f, ys, ts)[1])
    gs = directions(f(*xs))
    return lambda *ys: inexact(vjp(f, *ys)[1](gs))


def directions(xs: Arrays) -> Arrays:
    """Random arrays of the same shapes and dtypes, the same every time."""
    rng = numpy.random.default_rng(len(xs))
    drawn = []
    for x in xs:
        t = rng.uniform(0.5, 1.5, x.shape) * rng.choice((-1.0, 1.0), x.shape)
        if x.dtype.kind == "c":
            t = t + 1j * rng.uniform(0.5, 1.5, x.shape)
        drawn.append(namespace(x).asarray(numpy.asarray(t).astype(x.dtype))[()])
    return drawn


def compare(f: Flat, xs: Arrays, mode: str, order: int) -> Failure | None:
    """Compare a derivative of `f` with differences, and find where it is wrong."""
    measure = Measure(f, xs, mode)
    if not xs or measure.agrees(directions(xs)):
        return None
    argument, ts = 0, directions(xs)
    for argument, t in enumerate(ts):
        alone = [t if i == argument else zeros_like(x) for i, x in enumerate(xs)]
        if not measure.agrees(alone):
            break
    # halve the elements that are varied until one is left
    t = ts[argument].reshape(-1)
    first, last = 0, t.size
    while last - first > 1:
        middle = (first + last) // 2
        if measure.agrees(restricted(xs, argument, t, first, middle)):
            first = middle
        else:
            last = middle
    t = namespace(t).ones_like(t)
    got, expected, _ = measure(restricted(xs, argument, t, first, last))
    element = tuple(map(int, numpy.unravel_index(first, xs[argument].shape)))
    return Failure(mode, order, argument, element, got, expected)


def restricted(xs: Arrays, argument: int, t: Any, first: int, last: int) -> Arrays:
    """A direction in which only some elements of one argument vary."""
    part = zeros_like(t)
    part[first:last] = t[first:last]
    return [part.reshape(x.shape)[()] if i == argument else zeros_like(x) for i, x in enumerate(xs)]


def zeros_like(x: Any) -> Any:
    return namespace(x).zeros_like(x)[()]


class Measure:
    """A directional derivative of a random combination of the results, and its difference."""

    def __init__(self, f: Flat, xs: Arrays, mode: str) -> None:
        self.f = f
        self.xs = xs
        self.mode = mode
        outs = f(*xs)
        self.gs = directions(outs)
        eps = max((numpy.finfo(x.dtype).eps for x in (*xs, *outs)), default=2e-16)
        self.step = float(eps) ** (1 / 3)
        self.tolerance = 30 * float(eps) ** (2 / 3)
        self.pulled = vjp(f, *xs)[1](self.gs) if mode == "rev" else None

    def __call__(self, ts: Arrays) -> tuple[float, float, float]:
        """The derivative along `ts`, the difference, and how large they may be."""
        h = self.step
        above = self.f(*(x + x.dtype.type(h) * t for x, t in zip(self.xs, ts, strict=True)))
        below = self.f(*(x - x.dtype.type(h) * t for x, t in zip(self.xs, ts, strict=True)))
        slopes = [(a - b) / (2 * h) for a, b in zip(above, below, strict=True)]
        expected = inner(self.gs, slopes)
        if self.pulled is not None:
            got = inner(self.pulled, ts)
        else:
            got = inner(self.gs, jvp(self.f, tuple(self.xs), tuple(ts))[1])
        scale = max((1.0, *(float(abs(a).max()) for a in (*slopes, *above) if a.size)))
        return got, expected, scale

    def agrees(self, ts: Arrays) -> bool:
        """Whether derivative and difference are the same, or both NaN."""
        got, expected, scale = self(ts)
        if numpy.isnan(got) or numpy.isnan(expected):
            return bool(numpy.isnan(got) and numpy.isnan(expected))
        size = sum(t.size for t in ts)
        return abs(got - expected) <= self.tolerance * scale * max(1.0, size**0.5)


def inner(xs: Sequence[Any], ys: Sequence[Any]) -> float:
    """The real part of the unconjugated inner product."""
    return float(sum((x * y).sum().real for x, y in zip(xs, ys, strict=True)))


def culprit(f: Flat, xs: Arrays, order: int, modes: Sequence[str]) -> str:
    """A sentence on the first operation of `f` whose own derivative is wrong."""
    for op, inputs, params, source in operations(f, xs):
        chosen = [
            i
            for i, x in enumerate(inputs)
            if op.differentiable(i) and is_inexact(getattr(x, "dtype", None))
        ]
        if op.vjp is not None and chosen:
            function = operation_of(op, inputs, params, chosen)
            failure = first_failure(function, [inputs[i] for i in chosen], order, modes)
            if failure is not None:
                line = f" (called at {source[0]}:{source[1]})" if source else ""
                return (
                    f"The first operation whose rule disagrees is {op.name!r}{line}: "
                    + failure.text(f"its input {chosen[failure.argument]}")
                )
    return (
        "Each of its operations agrees with differences by itself: the function may not be smooth "
        "here, or a value may have left the tape on the way (stop_gradient, an integer)."
    )


def operation_of(op: Op, inputs: Arrays, params: dict[str, Any], chosen: list[int]) -> Flat:
    """An operation as a function of some of its inputs."""

    def function(*some: Any) -> Arrays:
        filled = list(inputs)
        for i, x in zip(chosen, some, strict=True):
            filled[i] = x
        out = op.function(*filled, **params)
        return inexact(out if op.outputs else (out,))

    return function


def operations(f: Flat, xs: Arrays) -> Iterator[tuple[Any, list[Any], dict[str, Any], Any]]:
    """The operations of a run with their raw inputs, parameters and source lines."""
    tape = SourceTape("check_grads")
    trace(f, xs, [False] * len(xs), tape)
    values: dict[int, Any] = {}
    for entry in tape:
        op, arity = codes[entry[0]]
        values[entry[1]] = entry[-1]
        if op.name != "pick":
            inputs = [x.raw if isinstance(x, Array) else x for x in entry[3 + arity : -1]]
            yield op, inputs, entry[2 + arity] or {}, tape.sources.get(entry[1])
