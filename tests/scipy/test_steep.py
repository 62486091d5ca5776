"""The operations behind SciPy's names say that their rules may warn."""

from __future__ import annotations

import importlib

import pytest

from ..core.test_warnings import check_steep, edge_cases

for part in ("interpolate", "linalg", "ndimage", "signal", "special", "stats"):
    importlib.import_module(f"tapegrad.scipy.{part}")  # which defines operations


@pytest.mark.filterwarnings("ignore")  # SciPy's own
@pytest.mark.parametrize(("op", "inputs", "params"), list(edge_cases()))
def test_an_operation_whose_rules_may_warn_is_steep(op, inputs, params):
    check_steep(op, inputs, params)
