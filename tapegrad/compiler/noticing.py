"""Noticing what a function does beside computing, while it is traced."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def noticing_prints() -> Iterator[list[int]]:
    """A list that gets the line of each `print` in this thread, where no profiler is at work."""
    lines: list[int] = []
    if sys.getprofile() is not None:
        yield lines
        return

    def look(frame: Any, event: str, argument: Any) -> None:
        if event == "c_call" and argument is builtins.print:
            lines.append(frame.f_lineno)

    sys.setprofile(look)
    try:
        yield lines
    finally:
        sys.setprofile(None)
