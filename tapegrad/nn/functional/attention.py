"""Attention: weights of values by the products of queries and keys, with one head or many."""

from __future__ import annotations

import math
from typing import Any

import numpy

from ...core.array import Traced
from ...ops.contract import matmul, transpose
from ...ops.index import getitem
from ...ops.join import concat
from ...ops.linear import broadcast_to, permute_dims, reshape
from ...ops.neural.attention import attention
from ...ops.reduce import mean
from ...ops.selection import where
from ...ops.softmax import softmax
from ...ops.transfer import beside
from ...torch import Tensor
from ...torch.calls import cast, in_single, on_arrays, raw_of
from ...torch.errors import sizes_differ
from ...torch.refusals import refuse
from . import errors
from .affine import affine_map
from .dropping import check_probability, thinned

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention"]


mapped = in_single(affine_map)


def masks_rows(mask: Any) -> bool:
    """Whether a mask of numbers may leave a query no key."""
    return isinstance(mask, Traced) or bool((raw_of(mask) == -math.inf).all(-1).any())


@in_single
def attend(
    q: Any,
    k: Any,
    v: Any,
    mask: Any,
    causal: bool,
    scale: float,
    dropout_p: float,
    undefined: bool = False,
) -> tuple[Any, Any]:
    """The values that queries are given, and the weights of all.

    A query without keys is given zeros, or NaN if that is to be `undefined`.
    """
    if mask is not None and mask.dtype.kind == "b":
        mask = where(mask, q.dtype.type(0), q.dtype.type(-math.inf))
    lead = numpy.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    if mask is not None:
        lead = numpy.broadcast_shapes(lead, mask.shape[:-2])
        mask = cast(mask, q.dtype)
    q, k, v = (
        x if x.shape[:-2] == lead else broadcast_to(x, to=(*lead, *x.shape[-2:])) for x in (q, k, v)
    )
    if undefined and mask is not None and masks_rows(mask):
        scores = matmul(q * scale, transpose(k)) + mask
        weights = softmax(scores, axis=(scores.ndim - 1,))
        out = matmul(weights, v)
    else:
        inputs = (q, k, v) if mask is None else (q, k, v, mask)
        out, weights = attention(*inputs, scale=scale, causal=causal)
    if dropout_p:
        weights = thinned(weights, weights.shape, dropout_p)
        out = matmul(weights, v)
    return out, weights


def check_attended(query: Any, key: Any, value: Any, mask: Any) -> None:
    """Raise if queries, keys, values and a mask do not go together."""
    rows, columns = query.shape[-2:], key.shape[-1:-3:-1]
    check_broadcast(query.shape[:-2], key.shape[:-2])
    check_broadcast(query.shape[:-2], value.shape[:-2])
    for wanted, found in ((query.shape[-1], columns[0]), (columns[1], value.shape[-2])):
        if wanted != found:
            raise errors.attended_sizes(query.shape, wanted, found)
    if mask is not None:
        if mask.dtype.kind not in "bfV":
            raise errors.attended_mask(mask, query)
        check_broadcast((*query.shape[:-2], rows[0], columns[1]), mask.shape)


def check_broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    """Raise if two shapes do not broadcast."""
    try:
        numpy.broadcast_shapes(a, b)
    except ValueError:
        raise sizes_differ(a, b) from None


def repeated_heads(x: Any, times: int) -> Any:
    """Heads, each as often as there are queries' heads that share it."""
    *lead, heads, n, d = x.shape
    wide = broadcast_to(reshape(x, to=(*lead, heads, 1, n, d)), to=(*lead, heads, times, n, d))
    return reshape(wide, to=(*lead, heads * times, n, d))


