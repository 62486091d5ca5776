"""The condition that a solver's answer fulfils, and the answer's derivatives, from it alone.

With F(x, p) = 0 for the answer x and the parameters p, the implicit function theorem gives
``dx = -(dF/dx)^-1 (dF/dp) dp``. Reverse mode takes one linear solve with the transposed Jacobian,
forward mode one with the Jacobian. All is written with functions that record, and the answer is one
of the inputs, so that derivatives of any order follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy

from ..core.program import Program
from ..ops.contract import transpose
from ..ops.linalg import solve
from ..ops.linear import reshape, sum
from ..transforms.arguments import zeros_like
from ..transforms.jacobian import jacobian
from ..transforms.rules import Flat, pull_function, push_function
from ..transforms.vectors import Layout
from ..transforms.vmap import vmap
from . import errors

Residual = Callable[[Flat, Sequence[Any], Sequence[Any]], list[Any]]
"""``residual(function, xs, rest)``: what is zero at a solution, from a function of both."""

Solver = Callable[[Flat, list[Any], Sequence[Any]], list[Any]]
"""``solver(function, starts, rest)``: the unknowns, for a function of these alone; plain data."""


class Condition(NamedTuple):
    """What a solution fulfils: ``residual(program.run, xs, rest) = 0``.

    An entry's inputs are the solver's starts, as many as there are unknowns, and `rest`: the
    arguments, and what the function closes over. `linear` solves the systems of the derivatives.
    """

    name: str
    program: Program
    residual: Residual
    solver: Solver
    linear: Linear
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

    def packed(self, rest: Sequence[Any]) -> Callable[[Any], Any]:
        """The residual as a function from vectors to vectors."""
        return lambda vector: self.equations.pack(self.at(self.unknowns.unpack(vector), rest))

    def pull(
        self, gs: Sequence[Any], xs: Sequence[Any], inputs: Sequence[Any], wanted: Sequence[bool]
    ) -> list[Any]:
        """The cotangents of the inputs, for those of the unknowns: None for what is not wanted."""
        count = self.unknown_count
        rest = list(inputs[count:])
        if True not in wanted[count:]:
            return [None] * len(inputs)
        weights = self.linear(self, xs, rest, list(gs), True)
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
        return tuple(self.linear(self, xs, rest, moved, False))

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


Linear = Callable[[Condition, Sequence[Any], Sequence[Any], list[Any], bool], list[Any]]
"""``linear(condition, xs, rest, right, transposed)``: the solution of the linear system with the
Jacobian of the residual in the unknowns, or its transpose, and some right-hand side."""


def dense(
    condition: Condition, xs: Sequence[Any], rest: Sequence[Any], right: list[Any], transposed: bool
) -> list[Any]:
    """The solution of a linear system by its whole matrix."""
    rows, columns = condition.equations, condition.unknowns
    matrix = jacobian(condition.packed(rest))(columns.pack(xs))
    if transposed:
        matrix, rows, columns = transpose(matrix), columns, rows
    vector = rows.pack(right)
    with regular(condition.name):
        column = solve(matrix, reshape(vector, to=(vector.size, 1)))
    return columns.unpack(reshape(column, to=(vector.size,)))


class Lanes(NamedTuple):
    """A condition in many lanes: of the inputs, those marked in `mapped` have a lane axis."""

    inner: Condition | Lanes
    mapped: tuple[bool, ...]

    @property
    def unknown_count(self) -> int:
        return self.inner.unknown_count

    @property
    def name(self) -> str:
        return self.inner.name

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
            with regular(self.name):
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
        with regular(self.name):
            return vmap(one, (axes, 0, self.axes))(ts, list(xs), list(inputs))


@contextmanager
def regular(name: str) -> Iterator[None]:
    """Say of a singular matrix what it means."""
    try:
        yield
    except numpy.linalg.LinAlgError as error:
        raise errors.singular_condition(name) from error
