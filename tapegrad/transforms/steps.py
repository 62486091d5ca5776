"""Steps of second-order optimisers on trees: Newton-CG, Gauss-Newton, Levenberg-Marquardt.

Each gives the step alone, in the structure of the arguments; what to do with it (a line search, a
trust region, the next damping) is the caller's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from ..backend import namespace
from . import misuse
from .operators import Linear, check_host
from .products import as_tuple, gradient_of
from .vectors import Packing


def newton_cg_step(
    fun: Callable[..., Any],
    primals: Any,
    *,
    tol: float | None = None,
    maxiter: int | None = None,
    radius: float = numpy.inf,
) -> Any:
    """Newton's step for a scalar function, by conjugate gradients with products of the Hessian.

    The method of Steihaug (1983): it ends where the residual is `tol` times the gradient's norm (by
    default ``min(0.5, sqrt(norm))``, for superlinear convergence), at the boundary of a trust
    region of `radius`, after `maxiter` products (by default as many as there are elements), or at a
    direction of negative curvature, which it follows to the boundary. Without a `radius` it stops
    there, and takes the negative gradient if that was the first direction. The step is always one
    of descent.

    >>> import numpy as np, tapegrad as tg
    >>> x = np.array([3.0, -1.0])
    >>> tg.newton_cg_step(lambda x: (x**2).sum() + x[0] * x[1], x, tol=1e-10).round(6)
    array([-3.,  1.])
    """
    args = as_tuple(primals)
    run = Linear("newton_cg_step", gradient_of("newton_cg_step", fun, len(args)), args)
    gradient = run.codomain.pack(run.values)
    size = float(gradient @ gradient) ** 0.5
    accuracy = min(0.5, size**0.5) if tol is None else tol
    step = namespace(gradient).zeros_like(gradient)
    residual, direction = gradient, -gradient
    squared = residual @ residual
    for _ in range(gradient.size if maxiter is None else maxiter):
        if squared**0.5 <= accuracy * size:
            break
        product = run.times(direction)
        curvature = direction @ product
        if curvature <= 0:
            if numpy.isfinite(radius):
                step = step + to_boundary(step, direction, radius) * direction
            elif not step.any():
                step = direction
            break
        length = squared / curvature
        further = step + length * direction
        if (further @ further) ** 0.5 >= radius:
            step = step + to_boundary(step, direction, radius) * direction
            break
        step = further
        residual = residual + length * product
        before, squared = squared, residual @ residual
        direction = -residual + (squared / before) * direction
    return Packing(primals).unpack(step)


def to_boundary(step: Any, direction: Any, radius: float) -> Any:
    """How far to go along a direction to leave a ball of some radius."""
    a, b, c = direction @ direction, step @ direction, step @ step - radius**2
    return (-b + (b * b - a * c) ** 0.5) / a


def gauss_newton_step(fun: Callable[..., Any], primals: Any, *, tol: float = 1e-12) -> Any:
    """The Gauss-Newton step for the sum of squares of a function's results.

    It minimises ``|J step + residuals|``, by LSMR with products of the Jacobian J and its
    transpose; of many such steps, it is the shortest.

    >>> import numpy as np, tapegrad as tg
    >>> tg.gauss_newton_step(lambda x: np.array([[1.0, 0.0], [2.0, 3.0]]) @ x - 1.0, np.zeros(2))
    array([ 1.        , -0.33333333])
    """
    return damped("gauss_newton_step", fun, primals, 0.0, tol)


def levenberg_marquardt_step(
    fun: Callable[..., Any], primals: Any, damping: Any, *, tol: float = 1e-12
) -> Any:
    """The Levenberg-Marquardt step: minimises ``|J step + residuals|^2 + damping |step|^2``.

    As `gauss_newton_step`. With more damping it turns to the direction of steepest descent, and
    becomes shorter.

    >>> import numpy as np, tapegrad as tg
    >>> tg.levenberg_marquardt_step(lambda x: 2.0 * x - 2.0, np.zeros(1), 4.0)
    array([0.5])
    """
    return damped("levenberg_marquardt_step", fun, primals, float(damping), tol)


def damped(name: str, fun: Callable[..., Any], primals: Any, damping: float, tol: float) -> Any:
    """The step of both, computed in double precision."""
    from scipy.sparse.linalg import LinearOperator, lsmr

    if not damping >= 0:
        raise misuse.bad_damping(name, damping)
    run = Linear(name, fun, as_tuple(primals))
    check_host(name, run.data)
    matrix = LinearOperator(
        (run.codomain.size, run.domain.size),
        matvec=lambda v: run.times(v).astype(float),
        rmatvec=lambda v: run.transposed_times(v).astype(float),
        dtype=float,
    )
    residuals = run.codomain.pack(run.values).astype(float)
    step = lsmr(
        matrix, -residuals, damp=damping**0.5, atol=tol, btol=tol, conlim=0.0, maxiter=10**6
    )[0]
    return Packing(primals).unpack(step)
