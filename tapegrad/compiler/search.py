"""What a function can reach: arrays, and the containers and objects that hold them.

From a function to what it closes over, the globals that it names, the object that it is a method
of, and on through containers, modules, optimisers and objects of the user's classes.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterable
from operator import is_
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ..core.array import Array

SCALARS = (bool, int, float, complex, str, bytes, type(None))

LIBRARIES = frozenset(["tapegrad", *sys.stdlib_module_names]) - {"__main__"}
"""Modules whose own globals no step changes; those that are installed are such too."""

INSTALLED = ("site-packages", "dist-packages")

STATEFUL = ("tapegrad.nn.", "tapegrad.optim.", "tapegrad.torch.", "tapegrad.data.")
"""Parts of this library whose objects have a state of the user's; in others it is a cache."""

MANY = 1000
"""A container of more elements is looked through only if an array is among the first ones."""

MOST = 50_000
"""How many objects are looked at."""

TABLES = re.compile(r"\._(?:modules|parameters|buffers)\['([^']*)'\]")
"""How the tables of a module stand in names: as its attributes."""

RATE = "lr"
"""The option of an optimiser that is an input of the program."""


class Held:
    """A container as it was seen: `contents` gives what it holds, `before` what it held.

    `keyed` says that a program depends on what it holds; in the others a change shows a side effect
    alone.
    """

    __slots__ = ("before", "container", "contents", "keyed", "name")

    def __init__(
        self, container: Any, contents: Callable[[Any], Any], name: str, keyed: bool
    ) -> None:
        self.container = container
        self.contents = contents
        self.before = contents(container)
        self.name = name
        self.keyed = keyed

    def same(self) -> bool:
        """Whether it holds the same objects, or equal numbers."""
        before, now = self.before, self.container
        if self.contents is dict:  # most are
            if len(before) == len(now) and all(map(is_, before.values(), now.values())):
                return bool(before.keys() == now.keys())
        else:
            now = self.contents(now)
        return alike(before, now)

    def restore(self) -> None:
        """Put back what it held."""
        container, before = self.container, self.before
        if isinstance(container, dict):
            for name in [n for n in self.contents(container) if n not in before]:
                del container[name]
            container.update(before)
        elif isinstance(container, list):
            container[:] = before


def alike(before: Any, after: Any) -> bool:
    if len(before) != len(after):
        return False
    if isinstance(before, dict):
        return all(
            name in after and (x is after[name] or equal(x, after[name]))
            for name, x in before.items()
        )
    return all(x is y or equal(x, y) for x, y in zip(before, after, strict=True))


def equal(x: Any, y: Any) -> bool:
    kind = type(x)
    if kind is tuple and type(y) is tuple and len(x) == len(y):
        return all(a is b or equal(a, b) for a, b in zip(x, y, strict=True))
    return kind is type(y) and kind in SCALARS and bool(x == y)


