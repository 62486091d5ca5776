"""`scipy.special`, for plain and for traced arrays: the names of `tapegrad.scipy.special`."""

from ....scipy import special as _special
from ..names import public as _public

globals().update(_public(_special))
