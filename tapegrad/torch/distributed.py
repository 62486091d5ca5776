"""`torch.distributed`, for programs that ask whether they are one of several processes."""

from __future__ import annotations

from typing import Any

from . import errors

__all__ = [
    "barrier",
    "destroy_process_group",
    "get_rank",
    "get_world_size",
    "init_process_group",
    "is_available",
    "is_initialized",
]


def is_available() -> bool:
    """Whether processes can be grouped here: they cannot."""
    return False


def is_initialized() -> bool:
    """Whether this process is one of a group."""
    return False


def get_rank(group: Any = None) -> int:
    """The number of this process."""
    return 0


def get_world_size(group: Any = None) -> int:
    """How many processes there are."""
    return 1


def barrier(group: Any = None) -> None:
    """Wait for the other processes: there are none."""


def init_process_group(*args: Any, **kwargs: Any) -> None:
    """Raises: processes cannot be grouped here."""
    raise errors.no_process_group()


def destroy_process_group(group: Any = None) -> None:
    """Nothing: there is no group."""
