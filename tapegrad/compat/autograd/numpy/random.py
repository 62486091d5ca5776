"""`numpy.random`, for plain and for traced arrays: the names of `tapegrad.numpy.random`."""

import numpy as _numpy

from ....numpy import random as _random
from ..names import enter as _enter

_enter(globals(), _random, _numpy.random)
