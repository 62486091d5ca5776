"""Layers of networks in terms of simpler operations, which loops take together with others."""

from __future__ import annotations

from typing import Any

import numpy

from ..graph import Node, Shape
from .rewriting import Rewriter, Rule


def real(node: Node) -> bool:
    """Whether a layer and all its inputs are of one real dtype, and there is something in them."""
    return node.dtype.kind == "f" and all(x.dtype == node.dtype and x.size for x in node.inputs)


def affine(graph: Rewriter, node: Node) -> Node | None:
    """x @ weight.T + bias."""
    x, weight, bias = node.inputs
    if not real(node) or len(weight.shape) != 2 or len(x.shape) < 1:
        return None
    turned = graph.node("permute_dims", (weight,), {"axes": (1, 0)}, weight.shape[::-1], node.dtype)
    product = graph.node("matmul", (x, turned), {}, (*x.shape[:-1], weight.shape[0]), node.dtype)
    total = graph.elementwise("add", product, bias)
    return total if total.shape == node.shape else None


def layer_norm(graph: Rewriter, node: Node) -> Node | None:
    """Rows with their mean taken off, over their deviation; perhaps scaled and shifted."""
    x, *affine = node.inputs
    if not real(node) or len(affine) > 2:
        return None
    params = {"axis": (len(x.shape) - 1,), "keepdims": True}
    kept = (*x.shape[:-1], 1)
    mean = graph.node("mean", (x,), params, kept, node.dtype)
    centred = graph.elementwise("subtract", x, mean)
    squares = graph.elementwise("multiply", centred, centred)
    variance = graph.node("mean", (squares,), params, kept, node.dtype)
    raised = graph.elementwise("add", variance, graph.number(node.params["eps"], node))
    out = graph.elementwise("divide", centred, graph.elementwise("sqrt", raised))
    for op, y in zip(("multiply", "add"), affine, strict=False):
        out = graph.elementwise(op, out, y)
    return out if out.shape == node.shape else None


def leaky_relu(graph: Rewriter, node: Node) -> Node | None:
    """x where it is positive, else a multiple."""
    (x,) = node.inputs
    slope = node.params["slope"]
    if not real(node):
        return None
    scaled = graph.elementwise("multiply", x, graph.number(slope, node))
    if 0 <= slope <= 1:
        return graph.elementwise("maximum", x, scaled)
    above = graph.elementwise("greater", x, graph.number(0, node), dtype=numpy.dtype(bool))
    return graph.elementwise("where", above, x, scaled)


def elu(graph: Rewriter, node: Node) -> Node | None:
    """Linear above 0, below it an exponential less 1, by the hyperbolic tangent of the half."""
    (x,) = node.inputs
    alpha, scale, inner = (node.params[name] for name in ("alpha", "scale", "inner"))
    if not real(node) or inner < 0:
        return None

    def times(y: Node, factor: float) -> Node:
        return graph.elementwise("multiply", y, graph.number(factor, node))

    zero, one = graph.number(0, node), graph.number(1, node)
    half = graph.elementwise("tanh", times(graph.elementwise("minimum", x, zero), 0.5 * inner))
    low = graph.elementwise("divide", half, graph.elementwise("subtract", one, half))
    high = times(graph.elementwise("maximum", x, zero), scale)
    return graph.elementwise("add", high, times(low, 2 * alpha * scale))


def softplus_above(graph: Rewriter, node: Node) -> Node | None:
    """`softplus_of` of a multiple of x, over the factor; x itself above a threshold."""
    (x,) = node.inputs
    if not real(node):
        return None
    beta, threshold = (graph.number(node.params[name], node) for name in ("beta", "threshold"))
    scaled = graph.elementwise("multiply", x, beta)
    bent = graph.elementwise("divide", graph.elementwise("softplus_of", scaled), beta)
    above = graph.elementwise("greater", scaled, threshold, dtype=numpy.dtype(bool))
    return graph.elementwise("where", above, x, bent)


def relu(graph: Rewriter, node: Node) -> Node | None:
    """The larger of x and 0."""
    (x,) = node.inputs
    return graph.elementwise("maximum", x, graph.number(0, node)) if real(node) else None


def convolve(graph: Rewriter, node: Node) -> Node | None:
    """With a bias: without, and a sum. Along one axis: along two, of which the first has one."""
    x, weight, *bias = node.inputs
    if not real(node):
        return None
    if bias:
        plain = graph.node("convolve", (x, weight), node.params, node.shape, node.dtype)
        shape = (node.shape[1], *(1,) * (len(node.shape) - 2))
        return graph.elementwise("add", plain, graph.reshape(bias[0], shape))
    return images(graph, node)


def images(graph: Rewriter, node: Node) -> Node | None:
    """A convolution along one axis as one of images of one row."""
    if not real(node) or len(node.shape) != 3:
        return None
    params = dict(node.params)
    for name, first in (("stride", 1), ("dilation", 1), ("padding", 0), ("kernel", 1), ("to", 1)):
        if name in params:
            params[name] = (first, *params[name])
    inputs = [graph.reshape(x, (*x.shape[:2], 1, x.shape[2])) for x in node.inputs]
    shape = (*node.shape[:2], 1, node.shape[2])
    wide = graph.node(node.op, tuple(inputs), params, shape, node.dtype)
    return graph.reshape(wide, node.shape)


def softmax(graph: Rewriter, node: Node) -> Node | None:
    """Exponentials less their maximum, over their sum."""
    (x,) = node.inputs
    if not real(node):
        return None
    kept, params = over(x, node.params["axis"])
    top = graph.node("max", (x,), params, kept, node.dtype)
    powers = graph.elementwise("exp", graph.elementwise("subtract", x, top))
    total = graph.node("sum", (powers,), params, kept, node.dtype)
    inverse = graph.elementwise("divide", graph.number(1, node), total)
    return graph.elementwise("multiply", powers, inverse)


def log_softmax(graph: Rewriter, node: Node) -> Node | None:
    """Less the maximum, unless that is infinite, and the logarithm of the exponentials' sum."""
    (x,) = node.inputs
    if not real(node):
        return None
    kept, params = over(x, node.params["axis"])
    top = graph.node("max", (x,), params, kept, node.dtype)
    zero = graph.number(0, node)
    none = graph.elementwise("subtract", top, top)  # NaN where it is infinite
    finite = graph.elementwise("equal", none, zero, dtype=numpy.dtype(bool))
    shifted = graph.elementwise("subtract", x, graph.elementwise("where", finite, top, zero))
    total = graph.node("sum", (graph.elementwise("exp", shifted),), params, kept, node.dtype)
    return graph.elementwise("subtract", shifted, graph.elementwise("log", total))


def over(x: Node, axis: tuple[int, ...]) -> tuple[Shape, dict[str, Any]]:
    """The shape and the parameters of a reduction over axes that are kept."""
    kept = tuple(1 if i in axis else n for i, n in enumerate(x.shape))
    return kept, {"axis": axis, "keepdims": True}


LAYERS: dict[str, list[Rule]] = {
    "relu": [relu],
    "convolve": [convolve],
    "convolve_transposed": [images],
    "convolve_kernel": [images],
    "softmax": [softmax],
    "log_softmax": [log_softmax],
    "affine": [affine],
    "elu": [elu],
    "softplus_above": [softplus_above],
    "layer_norm": [layer_norm],
    "leaky_relu": [leaky_relu],
}
