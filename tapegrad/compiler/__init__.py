"""The compiler: from a tape to a program that runs without Python between its operations."""

from .function import Compiled, compile

__all__ = ["Compiled", "compile"]
