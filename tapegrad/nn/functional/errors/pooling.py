"""Errors of pooling."""

from __future__ import annotations

from typing import Any

from .convolution import sizes_of


def pooled_padding(padding: int, kernel: int) -> RuntimeError:
    return RuntimeError(
        f"pad should be at most half of effective kernel size, but got pad={padding}, "
        f"kernel_size={kernel}"
    )


def pooled_size(shape: Any, to: Any) -> RuntimeError:
    return RuntimeError(
        f"Given input size: ({'x'.join(map(str, shape[1:]))}). Calculated output size: "
        f"({'x'.join(map(str, (shape[1], *to)))}). Output size is too small"
    )


def unpooled_indices(x: Any, indices: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected shape of indices to be same as that of the input tensor ({list(x)}) but got "
        f"indices tensor with shape: {list(indices)}"
    )


def unpooled_size(given: Any, to: Any, stride: Any) -> ValueError:
    return ValueError(
        f'invalid output_size "{list(given)}" (each length must be less than a stride '
        f"{list(stride)} away from {list(to)})"
    )


def unpooled_place(values: Any, to: Any) -> RuntimeError:
    wrong = int(values.max()) if values.min() >= 0 else int(values.min())
    return RuntimeError(
        f"Found an invalid max index: {wrong} (output volumes are of size {sizes_of(to)})"
    )


def adaptive_size(name: str, n: int, sizes: Any) -> RuntimeError:
    return RuntimeError(
        f"{name}: output_size must be {n} non-negative numbers, or one for all, got {list(sizes)}"
    )


def adaptive_empty(name: str, shape: Any) -> RuntimeError:
    return RuntimeError(
        f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has "
        f"sizes {list(shape)}"
    )


def fractional_size(name: str, output: int, kernel: int, length: int) -> RuntimeError:
    return RuntimeError(
        f"{name}: kernel size {kernel} is too large relative to input length {length} for an "
        f"output of {output}"
    )
