"""The recorded arrays that a function closes over, as further arguments of it.

A solver calls its function at many times and states. Derivatives of its result in what the function
closes over need these values as inputs, so that each call can be given others in their place.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from copy import copy
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

from ... import tree
from ...core.array import Array


class Opened:
    """A value with the recorded arrays inside it taken out: `arrays`, one for each slot.

    Looked into are containers (pytrees) and what functions hold: the variables they close over, the
    global ones they name (and functions of the same module), defaults, arguments of
    `functools.partial`, attributes of a method's object.
    """

    __slots__ = ("arrays", "value", "visiting")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.arrays: list[Array] = []
        self.visiting: set[int] = set()
        self._rebuild(value, self._take)

    def filled(self, arrays: list[Any]) -> Any:
        """The value with others in place of `arrays`."""
        if not self.arrays:
            return self.value
        by_slot = {x.slot: new for x, new in zip(self.arrays, arrays, strict=True)}
        return self._rebuild(self.value, lambda x: by_slot.get(x.slot, x) if x.slot else x.raw)

    def _take(self, x: Array) -> Array:
        if x.slot and all(x.slot != known.slot for known in self.arrays):
            self.arrays.append(copy(x))  # the object may stand for another value later
        return x

    def _rebuild(self, value: Any, change: Callable[[Array], Any]) -> Any:
        """`value` with `change` applied to its arrays; the same object where nothing changes."""
        if isinstance(value, Array):
            return change(value)
        if not (callable(value) or isinstance(value, list | tuple | dict) or tree.structure(value)):
            return value
        if id(value) in self.visiting:
            return value  # a function that knows itself
        self.visiting.add(id(value))
        try:
            return self._rebuild_inside(value, change)
        finally:
            self.visiting.remove(id(value))

    def _rebuild_inside(self, value: Any, change: Callable[[Array], Any]) -> Any:
        if isinstance(value, FunctionType):
            return self._rebuild_function(value, change)
        if isinstance(value, functools.partial):
            parts = (value.func, value.args, value.keywords)
            func, args, keywords = new = tuple(self._rebuild(x, change) for x in parts)
            return functools.partial(func, *args, **keywords) if differ(parts, new) else value
        if isinstance(value, MethodType):
            holder, function = value.__self__, value.__func__
            new = self._rebuild_attributes(holder, change), self._rebuild(function, change)
            return MethodType(new[1], new[0]) if differ((holder, function), new) else value
        leaves, structure = tree.flatten(value)
        if structure is None:
            return self._rebuild_attributes(value, change) if callable(value) else value
        new_leaves = [self._rebuild(x, change) for x in leaves]
        return tree.unflatten(structure, new_leaves) if differ(leaves, new_leaves) else value

    def _rebuild_function(self, function: FunctionType, change: Callable[[Array], Any]) -> Any:
        cells = function.__closure__ or ()
        new_cells = tuple(self._rebuild_cell(cell, change) for cell in cells)
        defaults = function.__defaults__ or ()
        named = function.__kwdefaults__ or {}
        new_defaults = tuple(self._rebuild(x, change) for x in defaults)
        new_named = {key: self._rebuild(x, change) for key, x in named.items()}
        names = globals_of(function)
        new_names = {name: self._rebuild(x, change) for name, x in names.items()}
        before = (*cells, *defaults, *named.values(), *names.values())
        after = (*new_cells, *new_defaults, *new_named.values(), *new_names.values())
        if not differ(before, after):
            return function
        scope = function.__globals__
        if differ(tuple(names.values()), tuple(new_names.values())):
            scope = {**scope, **new_names}
        new = FunctionType(function.__code__, scope, function.__name__, new_defaults, new_cells)
        new.__kwdefaults__ = new_named
        new.__dict__.update(function.__dict__)
        return new

    def _rebuild_cell(self, cell: CellType, change: Callable[[Array], Any]) -> CellType:
        try:
            held = cell.cell_contents
        except ValueError:  # nothing is assigned to the variable yet
            return cell
        new = self._rebuild(held, change)
        return cell if new is held else CellType(new)

    def _rebuild_attributes(self, holder: Any, change: Callable[[Array], Any]) -> Any:
        own = getattr(holder, "__dict__", None)
        if not isinstance(own, dict) or isinstance(holder, type):
            return holder
        new = {key: self._rebuild(x, change) for key, x in own.items()}
        if not differ(tuple(own.values()), tuple(new.values())):
            return holder
        changed = copy(holder)
        changed.__dict__.update(new)
        return changed


def globals_of(function: FunctionType) -> dict[str, Any]:
    """The global variables that a function's code names and that may hold arrays.

    Functions inside it are looked at too, and of other functions those of the same module.
    """
    scope = function.__globals__
    found = {}
    codes = [function.__code__]
    for code in codes:
        for name in code.co_names:
            x = scope.get(name)
            own = isinstance(x, FunctionType) and x.__globals__ is scope
            if own or isinstance(x, Array | list | tuple | dict):
                found[name] = x
        codes.extend(x for x in code.co_consts if isinstance(x, CodeType))
    return found


def differ(before: Any, after: Any) -> bool:
    """Whether any object is another one."""
    return any(x is not y for x, y in zip(before, after, strict=True))
