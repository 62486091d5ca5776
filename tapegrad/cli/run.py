"""Running a program that was written with other packages, unmodified."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from types import TracebackType

from .binding import NAMES, ROOT, install


def run(program: str, arguments: Sequence[str], module: bool = False) -> None:
    """Run a file, or a module by its name, as the main program.

    `torch`, `torchvision` and `autograd` are this package. The program ends the process as it would
    under Python: by an exception whose traceback begins in the program, or by SystemExit.
    """
    install()
    sys.argv = [program, *arguments]
    first = os.getcwd() if module else os.path.dirname(os.path.abspath(program))
    sys.path[:1] = [first, NAMES]
    if ROOT not in sys.path:  # it was found from the working directory
        sys.path.append(ROOT)
    try:
        if module:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(program, run_name="__main__")
    except Exception as error:
        inner = within(error.__traceback__)
        sys.excepthook(type(error), error.with_traceback(inner), inner)
        raise SystemExit(1) from None


def within(traceback: TracebackType | None) -> TracebackType | None:
    """What of a traceback lies below this file and `runpy`."""
    while traceback is not None and traceback.tb_frame.f_code.co_filename in OUTER:
        traceback = traceback.tb_next
    return traceback


OUTER = {__file__, runpy.__file__, runpy.run_path.__code__.co_filename}
"""The files of the frames around a program; `runpy` may be frozen into the interpreter."""
