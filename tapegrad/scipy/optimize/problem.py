"""What all solvers here share: a user's function as one of a vector, and SciPy's result object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import scipy.optimize

from ... import numpy as np
from ... import tree
from ...backend import is_raw
from ...core.array import Array, is_mapped
from ...core.record import raw
from ...implicit import errors
from ...implicit.condition import Residual
from ...implicit.entry import solve_as_entry
from ...implicit.linear import linear_solver
from ...ops.linear import astype, reshape
from ...sparse import sparse_jacobian
from ...transforms.flat import FlatCall, is_array
from ...transforms.grad import grad, value_and_grad
from ...transforms.jacobian import hessian, jacobian
from ...transforms.linearize import linearize
from ...transforms.products import elementwise_grad
from ...transforms.rules import Flat
from ...transforms.vectors import Packing
from ..sparse import SparseArray

DOUBLE = numpy.dtype(float)


class Problem:
    """A function of unknowns and of arguments, as one of a vector and of arrays.

    As in SciPy, numbers and lists of numbers are vectors, and unknowns are of double precision.
    Other trees come to the function as they are. `form` takes the function's flat results. With
    `alone`, the unknown is one array or number, which stays what it is.
    """

    def __init__(
        self,
        name: str,
        fun: Callable[..., Any],
        form: Callable[[str, list[Any]], list[Any]],
        x0: Any,
        args: Any = (),
        kwargs: dict[str, Any] | None = None,
        alone: bool = False,
    ) -> None:
        if not callable(fun):
            raise errors.bad_solver_argument(name, "fun", "a function", fun)
        self.name = name
        self.form = form
        x0 = tree.map(lambda x: as_double(name, x), x0 if alone else as_vector(x0))
        self.packing = Packing(x0)
        start = x0 if alone else self.packing.pack(x0)
        args = args if isinstance(args, tuple) else (args,)

        def of_vector(vector: Any, *args: Any, **kwargs: Any) -> Any:
            return fun(vector if alone else self.packing.unpack(vector), *args, **kwargs)

        self.call = FlatCall(
            of_vector, (start, *args), kwargs or {}, lambda i, x: i == 0 or is_array(x)
        )
        self.start, *self.args = self.call.inputs()

    def __call__(self, vector: Any, *rest: Any) -> list[Any]:
        """The results; in `rest` the arguments come first, and others may follow."""
        return self.form(self.name, self.call(vector, *rest[: len(self.args)]))

    def solve(
        self,
        condition: Residual,
        solve: Solve,
        more: Sequence[Any] = (),
        linear: Any = "dense",
        others: Sequence[Any] = (),
    ) -> list[Any]:
        """The vector that fulfils a condition, of which `more` arrays are parameters too.

        `others` are the starts of unknowns that the function does not take.
        """

        def function(vector: Any, *rest: Any) -> list[Any]:
            return self(vector, *rest[len(others) :])

        return solve_as_entry(
            self.name,
            function if others else self,
            condition,
            solve.strict,
            [self.start, *others],
            (*self.args, *more),
            linear_solver(self.name, linear),
            solve.lenient,
        )


class Solve:
    """A call of a SciPy solver: `run(function, start, rest)` gives a result object and the answer.

    `strict` and `lenient` solve with it: the latter, for the solve that the user asked for, keeps
    the result, whether it is a success or not; the former, for solves that a replay asks for,
    raises where there is none.
    """

    def __init__(
        self,
        name: str,
        run: Callable[[Flat, Any, Sequence[Any]], tuple[Any, list[Any]]],
        succeeded: Callable[[Any], bool] = lambda result: bool(result.success),
    ) -> None:
        self.name = name
        self.run = run
        self.succeeded = succeeded
        self.result: Any = None

    def strict(self, function: Flat, starts: list[Any], rest: Sequence[Any]) -> list[Any]:
        result, answer = self.run(of_first(function, starts), starts[0], rest)
        self.check(result)
        return answer

    def lenient(self, function: Flat, starts: list[Any], rest: Sequence[Any]) -> list[Any]:
        self.result, answer = self.run(of_first(function, starts), starts[0], rest)
        return answer

    def check(self, result: Any) -> None:
        """Raise where a result is no success."""
        if not self.succeeded(result):
            why = result.get("message") or result.get("flag")
            raise errors.no_solution(self.name, str(why).strip().rstrip("."))

    def finished(self, *values: Any) -> Any:
        """The result object for values that were solved for; checked if these have derivatives.

        Under `vmap` there is none for all lanes, so that a new one has what all have in common. It
        is not kept, for the entry keeps this object, and the result will have the entry's values.
        """
        result, self.result = self.result, None
        if result is None or any(map(is_mapped, values)):
            return scipy.optimize.OptimizeResult(success=True, message="Solved lane by lane.")
        if any(map(is_tracked, values)):
            self.check(result)
        return result


def of_first(function: Flat, starts: list[Any]) -> Flat:
    """A function of the unknowns as one of the first alone: it does not take the others."""
    return lambda x: function(x, *starts[1:])


class Smooth:
    """A function of a vector on plain data, and its exact derivatives, as SciPy calls them.

    Products with the Hessian at one point share a recording of the gradient.
    """

    def __init__(self, function: Flat) -> None:
        self.function = function
        self.at: Any = None
        self.push: Any = None

    def first(self, x: Any) -> Any:
        """The first result, as it is differentiated."""
        return self.function(x)[0]

    def value(self, x: Any) -> Any:
        return raw(self.first(x))

    def value_and_gradient(self, x: Any) -> Any:
        value, gradient = value_and_grad(self.first)(numpy.asarray(x, float))
        return raw(value), raw(gradient)

    def gradient(self, x: Any) -> Any:
        return raw(grad(self.first)(numpy.asarray(x, float)))

    def hessian(self, x: Any) -> Any:
        return raw(hessian(self.first)(numpy.asarray(x, float)))

    def hessian_product(self, x: Any, vector: Any) -> Any:
        if self.at is None or not numpy.array_equal(self.at, x):
            self.at = numpy.array(x, float)
            _, self.push = linearize(grad(self.first), self.at)
        return raw(self.push(numpy.asarray(vector, float).reshape(self.at.shape)))

    def slope(self, x: Any) -> Any:
        """The derivative of a function that works element by element."""
        return raw(elementwise_grad(self.first)(numpy.asarray(x, float)[()]))

    def curvature(self, x: Any) -> Any:
        """The second derivative of a function that works element by element."""
        return raw(elementwise_grad(elementwise_grad(self.first))(numpy.asarray(x, float)[()]))

    def jacobian(self, x: Any) -> Any:
        return raw(jacobian(self.first)(numpy.asarray(x, float)))

    def sparse_jacobian(self, x: Any, pattern: Any) -> Any:
        matrix = SparseArray.of(sparse_jacobian(self.first, pattern)(numpy.asarray(x, float)))
        return matrix.structure.matrix(raw(matrix.data))


def one_number(name: str, results: list[Any]) -> list[Any]:
    """The form of an objective: the only element of its results."""
    if len(results) != 1 or getattr(results[0], "size", 1) != 1:
        raise errors.not_one_number(name, [getattr(x, "shape", ()) for x in results])
    (value,) = results
    return [reshape(value, to=()) if getattr(value, "shape", ()) else value]


def one_array(name: str, results: list[Any]) -> list[Any]:
    """The form of a function whose result is an array of the shape of its argument."""
    if len(results) != 1:
        raise errors.not_one_number(name, [getattr(x, "shape", ()) for x in results])
    return results


def one_vector(_name: str, results: list[Any]) -> list[Any]:
    """The form of equations: their results, any arrays, as one vector."""
    return [Packing(results).pack(results)]


def as_vector(x0: Any) -> Any:
    """A start as SciPy takes it: a number, or a list of numbers, is a vector."""
    if isinstance(x0, list | tuple) and not hasattr(x0, "_fields"):
        return np.array(x0) if all(map(is_number, x0)) else x0
    return np.reshape(x0, (1,)) if is_number(x0) else x0


def is_number(x: Any) -> bool:
    """Whether `x` is a single number."""
    return (isinstance(x, Array) or is_raw(x)) and getattr(x, "shape", ()) == ()


def as_double(name: str, x: Any) -> Any:
    """A leaf of a start in double precision."""
    x = x if isinstance(x, Array) else numpy.asarray(x)[()]
    if x.dtype.kind not in "biuf":
        raise errors.complex_unknown(name, x.dtype)
    return x if x.dtype == DOUBLE else astype(x, to=DOUBLE, source=x.dtype)


def is_tracked(x: Any) -> bool:
    """Whether derivatives or lanes may be asked of a value."""
    return isinstance(x, Array) and x.slot != 0
