"""SciPy's solvers of initial value problems behind one interface, failures raised as errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import scipy.integrate

from ... import errors

SUCCESS = ("Integration successful.", "Nothing was done; the integration time was 0.")
"""What `odeint` says of a run that did not fail."""

Function = Callable[[Any, Any], Any]
"""``f(t, y)`` on raw arrays."""

IMPLICIT = ("Radau", "BDF")
"""The methods that solve equations in every step."""


FIRST_RUN = ("col_deriv", "first_step", "h0", "lband", "ml", "mu", "uband")
"""Options that make sense for the user's own system from its start alone."""


class Odeint:
    """`scipy.integrate.odeint` with its options."""

    __slots__ = ("options",)

    name = "scipy.integrate.odeint"

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options

    def run(self, f: Function, y0: Any, times: Any, jac: Function | None = None) -> Any:
        """The state at all `times`, and what SciPy has to say on the run."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", scipy.integrate.ODEintWarning)  # raised, below
            out, info = scipy.integrate.odeint(
                f, y0, times, Dfun=jac, tfirst=True, full_output=True, **self.options
            )
        if info["message"] not in SUCCESS:
            raise errors.solver_failed(self.name, info["message"])
        return out, info

    def solve(self, f: Function, y0: Any, times: Any, jac: Function | None = None) -> Any:
        """The state at all `times`, of which the first is that of `y0`; shape (times, n)."""
        return self.run(f, y0, times, jac)[0]

    def as_ivp(self) -> Ivp:
        """The same solver, LSODA, with the same tolerances, where `odeint` cannot do it."""
        options = {}
        for name, here in (("rtol", "rtol"), ("atol", "atol")):
            given = self.options.get(here)
            options[name] = 1.49012e-8 if given is None else given  # what odeint takes
        for name, here in (("max_step", "hmax"), ("min_step", "hmin")):
            if self.options.get(here):
                options[name] = self.options[here]
        return Ivp("LSODA", options)

    def implicit(self) -> bool:
        """Whether the method solves equations in every step: it does so where it must."""
        return False

    def banded(self) -> bool:
        """Whether the user's Jacobian is a band."""
        return any(self.options.get(key) is not None for key in ("ml", "mu"))

    def extended(self, n: int, extra: int) -> Odeint:
        """The solver for a state of `n` numbers with `extra` more behind."""
        return Odeint(extended_tolerances(self.options, n, extra))


class Ivp:
    """`scipy.integrate.solve_ivp` with a method and options, those on the Jacobian left out."""

    __slots__ = ("method", "options")

    name = "scipy.integrate.solve_ivp"

    def __init__(self, method: Any, options: dict[str, Any]) -> None:
        self.method = method
        self.options = options

    def run(self, f: Function, y0: Any, span: Any, jac: Any = None, **options: Any) -> Any:
        """SciPy's result object."""
        options |= self.with_jacobian(jac)
        result = scipy.integrate.solve_ivp(
            f, span, y0, method=self.method, **options, **self.options
        )
        if result.status < 0:
            raise errors.solver_failed(self.name, result.message)
        return result

    def solve(self, f: Function, y0: Any, times: Any, jac: Function | None = None) -> Any:
        """The state at all `times`, of which the first is that of `y0`; shape (times, n)."""
        new = numpy.diff(times, prepend=numpy.nan) != 0  # SciPy takes no time twice
        distinct = times[new]
        if len(distinct) == 1:
            states = numpy.asarray(y0, dtype=float)[None]
        else:
            states = self.run(f, y0, (times[0], times[-1]), jac, t_eval=distinct).y.T
        return states[numpy.cumsum(new) - 1]

    def dense(
        self, f: Function, y0: Any, start: float, stop: float, jac: Function | None
    ) -> Callable[[Any], Any]:
        """The state as a function of time."""
        return self.run(f, y0, (start, stop), jac, dense_output=True).sol

    def steps(
        self, f: Function, y0: Any, start: float, stop: float, jac: Function | None
    ) -> Iterator[scipy.integrate.OdeSolver]:
        """SciPy's object that makes the steps, after each of them."""
        known = isinstance(self.method, type)
        kind = self.method if known else getattr(scipy.integrate, self.method)
        stepper = kind(f, start, y0, stop, **self.with_jacobian(jac), **self.options)
        while stepper.status == "running":
            message = stepper.step()
            if stepper.status == "failed":
                raise errors.solver_failed(self.name, message)
            yield stepper

    def with_jacobian(self, jac: Function | None) -> dict[str, Any]:
        """A Jacobian as an option, for the methods that take one."""
        takes = jac is not None and self.name_of_method() in (*IMPLICIT, "LSODA")
        return {"jac": jac} if takes else {}

    def as_ivp(self) -> Ivp:
        """This solver: `Odeint` has another."""
        return self

    def implicit(self) -> bool:
        """Whether the method solves equations in every step."""
        return self.name_of_method() in IMPLICIT

    def name_of_method(self) -> str:
        """The method's name; of a class, its own."""
        return self.method.__name__ if isinstance(self.method, type) else self.method

    def banded(self) -> bool:
        """Whether the user's Jacobian is a band."""
        return any(self.options.get(key) is not None for key in ("lband", "uband"))

    def extended(self, n: int, extra: int) -> Ivp:
        """The solver for a state of `n` numbers with `extra` more behind."""
        return Ivp(self.method, extended_tolerances(self.options, n, extra))


def extended_tolerances(options: dict[str, Any], n: int, extra: int) -> dict[str, Any]:
    """Options for other systems: of `extra` more numbers, whose tolerances are the strictest."""
    changed = {key: value for key, value in options.items() if key not in FIRST_RUN}
    for key in ("rtol", "atol"):
        value = options.get(key)
        if value is not None and numpy.ndim(value) and len(value) == n and extra:
            changed[key] = numpy.concatenate([value, numpy.full(extra, numpy.min(value))])
    return changed