class Found:
    """What can be reached from a function.

    `arrays` and their `names` are in the order in which they were found; `rates` are the groups of
    optimisers whose learning rates are plain numbers. If not `whole`, there are too many objects.
    """

    def __init__(self, roots: Iterable[tuple[str, Any]]) -> None:
        self.arrays: list[Array] = []
        self.names: list[str] = []
        self.held: list[Held] = []
        self.rates: list[dict[str, Any]] = []
        self.seen: dict[int, Any] = {}  # by `id`, kept alive
        self.classes: dict[int, type] = {}
        self.waiting: list[tuple[str, Any]] = list(roots)
        self.waiting.reverse()
        while self.waiting and len(self.seen) < MOST:
            self.visit(*self.waiting.pop())
        self.whole = not self.waiting

    def put_back(self) -> str | None:
        """Undo what was changed in containers since; the name of one that was, or None."""
        changed = [held for held in self.held if not held.same()]
        for held in changed:
            held.restore()
        return changed[0].name if changed else None

    def add(self, items: Iterable[tuple[str, Any]]) -> None:
        self.waiting += reversed(
            [(name, x) for name, x in items if type(x) not in SCALARS and id(x) not in self.seen]
        )

    def visit(self, name: str, x: Any) -> None:
        """Look at one object, and have those looked at that it holds."""
        if type(x) in SCALARS or id(x) in self.seen:
            return
        self.seen[id(x)] = x
        if isinstance(x, Array):
            self.arrays.append(x)
            self.names.append(TABLES.sub(r".\1", name))
        elif isinstance(x, FunctionType):
            self.function(name, x)
        elif isinstance(x, MethodType):
            self.add([(name, x.__func__), (name, x.__self__)])
        elif isinstance(x, functools.partial):
            parts = [x.func, *x.args, *x.keywords.values()]
            self.add([(name, part) for part in parts])
        elif isinstance(x, dict):
            self.container(name, x, dict, list(x.values()))
            self.add((f"{name}[{key!r}]", value) for key, value in chosen(x.items()))
        elif isinstance(x, list):
            self.container(name, x, list, x)
            self.add((f"{name}[{i}]", value) for i, value in enumerate(chosen(x)))
        elif isinstance(x, tuple | set | frozenset):
            self.add((f"{name}[{i}]", value) for i, value in enumerate(chosen(x)))
        elif isinstance(x, type):
            self.functions_of(name, x)
        elif not isinstance(x, ModuleType | BuiltinFunctionType | CodeType):
            self.object(name, x)

    def container(
        self, name: str, x: Any, contents: Callable[[Any], Any], values: list[Any]
    ) -> None:
        if len(values) <= MANY or any(isinstance(v, Array) for v in values[:MANY]):
            self.held.append(Held(x, contents, name, True))

    def object(self, name: str, x: Any) -> None:
        """An object with attributes."""
        kind = type(x)
        own = getattr(x, "__dict__", None)
        library = is_library(kind.__module__)
        if hasattr(kind, "param_groups") or (own and "param_groups" in own and "state" in own):
            self.optimiser(name, x)
            return
        if isinstance(own, dict):
            if kind.__module__.startswith("tapegrad.compiler."):
                self.add([(name, own.get("fun"))])  # another compiled function
                return
            if library and "_parameters" not in own and not kind.__module__.startswith("tapegrad."):
                return
            if not library or kind.__module__.startswith(STATEFUL):
                keyed = ".lr_scheduler" not in kind.__module__
                self.held.append(Held(own, dict, name, keyed))
            self.add((f"{name}.{key}", value) for key, value in own.items())
        if not library:
            self.functions_of(name, kind)

    def optimiser(self, name: str, x: Any) -> None:
        """The groups' options, of which the rate is no constant, and the states of parameters."""
        self.held.append(Held(x.param_groups, list, f"{name}.param_groups", True))
        for i, group in enumerate(x.param_groups):
            place = f"{name}.param_groups[{i}]"
            if type(group.get(RATE)) is float:
                self.rates.append(group)
                self.held.append(Held(group, without_rate, place, True))
            else:
                self.held.append(Held(group, dict, place, True))
            self.add((f"{place}[{key!r}]", value) for key, value in group.items())
            self.seen[id(group)] = group
        self.held.append(Held(x.state, dict, f"{name}.state", True))
        for i, state in enumerate(x.state.values()):
            self.add([(f"{name}.state[{i}]", state)])

    def function(self, name: str, x: FunctionType) -> None:
        """What a function closes over, its defaults, and the globals that it names."""
        cells = x.__closure__ or ()
        free = x.__code__.co_freevars
        held = {n: c.cell_contents for n, c in zip(free, cells, strict=True) if has_contents(c)}
        library = is_library(x.__module__ or "")
        if library:  # a transform's: what matters is the function of the user's
            held = {n: value for n, value in held.items() if callable(value)}
        elif held:
            self.held.append(Held(x, contents_of_cells, name, True))
        self.add(held.items())
        self.add((name, value) for value in x.__defaults__ or ())
        self.add((x.__kwdefaults__ or {}).items())
        if not library:
            known = x.__globals__
            names = [n for n in names_in(x.__code__) if n in known]
            self.held.append(Held(x, globals_of(names), name, True))
            self.add((n, known[n]) for n in names)
            for n in names:
                if isinstance(known[n], ModuleType) and not is_library(known[n].__name__):
                    self.module(n, known[n], names_in(x.__code__))

    def module(self, name: str, x: ModuleType, names: list[str]) -> None:
        """What a module of the user's has under some names."""
        own = vars(x)
        names = [m for m in names if m in own]
        self.held.append(Held(x, attributes_of(names), name, True))
        self.add((f"{name}.{m}", own[m]) for m in names)

    def functions_of(self, name: str, kind: type) -> None:
        """The methods and attributes of a class of the user's."""
        for cls in kind.__mro__:
            if not is_library(cls.__module__) and id(cls) not in self.classes:
                self.classes[id(cls)] = cls
                self.held.append(Held(cls, attributes_of_class, name, True))
                self.add((f"{name}.{key}", value) for key, value in vars(cls).items())


def without_rate(group: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in group.items() if name != RATE}


def contents_of_cells(function: FunctionType) -> list[Any]:
    return [c.cell_contents if has_contents(c) else None for c in function.__closure__ or ()]


def globals_of(names: list[str]) -> Callable[[FunctionType], list[Any]]:
    def contents(function: FunctionType) -> list[Any]:
        return [function.__globals__.get(n) for n in names]

    return contents


def attributes_of(names: list[str]) -> Callable[[ModuleType], list[Any]]:
    def contents(module: ModuleType) -> list[Any]:
        return [vars(module).get(n) for n in names]

    return contents


def attributes_of_class(cls: type) -> dict[str, Any]:
    return {name: x for name, x in vars(cls).items() if not name.startswith("__")}


def has_contents(cell: Any) -> bool:
    """Whether a variable that a function closes over has a value by now."""
    try:
        return bool((cell.cell_contents,))
    except ValueError:
        return False


def names_in(code: CodeType) -> list[str]:
    """The names of globals and attributes in a function and those that are defined in it."""
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names.update(dict.fromkeys(names_in(constant)))
    return list(names)


def is_library(module: str) -> bool:
    """Whether a module is not the user's own."""
    return is_installed(module.partition(".")[0])


@functools.cache
def is_installed(package: str) -> bool:
    path = getattr(sys.modules.get(package), "__file__", None) or ""
    return package in LIBRARIES or any(name in path for name in INSTALLED)


def chosen(items: Any) -> list[Any]:
    """The elements of a container that are looked at: of large ones, few."""
    values = list(items)
    return values if len(values) <= MANY or any(map(holds_array, values[:MANY])) else []


def holds_array(x: Any) -> bool:
    return isinstance(x, Array) or (type(x) is tuple and any(isinstance(y, Array) for y in x))
