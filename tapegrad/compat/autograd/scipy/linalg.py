"""`scipy.linalg`, for plain and for traced arrays: the names of `tapegrad.scipy.linalg`."""

from ....scipy import linalg as _linalg
from ..names import public as _public

globals().update(_public(_linalg))
