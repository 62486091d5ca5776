"""`numpy.random`, for plain and for traced arrays: the names of `tapegrad.numpy.random`."""

from ....numpy import random as _random
from ..names import public as _public

globals().update(_public(_random))
