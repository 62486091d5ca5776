"""The names of other packages, bound to this one for a whole program."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from ..compat import autograd, pytorch

NAMES = str(Path(__file__).with_name("names"))
"""The folder that binds the names in processes which have it on their path."""

ROOT = str(Path(__file__).parents[2])
"""The folder that this package lies in."""


def install() -> None:
    """Let `torch`, `torchvision` and `autograd` be this package, in this process."""
    pytorch.install()
    autograd.install()


def bind(name: str) -> None:
    """Put this package in the place of a module of `NAMES` that is just being imported."""
    if name.partition(".")[0] == __package__.partition(".")[0]:
        return  # imported as what it is, a part of this package
    install()  # hides the module
    sys.modules[name] = import_module(name)
