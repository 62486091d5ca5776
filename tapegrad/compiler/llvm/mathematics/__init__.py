"""Vector functions: ``emit(builder, host, name, *values)`` puts a call of one into the code.

The values are floats, doubles or vectors of either, of any width, all of one type, and so is the
result. `known(name)` gives the number of arguments, 0 where there is no function of a name.

The names and the values at NaN, infinities, -0 and denormals are NumPy's. Errors are at most 2
units in the last place over the whole range, and for most functions about 1; a test holds the bound
of each. (Sums of logarithms, which may cancel, are within 2.4 units beside their larger argument;
activations of networks are as good as the others beside the argument.)
"""

from . import activations, arithmetic, exponential, gauss, logarithm, power, trigonometric
from .registry import definition, emit, known

__all__ = [
    "activations",
    "arithmetic",
    "definition",
    "emit",
    "exponential",
    "gauss",
    "known",
    "logarithm",
    "power",
    "trigonometric",
]
