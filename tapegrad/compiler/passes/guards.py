"""Which guards of zero cotangents may be left out, since a NaN would be seen in the outputs."""

from __future__ import annotations

from ..graph import Node

PASSES_NAN = frozenset(
    [
        "add",
        "subtract",
        "multiply",
        "divide",
        "negative",
        "positive",
        "reciprocal",
        "square",
        "cube",
        "remainder",
        "fmod",
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sqrt",
        "cbrt",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "degrees",
        "radians",
        "abs",
        "fabs",
        "maximum",
        "minimum",
        "clip",
        "erf",
        "erfc",
        "expit",
        "logit",
        "sum",
        "mean",
        "var",
        "std",
        "prod",
        "max",
        "min",
        "logsumexp",
        "cumsum",
        "cumprod",
        "matmul",
        "where",
        "keep",
        "where_larger",
        "guard",
        "real",
        "imag",
        "conj",
        "from_parts",
        "reshape",
        "permute_dims",
        "broadcast_to",
        "cast",
        "getitem",
        "scatter_add",
        "setitem",
        "take_along",
        "put_along",
        "concat",
        "stack",
        "affine",
        "layer_norm",
        "leaky_relu",
        "gelu",
        "silu",
        "softmax",
        "log_softmax",
        "convolve",
        "convolve_transposed",
        "convolve_kernel",
        "c2c",
        "r2c",
        "c2r",
        "einsum",
        "convolve_full",
        "convolve_valid",
        "diagonal_sums",
        "polyval",
        "roll",
        "diagonal",
        "embed_diagonal",
        "triangle",
        "mirrored",
        "shift",
    ]
)
"""Operations of whose result an element is NaN, or does not depend on it, where an input's is."""


def needed_guards(nodes: list[Node], outputs: list[Node]) -> set[Node]:
    """The guards that must stay: those from which a NaN may get lost on the way."""
    kept = set(outputs)
    lost: set[Node] = set()
    for node in reversed(nodes):
        if node.dtype is None or node.dtype.kind not in "fc":
            lost.add(node)  # it cannot be NaN: what it was computed from is not seen in it
        if node in lost or node.op not in PASSES_NAN:
            lost.update(x for x in node.inputs if x not in kept)
    return {node for node in nodes if node.op == "guard" and node in lost}


def watched_outputs(nodes: list[Node], outputs: list[Node], kept: set[Node]) -> list[int]:
    """The outputs that depend on a guard which is left out: a NaN in one says it was needed."""
    reached: set[Node] = set()
    for node in nodes:
        if (node.op == "guard" and node not in kept) or any(x in reached for x in node.inputs):
            reached.add(node)
    return [i for i, x in enumerate(outputs) if x in reached and x.dtype.kind in "fc"]
