"""Another package's modules answered with this package's, for programs written with that."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType


class Finder(MetaPathFinder, Loader):
    """Answers imports of some packages, and of their modules, with others.

    `homes` maps the names of packages and modules to those that stand in for them. Of a module that
    is not named, the nearest named package above it decides.
    """

    def __init__(self, homes: Mapping[str, str]) -> None:
        self.homes = homes
        self.hidden: dict[str, ModuleType] = {}

    def belongs(self, fullname: str) -> bool:
        """Whether a module is of one of the packages."""
        return self.head(fullname) != ""

    def head(self, fullname: str) -> str:
        """The nearest named package that a module is, or is of; empty if there is none."""
        while fullname and fullname not in self.homes:
            fullname = fullname.rpartition(".")[0]
        return fullname

    def own_name(self, fullname: str) -> str:
        """The name of the module that stands in for another."""
        head = self.head(fullname)
        return self.homes[head] + fullname.removeprefix(head)

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """How to import a module; None where nothing stands in for it."""
        if not self.belongs(fullname):
            return None
        try:
            found = find_spec(self.own_name(fullname))
        except ModuleNotFoundError:  # where what should be its package is a module
            return None
        return None if found is None else ModuleSpec(fullname, self, is_package=True)

    def exec_module(self, module: ModuleType) -> None:
        """Put the module that stands in in the place of the empty one that was made."""
        sys.modules[module.__name__] = import_module(self.own_name(module.__name__))

    def install(self) -> None:
        """Answer imports from now on. Modules imported before keep what they have."""
        if self in sys.meta_path:
            return
        self.hidden = {name: sys.modules.pop(name) for name in [*sys.modules] if self.belongs(name)}
        sys.meta_path.insert(0, self)

    def uninstall(self) -> None:
        """Undo `install`: imports find what they would have found without."""
        if self not in sys.meta_path:
            return
        sys.meta_path.remove(self)
        for name in [name for name in sys.modules if self.belongs(name)]:
            del sys.modules[name]
        sys.modules.update(self.hidden)
        self.hidden = {}
