"""`quad` and `fixed_quad`: integrals of functions, with Leibniz' rule.

The derivative of an integral in its upper limit is the integrand there, minus that in the lower
one; in a parameter, it is the integral of the integrand's derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import scipy.integrate
import scipy.special

from ... import errors
from ...backend import is_inexact
from ...core.array import Array
from ...core.op import Op
from ...core.record import apply, raw, record
from ...numpy.dispatch import np
from ...numpy.operands import operand
from ...numpy.reading import any_recorded
from ...ops.define import looped
from ...ops.linear import cast
from ...transforms.grad import grad
from ...transforms.linearize import jvp
from .closures import Opened
from .errors import hidden_parameter
from .field import isolated

DOUBLE = numpy.dtype(float)
NAME = "scipy.integrate.quad"


def quad(
    func: Callable[..., Any],
    a: Any,
    b: Any,
    args: Any = (),
    full_output: bool = False,
    *,
    weight: str | None = None,
    complex_func: bool = False,
    **options: Any,
) -> Any:
    """`scipy.integrate.quad`, with derivatives in the limits and in parameters.

    Parameters are recorded arrays in `args` (any pytree) and in what `func` closes over. An
    infinite limit has derivative 0. With `weight`, the limits have none. Raises if the integral
    does not converge.

    >>> import numpy as np, tapegrad as tg
    >>> print(round(tg.grad(lambda k: quad(lambda x: np.exp(-k * x), 0.0, np.inf)[0])(2.0), 6))
    -0.25
    """
    args = args if isinstance(args, tuple) else (args,)
    opened = Opened((func, args))
    a, b = operand(a), operand(b)
    if not (opened.arrays or isinstance(a, Array) or isinstance(b, Array)):
        return scipy.integrate.quad(
            func, a, b, args, full_output, weight=weight, complex_func=complex_func, **options
        )
    if complex_func:
        raise errors.not_in_scipy_face(
            "integrate.quad", "complex_func", "Integrate real and imaginary part on their own."
        )
    a, b = cast(a, DOUBLE), cast(b, DOUBLE)

    def integrand(x: Any, *params: Any) -> Any:
        function, rest = opened.filled(list(params))
        return function(x, *rest)

    integral = Integral(integrand, {"weight": weight, **options})
    inputs = (a, b, *opened.arrays)
    check(integral, *map(raw, inputs))
    value, *others = integral.run(*map(raw, inputs))
    value = record(QUAD, inputs, {"integral": integral}, value)
    return (value, *others) if full_output else (value, others[0])


def check(integral: Integral, a: Any, b: Any, *params: Any) -> None:
    """Raise if the integrand depends on a recorded array that is no parameter, at one point."""
    low, high = max(a, min(b, 0.0) - 1.0), min(b, max(a, 0.0) + 1.0)
    out = integral.integrand(float(low + 0.381966 * (high - low)), *params)
    if isinstance(out, Array) and out.slot:
        raise hidden_parameter(NAME)


class Integral:
    """An integrand of a point and parameters, and SciPy's options."""

    __slots__ = ("integrand", "options")

    def __init__(self, integrand: Callable[..., Any], options: dict[str, Any]) -> None:
        self.integrand = integrand
        self.options = options

    def at(self, x: Any, params: Sequence[Any]) -> Any:
        """The integrand at a point, as a scalar."""
        return np.reshape(operand(self.integrand(x, *params)), ())

    def run(self, a: Any, b: Any, *params: Any) -> tuple[Any, ...]:
        """The integral, the estimate of its error and what else SciPy says; on raw arrays."""

        with isolated():
            results = scipy.integrate.quad(
                lambda x: raw(self.integrand(x, *params)), a, b, full_output=True, **self.options
            )
        if len(results) > 3:
            raise errors.solver_failed(NAME, results[3])
        return (numpy.float64(results[0]), *results[1:])

    def of_parameters(self, g: Any, a: Any, b: Any, params: Sequence[Any]) -> list[Any]:
        """The cotangents of the parameters that have one."""
        places = [i for i, p in enumerate(params) if is_inexact(p.dtype)]
        gradient = grad(lambda x, *params: self.at(x, params), tuple(i + 1 for i in places))
        pulled: list[Any] = [None] * len(params)
        if not places:
            return pulled
        recorded = any(isinstance(x, Array) for x in (g, a, b, *params))
        if recorded or self.options.get("weight") is not None:
            for k, i in enumerate(places):
                parts = [
                    integrate(self.component(gradient, k, n), a, b, params)
                    for n in range(params[i].size)
                ]
                pulled[i] = g * np.reshape(np.stack(parts), params[i].shape)
            return pulled
        total = g * self.integrate_vector(gradient, a, b, params)
        start = 0
        for i in places:
            own = total[start : start + params[i].size]
            pulled[i] = own.reshape(params[i].shape)[()]
            start += params[i].size
        return pulled

    def component(self, gradient: Callable[..., Any], which: int, place: int) -> Integral:
        """The integral of one element of the integrand's gradient."""

        def integrand(x: Any, *params: Any) -> Any:
            return np.reshape(gradient(x, *params)[which], (-1,))[place]

        return Integral(integrand, self.options)

    def integrate_vector(
        self, gradient: Callable[..., Any], a: Any, b: Any, params: Sequence[Any]
    ) -> Any:
        """The integral of the integrand's gradient in all parameters, as one vector."""

        def vector(x: float) -> Any:
            return numpy.concatenate([numpy.reshape(d, -1) for d in gradient(x, *params)])

        given = {"epsabs": 1.49e-8, "epsrel": 1.49e-8, **self.options}  # quad's defaults
        options = {key: given[key] for key in ("epsabs", "epsrel", "points") if key in given}
        with isolated():
            total, _, info = scipy.integrate.quad_vec(
                vector, a, b, norm="max", full_output=True, **options
            )
        if not info.success:
            raise errors.solver_failed(f"{NAME}, of the derivative,", info.message)
        return total


