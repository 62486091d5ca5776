"""Errors about products of vectors and matrices."""

from __future__ import annotations

from typing import Any


def wrong_axes(name: str, what: str, wanted: int, given: int) -> RuntimeError:
    shape = {1: "a vector", 2: "a matrix", 3: "a 3D tensor"}[wanted]
    return RuntimeError(
        f"{name}: Expected {what} to be {shape}, but it has {given} dimensions\n"
        "Use torch.matmul for vectors, matrices and stacks of any shape."
    )


def shapes_of_product(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})"
    )


def shapes_of_stacks(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but got: "
        f"[{b[0]}, {b[1]}]."
    )


def dot_sizes(a: int, b: int) -> RuntimeError:
    return RuntimeError(
        f"inconsistent tensor size, expected tensor [{a}] and src [{b}] to have the same number of "
        f"elements, but got {a} and {b} elements respectively"
    )


def cross_size(axis: int, n: int) -> RuntimeError:
    return RuntimeError(
        f"linalg.cross: inputs dimension {axis} must have length 3. Got {n} and {n}"
    )


def contracted_sizes(i: int, n: int, j: int, m: int) -> RuntimeError:
    return RuntimeError(
        f"contracted dimensions need to match, but first has size {n} in dim {i} and second has "
        f"size {m} in dim {j}"
    )
