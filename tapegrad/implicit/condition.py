"""A solver's answer as one entry, which holds the condition that the answer fulfils.

With F(x, p) = 0 for the answer x and the parameters p, the implicit function theorem gives
``dx = -(dF/dx)^-1 (dF/dp) dp``. So what is recorded is one evaluation at the answer, as a program;
nothing of the way there. Reverse mode takes one linear solve with the transposed Jacobian, forward
mode one with the Jacobian. The rules are written with recorded operations, and the answer is one
of their inputs, so that derivatives of any order follow.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy

from ..backend import as_data
from ..core.array import Array, is_mapped
from ..core.op import Op
from ..core.program import Program, trace
from ..core.record import raw, record
from ..core.tape import Paused, ReplayTape, current_tape, local, shared, tick
from ..ops.contract import transpose
from ..ops.linalg import solve
from ..ops.linear import reshape, stop_gradient, sum
from ..transforms.arguments import zeros_like
from ..transforms.jacobian import jacobian
from ..transforms.rules import Flat, Usage, pull_function, push_function, pushing_through
from ..transforms.vectors import Layout
from ..transforms.vmap import vmap
from . import errors

Residual = Callable[[Flat, Sequence[Any], Sequence[Any]], list[Any]]
"""``residual(function, xs, rest)``: what is zero at a solution, from a function of both."""

Solver = Callable[[Flat, list[Any], Sequence[Any]], list[Any]]
"""``solver(function, starts, rest)``: the unknowns, for a function of these alone; plain data."""

Linear = Callable[[str, Callable[..., list[Any]], list[Any], Sequence[Any], list[Any]], list[Any]]
"""``linear(name, apply, b, parameters, starts)``: xs with ``apply(*xs, *parameters) = b``."""


class Condition(NamedTuple):
    """What a solution fulfils: ``residual(program.run, xs, rest) = 0``.

    An entry's inputs are the solver's starts, as many as there are unknowns, and `rest`: the
    arguments, and what the function closes over. `linear` is None for dense linear solves.
    """

    name: str
    program: Program
    residual: Residual
    solver: Solver
    linear: Linear | None
    unknowns: Layout
    equations: Layout

    @property
    def unknown_count(self) -> int:
        return len(self.unknowns.shapes)

    def at(self, xs: Sequence[Any], rest: Sequence[Any]) -> list[Any]:
        """The residual."""
        return self.residual(self.program.run, xs, rest)

    def solution(self, inputs: Sequence[Any]) -> list[Any]:
        """The unknowns for other inputs, plain ones."""
        starts, rest = list(inputs[: self.unknown_count]), inputs[self.unknown_count :]
        return self.solver(lambda *xs: self.program.run(*xs, *rest), starts, rest)

    def matrix(self, xs: Sequence[Any], rest: Sequence[Any]) -> Any:
        """The Jacobian of the residual in the unknowns."""

        def packed(vector: Any) -> Any:
            return self.equations.pack(self.at(self.unknowns.unpack(vector), rest))

        return jacobian(packed)(self.unknowns.pack(xs))

    def pull(
        self, gs: Sequence[Any], xs: Sequence[Any], inputs: Sequence[Any], wanted: Sequence[bool]
    ) -> list[Any]:
        """The cotangents of the inputs, for those of the unknowns: None for what is not wanted."""
        count = self.unknown_count
        rest = list(inputs[count:])
        if True not in wanted[count:]:
            return [None] * len(inputs)
        if self.linear is None:
            matrix = transpose(self.matrix(xs, rest))
            weights = self.equations.unpack(self.dense(matrix, self.unknowns.pack(gs)))
        else:
            weights = self.linear(
                self.name, self.apply_transposed, list(gs), (*xs, *rest), zeros(self.equations)
            )
        pulled = pull_function(
            self.name,
            lambda *some: self.at(xs, some),
            rest,
            wanted[count:],
            [-w for w in weights],
        )
        return [None] * count + pulled

    def push(
        self, tangents: Sequence[Any], xs: Sequence[Any], inputs: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The tangents of the unknowns, for those of the inputs, None where there is none."""
        rest = list(inputs[self.unknown_count :])
        given = tangents[self.unknown_count :]
        if all(t is None for t in given):
            return tuple(map(zeros_like, xs))
        moved = [-t for t in push_function(lambda *some: self.at(xs, some), rest, given)]
        if self.linear is None:
            matrix = self.matrix(xs, rest)
            return tuple(self.unknowns.unpack(self.dense(matrix, self.equations.pack(moved))))
        return tuple(self.linear(self.name, self.apply, moved, (*xs, *rest), zeros(self.unknowns)))

    def dense(self, matrix: Any, vector: Any) -> Any:
        """The solution of a linear system."""
        try:
            column = solve(matrix, reshape(vector, to=(vector.size, 1)))
        except numpy.linalg.LinAlgError as error:
            raise errors.singular_condition(self.name) from error
        return reshape(column, to=(vector.size,))

    def apply(self, *arrays: Any) -> list[Any]:
        """The Jacobian in the unknowns times a vector; then come the point and the rest."""
        count = self.unknown_count
        vs, xs, rest = arrays[:count], arrays[count : 2 * count], arrays[2 * count :]
        return list(push_function(lambda *some: self.at(some, rest), xs, vs))

    def apply_transposed(self, *arrays: Any) -> list[Any]:
        """The transposed Jacobian times a vector; then come the point and the rest."""
        rows, count = len(self.equations.shapes), self.unknown_count
        weights, xs, rest = arrays[:rows], arrays[rows : rows + count], arrays[rows + count :]
        return pull_function(
            self.name, lambda *some: self.at(some, rest), xs, [True] * count, weights
        )


