"""Affine and bilinear maps."""

from __future__ import annotations

from typing import Any

from ...numpy.einsum import einsum
from ...ops.affine import affine, affine_of
from ...ops.contract import matmul, transpose
from ...torch import Tensor
from ...torch.calls import in_single, on_arrays
from ...torch.casting import casting
from ...torch.refusals import refuse
from . import errors
from .arguments import tensor

__all__ = ["bilinear", "linear"]


def affine_map(input: Any, weight: Any, bias: Any = None) -> Any:
    """As `linear`, of the core's arrays."""
    for other in (weight, bias):
        if other is not None and other.dtype != input.dtype:
            raise errors.different_matrices(input, other)
    if not input.ndim or weight.ndim not in (1, 2) or input.shape[-1] != weight.shape[-1]:
        raise errors.linear_shapes(input.shape, weight.shape)
    if weight.ndim == 1:
        out = matmul(input, weight)
        return out if bias is None else out + bias
    if bias is None:
        return matmul(input, transpose(weight))
    if bias.shape != (weight.shape[0],):
        return matmul(input, transpose(weight)) + bias
    return affine(input, weight, bias)


fast_affine = affine_of(Tensor)
general_linear = on_arrays(in_single(affine_map))
general_linear.__name__ = "linear"


refuse(globals(), "addmm_impl_cpu_", "bool", "general_linear")


def linear(input: Any, weight: Any, bias: Any = None) -> Tensor:
    """``input @ weight.T + bias`` for vectors along the last axis.

    `weight` is (out, in) or (in,).
    """
    result = fast_affine(input, weight, bias) if casting.policy is None else None
    return general_linear(input, weight, bias) if result is None else result


@on_arrays
@in_single
def of_pairs(a: Any, weight: Any, b: Any) -> Any:
    """``a @ weight[k] @ b`` as element `k`."""
    return einsum("...i,kij,...j->...k", a, weight, b, optimize=True)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input1 @ weight[k] @ input2 + bias[k]`` as element `k` of the result."""
    input1, input2, weight, bias = map(tensor, (input1, input2, weight, bias))
    given = [x for x in (input1, input2, weight, bias) if x is not None]
    if len({x.dtype for x in given}) > 1:
        raise errors.bilinear_dtypes(input1, input2, weight, bias)
    if input1.raw.shape[:-1] != input2.raw.shape[:-1]:
        raise errors.bilinear_batch(input1.raw.shape, input2.raw.shape)
    for number, x in enumerate((input1, input2), 1):
        if x.raw.shape[-1] != weight.raw.shape[number]:
            raise errors.bilinear_size(number, x.raw.shape[-1], weight.raw.shape[number])
    out: Any = of_pairs(input1, weight, input2)
    return out if bias is None else out + bias


refuse(globals(), "bmm", "bool", "of_pairs")
