"""Errors of the functions of networks that have a name at the top level too."""

from __future__ import annotations

from typing import Any


def columns_differ(a: int, b: int) -> RuntimeError:
    return RuntimeError(
        f"X1 and X2 must have the same number of columns. X1: {a} X2: {b}\nBoth hold vectors along "
        "their last axis."
    )


def not_one_matrix(name: str, n: int) -> RuntimeError:
    return RuntimeError(f"{name} only supports 2D tensors, got: {n}D")


def no_normalized_shape() -> RuntimeError:
    return RuntimeError(
        "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
        "element, but got normalized_shape = []"
    )


def normalized_shape(shape: Any, own: Any) -> RuntimeError:
    wanted = ", ".join(map(str, ("*", *shape)))
    return RuntimeError(
        f"Given normalized_shape={list(shape)}, expected input with shape [{wanted}], but got "
        f"input of size{list(own)}"
    )


def shape_of_affine(name: str, shape: Any, normalized: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
        f"{list(shape)} and normalized_shape = {list(normalized)}"
    )
