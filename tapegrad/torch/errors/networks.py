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


def grid_of_wrong_shape(x: Any, grid: Any) -> RuntimeError:
    return RuntimeError(
        f"grid_sampler(): expected grid to have size {len(x) - 2} in last dimension, and 4D or 5D "
        f"input with a grid of as many dimensions, but got input with sizes {list(x)} and grid "
        f"with sizes {list(grid)}"
    )


def grid_of_wrong_batch(x: Any, grid: Any) -> RuntimeError:
    return RuntimeError(
        "grid_sampler(): expected grid and input to have same batch size, but got input with "
        f"sizes {list(x)} and grid with sizes {list(grid)}"
    )


def grid_of_nothing(x: Any) -> RuntimeError:
    return RuntimeError(
        "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
        f"{list(x)}"
    )


def bicubic_of_volume() -> RuntimeError:
    return RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
