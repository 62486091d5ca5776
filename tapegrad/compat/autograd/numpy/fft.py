"""`numpy.fft`, for plain and for traced arrays: the names of `tapegrad.numpy.fft`."""

import numpy as _numpy

from ....numpy import fft as _fft
from ..names import enter as _enter

_enter(globals(), _fft, _numpy.fft)
