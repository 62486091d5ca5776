"""Files that are replaced as a whole, or not at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def replaced(path: Any) -> Iterator[str]:
    """A path to write a new file to, which takes the place of the file at `path` at the end.

    Where the writing fails, or the process is killed, the old file stays as it was.
    """
    path = os.fspath(path)
    part = f"{path}.part-{os.getpid()}-{threading.get_ident()}"
    try:
        yield part
        with open(part, "rb") as file:
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        if os.path.exists(part):
            os.remove(part)
