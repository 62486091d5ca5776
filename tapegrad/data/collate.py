"""Putting samples together in a batch."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy
from numpy import generic, ndarray

from ..torch.creation import tensor
from ..torch.dtypes import BY_NUMPY, float64
from ..torch.joining import stack
from ..torch.tensor import Tensor, wrap
from . import errors

__all__ = ["default_collate", "default_convert"]


def default_collate(batch: Sequence[Any]) -> Any:
    """Samples as one batch, along a new first axis.

    Tensors, arrays and numbers become tensors; dicts, tuples and lists are put together part by
    part; strings and bytes stay a list. Raises where samples do not fit, and says which part.

    >>> default_collate([{"x": 1, "y": "a"}, {"x": 2, "y": "b"}])
    {'x': tensor([1, 2]), 'y': ['a', 'b']}
    """
    return together(batch, ())


def together(batch: Sequence[Any], where: tuple[Any, ...]) -> Any:
    """A batch of the parts of samples that are found at `where`."""
    first = batch[0]
    if isinstance(first, Tensor):
        return stacked(batch, where)
    if isinstance(first, ndarray | generic):
        return of_arrays(batch, where)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, float | int):
        check_numbers(batch, where)
        return tensor(batch, dtype=float64) if isinstance(first, float) else tensor(batch)
    if isinstance(first, Mapping):
        return of_mappings(batch, where)
    if isinstance(first, Sequence):
        return of_sequences(batch, where)
    raise errors.unknown_type(where, 0, type(first))


def stacked(batch: Sequence[Any], where: tuple[Any, ...]) -> Any:
    """Tensors as one; recorded where one of them is tracked."""
    for i, x in enumerate(batch):
        if not isinstance(x, Tensor):
            raise errors.mixed_types(where, type(batch[0]), i, type(x))
    raws = [x.raw for x in batch]
    if any(x.slot for x in batch):
        check_shapes(raws, where)
        return stack(batch)
    return wrap(joined(raws, where))


def joined(raws: list[Any], where: tuple[Any, ...]) -> ndarray:
    """Raw arrays along a new first axis."""
    shape = raws[0].shape
    check_shapes(raws, where)
    if not shape:
        return numpy.array(raws)
    return numpy.concatenate(raws).reshape(len(raws), *shape)  # much cheaper than numpy.stack


def check_shapes(raws: list[Any], where: tuple[Any, ...]) -> None:
    """Raise unless arrays have one shape."""
    shape = raws[0].shape
    for i, raw in enumerate(raws):
        if raw.shape != shape:
            raise errors.unequal_shapes(where, shape, i, raw.shape)


def of_arrays(batch: Sequence[Any], where: tuple[Any, ...]) -> Any:
    """A tensor of arrays, or of NumPy's numbers."""
    for i, x in enumerate(batch):
        if not isinstance(x, ndarray | generic):
            raise errors.mixed_types(where, type(batch[0]), i, type(x))
    if batch[0].dtype not in BY_NUMPY:
        raise errors.bad_string_array(where, batch[0].dtype)
    return wrap(joined(list(batch), where))


def check_numbers(batch: Sequence[Any], where: tuple[Any, ...]) -> None:
    """Raise unless all are numbers."""
    for i, x in enumerate(batch):
        if not isinstance(x, float | int | generic):
            raise errors.mixed_types(where, type(batch[0]), i, type(x))


def of_mappings(batch: Sequence[Any], where: tuple[Any, ...]) -> Any:
    """A mapping of the same class, with a batch under each key."""
    first = batch[0]
    parts = {}
    for key in first:
        column = []
        for i, sample in enumerate(batch):
            if key not in sample:
                raise errors.missing_key(where, i, key)
            column.append(sample[key])
        parts[key] = together(column, (*where, key))
    return rebuilt(first, parts)


def of_sequences(batch: Sequence[Any], where: tuple[Any, ...]) -> Any:
    """A batch of each part: in a list, or in what the samples are."""
    first = batch[0]
    for i, sample in enumerate(batch):
        if not isinstance(sample, Sequence):
            raise errors.mixed_types(where, type(first), i, type(sample))
        if len(sample) != len(first):
            raise errors.unequal_lengths(where, len(first), i, len(sample))
    columns = zip(*batch, strict=True)
    parts = [together(column, (*where, k)) for k, column in enumerate(columns)]
    if isinstance(first, tuple):
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    return rebuilt(first, parts)


def rebuilt(like: Any, parts: Any) -> Any:
    """A container as `like`, with other parts; a plain one where its class cannot be made so."""
    if type(like) in (dict, list):
        return parts
    try:
        if isinstance(like, MutableMapping):
            result: Any = copy.copy(like)
            result.update(parts)
            return result
        if isinstance(like, MutableSequence):
            result = copy.copy(like)
            for i, part in enumerate(parts):
                result[i] = part
            return result
        kind: Any = type(like)
        return kind(parts)
    except TypeError:
        return parts


def default_convert(data: Any) -> Any:
    """One sample, its arrays as tensors and all else as it is."""
    if isinstance(data, Tensor):
        return data
    if isinstance(data, ndarray | generic):
        return wrap(data) if data.dtype in BY_NUMPY else data
    if isinstance(data, Mapping):
        return rebuilt(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple):
        parts = [default_convert(x) for x in data]
        return type(data)(*parts) if hasattr(data, "_fields") else parts
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return rebuilt(data, [default_convert(x) for x in data])
    return data
