"""Errors of the functions of networks that have a name at the top level too."""

from __future__ import annotations


def columns_differ(a: int, b: int) -> RuntimeError:
    return RuntimeError(
        f"X1 and X2 must have the same number of columns. X1: {a} X2: {b}\nBoth hold vectors along "
        "their last axis."
    )


def not_one_matrix(name: str, n: int) -> RuntimeError:
    return RuntimeError(f"{name} only supports 2D tensors, got: {n}D")
