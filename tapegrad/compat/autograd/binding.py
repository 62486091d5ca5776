"""`install` and `uninstall`: this package under the name `autograd`, in this process."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

NAME = "autograd"
OWN = __package__


class Finder(MetaPathFinder, Loader):
    """Answers imports of `autograd` and its modules with this package's."""

    def __init__(self) -> None:
        self.hidden: dict[str, ModuleType] = {}

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if not belongs(fullname) or find_spec(own_name(fullname)) is None:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def exec_module(self, module: ModuleType) -> None:
        """Put this package's module in the place of the empty one that was made."""
        sys.modules[module.__name__] = import_module(own_name(module.__name__))


def belongs(fullname: str) -> bool:
    """Whether a module is autograd's."""
    return fullname.partition(".")[0] == NAME


def own_name(fullname: str) -> str:
    """The name of this package's module for one of autograd's."""
    return OWN + fullname.removeprefix(NAME)


finder = Finder()


def install() -> None:
    """Let ``import autograd``, and imports of its modules, give this package.

    It holds until `uninstall`, whether or not autograd itself is there. Modules that have imported
    autograd before keep what they have.

    >>> install()
    >>> import autograd
    >>> autograd.__name__
    'tapegrad.compat.autograd'
    >>> uninstall()
    """
    if finder in sys.meta_path:
        return
    finder.hidden = {name: sys.modules.pop(name) for name in list(sys.modules) if belongs(name)}
    sys.meta_path.insert(0, finder)


def uninstall() -> None:
    """Undo `install`: imports of autograd find what they would have found without."""
    if finder not in sys.meta_path:
        return
    sys.meta_path.remove(finder)
    for name in [name for name in sys.modules if belongs(name)]:
        del sys.modules[name]
    sys.modules.update(finder.hidden)
    finder.hidden = {}
