"""Where files are kept: what can be made again by the user, data by the project."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["cache_directory", "get_data_root", "get_project_root"]

MARKS = ("pyproject.toml", "setup.py", ".git")
"""What the folder of a project has in it."""


def cache_directory() -> Path:
    """Where this user's downloads and compiled code are kept, by the custom of the system."""
    if sys.platform == "win32":
        parent = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        parent = Path.home() / "Library" / "Caches"
    else:
        parent = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return parent / "tapegrad"


def get_project_root() -> str:
    """The folder of the project that is worked on, as an absolute path.

    This is the nearest one, from the working directory upwards, with a ``pyproject.toml``, a
    ``setup.py`` or a ``.git`` in it; the working directory itself if there is none.
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        if any((folder / mark).exists() for mark in MARKS):
            return str(folder)
    return str(here)


def get_data_root() -> str:
    """The folder ``data`` of the project, whether or not it is there; for `root` of data sets.

    >>> get_data_root() == os.path.join(get_project_root(), "data")
    True
    """
    return os.path.join(get_project_root(), "data")
