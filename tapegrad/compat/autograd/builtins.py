"""Python's own containers: traced values are in these as they are."""

import builtins
from typing import Any

from .tracer import getval

dict, list, tuple = builtins.dict, builtins.list, builtins.tuple

__all__ = ["dict", "isinstance", "list", "tuple", "type"]


def isinstance(x: Any, classinfo: Any) -> bool:
    """Whether a value, or what a traced one stands for, is of a type."""
    return builtins.isinstance(getval(x), classinfo)


def type(x: Any) -> Any:
    """The type of a value, or of what a traced one stands for."""
    return builtins.type(getval(x))
