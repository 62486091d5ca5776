"""`Op`: everything that is known of an operation, as one record, and the numbering of operations.

Rules are plain functions of data. A vjp rule has the signature ``rule(g, out, *inputs, **params)``
and gives one input's cotangent; what it reads is said by its argument names:

- a name that starts with an underscore (`_out`, `_x`) is not read, and nothing is saved for it;
- a name that starts with `shape` gets the shape alone;
- any other name gets the array itself.

The rules are linear in `g`. Complex cotangents follow the convention of HIPS autograd and JAX: a
rule transposes the complex-linear derivative and conjugates nothing, so that the rule of a
holomorphic elementwise operation is its tangent rule too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

NOTHING, SHAPE, WHOLE = 0, 1, 2  # how much of a value a rule reads

Rule = Callable[..., Any]
Kind = Literal["elementwise", "linear", "multilinear"]


@dataclass(eq=False, slots=True)
class Op:
    """One operation.

    forward
        ``forward(xp, *inputs, **params)`` on raw arrays of the namespace `xp`.
    vjp
        A rule for each input, None where an input has no derivative (a mask, an index). For an
        operation of any number of inputs, a single rule, called with the keyword `argnum`.
        None as a whole: the result has no derivative (a comparison, `floor`).
    jvp
        `"elementwise"`: the sum of the vjp rules applied to the tangents. `"linear"`: the operation
        itself, applied to the tangent of its only input. `"multilinear"`: the sum over its inputs
        of the operation with that input's tangent in its place. Or
        ``jvp(tangents, out, *inputs, **params)`` with None for an input that does not vary; it may
        read what the vjp rules read.
    batch
        ``batch(function, mapped, *inputs, **params)``: the result for inputs of which those marked
        in the tuple of booleans `mapped` have a leading lane axis, with its own lanes leading.
        None for elementwise operations, which need no rule.
    elementwise
        Inputs broadcast and promote to the result's shape and dtype before they are recorded, so
        that no rule meets two shapes or dtypes.
    samples
        ``samples(rng)`` gives ``(inputs, params)`` pairs that the generated tests run on.
    outputs
        0: the result is an array; n: it is a tuple of n arrays, and `g` is a tuple with None for
        the results that have no cotangent.
    joint
        The single vjp rule gives the cotangents of all inputs at once, as a sequence with None for
        none; it is called with the keyword `wanted`, a tuple of booleans, one an input.
    regular
        The rules of this elementwise operation are finite wherever `g` is, so that a zero cotangent
        stays zero by itself. (So they are where they read nothing; this is about the others.)
    steep
        The rules may divide by zero or meet an overflow at finite inputs: walks over the operation
        run with NumPy's floating-point warnings off.
    promote
        Inputs with a derivative are first cast to the result's dtype, recorded.
    step
        ``step(arity)`` gives what a plain sweep does at an entry, ``step(entry, g, cotangents)``,
        where adding to a pending cotangent is cheaper than what the rule gives and a sum.
    operator
        A faster equal of `forward` for NumPy data, such as `operator.mul`.
    """

    name: str
    forward: Callable[..., Any]
    vjp: tuple[Rule | None, ...] | Rule | None
    jvp: Kind | Callable[..., Any] | None
    batch: Callable[..., Any] | None = None
    samples: Callable[..., Iterable[tuple[tuple[Any, ...], dict[str, Any]]]] | None = None
    outputs: int = 0
    joint: bool = False
    elementwise: bool = False
    regular: bool = False
    steep: bool = False
    promote: bool = False
    step: Callable[[int], Callable[..., None]] | None = None
    operator: Callable[..., Any] | None = None
    doc: str = ""
    function: Any = None
    codes: dict[int, int] = field(default_factory=dict)
    reads: dict[int, list[tuple[int, ...]]] = field(default_factory=dict)
    saved: dict[Any, tuple[int, ...]] = field(default_factory=dict)

    def code(self, arity: int) -> int:
        """The number that entries of this operation with `arity` inputs carry."""
        code = self.codes.get(arity)
        if code is None:
            code = self.codes[arity] = len(codes)
            one_rule = not isinstance(self.vjp, tuple)  # perhaps for thousands of inputs
            rows = [reads(self.rule(i), arity) for i in range(1 if one_rule else arity)]
            if callable(self.jvp):
                extra = reads(self.jvp, arity)
                rows = [tuple(map(max, row, extra)) for row in rows]
            self.reads[code] = rows * arity if one_rule else rows
            codes.append((self, arity))
            amounts.append(tuple(map(max, *rows)) if len(rows) > 1 else rows[0])
        return code

    def saves(self, code: int, tracked: tuple[bool, ...]) -> tuple[int, ...]:
        """How much of each input and of the output an entry saves, given which are tracked."""
        key = code, tracked
        found = self.saved.get(key)
        if found is None:
            rows = {row for row, has in zip(self.reads[code], tracked, strict=True) if has}
            empty = (NOTHING,) * (len(tracked) + 1)
            found = self.saved[key] = tuple(map(max, empty, *rows)) if rows else empty
        return found

    def singular(self, code: int, index: int) -> bool:
        """Whether a zero cotangent may become NaN in the rule of an input."""
        return self.elementwise and not self.regular and any(self.reads[code][index])

    def rule(self, index: int) -> Rule | None:
        """The vjp rule of the input at `index`."""
        return self.vjp[index] if isinstance(self.vjp, tuple) else self.vjp

    def differentiable(self, index: int) -> bool:
        """Whether the input at `index` has a derivative."""
        return self.rule(index) is not None


codes: list[tuple[Op, int]] = []
"""What an entry's code stands for: an operation and its number of inputs."""

amounts: list[tuple[int, ...]] = []
"""By code: how much of each input, and last of the output, any rule of the operation reads."""

table: dict[str, Op] = {}
"""Every operation by name."""


def reads(rule: Rule | None, arity: int) -> tuple[int, ...]:
    """How much of each input, and last of the output, a rule reads."""
    if rule is None:
        return (NOTHING,) * (arity + 1)
    code = rule.__code__
    names = list(code.co_varnames[2 : code.co_argcount])  # after g and out
    if code.co_flags & VARIADIC:
        rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
        names += [rest] * (arity - len(names))
    return tuple(map(amount, [*names, code.co_varnames[1]]))


VARIADIC = 0x04  # the flag of a function that takes *inputs


def amount(name: str) -> int:
    """How much is read through an argument of this name."""
    return NOTHING if name.startswith("_") else SHAPE if name.startswith("shape") else WHOLE
