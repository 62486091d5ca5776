"""What a function can reach: arrays, and the containers and objects that hold them.

From a function to what it closes over, the globals that it names, the object that it is a method
of, and on through containers, modules, optimisers and objects of the user's classes.
"""

from __future__ import annotations

import dis
import functools
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy

from ..core.array import Array
from .places import SCALARS, SIZE, Attributes, Held, Place

LIBRARIES = frozenset(["tapegrad", *sys.stdlib_module_names]) - {"__main__"}
"""Modules whose own globals no step changes; those that are installed are such too."""

INSTALLED = ("site-packages", "dist-packages")

STATEFUL = ("tapegrad.nn.", "tapegrad.optim.", "tapegrad.torch.", "tapegrad.data.")
"""Parts of this library whose objects have a state of the user's; in others it is a cache."""

NAMESPACES = (("types", "SimpleNamespace"), ("argparse", "Namespace"))
"""Classes of Python's whose objects hold what the user puts there."""

MANY = 1000
"""A container of more elements is looked through only if an array is among the first ones."""

MOST = 50_000
"""How many objects are looked at."""

TABLES = re.compile(r"\._(?:modules|parameters|buffers)\['([^']*)'\]")
"""How the tables of a module stand in names: as its attributes."""

KEYS = re.compile(r"""\[(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\]]*)\]""")
ATTRIBUTE = re.compile(r"\.(\w+)")
"""The keys and the attributes in a name such as ``model.table['a.b'].weight``."""

RATE = "lr"
"""The option of an optimiser that is an input of the program."""


class Found:
    """What can be reached from a function.

    `arrays` and their `names` are in the order in which they were found; `plain` are NumPy's arrays
    with theirs. `rates` are the groups of optimisers whose learning rates are plain numbers.
    `places` are those of what functions may read, `functions` are these with the attributes that
    they name. If not `whole`, there are too many objects.
    """

    def __init__(self, roots: Iterable[tuple[str, Any]]) -> None:
        self.arrays: list[Array] = []
        self.names: list[str] = []
        self.plain: list[tuple[str, numpy.ndarray]] = []
        self.places: list[Place] = []
        self.functions: list[tuple[str, frozenset[str]]] = []
        self.held: list[Held] = []
        self.rates: list[dict[str, Any]] = []
        self.seen: dict[int, Any] = {}  # by `id`, kept alive
        self.classes: dict[int, type] = {}
        self.waiting: list[tuple[str, Any]] = list(roots)
        self.waiting.reverse()
        while self.waiting and len(self.seen) < MOST:
            self.visit(*self.waiting.pop())
        self.whole = not self.waiting

    def read(self) -> list[Place]:
        """The places that are read, as far as names tell: on whose way are only attributes that
        functions name which are read themselves."""
        named: set[str] = set()
        before = -1
        while len(named) > before:
            before = len(named)
            for way, attributes in self.functions:
                if named.issuperset(attributes_in(way)):
                    named |= attributes
        return [place for place in self.places if named.issuperset(attributes_in(place.way))]

    def put_back(self) -> str | None:
        """Undo what was changed in containers since; the name of one that was, or None."""
        changed = [held for held in self.held if not held.same()]
        for held in changed:
            held.restore()
        for place in self.places if changed else ():
            if not place.same():
                place.restore()
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
        elif isinstance(x, numpy.ndarray):
            self.plain.append((name, x))
        elif isinstance(x, FunctionType):
            self.function(name, x)
        elif isinstance(x, MethodType):
            self.add([(name, x.__func__), (name, x.__self__)])
        elif isinstance(x, functools.partial):
            parts = [x.func, *x.args, *x.keywords.values()]
            self.add([(name, part) for part in parts])
        elif isinstance(x, dict):
            self.container(name, x, dict, list(x.values()))
            self.inside(name, x, chosen(x.items()))
        elif isinstance(x, list | deque):
            self.container(name, x, list, list(x))
            self.inside(name, x, enumerate(chosen(x)))
        elif isinstance(x, tuple | set | frozenset):
            self.add((f"{name}[{i}]", value) for i, value in enumerate(chosen(x)))
        elif isinstance(x, type):
            self.functions_of(name, x)
            self.attributes(name, x, x)
        elif not isinstance(x, ModuleType | BuiltinFunctionType | CodeType):
            self.object(name, x)

    def container(
        self, name: str, x: Any, contents: Callable[[Any], Any], values: list[Any]
    ) -> None:
        if len(values) <= MANY or any(isinstance(v, Array) for v in values[:MANY]):
            self.held.append(Held(x, contents, name, True))

    def inside(self, name: str, x: Any, items: Iterable[tuple[Any, Any]]) -> None:
        """What a list or dictionary holds."""
        places = [Place(f"{name}[{key!r}]", name, x, key, value) for key, value in items]
        if len(places) == len(x):  # else it is too large to be looked at
            self.places += [Place(name, name, x, SIZE, len(x)), *places]
        self.add((place.name, place.value) for place in places)

    def object(self, name: str, x: Any) -> None:
        """An object with attributes."""
        kind = type(x)
        own = getattr(x, "__dict__", None)
        known = (kind.__module__, kind.__name__) in NAMESPACES
        library = is_library(kind.__module__) and not known
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
                self.places += [
                    Place(f"{name}.{k}", f"{name}.{k}", own, k, value) for k, value in own.items()
                ]
            self.add((f"{name}.{key}", value) for key, value in own.items())
        if not library:
            self.functions_of(name, kind)
            self.attributes(name, x, kind)

    def attributes(self, name: str, x: Any, kind: type) -> None:
        """What an object or a class has in slots, or what its classes say."""
        own = getattr(x, "__dict__", {}) if x is not kind else {}
        slots, values = [], []
        for n, kept in attributes_of_class(kind).items():
            if isinstance(kept, MemberDescriptorType) and x is not kind and hasattr(x, n):
                slots.append(n)
            elif n not in own and not hasattr(kept, "__get__"):
                values.append(n)
        container = Attributes(x)
        places = [
            Place(f"{name}.{n}", f"{name}.{n}", container, n, getattr(x, n))
            for n in (*slots, *values)
        ]
        self.places += places
        self.add((place.name, place.value) for place in places)
        if slots:
            self.held.append(Held(x, attributes_in_slots(slots), name, True))

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
            own = zip(free, cells, strict=True)
            self.places += [Place(n, name, cell, None, held[n]) for n, cell in own if n in held]
        self.add(held.items())
        self.add((name, value) for value in x.__defaults__ or ())
        self.add((x.__kwdefaults__ or {}).items())
        if not library:
            known = x.__globals__
            names = [n for n in names_in(x.__code__) if n in known]
            self.held.append(Held(x, globals_of(names), name, True))
            variables, attributes = read_in(x.__code__)
            self.places += [Place(n, name, known, n, known[n]) for n in names if n in variables]
            self.functions.append((name, attributes))
            self.add((n, known[n]) for n in names)
            for n in names:
                if isinstance(known[n], ModuleType) and not is_library(known[n].__name__):
                    self.module(n, known[n], names_in(x.__code__))

    def module(self, name: str, x: ModuleType, names: list[str]) -> None:
        """What a module of the user's has under some names."""
        own = vars(x)
        names = [m for m in names if m in own]
        self.held.append(Held(x, attributes_of(names), name, True))
        self.places += [Place(f"{name}.{m}", f"{name}.{m}", own, m, own[m]) for m in names]
        self.add((f"{name}.{m}", own[m]) for m in names)

    def functions_of(self, name: str, kind: type) -> None:
        """The methods and attributes of a class of the user's."""
        for cls in kind.__mro__:
            if not is_library(cls.__module__) and id(cls) not in self.classes:
                self.classes[id(cls)] = cls
                self.held.append(Held(cls, own_attributes_of_class, name, True))
                self.add(
                    (f"{name}.{key}", function_in(value))
                    for key, value in vars(cls).items()
                    if not key.startswith("__")
                    or (isinstance(value, FunctionType) and key != "__repr__")
                )


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


