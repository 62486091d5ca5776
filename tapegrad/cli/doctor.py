"""Which names a program uses of packages that this one stands in for, and which are not here."""

from __future__ import annotations

import ast
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from ..compat import autograd, pytorch

FINDERS = (pytorch.finder, autograd.binding.finder)


class Uses(ast.NodeVisitor):
    """Collects the dotted names that a module uses of other packages, with their lines.

    `aliases` maps the module's own names to what they were imported as.
    """

    def __init__(self) -> None:
        self.aliases: dict[str, str] = {}
        self.names: list[tuple[str, int]] = []
        self.modules: list[str] = []

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.note(alias.name, node.lineno)
            if alias.asname:
                self.aliases[alias.asname] = alias.name
            else:
                top = alias.name.partition(".")[0]
                self.aliases[top] = top

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module is None:
            return
        self.note(node.module, node.lineno)
        for alias in node.names:
            if alias.name != "*":
                self.names.append((f"{node.module}.{alias.name}", node.lineno))
                self.aliases[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def visit_Attribute(self, node: ast.Attribute) -> None:
        parts: list[str] = []
        inner: ast.AST = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in self.aliases:
            self.names.append((".".join([self.aliases[inner.id], *parts[::-1]]), node.lineno))
        else:
            self.visit(inner)

    def note(self, module: str, line: int) -> None:
        """A module that is imported."""
        self.names.append((module, line))
        self.modules.append(module)


def uses_of(path: str) -> Uses:
    """The names that a file uses."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), path)
    found = Uses()
    for node in ast.walk(tree):  # names may be used above the line that imports them
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.visit(node)
    names = found.names
    found.names = []
    found.visit(tree)
    found.names = list(dict.fromkeys([*names, *found.names]))
    return found


def files_of(script: str) -> Iterator[tuple[str, Uses]]:
    """A program's files: the script, and the modules beside it that these import."""
    folder = os.path.dirname(os.path.abspath(script))
    pending, seen = [script], {os.path.abspath(script)}
    while pending:
        path = pending.pop(0)
        uses = uses_of(path)
        yield path, uses
        for module in uses.modules:
            stem = os.path.join(folder, *module.split("."))
            for other in (f"{stem}.py", os.path.join(stem, "__init__.py")):
                if os.path.isfile(other) and other not in seen:
                    seen.add(other)
                    pending.append(other)


def is_here(name: str) -> bool | None:
    """Whether this package has a dotted name of another; None if that is not for it to have."""
    finder = next((f for f in FINDERS if f.belongs(name)), None)
    if finder is None:
        return None
    parts = name.split(".")
    found: Any = import_module(finder.own_name(parts[0]))
    for i in range(1, len(parts)):
        if not isinstance(found, ModuleType | type):
            return True  # what a value has is not known before it is there
        inner = getattr(found, parts[i], None)
        if inner is None:
            whole = ".".join(parts[: i + 1])
            if not isinstance(found, ModuleType) or finder.find_spec(whole) is None:
                return hasattr(found, parts[i])
            inner = import_module(finder.own_name(whole))
        found = inner
    return True


def report(scripts: Sequence[str]) -> tuple[str, bool]:
    """What to tell of some programs, and whether a name is missing."""
    missing: dict[str, list[str]] = defaultdict(list)
    present = set()
    for script in scripts:
        for path, uses in files_of(script):
            for name, line in uses.names:
                here = is_here(name)
                if here:
                    present.add(name)
                elif here is not None:
                    missing[name].append(f"{os.path.relpath(path)}:{line}")
    lines = [f"{name}  ({', '.join(places)})" for name, places in sorted(missing.items())]
    total = len(present) + len(missing)
    end = (
        f"{len(missing)} of {total} names are missing."
        if missing
        else f"All {total} names are here."
    )
    return "\n".join([*lines, end]) + "\n", bool(missing)
