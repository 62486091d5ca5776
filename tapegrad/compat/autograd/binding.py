"""`install` and `uninstall`: this package under the name `autograd`, in this process."""

from __future__ import annotations

from ...finder import Finder

finder = Finder({"autograd": __package__})


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
    finder.install()


def uninstall() -> None:
    """Undo `install`: imports of autograd find what they would have found without."""
    finder.uninstall()