class Lanes(NamedTuple):
    """A condition in many lanes: of the inputs, those marked in `mapped` have a lane axis."""

    inner: Condition | Lanes
    mapped: tuple[bool, ...]

    @property
    def unknown_count(self) -> int:
        return self.inner.unknown_count

    @property
    def program(self) -> Program:
        return self.inner.program

    @property
    def axes(self) -> list[int | None]:
        return [0 if has else None for has in self.mapped]

    def solution(self, inputs: Sequence[Any]) -> list[Any]:
        """The unknowns, lane by lane."""
        (lanes,) = {x.shape[0] for x, has in zip(inputs, self.mapped, strict=True) if has}
        solutions = []
        for i in range(lanes):
            one = [x[i] if has else x for x, has in zip(inputs, self.mapped, strict=True)]
            try:
                solutions.append(self.inner.solution(one))
            except Exception as error:
                error.add_note(f"in lane {i} of {lanes} under vmap")
                raise
        if not lanes:
            pairs = zip(inputs[: self.unknown_count], self.mapped, strict=False)
            return [x if has else numpy.zeros((0, *x.shape), x.dtype) for x, has in pairs]
        return [numpy.stack(column) for column in zip(*solutions, strict=True)]

    def pull(
        self, gs: Sequence[Any], xs: Sequence[Any], inputs: Sequence[Any], wanted: Sequence[bool]
    ) -> list[Any]:
        chosen = [i for i, want in enumerate(wanted) if want and i >= self.unknown_count]

        def one(gs: list[Any], xs: list[Any], inputs: list[Any]) -> list[Any]:
            pulled = self.inner.pull(gs, xs, inputs, wanted)
            return [pulled[i] for i in chosen]

        pulled: list[Any] = [None] * len(inputs)
        if chosen:
            lanes = vmap(one, (0, 0, self.axes))(list(gs), list(xs), list(inputs))
            for i, d in zip(chosen, lanes, strict=True):
                pulled[i] = d if self.mapped[i] else sum(d, axis=(0,), keepdims=False)
        return pulled

    def push(
        self, tangents: Sequence[Any], xs: Sequence[Any], inputs: Sequence[Any]
    ) -> tuple[Any, ...]:
        given = [i for i, t in enumerate(tangents) if t is not None]
        axes = [self.axes[i] for i in given]

        def one(ts: list[Any], xs: list[Any], inputs: list[Any]) -> tuple[Any, ...]:
            known = dict(zip(given, ts, strict=True))
            return self.inner.push([known.get(i) for i in range(len(tangents))], xs, inputs)

        ts = [tangents[i] for i in given]
        return vmap(one, (axes, 0, self.axes))(ts, list(xs), list(inputs))


def zeros(layout: Layout) -> list[Any]:
    """Zeros of the shapes and dtypes of a layout."""
    pairs = zip(layout.shapes, layout.dtypes, strict=True)
    return [numpy.zeros(shape, dtype)[()] for shape, dtype in pairs]


