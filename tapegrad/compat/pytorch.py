"""`install` and `uninstall`: this package under the names `torch` and `torchvision`."""

from __future__ import annotations

from ..finder import Finder

HOMES = {
    "torch": "tapegrad.torch",
    "torchvision": "tapegrad.vision",
}

finder = Finder(HOMES)


def install() -> None:
    """Let ``import torch`` and ``import torchvision``, and their modules, give this package.

    It holds until `uninstall`, whether or not PyTorch itself is there. Modules that have imported
    PyTorch before keep what they have.

    >>> install()
    >>> import torch
    >>> torch.__name__
    'tapegrad.torch'
    >>> uninstall()
    """
    finder.install()


def uninstall() -> None:
    """Undo `install`: imports of PyTorch find what they would have found without."""
    finder.uninstall()
