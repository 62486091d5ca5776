"""`odeint`, for plain and for recorded arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import scipy.integrate

from ...backend import is_complex
from ...core.array import Array
from ...core.record import raw
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...ops.linear import cast
from . import errors
from .field import Field
from .forward import DOUBLE
from .problem import SENSITIVITIES, Problem, solve
from .solvers import Odeint


def odeint(
    func: Callable[..., Any],
    y0: Any,
    t: Any,
    args: Any = (),
    Dfun: Callable[..., Any] | None = None,
    col_deriv: bool = False,
    full_output: bool = False,
    *,
    tfirst: bool = False,
    sensitivity: str = "auto",
    **options: Any,
) -> Any:
    """`scipy.integrate.odeint`, with derivatives in `y0`, in `t`, and in parameters.

    Parameters are recorded arrays in `args` (any pytree) and in what `func` closes over.
    `sensitivity` says how derivatives are computed: "forward" integrates sensitivities along with
    the state, "adjoint" goes backwards piece by piece, "backsolve" does so without storing anything
    (see `problem.py`); "auto" is forward for few states and parameters of methods that are not
    implicit, else adjoint. Where stiff steps need a Jacobian, it is the exact one. Forward mode and
    higher derivatives integrate tangents. Raises if the solver fails.

    >>> import numpy as np, tapegrad as tg
    >>> def end(rate):
    ...     return odeint(lambda y, t, k: -k * y, [2.0], [0.0, 1.0], (rate,))[-1, 0]
    >>> print(round(tg.grad(end)(0.5), 6), round(-2 * np.exp(-0.5), 6))
    -1.213061 -1.213061
    """
    check_sensitivity("odeint", sensitivity)
    args = args if isinstance(args, tuple) else (args,)
    field = Field(Odeint.name, func, args, tfirst)
    y0, t = operand(y0), operand(t)
    if not (field.arrays or isinstance(y0, Array) or isinstance(t, Array)):
        return scipy.integrate.odeint(
            func, y0, t, args, Dfun, col_deriv, full_output, tfirst=tfirst, **options
        )
    y0, t = state_and_times(field, y0, t)
    params = field.arrays
    field.check(t[0], y0, params)
    jac = None
    if Dfun is not None:
        jac = given_jacobian(Dfun, args, tfirst)
        options["col_deriv"] = col_deriv
    problem = Problem(field, Odeint(options), sensitivity, jac)
    out = solve(problem, y0, t, params)
    if not full_output:
        return out
    return out, problem.report(raw(y0), raw(t), [raw(p) for p in params])


def check_sensitivity(name: str, sensitivity: str) -> None:
    """Raise for an unknown way to differentiate."""
    if sensitivity not in SENSITIVITIES:
        raise errors.bad_sensitivity(name, SENSITIVITIES, sensitivity)


def state_and_times(field: Field, y0: Any, t: Any) -> tuple[Any, Any]:
    """The initial state as a vector and the times, in double precision; checked."""
    if any(is_complex(x.dtype) for x in (y0, t, *field.arrays)):
        raise errors.complex_state(field.name)
    if y0.ndim > 1 or t.ndim != 1:
        raise ValueError(f"{field.name}: the initial state and the times must be one-dimensional.")
    return np.reshape(cast(y0, DOUBLE), (-1,)), cast(t, DOUBLE)


def given_jacobian(jac: Callable[..., Any], args: Any, tfirst: bool) -> Callable[[Any, Any], Any]:
    """A user's Jacobian as a function of time and state; of recorded arrays it gets the values."""
    field = Field("", jac, args, tfirst)
    plain = field.bound([raw(x) for x in field.arrays])
    return lambda t, y: numpy.asarray(raw(plain(t, y)))
