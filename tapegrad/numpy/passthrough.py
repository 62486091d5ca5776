"""Functions of NumPy that have no derivative: they run on the values of recorded arrays, or only on
their shapes and dtypes."""

from __future__ import annotations

import numpy

from .dispatch import functions
from .reading import on_shapes, on_values

SHAPES = (
    numpy.can_cast,
    numpy.common_type,
    numpy.einsum_path,
    numpy.iscomplexobj,
    numpy.isrealobj,
    numpy.may_share_memory,
    numpy.min_scalar_type,
    numpy.ndim,
    numpy.result_type,
    numpy.shape,
    numpy.shares_memory,
    numpy.size,
)
"""Functions that look at shapes, dtypes and memory: they work in vmap too."""

VALUES = (
    numpy.allclose,
    numpy.array2string,
    numpy.array_equal,
    numpy.array_equiv,
    numpy.array_repr,
    numpy.array_str,
    numpy.save,
    numpy.savetxt,
    numpy.savez,
    numpy.savez_compressed,
)
"""Functions that compare, show and store values: they raise for values of many lanes."""


def register() -> None:
    """Enter the functions in the table."""
    functions.update((function, on_shapes(function)) for function in SHAPES)
    functions.update((function, on_values(function)) for function in VALUES)
