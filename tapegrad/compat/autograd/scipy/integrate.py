"""`scipy.integrate`, for plain and for traced arrays: the names of `tapegrad.scipy.integrate`.

The derivatives of `odeint` are computed as autograd computes them, and have the same numbers: the
state is integrated backwards along with the adjoint one.
"""

from functools import partial, update_wrapper

from scipy import integrate as _original

from ....scipy import integrate as _integrate
from ..names import enter as _enter

odeint = update_wrapper(
    partial(_integrate.odeint, sensitivity="backsolve"), _integrate.odeint, updated=()
)

_enter(globals(), _integrate, _original)
