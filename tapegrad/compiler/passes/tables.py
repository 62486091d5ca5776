"""The tables of rewrites."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from .algebra import ALGEBRA
from .fast import FAST
from .folding import FOLDING
from .layers import LAYERS
from .lowering import LOWERING
from .moving import MOVING
from .rewriting import Rule


@functools.cache
def rules(fast: bool) -> Mapping[str, Sequence[Rule]]:
    """All rules by the operation they are for, in the order in which they are tried."""
    merged: dict[str, list[Rule]] = {}
    for table in (FOLDING, LOWERING, LAYERS, MOVING, ALGEBRA, *([FAST] if fast else [])):
        for name, some in table.items():
            merged.setdefault(name, []).extend(some)
    return merged
