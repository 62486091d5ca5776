"""Sums of products over named axes as matrix products, or as products that are summed up."""

from __future__ import annotations

from ...ops.define import size_of
from ...ops.einsum import Layout, layout
from ..graph import Node
from .rewriting import Rewriter, Rule


def permuted(graph: Rewriter, x: Node, axes: tuple[int, ...]) -> Node:
    if axes == tuple(range(len(axes))):
        return x
    shape = tuple(x.shape[a] for a in axes)
    return graph.node("permute_dims", (x,), {"axes": axes}, shape, x.dtype)


def einsum(graph: Rewriter, node: Node) -> Node | None:
    """The product of a pair, as its layout has it."""
    x, y = node.inputs
    if node.dtype.kind != "f" or not x.dtype == y.dtype == node.dtype or not (x.size and y.size):
        return None
    plan = layout(node.params["subscripts"])
    x, y = permuted(graph, x, plan.x), permuted(graph, y, plan.y)
    elementwise = plan.inner or not plan.summed
    product = summed_up(graph, x, y, plan) if elementwise else of_matrices(graph, x, y, plan)
    return permuted(graph, product, plan.out)


def summed_up(graph: Rewriter, x: Node, y: Node, plan: Layout) -> Node:
    """Elements multiplied, and summed along the last axes."""
    shared, summed = plan.shared, plan.summed
    stack, rows = x.shape[:shared], x.shape[shared : len(x.shape) - summed]
    inner, columns = y.shape[shared : shared + summed], y.shape[shared + summed :]
    moved = (*range(shared), *range(shared + summed, len(y.shape)), *range(shared, shared + summed))
    x = graph.reshape(x, (*stack, *rows, *(1,) * len(columns), *inner))
    y = graph.reshape(permuted(graph, y, moved), (*stack, *(1,) * len(rows), *columns, *inner))
    product = graph.elementwise("multiply", x, y)
    if not summed:
        return product
    kept = (*stack, *rows, *columns)
    params = {"axis": tuple(range(len(kept), len(product.shape))), "keepdims": False}
    return graph.node("sum", (product,), params, kept, x.dtype)


def of_matrices(graph: Rewriter, x: Node, y: Node, plan: Layout) -> Node:
    """A product of matrices, in stacks where axes are shared."""
    shared, summed = plan.shared, plan.summed
    stack, rows = x.shape[:shared], x.shape[shared : len(x.shape) - summed]
    inner, columns = y.shape[shared : shared + summed], y.shape[shared + summed :]
    m, k, n = size_of(rows), size_of(inner), size_of(columns)
    x, y = graph.reshape(x, (*stack, m, k)), graph.reshape(y, (*stack, k, n))
    product = graph.node("matmul", (x, y), {}, (*stack, m, n), x.dtype)
    return graph.reshape(product, (*stack, *rows, *columns))


PRODUCTS: dict[str, list[Rule]] = {"einsum": [einsum]}
