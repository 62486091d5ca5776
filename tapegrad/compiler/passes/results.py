"""Operations of several results, each result in terms of simpler operations."""

from __future__ import annotations

from collections.abc import Callable

import numpy

from ...ops.neural.attention import causal_mask
from ..graph import Node, Shape
from .layers import over
from .rewriting import Rewriter, Rule

BOOL = numpy.dtype(bool)


def real(node: Node) -> bool:
    """Whether all inputs are of one real dtype, and there is something in them."""
    dtype = node.inputs[0].dtype
    return dtype.kind == "f" and all(x.dtype == dtype and x.size for x in node.inputs)


def attention(graph: Rewriter, whole: Node) -> list[Node] | None:
    """``softmax(scale * q @ k.T + mask) @ v`` and the softmax, 0 where all scores are -inf."""
    if not real(whole):
        return None
    q, k, v, *mask = whole.inputs
    lead, dtype = q.shape[:-2], q.dtype
    scores_shape: Shape = (*lead, q.shape[-2], k.shape[-2])
    number = graph.constant(dtype.type(whole.params["scale"]))
    axes = (*range(len(lead)), len(lead) + 1, len(lead))
    turned = graph.node(
        "permute_dims", (k,), {"axes": axes}, tuple(k.shape[a] for a in axes), dtype
    )
    scaled = graph.elementwise("multiply", q, number)
    scores = graph.node("matmul", (scaled, turned), {}, scores_shape, dtype)
    if whole.params["causal"]:
        mask = [graph.constant(causal_mask(*scores_shape[-2:], str(dtype))), *mask]
    for part in mask:
        scores = graph.elementwise("add", scores, part)
    if scores.shape != scores_shape:
        return None
    zero, lowest = (graph.constant(dtype.type(value)) for value in (0, -numpy.inf))
    kept, params = over(scores, (len(lead) + 1,))
    top = graph.node("max", (scores,), params, kept, dtype)
    none = graph.elementwise("equal", top, lowest, dtype=BOOL)
    top = graph.elementwise("where", none, zero, top)
    powers = graph.elementwise("exp", graph.elementwise("subtract", scores, top))
    total = graph.node("sum", (powers,), params, kept, dtype)
    one = graph.constant(dtype.type(1))
    nothing = graph.elementwise("equal", total, zero, dtype=BOOL)
    inverse = graph.elementwise("divide", one, graph.elementwise("where", nothing, one, total))
    weights = graph.elementwise("multiply", powers, inverse)
    out = graph.node("matmul", (weights, v), {}, (*scores_shape[:-1], v.shape[-1]), dtype)
    return [out, weights]


def batch_norm(graph: Rewriter, whole: Node) -> list[Node] | None:
    """The channels of (N, C, L) over their deviations, scaled and shifted; means; variances."""
    if not real(whole):
        return None
    x, *affine = whole.inputs
    kept, params = over(x, (0, 2))
    centre = graph.node("mean", (x,), params, kept, x.dtype)
    centred = graph.elementwise("subtract", x, centre)
    squares = graph.elementwise("multiply", centred, centred)
    variance = graph.node("mean", (squares,), params, kept, x.dtype)
    raised = graph.elementwise("add", variance, graph.constant(x.dtype.type(whole.params["eps"])))
    one = graph.constant(x.dtype.type(1))
    out = graph.elementwise("divide", one, graph.elementwise("sqrt", raised))
    own = (x.shape[1], 1)
    if affine:
        out = graph.elementwise("multiply", out, graph.reshape(affine[0], own))
    out = graph.elementwise("multiply", centred, out)
    if affine[1:]:
        out = graph.elementwise("add", out, graph.reshape(affine[1], own))
    return [out, *(graph.reshape(y, (x.shape[1],)) for y in (centre, variance))]


def gate(graph: Rewriter, x: Node, k: int, n: int) -> Node:
    """Gate `k` of those of `n` cells along the last axis."""
    key = (*(slice(None),) * (len(x.shape) - 1), slice(k * n, (k + 1) * n))
    return graph.node("getitem", (x,), {"key": key}, (*x.shape[:-1], n), x.dtype)


def beside(graph: Rewriter, parts: list[Node]) -> Node:
    """Gates one after the other along the last axis."""
    first, axis = parts[0], len(parts[0].shape) - 1
    shape = (*first.shape[:-1], sum(x.shape[-1] for x in parts))
    return graph.node("concat", tuple(parts), {"axis": axis}, shape, first.dtype)


def lstm_step(graph: Rewriter, whole: Node) -> list[Node] | None:
    """The hidden state, the cell state, and the gates with the tanh of that."""
    gates, cell = whole.inputs
    n = cell.shape[-1]
    if not real(whole) or gates.shape != (*cell.shape[:-1], 4 * n):
        return None
    i, f, o = (graph.elementwise("sigmoid", gate(graph, gates, k, n)) for k in (0, 1, 3))
    j = graph.elementwise("tanh", gate(graph, gates, 2, n))
    kept, new = graph.elementwise("multiply", f, cell), graph.elementwise("multiply", i, j)
    after = graph.elementwise("add", kept, new)
    bent = graph.elementwise("tanh", after)
    return [graph.elementwise("multiply", o, bent), after, beside(graph, [i, f, j, o, bent])]


def gru_step(graph: Rewriter, whole: Node) -> list[Node] | None:
    """The hidden state, and the gates."""
    given, own, hidden = whole.inputs
    n = hidden.shape[-1]
    if not real(whole) or not given.shape == own.shape == (*hidden.shape[:-1], 3 * n):
        return None
    total = graph.elementwise("add", given, own)
    r, z = (graph.elementwise("sigmoid", gate(graph, total, k, n)) for k in (0, 1))
    reset = graph.elementwise("multiply", r, gate(graph, own, 2, n))
    m = graph.elementwise("tanh", graph.elementwise("add", gate(graph, given, 2, n), reset))
    kept = graph.elementwise("multiply", z, graph.elementwise("subtract", hidden, m))
    return [graph.elementwise("add", m, kept), beside(graph, [r, z, m])]


WHOLE: dict[str, Callable[[Rewriter, Node], list[Node] | None]] = {
    "attention": attention,
    "batch_norm": batch_norm,
    "gru_step": gru_step,
    "lstm_step": lstm_step,
}


def pick(graph: Rewriter, node: Node) -> Node | None:
    """One result of an operation that is known."""
    (whole,) = node.inputs
    results = WHOLE[whole.op](graph, whole) if whole.op in WHOLE else None
    return None if results is None else results[node.params["index"]]


RESULTS: dict[str, list[Rule]] = {"pick": [pick]}
