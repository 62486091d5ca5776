"""Loops and branches as operations: `scan`, `fori_loop`, `while_loop` and `cond`."""

from .branch import cond
from .scan import fori_loop, scan
from .unbounded import while_loop

__all__ = ["cond", "fori_loop", "scan", "while_loop"]
