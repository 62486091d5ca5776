"""Nested containers of arrays as flat vectors, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from .... import numpy as np
from .... import tree


def flatten(value: Any) -> tuple[Any, Callable[[Any], Any]]:
    """A vector of all elements of a nested container, and what makes the container of a vector.

    Dictionaries go by their sorted keys. Both directions are differentiable. Arrays of different
    dtypes are promoted in the vector; back, a real array takes the real part.

    >>> vector, unflatten = flatten({"b": [1.0, numpy.zeros(2)], "a": 3.0})
    >>> vector
    array([3., 1., 0., 0.])
    >>> unflatten(vector + 1)
    {'b': [np.float64(2.0), array([1., 1.])], 'a': np.float64(4.0)}
    """
    leaves, structure = tree.flatten(value)
    vector = np.concatenate([np.ravel(x) for x in leaves]) if leaves else numpy.zeros(0)
    shapes = [np.shape(x) for x in leaves]
    are_complex = [np.iscomplexobj(x) for x in leaves]

    def unflatten(vector: Any) -> Any:
        parts = []
        start = 0
        for shape, is_complex in zip(shapes, are_complex, strict=True):
            stop = start + numpy.prod(shape, dtype=int)
            part = np.reshape(vector[start:stop], shape) if shape else vector[start]
            parts.append(part if is_complex else np.real(part))
            start = stop
        return tree.unflatten(structure, parts)

    return vector, unflatten


def flatten_func(
    func: Callable[..., Any], example: Any
) -> tuple[Callable[..., Any], Callable[[Any], Any], Any]:
    """`func` as a function of the vector of its first argument that gives the vector of its result;
    with what makes the argument of a vector, and the vector of the `example`."""
    vector, unflatten = flatten(example)
    return lambda x, *args: flatten(func(unflatten(x), *args))[0], unflatten, vector
