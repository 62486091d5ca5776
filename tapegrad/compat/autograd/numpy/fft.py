"""`numpy.fft`, for plain and for traced arrays: the names of `tapegrad.numpy.fft`."""

from ....numpy import fft as _fft
from ..names import public as _public

globals().update(_public(_fft))
