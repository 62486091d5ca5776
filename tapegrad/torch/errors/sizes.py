"""Errors about shapes, views, joining and splitting."""

from __future__ import annotations

from typing import Any


def ambiguous_size(shape: Any) -> RuntimeError:
    return RuntimeError(
        f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
        "dimension size -1 can be any value and is ambiguous"
    )


def invalid_shape(shape: Any, size: int) -> RuntimeError:
    return RuntimeError(
        f"shape '{list(shape)}' is invalid for input of size {size}\n"
        "The product of the lengths must be the number of elements."
    )


def not_viewable() -> RuntimeError:
    return RuntimeError(
        "view size is not compatible with input tensor's size and stride (at least one dimension "
        "spans across two contiguous subspaces). Use .reshape(...) instead."
    )


def wrong_permutation(n: int, given: int) -> RuntimeError:
    return RuntimeError(
        "permute(sparse_coo): number of dimensions in the tensor input does not match the length "
        f"of the desired ordering of dimensions i.e. input.dim() = {n} is not equal to "
        f"len(dims) = {given}"
    )


def not_a_matrix(name: str, n: int) -> RuntimeError:
    return RuntimeError(
        f"{name}() expects a tensor with <= 2 dimensions, but self is {n}D\n"
        "Use .mT for a stack of matrices, or .transpose(dim0, dim1)."
    )


def not_matrices(name: str, n: int) -> RuntimeError:
    return RuntimeError(
        f"tensor.{name} is only supported on matrices or batches of matrices. Got {n}-D tensor."
    )


def expand_to_fewer(own: Any, to: Any) -> RuntimeError:
    return RuntimeError(
        f"expand(torch.FloatTensor{{{list(own)}}}, size={list(to)}): the number of sizes provided "
        f"({len(to)}) must be greater or equal to the number of dimensions in the tensor "
        f"({len(own)})"
    )


def expand_leading(to: Any) -> RuntimeError:
    return RuntimeError(
        "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0"
    )


def expand_mismatch(n: int, m: Any, axis: int, to: Any, own: Any) -> RuntimeError:
    return RuntimeError(
        f"The expanded size of the tensor ({n}) must match the existing size ({m}) at "
        f"non-singleton dimension {axis}.  Target sizes: {list(to)}.  Tensor sizes: {list(own)}"
    )


def no_broadcast(shapes: Any) -> RuntimeError:
    return RuntimeError(
        f"Shape mismatch: objects of shapes {', '.join(map(str, shapes))} cannot be broadcast to a "
        "single shape: lengths of an axis must be equal, or 1."
    )


def not_expandable(to: Any, own: Any) -> RuntimeError:
    return RuntimeError(f"size {{{list(to)}}} is not expandable to size {{{list(own)}}}.")


def split_sizes(lengths: Any, size: int, at: int) -> RuntimeError:
    return RuntimeError(
        f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at "
        f"dimension {at}), but got split_sizes={list(lengths)}"
    )


def too_few_axes(name: str, least: int, n: int) -> RuntimeError:
    return RuntimeError(
        f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with "
        f"{n} dimensions!"
    )


def uneven_split(name: str, sections: int, at: int, size: int) -> RuntimeError:
    return RuntimeError(
        f"torch.{name} attempted to split along dimension {at}, but the size of the dimension "
        f"{size} is not divisible by the split_size {sections}!"
    )


def unfold_too_large(length: int, size: int) -> RuntimeError:
    return RuntimeError(f"maximum size for tensor at dimension 0 is {length} but size is {size}")


def cat_axes(n: int, other: int) -> RuntimeError:
    return RuntimeError(
        f"Tensors must have same number of dimensions: got {n} and {other}\n"
        "Add an axis with .unsqueeze(dim), or use torch.stack."
    )


def cat_sizes(axis: int, n: int, m: int, index: int) -> RuntimeError:
    return RuntimeError(
        f"Sizes of tensors must match except in dimension {axis}. Expected size {n} but got size "
        f"{m} for tensor number {index} in the list."
    )


def stack_sizes(first: Any, other: Any, index: int) -> RuntimeError:
    return RuntimeError(
        f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
        f"{list(other)} at entry {index}"
    )


def not_blocks(n: int) -> RuntimeError:
    return RuntimeError(
        f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input 0 has {n} "
        "dimensions"
    )


def negative_size(shape: Any) -> RuntimeError:
    return RuntimeError(
        f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}"
    )


def bad_indexing(given: str) -> RuntimeError:
    return RuntimeError(
        f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {given}'
    )


def sizes_differ(a: Any, b: Any) -> RuntimeError:
    pairs = list(enumerate(zip(reversed(a), reversed(b), strict=False), 1))
    at = next((i for i, (n, m) in reversed(pairs) if n != m and 1 not in (n, m)), 1)
    rank = max(len(a), len(b))
    return RuntimeError(
        f"The size of tensor a ({a[-at]}) must match the size of tensor b ({b[-at]}) at "
        f"non-singleton dimension {rank - at}\nThe shapes are {list(a)} and {list(b)}."
    )
