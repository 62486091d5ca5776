"""`scipy.special`, for plain and for traced arrays: the names of `tapegrad.scipy.special`."""

from scipy import special as _original

from ....scipy import special as _special
from ..names import enter as _enter

_enter(globals(), _special, _original)
