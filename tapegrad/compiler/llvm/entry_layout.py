"""What the machine that runs programs is told, and where: tables of words of eight bytes.

The table of a program, ``%state``, has at `ARGUMENTS` records of a type, a dtype, the number of
axes, the shape and flags; at `RESULTS` records of a kind, a dtype (or the number of an argument),
the number of axes, the shape, and two arrays or scalars that were given before.

Steps are words: the greatest number of arrays, then for each its function, how many arrays it
takes, and of each the number in the table of pointers and an offset in bytes. One that takes none
gets that table itself. A function of 0 ends them.
"""

from __future__ import annotations

CONTIGUOUS_AND_ALIGNED, OWN_AND_WRITEABLE = 0x101, 0x404

(
    ARRAY_TYPE,  # NumPy's array type
    OTHERWISE,  # what to return on a mismatch
    SPARE,  # memory to work in, while it is not in use
    BLOCK,  # how much of it is needed
    QUICK,  # whether other threads are to wait
    STEPS,
    ARGUMENTS,
    ARGUMENTS_END,
    INPUTS,  # how many arguments there are
    LENGTHS,  # of arguments, in bytes
    WRITTEN,  # the numbers of arguments that are written to
    WRITTEN_COUNT,
    RESULTS,
    RESULTS_END,
    COUNT,  # of results
    BOOLEANS,  # whether there are truth values among them
    CONSTANTS,  # the addresses of arrays that stay
    CONSTANT_COUNT,
    POINTERS,  # the room that the table of pointers needs
    PLACES,  # how many these are
) = range(20)
"""Places in ``%state``."""

TAKEN, ARRAY, NUMBER, BOOLEAN = range(4)
"""Kinds of results: the array of an argument, an array, a scalar, a truth value."""

FIRST, SECOND = 4, 5
"""Where the record of a result has what was given before."""

SIDE_BY_SIDE = 8
"""How many arguments are compared at once: behind the last, so many lengths are 0."""

FINE, OTHER_WAY, FAILED = range(3)
"""What `execute` returns."""
