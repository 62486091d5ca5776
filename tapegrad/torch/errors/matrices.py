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


def sizes_of_vector_product(rows: int, columns: int, n: int) -> RuntimeError:
    return RuntimeError(f"size mismatch, got input ({rows}), mat ({rows}x{columns}), vec ({n})")


def product_of_number(a: int, b: int) -> RuntimeError:
    return RuntimeError(
        f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D"
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


def operands_of_equation(parts: int, operands: int) -> RuntimeError:
    which = "fewer" if operands < parts else "more"
    return RuntimeError(f"einsum(): {which} operands were provided than specified in the equation")


def subscripts_of_operand(named: int, axes: int, i: int, dots: bool) -> RuntimeError:
    if dots:
        return RuntimeError(
            f"einsum(): the number of subscripts in the equation ({named}) is more than the number "
            f"of dimensions ({axes}) for operand {i}"
        )
    return RuntimeError(
        f"einsum(): the number of subscripts in the equation ({named}) does not match the number "
        f"of dimensions ({axes}) for operand {i} and no ellipsis was given"
    )


def repeated_subscript(letter: str, i: int, n: int, before: int) -> RuntimeError:
    return RuntimeError(
        f"einsum(): subscript {letter} is repeated for operand {i} but the sizes don't match, "
        f"{n} != {before}"
    )


def size_of_subscript(letter: str, n: int, i: int, before: int) -> RuntimeError:
    return RuntimeError(
        f"einsum(): subscript {letter} has size {n} for operand {i} which does not broadcast with "
        f"previously seen size {before}"
    )


def unknown_subscript(letter: str) -> RuntimeError:
    return RuntimeError(
        f"einsum(): output subscript {letter} does not appear in the equation for any input operand"
    )


def subscript_given_twice(letter: str) -> RuntimeError:
    return RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
