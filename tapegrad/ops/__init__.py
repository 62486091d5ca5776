"""The operations: one record each. Importing the package fills the table."""

from . import (
    arithmetic,
    complex,
    contract,
    elementary,
    index,
    join,
    linalg,
    linear,
    operators,
    random,
    reduce,
    scan,
    shape,
    sort,
)

__all__ = [
    "arithmetic",
    "complex",
    "contract",
    "elementary",
    "index",
    "join",
    "linalg",
    "linear",
    "operators",
    "random",
    "reduce",
    "scan",
    "shape",
    "sort",
]
