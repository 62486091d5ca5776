"""Errors about special functions."""

from __future__ import annotations

from typing import Any


def not_whole_order(n: Any) -> TypeError:
    return TypeError(
        f"polygamma(): argument 'n' (position 1) must be int, not {type(n).__name__}\n"
        "The order comes first, then the tensor."
    )


def negative_order() -> RuntimeError:
    return RuntimeError("polygamma(n, x) does not support negative n.")


def too_few_dimensions() -> RuntimeError:
    return RuntimeError("p has to be greater than or equal to 1")
