"""`tapegrad.numpy` inside of a transform that does not end, so that all arrays are recorded ones.

A module for the public conformance suite of the array API standard; see docs/array-api.md.
"""

from tapegrad import numpy as _namespace
from tapegrad.core.level import Level

_level = Level()
_level.leaf(1.0)
_level.__enter__()

globals().update((name, getattr(_namespace, name)) for name in _namespace.__all__)
__array_api_version__ = _namespace.__array_api_version__
__array_namespace_info__ = _namespace.__array_namespace_info__
