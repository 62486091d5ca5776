"""`odeint`, with derivatives by the adjoint equation; the rest of `scipy.integrate`.

The adjoint state, and the integrals that are the cotangents of time and parameters, are solved for
together with the state itself, backwards from one time of the solution to the one before (Froehlich
et al., arXiv:1711.08079, section 2.4.2), by the same solver with the same options.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.integrate

from .... import numpy as np
from ..core import make_vjp
from ..misc.flatten import flatten
from ..names import enter as _enter
from ..primitives import defvjp_argnums, primitive

odeint = primitive(scipy.integrate.odeint)


def _odeint_vjps(
    argnums: tuple[int, ...], ys: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Callable[[Any], list[Any]]:
    func, _, ts, *rest = args
    params = rest[0] if rest else kwargs.get("args", ())
    options = {name: value for name, value in kwargs.items() if name != "args"}
    flat, unflatten = flatten(params)
    n = np.shape(ys)[1]

    def backwards(state: Any, t: Any, flat: Any) -> Any:
        y, adjoint = state[:n], state[n : 2 * n]
        vjp, slope = make_vjp(lambda ytp: func(ytp[0], ytp[1], *unflatten(ytp[2])), (y, t, flat))
        return np.concatenate([slope, *(np.ravel(g) for g in vjp(-adjoint))])

    def vjp(g: Any) -> list[Any]:
        adjoint, integrals = g[-1], np.zeros(1 + flat.size)  # of the first time, the parameters
        moved = []  # the cotangents of the other times, last first
        for i in range(len(ts) - 1, 0, -1):
            moved.append(np.dot(func(ys[i], ts[i], *params), g[i]))
            integrals = integrals - np.concatenate([moved[-1:], np.zeros(flat.size)])
            state = np.concatenate([ys[i], adjoint, integrals])
            span = np.stack([ts[i], ts[i - 1]])
            state = odeint(backwards, state, span, (flat,), **options)[1]
            adjoint, integrals = state[n : 2 * n] + g[i - 1], state[2 * n :]
        cotangents = {
            1: adjoint,
            2: np.stack([integrals[0], *reversed(moved)]),
            3: unflatten(integrals[1:]),
        }
        return [cotangents[argnum] for argnum in argnums]

    return vjp


defvjp_argnums(odeint, _odeint_vjps)


_enter(globals(), scipy.integrate, scipy.integrate)
