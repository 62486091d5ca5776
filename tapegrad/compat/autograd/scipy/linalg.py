"""`scipy.linalg`, for plain and for traced arrays: the names of `tapegrad.scipy.linalg`."""

from scipy import linalg as _original

from ....scipy import linalg as _linalg
from ..names import enter as _enter

_enter(globals(), _linalg, _original)
