"""`Handle`: what registering a hook gives."""

from __future__ import annotations

from collections.abc import Callable


class Handle:
    """What takes a hook out again; a context that does so at its end."""

    def __init__(self, remove: Callable[[], None]) -> None:
        self.remove = remove

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()
