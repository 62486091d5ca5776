"""What every transform does with its function's arguments and results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from sys import getrefcount
from typing import Any

from numpy import ndarray

from .. import errors, tree
from ..backend import as_data, is_complex, is_inexact, namespace
from ..core.array import Array
from ..core.level import Level
from ..core.op import table


def name_of(function: Any) -> str:
    """A function's name for an error text."""
    return getattr(function, "__name__", type(function).__name__)


def input_data(
    name: str, fun: Callable[..., Any], key: int | str, value: Any, index: int, leaf: Any
) -> Any:
    """The leaf at `index` of an argument, as an `Array` or its data; checked."""
    data = leaf if isinstance(leaf, Array) else as_data(leaf)
    dtype = getattr(data, "dtype", None)
    if dtype is None or not is_inexact(dtype):
        where = f"argument {key!r} of {name_of(fun)}"
        path = tree.paths(value)[index]
        if path:
            where += f" at {path}"
        if dtype is None or getattr(dtype, "kind", "") in "OSUVMm":
            raise errors.not_array(name, where, leaf)
        raise errors.integer_input(name, where, dtype)
    return data


def positions(argnums: int | Sequence[int], count: int, name: str) -> tuple[int, ...]:
    """`argnums` as indices that are not negative."""
    single = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for a in single:
        if not -count <= a < count:
            raise ValueError(
                f"{name}: argnums={argnums!r} names argument {a}, but the function was called with "
                f"{count} positional arguments. Give the argument by position, or use argnames."
            )
    return tuple(a % count for a in single)


class Inputs:
    """The chosen arguments of a call as leaves of a level, and the call with them in place.

    `keys` are positions and names; `trees` has the argument that `fun` gets for each.
    """

    __slots__ = ("data", "keys", "structures", "trees")

    def __init__(
        self,
        name: str,
        fun: Callable[..., Any],
        level: Level,
        keys: tuple[int | str, ...],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        self.keys = keys
        self.structures = []
        self.data: list[Any] = []
        self.trees: list[Any] = []
        for key in keys:
            value = args[key] if isinstance(key, int) else kwargs[key]
            leaves, structure = tree.flatten(value)
            data = []
            for i, leaf in enumerate(leaves):
                if type(leaf) is ndarray and leaf.dtype.char in "dfFD":
                    data.append(leaf)
                else:
                    data.append(input_data(name, fun, key, value, i, leaf))
            self.structures.append((structure, len(data)))
            self.data += data
            self.trees.append(tree.unflatten(structure, [level.leaf(x) for x in data]))

    def call(self, fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """`fun` with the leaves in place of the chosen arguments."""
        if self.keys == (0,) and len(args) == 1 and not kwargs:
            return fun(self.trees[0])
        filled = list(args)
        named = dict(kwargs)
        for key, value in zip(self.keys, self.trees, strict=True):
            if isinstance(key, int):
                filled[key] = value
            else:
                named[key] = value
        return fun(*filled, **named)

    def rebuild(self, leaves: list[Any]) -> list[Any]:
        """For each chosen argument, the tree that has `leaves` in place of its own."""
        trees = []
        start = 0
        for structure, count in self.structures:
            trees.append(tree.unflatten(structure, leaves[start : start + count]))
            start += count
        return trees


def owned(gradients: list[Any], data: list[Any]) -> list[Any]:
    """The leaves' cotangents as arrays of the caller's own: with zeros where there is none, of the
    leaves' dtypes, and shared with nothing."""
    results = []
    for i, (g, x) in enumerate(zip(gradients, data, strict=True)):
        if g is None:
            g = zeros_like(x)
        elif g.dtype != x.dtype:
            g = table["astype"].function(g, to=x.dtype, source=g.dtype)
        if type(g) is ndarray:
            gradients[i] = None
            if type(x) is not ndarray and g.ndim == 0 and not isinstance(x, Array):
                g = g[()]
            elif g.base is not None or getrefcount(g) > ALONE:
                g = g.copy()
        results.append(g)
    return results


ALONE = 2
"""What `getrefcount` says of an array that only one variable refers to."""


def zeros_like(x: Any) -> Any:
    """Zeros of the shape and dtype of an array or of an `Array`'s data."""
    data = x.data if isinstance(x, Array) else x
    return namespace(data).zeros_like(data)[()]


def ones_like(x: Any) -> Any:
    """Ones of the shape and dtype of an array or of an `Array`'s data."""
    data = x.data if isinstance(x, Array) else x
    return namespace(data).ones_like(data)[()]


def scalar_result(name: str, value: Any, holomorphic: bool) -> Any:
    """The scalar that a function returned, checked."""
    if not hasattr(value, "dtype"):
        value = as_data(value)
    dtype = getattr(value, "dtype", None)
    if dtype is None or dtype.kind in "OSU":
        raise errors.not_array(name, "the result of the function", value)
    if value.shape != ():
        raise errors.not_scalar(name, value.shape)
    if is_complex(dtype):
        if not holomorphic:
            raise errors.complex_result(name, dtype)
    elif holomorphic:
        raise errors.complex_input(name, dtype)
    return value


def auxiliary(name: str, result: Any) -> tuple[Any, Any]:
    """The two parts of what a function with `has_aux=True` returned."""
    if not isinstance(result, tuple) or len(result) != 2:
        raise errors.no_auxiliary(name, result)
    return result


def map_results(level: Level, results: Any) -> Any:
    """A tree of results as the level's caller sees them."""
    if isinstance(results, Array):
        return level.outside(results)
    leaves, structure = tree.flatten(results)
    return tree.unflatten(structure, [level.outside(x) for x in leaves])