@on_arrays
def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """``softmax(query @ key.T * scale + mask) @ value``, for (..., L, E), (..., S, E), (..., S, V).

    A mask of truth values says what takes part; one of numbers is added. `is_causal` lets a query
    look at keys that are not after it. `scale` is ``1 / sqrt(E)`` by default. `enable_gqa` lets
    several heads of queries share one of keys and values.
    """
    if query.ndim < 2 or key.ndim < 2 or value.ndim < 2:
        raise errors.attended_axes(query.ndim, key.ndim, value.ndim)
    if not query.dtype == key.dtype == value.dtype:
        raise errors.attended_dtypes(query, key, value)
    if is_causal and attn_mask is not None:
        raise RuntimeError("Explicit attn_mask should not be set when is_causal=True")
    check_probability(dropout_p)
    if enable_gqa and query.ndim > 2:
        heads = query.shape[-3]
        if heads % key.shape[-3] or heads % value.shape[-3]:
            raise errors.shared_heads(query.shape, key.shape, value.shape)
        key = repeated_heads(key, heads // key.shape[-3])
        value = repeated_heads(value, heads // value.shape[-3])
    check_attended(query, key, value, attn_mask)
    if scale is None:
        scale = 1 / math.sqrt(max(query.shape[-1], 1))
    return attend(query, key, value, attn_mask, is_causal, scale, dropout_p)[0]


def as_numbers(mask: Any, dtype: Any) -> Any:
    """A mask of truth values (of what does not take part) as numbers to add."""
    if mask is None or mask.dtype.kind != "b":
        return mask
    return where(mask, dtype.type(-math.inf), dtype.type(0))


def widened(mask: Any) -> Any:
    """A mask with a key more, at the end, that all may look at."""
    if mask is None:
        return None
    return concat(
        mask, beside(numpy.zeros((*mask.shape[:-1], 1), mask.dtype), mask), axis=mask.ndim - 1
    )


def projected(query: Any, key: Any, value: Any, packed: Any, apart: Any, bias: Any) -> list[Any]:
    """Queries, keys and values, each by its own map."""
    size = query.shape[-1]
    parts = [slice(i * size, (i + 1) * size) for i in range(3)]
    if packed is not None:
        if query is key is value:
            whole = mapped(query, packed, bias)
            return [getitem(whole, key=(Ellipsis, part)) for part in parts]
        apart = [getitem(packed, key=(part,)) for part in parts]
    biases = [None if bias is None else getitem(bias, key=(part,)) for part in parts]
    return [mapped(x, w, b) for x, w, b in zip((query, key, value), apart, biases, strict=True)]


def heads_of(x: Any, many: int) -> Any:
    """(L, N, E) as (N * heads, L, E / heads)."""
    length, n, size = x.shape
    x = reshape(x, to=(length, n * many, size // many))
    return permute_dims(x, axes=(1, 0, 2))


@on_arrays
def multi_head(
    query: Any,
    key: Any,
    value: Any,
    num_heads: int,
    packed: Any,
    bias: Any,
    extra: tuple[Any, Any],
    add_zero: bool,
    dropout_p: float,
    out: tuple[Any, Any],
    padding: Any,
    with_weights: bool,
    mask: Any,
    apart: tuple[Any, Any, Any],
    static: tuple[Any, Any],
    average: bool,
    is_causal: bool,
) -> tuple[Any, Any]:
    """`multi_head_attention_forward` of batches."""
    length, n, size = query.shape
    q, k, v = projected(query, key, value, packed, apart, bias)
    mask = as_numbers(mask, query.dtype)
    padding = as_numbers(padding, query.dtype)
    if extra[0] is not None:
        k, v = (
            concat(x, broadcast_to(b, to=(1, n, size)), axis=0)
            for x, b in zip((k, v), extra, strict=True)
        )
        mask, padding = widened(mask), widened(padding)
    q = heads_of(q, num_heads)
    k = heads_of(k, num_heads) if static[0] is None else static[0]
    v = heads_of(v, num_heads) if static[1] is None else static[1]
    if add_zero:
        zero = beside(numpy.zeros((n * num_heads, 1, q.shape[-1]), q.dtype), q)
        k, v = concat(k, zero, axis=1), concat(v, zero, axis=1)
        mask, padding = widened(mask), widened(padding)
    keys = k.shape[1]
    if mask is not None and mask.ndim == 3:
        mask = reshape(mask, to=(n, num_heads, length, keys))
    if padding is not None:
        padding = reshape(padding, to=(n, 1, 1, keys))
        mask = padding if mask is None else mask + padding
    q, k, v = (reshape(x, to=(n, num_heads, *x.shape[1:])) for x in (q, k, v))
    scale = 1 / math.sqrt(q.shape[-1])
    causal = is_causal and mask is None
    attended, weights = attend(q, k, v, mask, causal, scale, dropout_p, undefined=with_weights)
    attended = reshape(permute_dims(attended, axes=(2, 0, 1, 3)), to=(length, n, size))
    result = mapped(attended, *out)
    if not with_weights:
        return result, None
    return result, mean(weights, axis=(1,), keepdims=False) if average else weights


def check_masks(
    padding: Any, mask: Any, queries: tuple[int, ...], keys: tuple[int, ...], num_heads: int
) -> None:
    """Raise if a mask has another shape than queries (L, N, E) or (L, E) and keys ask for."""
    length, size = queries[0], keys[0]
    batch = queries[1] if len(queries) == 3 else 1
    if mask is not None:
        axes = mask.raw.ndim
        if axes not in (2, 3):
            raise errors.mask_axes(len(queries), axes)
        expected = (length, size) if axes == 2 else (batch * num_heads, length, size)
        if mask.raw.shape != expected:
            raise errors.mask_shape(axes, mask.shape, expected)
    if padding is not None:
        keys = (batch, size) if len(queries) == 3 else (size,)
        if padding.raw.shape != keys:
            raise errors.padding_shape(padding.shape, keys)


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Attention with several heads, of (L, N, E) or (L, E), and its weights if they are needed.

    Queries, keys and values are mapped by `in_proj_weight` (3 E, E) or by three weights of their
    own, the result by `out_proj_weight`. Masks are of what does not take part, or numbers to add:
    `key_padding_mask` (N, S), `attn_mask` (L, S) or (N * heads, L, S).
    """
    batched = query.raw.ndim == 3
    if query.raw.ndim not in (2, 3):
        raise errors.multi_head_axes(query.raw.ndim)
    if key.raw.ndim != query.raw.ndim or value.raw.ndim != query.raw.ndim:
        raise errors.multi_head_mixed(query.raw.ndim, key.raw.ndim, value.raw.ndim)
    if query.raw.shape[-1] != embed_dim_to_check:
        raise errors.multi_head_size(embed_dim_to_check, query.raw.shape[-1])
    if embed_dim_to_check % num_heads:
        raise errors.multi_head_division(embed_dim_to_check, num_heads)
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    check_masks(key_padding_mask, attn_mask, query.raw.shape, key.raw.shape, num_heads)
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None  # the hint stands for it, as with PyTorch
    if not batched:
        same = query is key is value
        query = query.unsqueeze(1)
        key, value = (query, query) if same else (key.unsqueeze(1), value.unsqueeze(1))
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    result: tuple[Tensor, Tensor | None] = multi_head(
        query,
        key,
        value,
        num_heads,
        None if use_separate_proj_weight else in_proj_weight,
        in_proj_bias,
        (bias_k, bias_v),
        add_zero_attn,
        dropout_p if training else 0.0,
        (out_proj_weight, out_proj_bias),
        key_padding_mask,
        need_weights,
        attn_mask,
        (q_proj_weight, k_proj_weight, v_proj_weight),
        (static_k, static_v),
        average_attn_weights,
        is_causal,
    )
    if batched:
        return result
    return result[0].squeeze(1), None if result[1] is None else result[1].squeeze(0)


refuse(
    globals(),
    "expected scalar type Float but found {kind}",
    "bool integer",
    "scaled_dot_product_attention",
)
refuse(globals(), "softmax_lastdim_kernel_impl", "complex", "scaled_dot_product_attention")
