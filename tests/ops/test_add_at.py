"""Adding at repeated places gives the bits of NumPy's `add.at`, whatever the index."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from tapegrad.ops import add_at as module
from tapegrad.ops.add_at import add_at, places_of, taken

rng = numpy.random.default_rng(0)
rows = rng.integers(-40, 40, 300)
grid = rng.integers(0, 40, (30, 12))

KEYS: dict[str, tuple[Any, ...]] = {
    "rows": (rows,),
    "rows of narrow integers": (rows.astype(numpy.int8),),
    "a grid of rows": (grid, slice(None)),
    "columns": (slice(None), rows % 8),
    "backwards": (slice(None, None, -2), rows % 8),
    "elements": (rows, rows % 8, rows % 5),
    "a number beside": (rows, 3, slice(1, 4)),
    "broadcast": (numpy.arange(40)[:, None], rng.integers(0, 8, 9)),
    "the last axis": (Ellipsis, rows % 5),
    "split": (rows, slice(None), rows % 5),
    "split by nothing": (rows, rows % 8, Ellipsis, rows % 5),
    "a new axis": (None, rows),
    "a mask": (rng.random(40) > 0.5,),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int64"])
@pytest.mark.parametrize("wide", [1, 1000], ids=["row by row", "by elements"])
@pytest.mark.parametrize("name", KEYS)
def test_add_at(monkeypatch: Any, name: str, wide: int, dtype: str) -> None:
    monkeypatch.setattr(module, "WIDE", wide)
    key = KEYS[name]
    x = (10 * rng.standard_normal((40, 8, 5))).astype(dtype)
    values = (10 * rng.standard_normal(x[key].shape)).astype(dtype)
    expected, found = x.copy(), x.copy()
    numpy.add.at(expected, key, values)
    add_at(found, key, values)
    assert found.tobytes() == expected.tobytes()


def test_values_are_broadcast() -> None:
    expected, found = numpy.zeros((40, 8)), numpy.zeros((40, 8))
    values = rng.standard_normal((300, 1))
    numpy.add.at(expected, rows, values)
    add_at(found, (rows,), values)
    assert found.tobytes() == expected.tobytes()


def test_an_array_in_no_single_piece() -> None:
    expected, found = numpy.zeros((8, 40)), numpy.zeros((8, 40))
    values = rng.standard_normal((300, 8))
    numpy.add.at(expected.T, rows, values)
    add_at(found.T, (rows,), values)
    assert found.tobytes() == expected.tobytes()


def test_places_outside() -> None:
    with pytest.raises(IndexError, match="index 40 is out of bounds for axis 0 with size 40"):
        add_at(numpy.zeros(40), (numpy.full(300, 40),), numpy.ones(300))
    with pytest.raises(IndexError, match="index -41 is out of bounds for axis 0 with size 40"):
        taken(numpy.zeros((40, 2)), (numpy.full(300, -41), numpy.zeros(300, int)))


def test_taken() -> None:
    x = rng.standard_normal((40, 8))
    key = rows, rows % 8
    assert places_of(key, x) is not None
    assert taken(x, key).tobytes() == x[key].tobytes()
    assert taken(x.T, key[::-1]).tobytes() == x[key].tobytes()
