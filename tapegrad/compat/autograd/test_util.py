"""`check_grads`: derivatives against finite differences, in random directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from .core import make_jvp, make_vjp
from .vspaces import vspace
from .wrap_util import get_name, unary_to_nary

Function = Callable[..., Any]

TOL = 1e-6
RTOL = 1e-6
EPS = 1e-6


def scalar_close(a: Any, b: Any) -> bool:
    """Whether two numbers agree up to `TOL`, or relatively up to `RTOL`."""
    return abs(a - b) < TOL or abs(a - b) / abs(a + b) < RTOL


def make_numerical_jvp(f: Function, x: Any) -> Function:
    """The directional derivative of `f` at `x` as a function of the direction, by a difference."""
    xs, ys = vspace(x), vspace(f(x))

    def jvp(v: Any) -> Any:
        above = f(xs.add(x, xs.scalar_mul(v, EPS / 2)))
        below = f(xs.add(x, xs.scalar_mul(v, -EPS / 2)))
        return ys.scalar_mul(ys.add(above, ys.scalar_mul(below, -1.0)), 1.0 / EPS)

    return jvp


def check_vjp(f: Function, x: Any) -> None:
    """Check reverse mode: in a random direction, against a difference."""
    vjp, y = make_vjp(f, x)
    xs, ys = vspace(x), vspace(y)
    direction, weights = xs.randn(), ys.randn()
    pulled = xs.covector(vjp(ys.covector(weights)))
    assert vspace(pulled) == xs, f"VSpace mismatch:\nx: {xs}\ngradient: {vspace(pulled)}"
    exact = xs.inner_prod(direction, pulled)
    numeric = ys.inner_prod(weights, make_numerical_jvp(f, x)(direction))
    assert scalar_close(numeric, exact), (
        f"Derivative (VJP) check of {get_name(f)} failed with arg {x}:\n"
        f"analytic: {exact}\nnumeric:  {numeric}"
    )


def check_jvp(f: Function, x: Any) -> None:
    """Check forward mode: in a random direction, against a difference."""
    direction = vspace(x).randn()
    check_equivalent(make_jvp(f, x)(direction)[1], make_numerical_jvp(f, x)(direction))


def check_equivalent(x: Any, y: Any) -> None:
    """Check that two values are of one space, and equal in a random direction."""
    xs, ys = vspace(x), vspace(y)
    assert xs == ys, f"VSpace mismatch:\nx: {xs}\ny: {ys}"
    v = xs.randn()
    close = scalar_close(xs.inner_prod(x, v), xs.inner_prod(y, v))
    assert close, f"Value mismatch:\nx: {x}\ny: {y}"


@unary_to_nary
def check_grads(f: Function, x: Any, modes: Sequence[str] = ("fwd", "rev"), order: int = 2) -> None:
    """Check derivatives up to an order: ``check_grads(f, argnum, modes=["rev"], order=1)(*args)``.

    Raises AssertionError where they differ from finite differences in a random direction.
    """
    modes = ("fwd", "rev") if modes is None else modes
    assert all(m in ("fwd", "rev") for m in modes)
    if "fwd" in modes:
        check_jvp(f, x)
        if order > 1:
            _check_derivative(
                f"jvp_{get_name(f)}", lambda x, v: make_jvp(f, x)(v)[1], x, x, modes, order
            )
    if "rev" in modes:
        check_vjp(f, x)
        if order > 1:
            _check_derivative(
                f"vjp_{get_name(f)}", lambda x, v: make_vjp(f, x)[0](v), x, f(x), modes, order
            )


def _check_derivative(
    name: str, derivative: Function, x: Any, like: Any, modes: Sequence[str], order: int
) -> None:
    """Check the derivatives of a derivative, a function of the point and of a direction."""
    derivative.__name__ = name
    check_grads(derivative, (0, 1), modes, order=order - 1)(x, vspace(like).randn())


def combo_check(fun: Function, *args: Any, **kwargs: Any) -> Function:
    """`check_grads` of `fun` for all combinations: each argument is a sequence of values."""

    def check(*values: Any, **options: Any) -> None:
        for chosen in product(*values):
            for settings in product(*options.values()):
                named = dict(zip(options, settings, strict=True))
                check_grads(fun, *args, **kwargs)(*chosen, **named)

    return check
