"""Loops and branches as operations: `scan`, `fori_loop`, `while_loop` and `cond`."""

from .branch import cond
from .counted import fori_loop
from .scan import scan
from .unbounded import while_loop

__all__ = ["cond", "fori_loop", "scan", "while_loop"]
