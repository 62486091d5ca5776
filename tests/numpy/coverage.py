"""The page that says what of NumPy works on recorded arrays, made from the dispatch tables.

python -m tests.numpy.coverage > docs/numpy-coverage.md
"""

from __future__ import annotations

import sys
import textwrap
from typing import Any

import numpy

import tapegrad.numpy as tnp
from tapegrad.numpy.dispatch import functions, ufuncs

from .probes import PROBES

TEXT = """\
# What of NumPy works on recorded arrays

Made by `python -m tests.numpy.coverage` from the tables that dispatch; a test compares. On plain
arrays everything works: a name that is not in `tapegrad.numpy` is NumPy's own.

## Differentiable

{differentiable}

Reverse mode, forward mode, second order and `vmap` are tested for each of these {count}
(`tests/numpy/probes.py`), called as `tapegrad.numpy` and as plain `numpy`. Plain `numpy` cannot
reach `array`, `asarray`, `asanyarray`, `ascontiguousarray` and `full`, which do not ask their
arguments: they raise, and `tapegrad.numpy` has them.

## Others that take recorded arrays

{others}

Functions without derivative (comparisons, positions, tests) give untracked results; where the
result's shape depends on values (`nonzero`, `unique`), they work everywhere but on values that
differ between the lanes of `vmap`.

## `linalg`

{linalg}

## Plain arrays only

{plain}

These raise a TypeError on tracked arrays, and say what to do; on untracked ones they compute.
"""


def known(original: Any, ours: Any) -> bool:
    """Whether a function takes recorded arrays."""
    return original in functions or original in ufuncs or ours is not original


def listed(names: list[str]) -> str:
    lines = textwrap.wrap(", ".join(f"`{name}`" for name in sorted(names)), width=98)
    return "\n".join(lines)


def callables(namespace: Any) -> list[str]:
    """The public functions of a namespace that take arrays: no types, no settings."""
    return [
        name
        for name in namespace.__all__
        if isinstance(getattr(namespace, name), numpy.ufunc | type(numpy.sum))
        or name in tnp.creation.__all__
    ]


def page() -> str:
    """The page's text."""
    rest = [name for name in callables(numpy) if name not in PROBES]
    linalg = [n for n in callables(numpy.linalg) if known_in_linalg(n)]
    others = [name for name in rest if known(getattr(numpy, name), getattr(tnp, name))]
    plain = [name for name in rest if name not in others]
    plain += [f"linalg.{n}" for n in callables(numpy.linalg) if n not in linalg]
    return TEXT.format(
        count=len(PROBES),
        differentiable=listed(list(PROBES)),
        others=listed(others),
        linalg=listed(linalg),
        plain=listed(plain),
    )


def known_in_linalg(name: str) -> bool:
    original = getattr(numpy.linalg, name)
    return original in functions or original in ufuncs


if __name__ == "__main__":
    sys.stdout.write(page())