def integrate(integral: Integral, a: Any, b: Any, params: Sequence[Any]) -> Any:
    """An integral, recorded where an input is tracked."""
    return apply(QUAD, a, b, *params, integral=integral)


def _pull(
    g: Any,
    _out: Any,
    a: Any,
    b: Any,
    *params: Any,
    wanted: tuple[bool, ...],
    integral: Integral,
) -> list[Any]:
    pulled: list[Any] = [None] * len(wanted)
    if wanted[0]:
        pulled[0] = -g * boundary(integral, a, params)
    if wanted[1]:
        pulled[1] = g * boundary(integral, b, params)
    if any(wanted[2:]):
        of_parameters = integral.of_parameters(g, a, b, params)
        for i, d in enumerate(of_parameters, 2):
            if wanted[i] and d is not None:
                pulled[i] = cast(d, params[i - 2].dtype)
    return pulled


def _push(
    tangents: tuple[Any, ...], _out: Any, a: Any, b: Any, *params: Any, integral: Integral
) -> Any:
    total: Any = numpy.float64(0.0)
    if tangents[0] is not None:
        total = total - tangents[0] * boundary(integral, a, params)
    if tangents[1] is not None:
        total = total + tangents[1] * boundary(integral, b, params)
    places = [i for i, t in enumerate(tangents[2:]) if t is not None]
    if not places:
        return total

    def tangent(x: Any, *values: Any) -> Any:
        own = values[: len(params)]

        def varied(*some: Any) -> Any:
            filled = list(own)
            for i, p in zip(places, some, strict=True):
                filled[i] = p
            return integral.at(x, filled)

        return jvp(varied, tuple(own[i] for i in places), values[len(params) :])[1]

    moved = Integral(tangent, integral.options)
    given = [tangents[2 + i] for i in places]
    return total + integrate(moved, a, b, (*params, *given))


def boundary(integral: Integral, x: Any, params: Sequence[Any]) -> Any:
    """The integrand at a limit, to multiply a change of it."""
    if integral.options.get("weight") is not None:
        raise errors.no_parameter_derivative(NAME, "a or b", "with weight= there is no rule for it")
    return integral.at(x, params) if numpy.isfinite(raw(x)) else numpy.float64(0.0)


def _function(a: Any, b: Any, *params: Any, integral: Integral) -> Any:
    return integrate(integral, a, b, params)


QUAD = Op(
    "quad",
    forward=lambda _xp, a, b, *params, integral: integral.run(a, b, *params)[0],
    vjp=_pull,
    jvp=_push,
    batch=looped,
    joint=True,
    steep=True,  # for all that is known
    function=_function,
    doc="The integral of a function.",
)


def fixed_quad(
    func: Callable[..., Any], a: Any, b: Any, args: tuple[Any, ...] = (), n: int = 5
) -> tuple[Any, None]:
    """`scipy.integrate.fixed_quad`: Gauss and Legendre's rule of `n` points, all at once.

    >>> import tapegrad as tg
    >>> print(round(tg.grad(lambda b: fixed_quad(lambda x: x**2, 0.0, b)[0])(3.0), 6))
    9.0
    """
    opened = Opened((func, args))
    if not (opened.arrays or any_recorded((a, b))):
        return scipy.integrate.fixed_quad(func, a, b, args, n)
    if not numpy.isfinite(raw(operand(a))) or not numpy.isfinite(raw(operand(b))):
        raise ValueError("Gaussian quadrature is only available for finite limits.")
    nodes, weights = scipy.special.roots_legendre(n)
    points = (b - a) * (nodes + 1) / 2 + a
    return (b - a) / 2 * np.sum(weights * operand(func(points, *args)), axis=-1), None
