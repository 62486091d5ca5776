"""`dblquad`, `tplquad` and `nquad`: integrals of integrals, with derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import scipy.integrate

from ... import errors
from .closures import Opened
from .quadrature import quad


def nquad(
    func: Callable[..., Any],
    ranges: Sequence[Any],
    args: Any = None,
    opts: Any = None,
    full_output: bool = False,
) -> Any:
    """`scipy.integrate.nquad`, with derivatives in limits and in parameters.

    Parameters are recorded arrays in `args`, and in what `func` and the functions among `ranges`
    close over.

    >>> import tapegrad as tg
    >>> def mass(k):  # of a triangle
    ...     return nquad(lambda y, x: (1 + k * x * y) ** 2, [lambda x: (0.0, x), (0.0, 1.0)])[0]
    >>> print(round(mass(1.0), 6), round(tg.grad(mass)(1.0), 6))
    0.805556 0.361111
    """
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    if not Opened((func, args, list(ranges))).arrays:
        return scipy.integrate.nquad(func, ranges, args or None, opts, full_output)
    if full_output:
        raise errors.not_in_scipy_face(
            "integrate.nquad", "full_output", "Ask for it of the integral of plain numbers."
        )
    if isinstance(opts, dict) or callable(opts) or opts is None:
        opts = [opts] * len(ranges)
    off = [0.0]
    function = func
    for limits, options in zip(ranges, opts, strict=True):
        function = integrated(function, limits, options, off)
    return function(*args), off[0]


def integrated(
    inner: Callable[..., Any], limits: Any, options: Any, off: list[float]
) -> Callable[..., Any]:
    """The integral of `inner` in its first argument, as a function of the others.

    `limits` and `options` may be functions of these too. `off` has the largest error so far.
    """

    def outer(*others: Any) -> Any:
        low, high = limits(*others) if callable(limits) else limits
        given = (options(*others) if callable(options) else options) or {}
        value, error = quad(lambda x: inner(x, *others), low, high, **given)
        off[0] = max(off[0], error)
        return value

    return outer


def dblquad(
    func: Callable[..., Any],
    a: Any,
    b: Any,
    gfun: Any,
    hfun: Any,
    args: Any = (),
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> Any:
    """`scipy.integrate.dblquad`, with derivatives as of `nquad`: ``func(y, x, *args)``.

    >>> import tapegrad as tg
    >>> f = lambda k: dblquad(lambda y, x: x * y, 0.0, 1.0, 0.0, lambda x: k * x)[0]
    >>> print(round(tg.grad(f)(2.0), 6))  # of k**2 / 8
    0.5
    """

    def inside(x: Any, *_args: Any) -> tuple[Any, Any]:
        return at(gfun, x), at(hfun, x)

    options = {"epsabs": epsabs, "epsrel": epsrel}
    return nquad(func, [inside, (a, b)], args, options)


def tplquad(
    func: Callable[..., Any],
    a: Any,
    b: Any,
    gfun: Any,
    hfun: Any,
    qfun: Any,
    rfun: Any,
    args: Any = (),
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> Any:
    """`scipy.integrate.tplquad`, with derivatives as of `nquad`: ``func(z, y, x, *args)``."""

    def innermost(y: Any, x: Any, *_args: Any) -> tuple[Any, Any]:
        return at(qfun, x, y), at(rfun, x, y)

    def inside(x: Any, *_args: Any) -> tuple[Any, Any]:
        return at(gfun, x), at(hfun, x)

    options = {"epsabs": epsabs, "epsrel": epsrel}
    return nquad(func, [innermost, inside, (a, b)], args, options)


def at(limit: Any, *xs: Any) -> Any:
    """A limit: a number, or a function of the variables outside."""
    return limit(*xs) if callable(limit) else limit
