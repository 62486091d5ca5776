"""Running a program that was written with other packages, unmodified."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence

from ..compat import autograd, pytorch


def run(script: str, arguments: Sequence[str]) -> None:
    """Run a file as the main program; `torch`, `torchvision` and `autograd` are this package.

    What the program raises is raised, SystemExit too.
    """
    pytorch.install()
    autograd.install()
    sys.argv = [script, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    runpy.run_path(script, run_name="__main__")
