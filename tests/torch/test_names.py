"""Every name in `names.txt`, by its home in PyTorch, is there."""

from __future__ import annotations

import operator
from pathlib import Path

import pytest

import tapegrad.torch as torch

HOMES: dict[str, list[str]] = {}
for line in (Path(__file__).parent / "names.txt").read_text().splitlines():
    if line.startswith("["):
        names = HOMES[line.strip("[]")] = []
    else:
        names.extend(line.split())


@pytest.mark.parametrize("home", HOMES)
def test_names(home):
    found = torch if home == "torch" else operator.attrgetter(home)(torch)
    assert [name for name in HOMES[home] if not hasattr(found, name)] == []