def solve_as_entry(
    name: str,
    function: Flat,
    residual: Residual,
    solver: Solver,
    starts: Sequence[Any],
    args: Sequence[Any],
    linear: Linear | None,
    first: Solver | None = None,
) -> list[Any]:
    """The unknowns xs with ``residual(function, xs, args) = 0``, as one entry.

    `first`, or else `solver`, finds them with the Python function, which may branch on what it
    gets, and on plain data. `solver` finds them again wherever the entry is run again, with the
    function's program: under `vmap`, where each lane needs a solve of its own, from the beginning.
    """
    starts = [stop_gradient(x) if isinstance(x, Array) else x for x in starts]
    given = (*starts, *args)
    many = any(map(is_mapped, given))
    apart = False
    if current_tape().replay and not many:
        _, captured = traced(function, given, len(starts), many)
        many = any(map(is_mapped, captured))
        apart = not captured
    if many:
        at = given
    else:
        rest = [raw(x) for x in args]
        with undisturbed(apart):
            xs = (first or solver)(detached(function, rest), [raw(x) for x in starts], rest)
        if nothing_tracked() and not any(isinstance(x, Array) for x in given):
            return xs
        at = (*xs, *args)
    program, captured = traced(function, at, len(starts), many)
    inputs = (*given, *captured)
    rest = [raw(x) for x in inputs[len(starts) :]]
    with undisturbed(apart=True):
        values = residual(program.run, [raw(x) for x in at[: len(starts)]], rest)
    unknowns, equations = Layout([raw(x) for x in starts]), Layout(values)
    if unknowns.size != equations.size:
        raise errors.not_square(name, unknowns.size, equations.size)
    condition = Condition(name, program, residual, solver, linear, unknowns, equations)
    return append(condition, inputs, None if many else xs)


def nothing_tracked() -> bool:
    """Whether there is no value anywhere that an operation would be recorded for."""
    tape = current_tape()
    return not (tape.marks or tape.replay or shared.imperative)


def traced(
    function: Flat, arrays: Sequence[Any], unknowns: int, many: bool
) -> tuple[Program, list[Any]]:
    """The program of a function at some arrays, and what it closes over.

    `many` says that the first of them, the unknowns, differ between lanes.
    """
    mapped = [(many and i < unknowns) or is_mapped(x) for i, x in enumerate(arrays)]

    def results(*xs: Any) -> list[Any]:
        return [x if isinstance(x, Array) else as_data(x) for x in function(*xs)]

    return trace(results, [raw(x) for x in arrays], mapped, ReplayTape("vmap")).closed()


@contextmanager
def undisturbed(apart: bool = False) -> Iterator[None]:
    """Run something that gives plain data, and leave nothing of it on the tape.

    `apart` says that nothing recorded comes into it. Then it runs as outside of every replay, where
    all that a transform computes would be recorded.
    """
    previous, first = local.tape, tick()
    tape = local.root if apart else current_tape()
    try:
        local.tape = Paused(tape)
        yield
    finally:
        local.tape = previous
        del tape[tape.position(first) :]


def detached(function: Flat, rest: Sequence[Any]) -> Flat:
    """A function of the unknowns alone, which gives plain data where it gets plain data."""

    def alone(*xs: Any) -> list[Any]:
        results = function(*xs, *rest)
        if any(isinstance(x, Array) for x in xs):
            return results  # in a transform that the solver uses
        return [as_data(raw(x)) for x in results]

    return alone


def append(
    condition: Condition | Lanes,
    inputs: Sequence[Any],
    solution: list[Any] | None = None,
    pulled: bool = False,
) -> list[Any]:
    """The entry of a condition; it is solved first where no solution is given.

    `pulled` says how the entry was used in a trace before.
    """
    if solution is None:
        with undisturbed(apart=True):
            solution = condition.solution([raw(x) for x in inputs])
    params = {"condition": condition, "program": condition.program, "usage": Usage(pulled)}
    return list(record(operation(len(solution)), tuple(inputs), params, tuple(solution)))


@functools.cache
def operation(outputs: int) -> Op:
    """The operation of entries with so many unknown arrays."""

    def function(
        *inputs: Any, condition: Condition | Lanes, usage: Usage, **_: Any
    ) -> tuple[Any, ...]:
        return tuple(append(condition, inputs, pulled=usage.pulled))

    return Op(
        "implicit",
        forward=lambda _xp, *inputs, **params: function(*inputs, **params),
        vjp=_pull,
        jvp=_push,
        batch=_batch,
        joint=True,
        steep=True,  # for all that is known
        outputs=outputs,
        function=function,
        doc="The solution of a condition, differentiated by the implicit function theorem.",
    )


def _pull(
    g: Any,
    out: Any,
    *inputs: Any,
    wanted: tuple[bool, ...],
    condition: Condition | Lanes,
    usage: Usage,
    **_: Any,
) -> list[Any]:
    usage.pulled = True
    gs = [zeros_like(x) if d is None else d for x, d in zip(out, g, strict=True)]
    return condition.pull(gs, out, inputs, wanted)


def _push(
    tangents: tuple[Any, ...],
    out: Any,
    *inputs: Any,
    condition: Condition | Lanes,
    usage: Usage,
    **_: Any,
) -> tuple[Any, ...]:
    with pushing_through(usage):
        return tuple(condition.push(tangents, out, inputs))


def _batch(
    _function: Any,
    mapped: tuple[bool, ...],
    *inputs: Any,
    condition: Condition | Lanes,
    usage: Usage,
    **_: Any,
) -> tuple[Any, ...]:
    return tuple(append(Lanes(condition, mapped), inputs, pulled=usage.pulled))
