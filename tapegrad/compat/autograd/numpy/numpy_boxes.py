"""The class of traced arrays, under autograd's name."""

from ....core.array import Array as ArrayBox

__all__ = ["ArrayBox"]
