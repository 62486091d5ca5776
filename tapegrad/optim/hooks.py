"""Hooks: functions that are called at certain moments, in the order in which they came."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from itertools import count
from typing import Any

from ..torch.autograd.attributes import Handle

numbers = count()


class Hooks(OrderedDict[int, Callable[..., Any]]):
    """Hooks by the order of their coming."""

    def add(self, hook: Callable[..., Any], prepend: bool = False) -> Handle:
        """Add a hook, as the first one if `prepend`; gives what removes it."""
        key = next(numbers)
        self[key] = hook
        if prepend:
            self.move_to_end(key, last=False)

        def remove() -> None:
            self.pop(key, None)

        return Handle(remove)
