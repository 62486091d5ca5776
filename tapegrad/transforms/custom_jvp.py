"""`custom_jvp`: a function with a forward-mode rule of its own, which serves both modes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import errors, tree
from ..backend import as_data, is_inexact
from ..core.array import Array
from ..core.op import Op
from ..core.record import deepest_tape, raw, record
from . import misuse
from .arguments import zeros_like
from .custom import Call, Custom, Function, detached, fitted, plain_results
from .rules import Flat, pull_function
from .vmap import vmap


def custom_jvp(fun: Function | None = None, nondiff_argnums: int | Sequence[int] = ()) -> Any:
    """A function whose tangent rule is given by ``f.defjvp(rule)``, as in JAX.

    ``rule(primals, tangents)`` gets two tuples, and returns the result of `f` and its tangent,
    which must be linear in `tangents`. Reverse mode transposes it. Arguments named in
    `nondiff_argnums` come before the two tuples. ``f.defjvps(*rules)`` takes instead one function
    for each argument, ``rule(tangent, result, *primals)``, or None where nothing flows. Traced
    values must come in as arguments: to close over one raises.

    >>> import tapegrad as tg
    >>> @tg.custom_jvp
    ... def f(x):
    ...     return x * x
    >>> _ = f.defjvp(lambda primals, tangents: (f(*primals), 2 * primals[0] * tangents[0]))
    >>> float(tg.grad(f)(3.0))
    6.0
    """
    if fun is None:
        return functools.partial(CustomJVP, nondiff_argnums=nondiff_argnums)
    return CustomJVP(fun, nondiff_argnums)


class CustomJVP(Custom):
    """What `custom_jvp` returns."""

    kind = "custom_jvp"
    rule: Function | None = None

    def defjvp(self, rule: Function) -> Function:
        """Set the rule: ``rule(primals, tangents)`` gives the result and its tangent."""
        self.rule = rule
        return rule

    def defjvps(self, *rules: Function | None) -> None:
        """Set a rule an argument: ``rule(tangent, result, *primals)``; their sum is the tangent."""
        if self.nondiff_argnums not in ((), []):
            raise misuse.defjvps_with_nondiff(self.name)

        def rule(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
            if len(rules) != len(primals):
                raise misuse.defjvps_count(self.name, len(primals), len(rules))
            result = self(*primals)
            parts = [
                part(t, result, *primals)
                for part, t in zip(rules, tangents, strict=True)
                if part is not None
            ]
            if not parts:
                return result, tree.map(zeros_like, result)
            return result, functools.reduce(lambda a, b: tree.map(lambda x, y: x + y, a, b), parts)

        self.rule = rule

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.rule is None:
            raise self.undefined("defjvp(rule)")
        call = JVPCall(self, self.arguments(args, kwargs))
        rule = Rule(self.name, call.primal, call.push)
        results = run(rule, call.given.release())  # which finds the structure
        return tree.unflatten(call.out, results)


class JVPCall(Call):
    """One call of a `custom_jvp`."""

    custom: CustomJVP

    def push(self, arrays: list[Any], tangents: list[Any]) -> list[Any]:
        assert self.custom.rule is not None
        given, name = self.given, self.custom.name
        primals = given.varied(arrays)
        directions = given.directions(tangents)
        pair = self.custom.rule(*given.static.values(), primals, directions)
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise misuse.tangent_pair(name, pair)
        results, structure = tree.flatten(pair[0])
        pushed, own = tree.flatten(pair[1])
        what = f"the tangent from the rule of the custom_jvp function {name}"
        if own != structure:
            raise errors.structure_mismatch(what, structure, own)
        return [
            fitted(t, y, what) if is_inexact(y.dtype) else None
            for t, y in zip(pushed, map(as_array, results), strict=True)
        ]


def as_array(x: Any) -> Any:
    """A result as an array: a Python number has no dtype."""
    return x if isinstance(x, Array) else as_data(x)


class Rule(NamedTuple):
    """A flat function with its rule.

    ``primal(*xs)`` gives results; ``push(xs, tangents)`` the results' tangents, with None for those
    of integer results.
    """

    name: str
    primal: Flat
    push: Callable[[list[Any], list[Any]], list[Any]]


def run(rule: Rule, inputs: Sequence[Any]) -> list[Any]:
    """The results, as one entry."""
    tape = deepest_tape(tuple(inputs))
    with detached():
        outs = plain_results("custom_jvp", rule.name, rule.primal(*map(raw, inputs)))
    if not outs:
        return []
    params = {"rule": rule, "randomness": getattr(tape, "randomness", "error")}
    return list(record(operation(len(outs)), tuple(inputs), params, tuple(outs)))


@functools.cache
def operation(outputs: int) -> Op:
    """The operation of entries with so many results."""

    def function(*inputs: Any, rule: Rule, **_: Any) -> tuple[Any, ...]:
        return tuple(run(rule, inputs))

    return Op(
        "custom_jvp",
        forward=lambda _xp, *inputs, **params: function(*inputs, **params),
        vjp=_pull,
        jvp=_push,
        batch=_batch,
        joint=True,
        steep=True,  # for all that is known
        outputs=outputs,
        function=function,
        doc="A function with a forward-mode rule of its own.",
    )


def _push(
    tangents: tuple[Any, ...], _out: Any, *inputs: Any, rule: Rule, **_: Any
) -> tuple[Any, ...]:
    return tuple(rule.push(list(inputs), complete(tangents, inputs)))


def complete(tangents: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """Tangents with zeros where there are none."""
    return [zeros_like(x) if t is None else t for t, x in zip(tangents, inputs, strict=True)]


def _pull(
    g: tuple[Any, ...],
    _out: Any,
    *inputs: Any,
    wanted: tuple[bool, ...],
    rule: Rule,
    **_: Any,
) -> list[Any]:
    """The rule, transposed: it is linear in the tangents, so it is differentiated at zero."""

    def push(*tangents: Any) -> list[Any]:
        return rule.push(list(inputs), list(tangents))

    zeros = complete([None] * len(inputs), inputs)
    return pull_function(rule.name, push, zeros, wanted, g)


def _batch(
    _function: Any, mapped: tuple[bool, ...], *inputs: Any, rule: Rule, randomness: str
) -> tuple[Any, ...]:
    axes = tuple(0 if has else None for has in mapped)

    def primal(*xs: Any) -> list[Any]:
        return vmap(rule.primal, axes, randomness=randomness)(*xs)

    def push(xs: list[Any], tangents: list[Any]) -> list[Any]:
        return vmap(rule.push, (list(axes), list(axes)), randomness=randomness)(xs, tangents)

    return tuple(run(Rule(rule.name, primal, push), inputs))
