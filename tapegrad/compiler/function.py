"""`compile`: a function of pytrees as programs, one for each signature."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import optree

from .. import tree
from ..core.array import Array, untracked
from ..transforms.arguments import check_function, name_of
from ..transforms.flat import is_array
from . import errors
from .flat import FlatFunction, Options, Results, is_compiling

BACKENDS = ("auto", "numpy", "llvm")


def compile(
    fun: Callable[..., Any],
    static_argnums: int | Sequence[int] = (),
    donate_argnums: int | Sequence[int] = (),
    backend: str = "auto",
    fast: bool = False,
) -> Compiled:
    """`fun`, run as a program: traced once for each signature, then without Python in between.

    A signature is the structure of the arguments, the shapes and dtypes of their arrays, and the
    values of everything else in them: Python numbers, strings, and the arguments `static_argnums`.
    Results are those of `fun` to the last few units in the last place.

    >>> import numpy as np, tapegrad as tg
    >>> f = tg.compile(tg.grad(lambda x: (x * x).sum()))
    >>> f(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    check_function("compile", fun)
    if backend not in BACKENDS:
        raise errors.bad_backend(backend, BACKENDS)
    return Compiled(fun, static_argnums, donate_argnums, Options(backend, fast))


class Compiled:
    """What `compile` returns."""

    def __init__(
        self,
        fun: Callable[..., Any],
        static_argnums: int | Sequence[int],
        donate_argnums: int | Sequence[int],
        options: Options,
    ) -> None:
        self.fun = fun
        self.static_argnums = as_tuple(static_argnums)
        self.donate_argnums = as_tuple(donate_argnums)
        self.options = options
        self.calls: dict[Any, Call] = {}
        self.quick: tuple[Quick, ...] = ()
        functools.update_wrapper(self, fun, updated=())

    def __repr__(self) -> str:
        return f"<compiled function {name_of(self.fun)}>"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for quick in self.quick:
            results = quick(args, kwargs)
            if results is not NotImplemented:
                return results
        return self.call(args, kwargs)

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of any kind: of a new signature, or with recorded arrays."""
        if is_compiling():
            return self.fun(*args, **kwargs)
        static: tuple[Any, ...] = ()
        dynamic: Sequence[Any] = args
        if self.static_argnums:
            static, dynamic = self.split(args)
        leaves, structure = tree.flatten((dynamic, kwargs))
        chosen = tuple([i for i, x in enumerate(leaves) if is_array(x)])
        arrays = [leaves[i] for i in chosen]
        rest = [x for x in leaves if not is_array(x)]
        wrap = any(isinstance(x, Array) for x in arrays)
        key = (structure, chosen, tuple([(type(x), repr(x)) for x in rest]), static, len(args))
        call = self.calls.get(key)
        if call is None:
            call = self.calls[key] = Call(self, leaves, chosen, structure, static, len(args))
        results = call.flat(*arrays)
        if wrap:
            results[:] = [untracked(x) if is_raw_array(x) else x for x in results]
        elif not (rest or static or kwargs) and arrays:
            self.remember(args, call.flat, arrays, results.structure)
        return tree.unflatten(results.structure, results)

    def remember(
        self, args: tuple[Any, ...], flat: FlatFunction, arrays: list[Any], structure: Any
    ) -> None:
        """Have the next call like this one go the short way, if there is one."""
        entry = flat.entry(arrays)
        if entry is not None and all(quick.entry is not entry for quick in self.quick):
            self.quick = (Quick(args, entry, structure), *self.quick[: MOST_QUICK - 1])

    def split(self, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[Any]]:
        """The static arguments with their positions, and the others."""
        static = {}
        for i in self.static_argnums:
            if not -len(args) <= i < len(args):
                raise errors.bad_argnum("static_argnums", i, len(args))
            static[i % len(args)] = args[i]
            try:
                hash(args[i])
            except TypeError:
                raise errors.unhashable_static(f"argument {i}", args[i]) from None
        return tuple(sorted(static.items())), [x for i, x in enumerate(args) if i not in static]


MOST_QUICK = 4
"""How many signatures are tried the short way."""


class Quick:
    """The short way for calls with arrays of one signature and nothing else."""

    __slots__ = ("entry", "make", "plain", "structure")

    def __init__(self, args: tuple[Any, ...], entry: Callable[..., Any], structure: Any) -> None:
        self.entry = entry
        self.structure = optree.tree_structure(args, namespace="tapegrad")
        self.plain = self.structure == optree.tree_structure((0,) * len(args))
        self.make = maker(structure)

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if kwargs:
            return NotImplemented
        if self.plain:
            results = self.entry(*args)
        else:
            leaves, structure = optree.tree_flatten(args, namespace="tapegrad")
            if structure != self.structure:
                return NotImplemented
            results = self.entry(*leaves)
        return results if results is NotImplemented else self.make(results)


def maker(structure: Any) -> Callable[[list[Any]], Any]:
    """What makes a tree of a structure of a list of its leaves."""
    if structure is None:
        return operator.itemgetter(0)
    for flat in (tuple, list):
        if structure == optree.tree_structure(flat([0] * structure.num_leaves)):
            return flat
    return functools.partial(optree.tree_unflatten, structure)


class Call:
    """All calls with the same structure and static values, as a flat function of the arrays."""

    def __init__(
        self,
        compiled: Compiled,
        leaves: list[Any],
        chosen: tuple[int, ...],
        structure: Any,
        static: tuple[Any, ...],
        count: int,
    ) -> None:
        self.fun = compiled.fun
        places = set(chosen)
        self.leaves = [None if i in places else x for i, x in enumerate(leaves)]
        self.chosen = chosen
        self.structure = structure
        self.static = dict(static)
        self.count = count
        self.flat = FlatFunction(self.run, compiled.options)

    def run(self, *arrays: Any) -> Results:
        """The function itself, flat."""
        leaves = list(self.leaves)
        for i, x in zip(self.chosen, arrays, strict=True):
            leaves[i] = x
        dynamic, kwargs = tree.unflatten(self.structure, leaves)
        if self.static:
            rest = iter(dynamic)
            dynamic = [
                self.static[i] if i in self.static else next(rest) for i in range(self.count)
            ]
        leaves, structure = tree.flatten(self.fun(*dynamic, **kwargs))
        results = Results(leaves)
        results.structure = structure
        return results


def as_tuple(argnums: int | Sequence[int]) -> tuple[int, ...]:
    return (argnums,) if isinstance(argnums, int) else tuple(argnums)


def is_raw_array(x: Any) -> bool:
    return is_array(x) and not isinstance(x, Array)
