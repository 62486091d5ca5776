"""Attention with several heads."""

from __future__ import annotations

from typing import Any

from .. import functional, init
from .linear import NonDynamicallyQuantizableLinear
from .module import Module
from .utils import learned

__all__ = ["MultiheadAttention"]

WEIGHTS = ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight")


class MultiheadAttention(Module):
    """`functional.multi_head_attention_forward` with learned projections (Vaswani et al., 2017).

    Queries, keys and values are (T, B, E), or (B, T, E) if `batch_first`, or (T, E). Gives the
    results and the attention weights, or None if not `need_weights`. In a boolean mask, True means
    that a place is not looked at; numbers are added to the scores.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0, got "
                f"embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self._qkv_same_embed_dim:
            shapes = {"in_proj_weight": (3 * embed_dim, embed_dim)}
        else:
            widths = (embed_dim, self.kdim, self.vdim)
            shapes = {
                f"{x}_proj_weight": (embed_dim, n) for x, n in zip("qkv", widths, strict=True)
            }
        for name in sorted(WEIGHTS, key=lambda name: name not in shapes):
            param = learned(shapes[name], device, dtype) if name in shapes else None
            self.register_parameter(name, param)
        self.register_parameter(
            "in_proj_bias", learned(3 * embed_dim, device, dtype) if bias else None
        )
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device, dtype)
        for name in ("bias_k", "bias_v"):
            param = learned((1, 1, embed_dim), device, dtype) if add_bias_kv else None
            self.register_parameter(name, param)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for name in WEIGHTS:
            weight = self._parameters[name]
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self,
        query: Any,
        key: Any,
        value: Any,
        key_padding_mask: Any = None,
        need_weights: bool = True,
        attn_mask: Any = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Any, Any]:
        turned = self.batch_first and query.dim() == 3
        if turned:
            own = query
            query = query.transpose(0, 1)
            shared = key is value
            key = query if key is own else key.transpose(0, 1)
            value = key if shared else query if value is own else value.transpose(0, 1)
        output, weights = functional.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (output.transpose(0, 1) if turned else output), weights

    def merge_masks(self, attn_mask: Any, key_padding_mask: Any, query: Any) -> tuple[Any, Any]:
        """Both masks, added, as (B, heads, T, T), and PyTorch's number for what was given."""
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, length, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.view(batch, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length)
            merged = merged.expand(batch, self.num_heads, length, length)
        if key_padding_mask is not None:
            padding = key_padding_mask.view(batch, 1, 1, length)
            merged = merged + padding.expand(batch, self.num_heads, 1, length)
        return merged, 2
