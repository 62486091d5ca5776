"""Filters of signals and images that choose among neighbours by size."""

from __future__ import annotations

from typing import Any

import numpy
import scipy.signal

from ..dispatch import implements
from ..ndimage.arguments import for_each
from ..ndimage.neighbours import Window, ranked, real_image
from ..ndimage.ranks import rank_filter


@implements(scipy.signal.medfilt)
def medfilt(volume: Any, kernel_size: Any = None) -> Any:
    """As SciPy's: the median of neighbours, with zeros beyond the edges."""
    x, _ = real_image("medfilt", volume, None)
    sizes = for_each(3 if kernel_size is None else kernel_size, x.ndim)
    if any(n % 2 != 1 for n in sizes):
        raise ValueError("Each element of kernel_size should be odd.")
    return ranked(x, Window(sizes, None, "constant", 0.0, 0, None), lambda count: count // 2)


@implements(scipy.signal.medfilt2d)
def medfilt2d(input: Any, kernel_size: Any = 3) -> Any:
    return medfilt(input, kernel_size)


@implements(scipy.signal.order_filter)
def order_filter(a: Any, domain: Any, rank: int) -> Any:
    domain = numpy.asarray(domain)
    if any(n % 2 != 1 for n in domain.shape):
        raise ValueError("Each dimension of domain argument should have an odd number of elements.")
    return rank_filter(a, rank, footprint=domain, mode="constant")
