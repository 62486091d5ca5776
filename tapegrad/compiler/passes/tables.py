"""The tables of rewrites."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from .algebra import ALGEBRA
from .fast import FAST
from .folding import FOLDING
from .gathering import GATHERING
from .layers import LAYERS
from .losses import LOSSES
from .lowering import LOWERING
from .moving import MOVING
from .pooling import POOLING
from .products import PRODUCTS
from .results import RESULTS
from .rewriting import Rule

TABLES = (FOLDING, LOWERING, LAYERS, LOSSES, RESULTS, PRODUCTS, GATHERING, POOLING, MOVING, ALGEBRA)


@functools.cache
def rules(fast: bool) -> Mapping[str, Sequence[Rule]]:
    """All rules by the operation they are for, in the order in which they are tried."""
    merged: dict[str, list[Rule]] = {}
    for table in (*TABLES, *([FAST] if fast else [])):
        for name, some in table.items():
            merged.setdefault(name, []).extend(some)
    return merged