def attributes_in_slots(names: list[str]) -> Callable[[Any], list[Any]]:
    def contents(x: Any) -> list[Any]:
        return [getattr(x, n, None) for n in names]

    return contents


def own_attributes_of_class(cls: type) -> dict[str, Any]:
    return {name: x for name, x in vars(cls).items() if not name.startswith("__")}


def attributes_of_class(cls: type) -> dict[str, Any]:
    """Those of a class of the user's and of those it is derived from, as they are kept there."""
    found: dict[str, Any] = {}
    for kind in reversed(cls.__mro__):
        if not is_library(kind.__module__):
            found |= own_attributes_of_class(kind)
    return found


def function_in(x: Any) -> Any:
    """The function of the user's in what a class makes of it."""
    if isinstance(x, property):
        return x.fget
    return x.__func__ if isinstance(x, staticmethod | classmethod) else x


def has_contents(cell: Any) -> bool:
    """Whether a variable that a function closes over has a value by now."""
    try:
        return bool((cell.cell_contents,))
    except ValueError:
        return False


@functools.lru_cache(maxsize=10_000)
def attributes_in(way: str) -> tuple[str, ...]:
    """The attributes in the name of an object, but for methods of Python's own names."""
    return tuple(x for x in ATTRIBUTE.findall(KEYS.sub("", way)) if not x.startswith("__"))


def names_in(code: CodeType) -> list[str]:
    """The names of globals and attributes in a function and those that are defined in it."""
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names.update(dict.fromkeys(names_in(constant)))
    return list(names)


@functools.lru_cache(maxsize=1000)
def read_in(code: CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """The names of globals, and of attributes, that a function and those defined in it read."""
    variables, attributes = set(), set()
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"):
            variables.add(instruction.argval)
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"):
            attributes.add(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner = read_in(constant)
            variables |= inner[0]
            attributes |= inner[1]
    return frozenset(variables), frozenset(attributes)


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
