"""`custom_vjp`: a function with a reverse-mode rule of its own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from numpy import generic

from .. import errors, tree
from ..backend import is_inexact
from ..core.op import Op, table
from ..core.record import deepest_tape, raw, record
from ..core.tape import Paused, local
from . import misuse
from .arguments import zeros_like
from .custom import Call, Custom, Function, detached, fitted, plain_results
from .flat import is_array
from .recompute import RunTape
from .rules import Flat, Usage, active_levels, pull_function, push_function, pushing
from .vmap import vmap


def custom_vjp(fun: Function | None = None, nondiff_argnums: int | Sequence[int] = ()) -> Any:
    """A function whose reverse-mode rule is given by ``f.defvjp(fwd, bwd)``, as in JAX.

    `fwd` takes the arguments of `f` and returns its result with residuals, any tree of arrays;
    ``bwd(residuals, g)`` returns a tuple with the cotangent of each argument, or None for zeros.
    Arguments named in `nondiff_argnums` are no traced arrays but functions or options: `bwd` gets
    them first, and gives no cotangents for them.

    The rule stands for the derivative at every order. Its own derivatives go through `bwd`, and
    through `fwd` as far as residuals are neither arguments nor results. Forward mode raises
    TypeError (but a Hessian, forward over reverse, works). Traced values must come in as arguments:
    to close over one raises.

    >>> import tapegrad as tg
    >>> @tg.custom_vjp
    ... def clipped(x):
    ...     return x
    >>> clipped.defvjp(lambda x: (x, None), lambda _, g: (min(g, 1.0),))
    >>> float(tg.grad(lambda x: 10 * clipped(x))(2.0))
    1.0
    """
    if fun is None:
        return functools.partial(CustomVJP, nondiff_argnums=nondiff_argnums)
    return CustomVJP(fun, nondiff_argnums)


class CustomVJP(Custom):
    """What `custom_vjp` returns."""

    kind = "custom_vjp"
    fwd: Function | None = None
    bwd: Function | None = None

    def defvjp(self, fwd: Function, bwd: Function) -> None:
        """Set the rule: ``fwd(*args)`` and ``bwd(residuals, g)``."""
        self.fwd = fwd
        self.bwd = bwd

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.fwd is None or self.bwd is None:
            raise self.undefined("defvjp(fwd, bwd)")
        call = VJPCall(self, self.arguments(args, kwargs))
        rule = Rule(self.name, call.primal, call.forward, call.backward)
        results = run(rule, call.given.release())  # which finds the structure
        return tree.unflatten(call.out, results)


class VJPCall(Call):
    """One call of a `custom_vjp`."""

    custom: CustomVJP

    def forward(self, *arrays: Any) -> tuple[list[Any], list[Any], Any]:
        assert self.custom.fwd is not None
        pair = self.custom.fwd(*self.given.all(arrays))
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise misuse.forward_pair(self.custom.name, pair)
        results, self.out = tree.flatten(pair[0])
        return results, *tree.flatten(pair[1])

    def backward(self, structure: Any, residuals: list[Any], gs: list[Any]) -> list[Any]:
        assert self.custom.bwd is not None
        given, name = self.given, self.custom.name
        residuals_tree = tree.unflatten(structure, residuals)
        cotangent = tree.unflatten(self.out, gs)
        pulled = self.custom.bwd(*given.static.values(), residuals_tree, cotangent)
        expected = len(given.structures)
        if not isinstance(pulled, tuple | list) or len(pulled) != expected:
            raise misuse.backward_tuple(name, expected, pulled)
        flat: list[Any] = []
        for i, (structure, d) in enumerate(zip(given.structures, pulled, strict=True)):
            what = f"the cotangent of argument {i} from bwd of the custom_vjp function {name}"
            flat += leaves_up_to(structure, d, what)
        return [flat[i] for i in given.chosen]


def leaves_up_to(structure: Any, d: Any, what: str) -> list[Any]:
    """The leaves of a cotangent of an argument of some structure; None stands for zeros."""
    if structure is None:
        return [d]
    if d is None:
        return [None] * structure.num_leaves
    try:
        return structure.flatten_up_to(d)
    except ValueError:
        raise errors.structure_mismatch(what, structure, tree.structure(d)) from None


class Rule(NamedTuple):
    """A flat function with its rule.

    ``primal(*xs)`` gives results; ``forward(*xs)`` results, residuals, and what `backward` needs to
    know of these; ``backward(that, residuals, gs)`` a cotangent for each input, or None.
    """

    name: str
    primal: Flat
    forward: Callable[..., tuple[list[Any], list[Any], Any]]
    backward: Callable[[Any, list[Any], list[Any]], list[Any]]


class Saved(NamedTuple):
    """Where the residuals of an entry are: `sources` has a pair for each.

    ``("input", i)`` and ``("output", k)``; ``("new", j)`` for a further output of the entry;
    ``("static", value)`` for what is no array.
    """

    sources: tuple[tuple[str, Any], ...]
    structure: Any

    def find(self, inputs: Sequence[Any], outs: Sequence[Any], new: Sequence[Any]) -> list[Any]:
        """The residuals."""
        places = {"input": inputs, "output": outs, "new": new}
        return [at if place == "static" else places[place][at] for place, at in self.sources]

    def new(self, residuals: list[Any]) -> list[Any]:
        """Those of the residuals that are new."""
        return [r for r, (place, _) in zip(residuals, self.sources, strict=True) if place == "new"]


def locate(
    residuals: list[Any], structure: Any, inputs: Sequence[Any], results: Sequence[Any]
) -> tuple[Saved, list[Any]]:
    """Where residuals are to be found, and those that are new."""
    places = {id(y): ("output", k) for k, y in enumerate(results)}
    places.update((id(x), ("input", i)) for i, x in enumerate(inputs))
    sources: list[tuple[str, Any]] = []
    new: list[Any] = []
    for r in residuals:
        if id(r) in places:
            sources.append(places[id(r)])
        elif is_array(r):
            sources.append(("new", len(new)))
            new.append(r)
        else:
            sources.append(("static", r))
    return Saved(tuple(sources), structure), new


def distinct(x: Any) -> Any:
    """`x` as an object of its own: arguments are told apart by identity, as residuals are found."""
    return x.copy() if isinstance(x, generic) else x.view()


def run(rule: Rule, inputs: Sequence[Any], keep: bool = False, pulled: bool = False) -> list[Any]:
    """The results, as one entry; with the new residuals after them if these are to be kept.

    `pulled` says how the entry was used in a trace before.
    """
    data = [distinct(raw(x)) for x in inputs]
    tape = deepest_tape(tuple(inputs))
    swept = tape is not None and (not tape.replay or type(tape) is RunTape)  # as the entry stands
    swept = swept and type(local.tape) is not Paused
    saved = None
    with detached():
        if keep or swept or active_levels(inputs):
            results, residuals, structure = rule.forward(*data)
            saved, new = locate(residuals, structure, data, results)
            outs = plain_results("custom_vjp", rule.name, (*results, *new))
        else:
            outs = results = plain_results("custom_vjp", rule.name, rule.primal(*data))
    if not outs:
        return []
    params = {
        "rule": rule,
        "saved": saved,
        "count": len(results),
        "usage": Usage(pulled),
        "randomness": getattr(tape, "randomness", "error"),
    }
    recorded = record(operation(len(outs)), tuple(inputs), params, tuple(outs))
    return list(recorded if keep else recorded[: len(results)])


@functools.cache
def operation(outputs: int) -> Op:
    """The operation of entries with so many results, residuals included."""

    def function(
        *inputs: Any, rule: Rule, saved: Saved | None, usage: Usage, **_: Any
    ) -> tuple[Any, ...]:
        return tuple(run(rule, inputs, saved is not None, usage.pulled))

    return Op(
        "custom_vjp",
        forward=lambda _xp, *inputs, **params: function(*inputs, **params),
        vjp=_pull,
        jvp=_push,
        batch=_batch,
        joint=True,
        steep=True,  # for all that is known
        outputs=outputs,
        function=function,
        doc="A function with a reverse-mode rule of its own.",
    )


def _pull(
    g: tuple[Any, ...],
    out: tuple[Any, ...],
    *inputs: Any,
    wanted: tuple[bool, ...],
    rule: Rule,
    saved: Saved,
    count: int,
    usage: Usage,
    **_: Any,
) -> list[Any]:
    usage.pulled = True
    pulled: list[Any] = [None] * len(inputs)
    residuals = saved.find(inputs, out[:count], out[count:])
    if any(d is not None for d in g[:count]):
        gs = [zeros_like(y) if d is None else d for y, d in zip(out, g[:count], strict=False)]
        cotangents = rule.backward(saved.structure, residuals, gs)
        for i, (x, d) in enumerate(zip(inputs, cotangents, strict=True)):
            if wanted[i] and d is not None:
                what = f"a cotangent from bwd of the custom_vjp function {rule.name}"
                pulled[i] = fitted(d, x, what)
    if any(d is not None for d in g[count:]):
        # the residuals that are neither inputs nor results depend on the inputs through `fwd`
        late = pull_function(rule.name, new_residuals(rule, saved), inputs, wanted, g[count:])
        for i, d in enumerate(late):
            if d is not None:
                pulled[i] = d if pulled[i] is None else pulled[i] + d
    return pulled


def _push(
    tangents: tuple[Any, ...],
    out: tuple[Any, ...],
    *inputs: Any,
    rule: Rule,
    saved: Saved,
    count: int,
    usage: Usage,
    **_: Any,
) -> tuple[Any, ...]:
    """The tangent where an inner transform has used the rule, as under a Hessian.

    It is `bwd`, which is linear in its cotangents, transposed.
    """
    if not (usage.pulled or pushing.pulled):
        raise misuse.no_jvp(rule.name)
    residuals = saved.find(inputs, out[:count], out[count:])
    given = [i for i, t in enumerate(tangents) if t is not None]

    def backward(*gs: Any) -> list[Any]:
        pulled = rule.backward(saved.structure, residuals, list(gs))
        return [zeros_like(inputs[i]) if pulled[i] is None else pulled[i] for i in given]

    gs = [zeros_like(y) for y in out[:count]]
    wanted = [is_inexact(y.dtype) for y in gs]
    pushed = pull_function(rule.name, backward, gs, wanted, [tangents[i] for i in given])
    if len(out) > count:
        pushed += push_function(new_residuals(rule, saved), inputs, tangents)
    return tuple(pushed)


def new_residuals(rule: Rule, saved: Saved) -> Flat:
    """The residuals that are neither inputs nor results, as a function of the inputs."""
    return lambda *xs: saved.new(rule.forward(*xs)[1])


def _batch(
    _function: Any,
    mapped: tuple[bool, ...],
    *inputs: Any,
    rule: Rule,
    saved: Saved | None,
    usage: Usage,
    randomness: str,
    **_: Any,
) -> tuple[Any, ...]:
    batched = batched_rule(rule, mapped, randomness)
    return tuple(run(batched, inputs, saved is not None, usage.pulled))


def batched_rule(rule: Rule, mapped: tuple[bool, ...], randomness: str) -> Rule:
    """The rule over the lanes of the inputs marked in `mapped`: its functions under `vmap`."""
    axes = tuple(0 if has else None for has in mapped)

    def primal(*xs: Any) -> list[Any]:
        return vmap(rule.primal, axes, randomness=randomness)(*xs)

    def forward(*xs: Any) -> tuple[list[Any], list[Any], Saved]:
        saved: Any = None

        def one(*lanes: Any) -> tuple[list[Any], list[Any]]:
            nonlocal saved
            results, residuals, structure = rule.forward(*lanes)
            saved, new = locate(residuals, structure, lanes, results)
            return results, new

        results, new = vmap(one, axes, randomness=randomness)(*xs)
        return results, saved.find(xs, results, new), saved

    def backward(saved: Saved, residuals: list[Any], gs: list[Any]) -> list[Any]:
        residual_axes = [
            0 if place in ("output", "new") or (place == "input" and mapped[at]) else None
            for place, at in saved.sources
        ]

        def one(residuals: list[Any], gs: list[Any]) -> list[Any]:
            return rule.backward(saved.structure, residuals, gs)

        pulled = vmap(one, (residual_axes, 0), randomness=randomness)(residuals, gs)
        total = table["sum"].function
        return [
            d if d is None or has else total(d, axis=(0,), keepdims=False)
            for d, has in zip(pulled, mapped, strict=True)
        ]

    return Rule(rule.name, primal, forward, backward)
