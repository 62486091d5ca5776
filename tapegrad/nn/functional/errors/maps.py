"""Errors of linear maps, attention and embeddings."""

from __future__ import annotations

from math import prod
from typing import Any

from ....torch.dtypes import of_numpy
from ....torch.errors.types import NATIVE, SCALARS


def different_matrices(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"mat1 and mat2 must have the same dtype, but got {SCALARS[of_numpy(a.dtype).name]} and "
        f"{SCALARS[of_numpy(b.dtype).name]}\nConvert one of them with .to(dtype)."
    )


def linear_shapes(x: Any, weight: Any) -> RuntimeError:
    rows = 1
    for n in x[:-1]:
        rows *= n
    return RuntimeError(
        f"mat1 and mat2 shapes cannot be multiplied ({rows}x{x[-1] if x else 0} and "
        f"{weight[-1] if weight else 0}x{weight[0] if len(weight) > 1 else 1})\nThe last axis of "
        "the input must be as long as that of the weight (out, in)."
    )


def bilinear_batch(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"bilinear(): input batch dimensions do not match: got {list(a[:-1])} and {list(b[:-1])}"
    )


def bilinear_dtypes(input1: Any, input2: Any, weight: Any, bias: Any) -> RuntimeError:
    named = {"input1": input1, "input2": input2, "weight": weight, "bias": bias}
    found = ", ".join(f"{n}: {NATIVE[x.dtype.name]}" for n, x in named.items() if x is not None)
    return RuntimeError(
        f"All tensors must have the same dtype, got {found}\nConvert them with .to(dtype)."
    )


def bilinear_size(number: int, got: int, wanted: int) -> RuntimeError:
    return RuntimeError(
        f"bilinear(): input{number} size does not match weight size: got {got} but expected "
        f"{wanted}"
    )


def not_index(name: str, index: Any) -> RuntimeError:
    return RuntimeError(
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
        f"Long, Int; but got torch.{SCALARS[of_numpy(index.dtype).name]}Tensor instead (while "
        f"checking arguments for {name})\nIndices are integers: convert them with .long()."
    )


def not_long(name: str, index: Any) -> RuntimeError:
    return RuntimeError(
        f"{name} is only applicable to index tensor of type LongTensor, not "
        f"{SCALARS[of_numpy(index.dtype).name]}\nConvert it with .long()."
    )


def weighted_bags(mode: str) -> NotImplementedError:
    return NotImplementedError(
        "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for "
        f"mode='sum' (got mode='{mode}')."
    )


def weights_of_bags(index: Any, weights: Any) -> ValueError:
    return ValueError(
        f"embedding_bag: If per_sample_weights (torch.Size({list(weights)})) is not None, then it "
        f"must have the same shape as the input (torch.Size({list(index)}))"
    )


def offsets_of_matrix() -> ValueError:
    return ValueError(
        "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of "
        "fixed length sequences."
    )


def first_offset(offset: int) -> RuntimeError:
    return RuntimeError(
        f"offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
        f"position 0. However, got {offset}"
    )


def last_offset(offset: int, length: int) -> RuntimeError:
    return RuntimeError(
        f"offsets[-1] can not be greater than input's length {length} but got offsets[-1] of "
        f"{offset}"
    )


def bag_axes(n: int) -> ValueError:
    return ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {n}")


def attended_axes(*ranks: int) -> RuntimeError:
    return RuntimeError(
        "scaled_dot_product_attention: Expected query, key, and value to all be  at least 2 "
        f"dimensional, but got query.dim(): {ranks[0]}, key.dim(): {ranks[1]} and value.dim(): "
        f"{ranks[2]} instead."
    )


def attended_dtypes(*tensors: Any) -> RuntimeError:
    names = [str(of_numpy(x.dtype)) for x in tensors]
    return RuntimeError(
        "Expected query, key, and value to have the same dtype, but got query.dtype: "
        f"{names[0]} key.dtype: {names[1]} and value.dtype: {names[2]} instead."
    )


def attended_sizes(query: Any, wanted: int, found: int) -> RuntimeError:
    count = prod(query[:-2])
    return RuntimeError(
        f"Expected size for first two dimensions of batch2 tensor to be: [{count}, {wanted}] but "
        f"got: [{count}, {found}]."
    )


def attended_mask(mask: Any, query: Any) -> RuntimeError:
    return RuntimeError(
        "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
        f"attn_mask.dtype: {NATIVE[of_numpy(mask.dtype).name]} and  query.dtype: "
        f"{NATIVE[of_numpy(query.dtype).name]} instead."
    )


def shared_heads(*shapes: Any) -> RuntimeError:
    return RuntimeError(
        "Number of heads in key and value must divide the number of heads in query, but got "
        f"query {list(shapes[0])}, key {list(shapes[1])} and value {list(shapes[2])}"
    )


def multi_head_axes(n: int) -> AssertionError:
    return AssertionError(
        f"query should be unbatched 2D or batched 3D tensor but received {n}-D query tensor"
    )


def multi_head_mixed(*ranks: int) -> AssertionError:
    return AssertionError(
        f"For {'batched' if ranks[0] == 3 else 'unbatched'} ({ranks[0]}-D) `query`, expected `key` "
        f"and `value` to be {ranks[0]}-D but found {ranks[1]}-D and {ranks[2]}-D tensors "
        "respectively"
    )


def multi_head_size(wanted: int, got: int) -> AssertionError:
    return AssertionError(f"was expecting embedding dimension of {wanted}, but got {got}")


def multi_head_division(size: int, heads: int) -> AssertionError:
    return AssertionError(f"embed_dim {size} not divisible by num_heads {heads}")


def mask_axes(axes: int, got: int) -> AssertionError:
    kind = "batched (3-D)" if axes == 3 else "unbatched (2-D)"
    return AssertionError(
        f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {got}-D "
        "tensor instead"
    )


def mask_shape(axes: int, got: Any, wanted: tuple[int, ...]) -> RuntimeError:
    return RuntimeError(
        f"The shape of the {axes}D attn_mask is {got}, but should be {wanted}.\nIts last axes are "
        "(queries, keys), a first one would be of the batch times the heads."
    )


def padding_shape(got: Any, wanted: tuple[int, ...]) -> AssertionError:
    return AssertionError(
        f"Expected key_padded_mask.shape to be {wanted}, but got {tuple(got)}\nIt says of each key "
        "of each example whether to leave it out."
    )


def grouped_axes_of(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        "grouped_mm: mat_a and mat_b have to be 2 or 3 dimensional, but got "
        f"{list(a)} and {list(b)}"
    )


def grouped_inner(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"contraction dimension of mat_a and mat_b must match, but got {list(a)} and {list(b)}"
    )
