"""Products with the matrices of second derivatives, without the matrices: `hvp`, `vhp`,
`hessian_diag`, `ggnvp`; and `elementwise_grad`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from .. import tree
from ..backend import namespace
from ..core.array import Array
from ..core.op import table
from ..core.record import raw
from ..ops.index import ARRAY
from . import misuse
from .arguments import check_chunk_size, check_function, ones_like, owned, plain_argnums, positions
from .grad import differentiator
from .jacobian import Matrix, total, units, zeros
from .linearize import Pushed, Recording
from .rules import Pulled


def hvp(fun: Callable[..., Any], primals: Any, tangents: Any) -> Any:
    """The Hessian of a scalar function times a vector, forward over reverse.

    `primals` is one argument, or a tuple of arguments; `tangents` has the same structure, and so
    has the result. The cost is a few times that of `fun`.

    >>> import numpy as np, tapegrad as tg
    >>> tg.hvp(lambda x: x[0] * x[1] * x[1], np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    array([0., 4.])
    """
    args, vectors = as_arguments("hvp", "tangents", primals, tangents)
    product = Pushed("hvp", gradient_of("hvp", fun, len(args)), args, vectors).tangent
    return product if isinstance(primals, tuple) else product[0]


def vhp(fun: Callable[..., Any], primals: Any, cotangents: Any) -> Any:
    """A vector times the Hessian of a scalar function, reverse over reverse.

    The same numbers as `hvp` where the second derivatives are continuous; it needs no forward
    rules.

    >>> import numpy as np, tapegrad as tg
    >>> tg.vhp(lambda x: x[0] * x[1] * x[1], np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    array([0., 4.])
    """
    args, vectors = as_arguments("vhp", "cotangents", primals, cotangents)
    run = Pulled("vhp", gradient_of("vhp", fun, len(args)), args, vectors)
    product = run.inputs.rebuild(run.pulled)
    return tuple(product) if isinstance(primals, tuple) else product[0]


def ggnvp(fun: Callable[..., Any], loss: Callable[..., Any], primals: Any, tangents: Any) -> Any:
    """The generalised Gauss-Newton matrix of ``loss(fun(*primals))`` times a vector.

    That is ``J.T @ H @ J @ tangents``, with J the Jacobian of `fun` and H the Hessian of `loss`
    at its result: the Hessian without the second derivatives of `fun`, positive where `loss` is
    convex.

    >>> import numpy as np, tapegrad as tg
    >>> x = np.array([1.0, 2.0])
    >>> tg.ggnvp(lambda x: x * x, lambda y: (y * y).sum() / 2, x, np.array([1.0, 0.0]))
    array([4., 0.])
    """
    args, vectors = as_arguments("ggnvp", "tangents", primals, tangents)
    forward = Pushed("ggnvp", fun, args, vectors)
    slope = gradient_of("ggnvp", loss, 1)
    (curved,) = Pushed("ggnvp", slope, (forward.result,), (forward.tangent,)).tangent
    run = Pulled("ggnvp", fun, args, curved)
    product = run.inputs.rebuild(run.pulled)
    return tuple(product) if isinstance(primals, tuple) else product[0]


def hessian_diag(
    fun: Callable[..., Any],
    primals: Any,
    *,
    chunk_size: int | None = None,
    samples: int | None = None,
    rng: Any = None,
) -> Any:
    """The diagonal of the Hessian of a scalar function, in the structure of `primals`.

    It takes as many pushes through the gradient's tape as there are elements, `chunk_size` at a
    time (all at once without it), and keeps only the diagonal of what they give.

    With `samples` it is estimated, by so many pushes: the mean of ``v * (H @ v)`` for vectors v of
    random signs (Hutchinson 1989; Bekas, Kokiopoulou and Saad 2007). The estimate is unbiased, and
    exact for a diagonal Hessian; the error of an element falls as the norm of the rest of its row
    over the square root of `samples`. `rng` is a generator of NumPy, or a seed for one.

    >>> import numpy as np, tapegrad as tg
    >>> tg.hessian_diag(lambda x: (x**3).sum(), np.array([1.0, 2.0]))
    array([ 6., 12.])
    """
    check_chunk_size("hessian_diag", chunk_size)
    if samples is not None and samples < 1:
        raise misuse.bad_samples("hessian_diag", samples)
    args = as_tuple(primals)
    gradient = gradient_of("hessian_diag", fun, len(args))
    run: _Diagonal | _Estimate
    if samples is None:
        run = _Diagonal("hessian_diag", gradient, args, chunk_size)
    else:
        generator = numpy.random.default_rng(rng)
        run = _Estimate("hessian_diag", gradient, args, chunk_size, samples, generator)
    diagonal = run.inputs.rebuild(run.diagonal)
    return tuple(diagonal) if isinstance(primals, tuple) else diagonal[0]


class _Diagonal(Matrix):
    """A gradient's run, pushed for the diagonal of its Jacobian."""

    __slots__ = ("diagonal",)

    def __init__(
        self, name: str, fun: Callable[..., Any], args: tuple[Any, ...], chunk_size: int | None
    ) -> None:
        keys = tuple(range(len(args)))
        super().__init__(name, fun, args, {}, keys, "fwd", chunk_size, False, False)

    def finish(self) -> None:
        self.check("fwd")
        pieces: list[list[Any]] = [[] for _ in self.data]
        for start, stop in self.chunks(total(self.data)):
            pushed = self.push_chunk(units(self.data, start, stop), stop - start)
            offset = 0
            for x, t, own in zip(self.data, pushed, pieces, strict=True):
                first, last = max(start, offset), min(stop, offset + x.size)
                if first < last:
                    own.append(part_of_diagonal(t, x, first - start, first - offset, last - first))
                offset += x.size
        reshape, concat = table["reshape"].function, table["concat"].function
        self.diagonal = owned(
            [
                reshape(concat(*own, axis=0), to=x.shape) if own else None
                for x, own in zip(self.data, pieces, strict=True)
            ],
            self.data,
        )


class _Estimate(Matrix):
    """A gradient's run, pushed for an estimate of the diagonal of its Jacobian."""

    __slots__ = ("diagonal", "generator", "samples")

    def __init__(
        self,
        name: str,
        fun: Callable[..., Any],
        args: tuple[Any, ...],
        chunk_size: int | None,
        samples: int,
        generator: numpy.random.Generator,
    ) -> None:
        self.samples = samples
        self.generator = generator
        keys = tuple(range(len(args)))
        super().__init__(name, fun, args, {}, keys, "fwd", chunk_size, False, False)

    def finish(self) -> None:
        self.check("fwd")
        totals: list[Any] = [None] * len(self.data)
        for start, stop in self.chunks(self.samples):
            signs = [self.signs(x, stop - start) for x in self.data]
            for i, t in enumerate(self.push_chunk(signs, stop - start)):
                if t is not None:
                    part = table["sum"].function(t * signs[i], axis=(0,), keepdims=False)
                    totals[i] = part if totals[i] is None else totals[i] + part
        means = [None if total is None else total / self.samples for total in totals]
        self.diagonal = owned(means, self.data)

    def signs(self, x: Any, lanes: int) -> Any:
        """Random signs in the shape of an array, in lanes."""
        drawn = self.generator.integers(0, 2, (lanes, *x.shape)) * 2 - 1
        data = x.raw if isinstance(x, Array) else x
        return namespace(data).asarray(drawn, dtype=data.dtype)


def part_of_diagonal(t: Any, x: Any, lane: int, column: int, count: int) -> Any:
    """Elements ``(lane + i, column + i)`` of `t`, with its axes but the first taken as one."""
    if t is None:
        return zeros((count,), x)
    flat = table["reshape"].function(t, to=(t.shape[0], x.size))
    steps = namespace(raw(t)).arange(count)
    return table["getitem"].function(flat, lane + steps, column + steps, key=(ARRAY, ARRAY))


def elementwise_grad(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0
) -> Callable[..., Any]:
    """The derivative of a function that works element by element, in the shape of its argument.

    It is the gradient of the sum of the result, which for an elementwise function is its derivative
    at each element; for other functions it is the sum of the rows of the Jacobian.

    >>> import numpy as np, tapegrad as tg
    >>> tg.elementwise_grad(lambda x: x**3)(np.array([1.0, 2.0]))
    array([ 3., 12.])
    """
    check_function("elementwise_grad", fun)
    argnums = plain_argnums(argnums)

    @functools.wraps(fun, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        keys = positions(argnums, len(args), "elementwise_grad")
        run = _Summed("elementwise_grad", fun, args, False, False, keys, kwargs)
        gradients = run.inputs.rebuild(run.gradients)
        return gradients[0] if isinstance(argnums, int) else tuple(gradients)

    return wrapper


class _Summed(Recording):
    """A run that is pulled with ones before it ends."""

    __slots__ = ("gradients",)

    def finish(self) -> None:
        ones = [ones_like(y) for y in self.values]
        self.gradients = self.pull("elementwise_grad", tree.unflatten(self.structure, ones))


def gradient_of(name: str, fun: Callable[..., Any], count: int) -> Callable[..., Any]:
    """The gradient of a function of `count` arguments, with respect to all: a tuple."""
    return differentiator(name, fun, tuple(range(count)), None, False, False)


def as_tuple(primals: Any) -> tuple[Any, ...]:
    """One argument or a tuple of arguments, as a tuple."""
    return primals if isinstance(primals, tuple) else (primals,)


def as_arguments(
    name: str, what: str, primals: Any, vectors: Any
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """One argument or a tuple of them, and vectors for them, as tuples."""
    if not isinstance(primals, tuple):
        return (primals,), (vectors,)
    if not isinstance(vectors, tuple | list):
        raise misuse.not_tuple(name, what, vectors)
    return primals, tuple(vectors)
