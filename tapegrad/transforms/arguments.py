"""What every transform does with its function's arguments and results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from operator import index
from sys import getrefcount
from typing import Any

from numpy import array, generic, ndarray

from .. import errors, tree
from ..backend import as_data, is_inexact, is_raw, namespace, on_device
from ..core.array import Array
from ..core.face import Face, bare, conjugated, dressed, face_of, faces
from ..core.level import Level
from ..core.op import table
from . import misuse


def name_of(function: Any) -> str:
    """A function's name for an error text."""
    return getattr(function, "__name__", type(function).__name__)


def is_usual(x: Any) -> bool:
    """Whether an input is an ndarray that can be a leaf as it is."""
    return type(x) is ndarray and x.dtype.char in "dfFD"


def input_data(
    name: str, fun: Callable[..., Any], key: int | str, value: Any, index: int, leaf: Any
) -> Any:
    """The leaf at `index` of an argument, as an `Array` or its data; checked."""
    data = bare(leaf) if isinstance(leaf, Array) else as_data(leaf)
    dtype = getattr(data, "dtype", None)
    if dtype is None or not is_inexact(dtype):
        where = f"argument {key!r} of {name_of(fun)}"
        path = tree.paths(value)[index]
        if path:
            where += f" at {path}"
        if dtype is None or getattr(dtype, "kind", "") in "OSUVMm":
            raise misuse.not_array(name, where, leaf)
        raise errors.integer_input(name, where, dtype)
    return data


def check_function(name: str, fun: Any) -> None:
    """Raise if what a transform is applied to is no function."""
    if not callable(fun):
        raise misuse.not_function(name, fun)


def check_chunk_size(name: str, size: int | None) -> None:
    """Raise if not even one lane may be computed at a time."""
    if size is not None and size < 1:
        raise misuse.bad_chunk_size(name, size)


def plain_argnums(argnums: int | Sequence[int]) -> int | Sequence[int]:
    """`argnums`, with integers of NumPy's as Python's."""
    if isinstance(argnums, bool):
        return int(argnums)
    return argnums.tolist() if isinstance(argnums, generic | ndarray) else argnums


def positions(argnums: int | Sequence[int], count: int, name: str) -> tuple[int, ...]:
    """`argnums` as indices that are not negative."""
    try:
        single = tuple(map(index, (argnums,) if isinstance(argnums, int) else argnums))
    except TypeError:
        raise misuse.bad_argnums(name, argnums) from None
    for a in single:
        if not -count <= a < count:
            raise misuse.no_such_argument(name, argnums, a, count)
    found = tuple(a % count for a in single)
    if len(set(found)) < len(found):
        raise misuse.repeated_argument(name, argnums)
    return found


def keywords(argnames: tuple[str, ...], given: dict[str, Any], name: str) -> tuple[str, ...]:
    """`argnames`, checked to be among the keyword arguments of a call."""
    for wanted in argnames:
        if wanted not in given:
            raise misuse.no_such_keyword(name, wanted, list(given))
    return argnames


