"""ndarray's methods on recorded arrays."""

from . import dispatch

__all__: list[str] = []
