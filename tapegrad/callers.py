"""Who called this package: warnings are shown at the user's line."""

from __future__ import annotations

import sys
import warnings

PACKAGE = __name__.partition(".")[0]


def warn(text: str, category: type[Warning]) -> None:
    """Warn, at the line that called this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and is_own(frame.f_globals.get("__name__")):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def is_own(module: str | None) -> bool:
    """Whether a module is part of this package; code that was generated has no module."""
    return module is None or module.partition(".")[0] == PACKAGE