class Inputs:
    """The chosen arguments of a call as leaves of a level, and the call with them in place.

    `data` are the leaves' values, flat; `trees` has for each chosen argument what `fun` gets;
    `faces` those of the leaves, or nothing if none has one.
    """

    __slots__ = ("data", "faces", "keys", "structures", "trees")

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
        self.faces: list[Face | None] = []
        self.data: list[Any] = []
        self.structures: list[tuple[Any, int]] = []
        for key in keys:
            value = args[key] if isinstance(key, int) else kwargs[key]
            if is_usual(value):
                self.structures.append((None, 1))
                self.data.append(value)
                continue
            leaves, structure = tree.flatten(value)
            self.structures.append((structure, len(leaves)))
            if faces and any(map(face_of, leaves)):
                self.faces += [None] * (len(self.data) - len(self.faces))
                self.faces += map(face_of, leaves)
            self.data += [
                x if is_usual(x) else input_data(name, fun, key, value, i, x)
                for i, x in enumerate(leaves)
            ]
        made = [level.leaf(x) for x in self.data]  # now that all are checked
        if self.faces:
            protect(made)
        self.trees = self.rebuild(made)

    @classmethod
    def of(cls, value: Any, leaf: Array) -> Inputs:
        """One argument, an array, of which a leaf was made."""
        self = cls.__new__(cls)
        self.keys = (0,)
        self.faces = []
        self.structures = [(None, 1)]
        self.data = [value]
        self.trees = [leaf]
        return self

    def call(self, fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """`fun` with the leaves in place of the chosen arguments."""
        if not kwargs:
            if self.keys == (0,) and len(args) == 1:
                return fun(self.trees[0])
            return fun(*self.fill(args))
        named = dict(kwargs)
        named.update(
            (key, value)
            for key, value in zip(self.keys, self.trees, strict=True)
            if type(key) is str
        )
        return fun(*self.fill(args), **named)

    def fill(self, args: tuple[Any, ...]) -> list[Any]:
        """The positional arguments, with the leaves in place of the chosen ones."""
        filled = list(args)
        for key, value in zip(self.keys, self.trees, strict=True):
            if type(key) is int:
                filled[key] = value
        return filled

    def rebuild(self, leaves: list[Any]) -> list[Any]:
        """For each chosen argument, the tree that has `leaves` in place of its own."""
        if self.faces:
            spread = zip_longest(leaves, self.faces)
            leaves = [dressed(x, face) for x, face in spread]
        if len(leaves) == 1:
            return [tree.unflatten(self.structures[0][0], leaves)]
        trees = []
        start = 0
        for structure, count in self.structures:
            trees.append(tree.unflatten(structure, leaves[start : start + count]))
            start += count
        return trees

    def rebuild_cotangents(self, leaves: list[Any]) -> list[Any]:
        """As `rebuild`, for cotangents, which a face may show as their conjugates."""
        if self.faces:
            spread = zip_longest(leaves, self.faces)
            leaves = [conjugated(g, face) for g, face in spread]
        return self.rebuild(leaves)


def protect(leaves: list[Array]) -> None:
    """Have a face that writes to memory in place copy that of the caller's arrays first."""
    for x in leaves:
        if type(x.raw) is ndarray:
            x.raw = x.raw.view()
            x.raw.flags.writeable = False


def owned(gradients: list[Any], data: list[Any]) -> list[Any]:
    """The leaves' cotangents as arrays of the caller's own: with zeros where there is none, of the
    leaves' dtypes, and shared with nothing."""
    for i in range(len(gradients)):
        g = gradients[i]
        x = data[i]
        if g is None:
            g = gradients[i] = zeros_like(x)
        if g.dtype != x.dtype:
            g = gradients[i] = table["astype"].function(g, to=x.dtype, source=g.dtype)
        if type(g) is ndarray:
            if type(x) is not ndarray and not isinstance(x, Array):
                gradients[i] = g[()]
            elif g.base is not None or getrefcount(g) > ALONE:
                gradients[i] = g.copy()
        elif type(x) is ndarray and isinstance(g, generic):  # a 0-d array came in
            gradients[i] = array(g)
        elif on_device(g) and (g.base is not None or getrefcount(g) > ALONE):
            gradients[i] = g.copy()
    return gradients


def zeros_like(x: Any) -> Any:
    """Zeros of the shape and dtype of an array or of an `Array`'s data."""
    data = x.raw if isinstance(x, Array) else x
    zeros = namespace(data).zeros_like(data)
    return zeros if zeros.shape else zeros[()]


def ones_like(x: Any) -> Any:
    """Ones of the shape and dtype of an array or of an `Array`'s data."""
    data = x.raw if isinstance(x, Array) else x
    if isinstance(data, generic):
        return type(data)(1)
    ones = namespace(data).ones_like(data)
    return ones if ones.shape else ones[()]


def _references_of_an_own_array() -> int:
    arrays = [ndarray((1,))]
    for i in range(1):
        array = arrays[i]
    return getrefcount(array)


ALONE = _references_of_an_own_array()
"""What `getrefcount` says of an array that only a list and a variable refer to."""


def scalar_result(name: str, value: Any, holomorphic: bool) -> Any:
    """The scalar that a function returned, checked."""
    if type(value) is Array:
        dtype = value.raw.dtype
    else:
        if not (is_raw(value) or isinstance(value, Array)):
            raise misuse.no_result(name, value)
        value = value if hasattr(value, "dtype") else as_data(value)
        dtype = value.dtype
        if dtype.kind in "OSUVMm" and not is_inexact(dtype):
            raise misuse.not_array(name, "the result of the function", value)
    if value.shape != ():
        raise misuse.not_scalar(name, value.shape)
    if dtype.kind in "biu" and isinstance(value, Array):
        raise errors.integer_result(name, dtype)
    if dtype.kind == "c":
        if not holomorphic:
            raise errors.complex_result(name, dtype)
    elif holomorphic:
        raise misuse.complex_input(name, dtype)
    return value


def result_data(name: str, x: Any) -> Any:
    """A leaf of a function's result as an `Array` or its data; checked to be of numbers."""
    if isinstance(x, Array):
        return bare(x)
    data = as_data(x)
    if getattr(data.dtype, "kind", "") in "OSUMm":
        raise misuse.not_array(name, "a result of the function", x)
    return data


def auxiliary(name: str, result: Any) -> tuple[Any, Any]:
    """The two parts of what a function with `has_aux=True` returned."""
    if not isinstance(result, tuple) or len(result) != 2:
        raise misuse.no_auxiliary(name, result)
    return result


def map_results(level: Level, results: Any, data: list[Any]) -> Any:
    """A tree of results as the level's caller sees them; `data` are the level's inputs."""
    inputs = {id(x) for x in data}
    if isinstance(results, Array):
        return returned(level, results, inputs)
    leaves, structure = tree.flatten(results)
    return tree.unflatten(
        structure,
        [returned(level, x, inputs) if isinstance(x, Array) else x for x in leaves],
    )


def returned(level: Level, x: Array, inputs: set[int]) -> Any:
    """A result as the level's caller sees it, in its face; `inputs` are told by their `id`."""
    return dressed(unshared(level.outside(bare(x)), inputs), face_of(x))


def unshared(x: Any, inputs: set[int]) -> Any:
    """A result, copied where it is a view or one of the inputs, which are told by their `id`."""
    if (type(x) is ndarray or on_device(x)) and (x.base is not None or id(x) in inputs):
        return x.copy()
    return x
