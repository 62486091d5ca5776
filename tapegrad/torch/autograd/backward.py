"""`backward` and `torch.autograd.grad`, on the core's sweeps."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ...core import backward as sweeps
from ...core.array import Array
from ...errors import ModifiedError
from ...transforms.vmap import vmap
from .. import errors
from ..tensor import Tensor, wrap
from .graph import GradientEdge
from .modified import in_words

__all__ = ["backward", "grad", "higher_order_grad"]

Tensors = Tensor | Sequence[Tensor]


def backward(
    tensors: Tensors,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> None:
    """Add the gradients of `tensors` to the `grad` of the leaves they were computed from.

    `grad_tensors` are their cotangents; scalars need none. With `inputs`, only these get theirs.
    The graph is freed unless `retain_graph`, which is as `create_graph` if not given.
    """
    outputs, seeds = seeded(tensors, grad_tensors)
    targets = None if inputs is None else as_list(inputs)
    if targets is not None and not targets:
        raise errors.no_inputs()
    keep = create_graph if retain_graph is None else retain_graph
    try:
        sweeps.backward(
            outputs, seeds, retain_graph=keep, create_graph=create_graph, inputs=targets
        )
    except ModifiedError as error:
        raise in_words(error) from None


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of `outputs` with respect to `inputs`; no `grad` is touched.

    An input that was not used raises, unless `allow_unused` (then its gradient is None) or
    `materialize_grads` (then it is zero). If `is_grads_batched`, the `grad_outputs` have a leading
    axis, and so have the gradients, which are computed in one walk.
    """
    if not only_inputs:
        warnings.warn(errors.ONLY_INPUTS, FutureWarning, stacklevel=2)
    if is_grads_batched:
        return batched(
            outputs,
            inputs,
            grad_outputs,
            retain_graph,
            create_graph,
            allow_unused,
            materialize_grads,
        )
    if materialize_grads and allow_unused is False:
        raise errors.materialized_but_unused()
    wanted = as_list(inputs)
    chosen, seeds = seeded(outputs, grad_outputs)
    for x in wanted:
        if not x.slot:
            raise errors.input_without_grad()
    keep = create_graph if retain_graph is None else retain_graph
    try:
        found = sweeps.gradients(
            chosen, wanted, seeds, retain_graph=keep, create_graph=create_graph
        )
    except ModifiedError as error:
        raise in_words(error) from None
    return tuple(
        checked(i, g, x, bool(allow_unused), materialize_grads)
        for i, (g, x) in enumerate(zip(found, wanted, strict=True))
    )


def higher_order_grad(
    outputs: Tensor, inputs: Tensors, n: int, create_graph: bool = False
) -> tuple[Tensor, ...]:
    """For each input, the `n`-th derivative of a scalar with respect to it alone.

    Of an input of several elements, each derivative is that of the sum of the one before. Where
    there is none, it is zero, and so it is for `n` = 0.

    >>> import tapegrad.torch as torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> torch.autograd.higher_order_grad(x**3, x, 2)
    (tensor(12.),)
    """
    if n < 0:
        raise errors.negative_derivative(n)
    found = []
    for x in as_list(inputs):
        derivative: Tensor | None = outputs if n else None
        for order in range(n):
            if derivative is None or not derivative.requires_grad:
                derivative = None
                break
            recorded = create_graph or order < n - 1
            total = derivative if not order else derivative.sum()
            (derivative,) = grad(
                total, x, retain_graph=True, create_graph=recorded, allow_unused=True
            )
        found.append(wrap(x.raw * 0) if derivative is None else derivative)
    return tuple(found)


def batched(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Any,
    retain_graph: bool | None,
    create_graph: bool,
    allow_unused: bool | None,
    materialize_grads: bool,
) -> tuple[Tensor | None, ...]:
    """The gradients of `outputs` for a batch of cotangents."""
    gs = [grad_outputs] if isinstance(grad_outputs, Tensor) else list(grad_outputs)
    axes = [None if g is None else 0 for g in gs]

    def pull(*lanes: Any) -> tuple[Tensor | None, ...]:
        return grad(
            outputs,
            inputs,
            lanes,
            True,
            create_graph,
            allow_unused=allow_unused,
            materialize_grads=materialize_grads,
        )

    found: tuple[Tensor | None, ...] = vmap(pull, tuple(axes))(*gs)
    if not (create_graph if retain_graph is None else retain_graph):
        sweeps.release(as_list(outputs))
    return found


def checked(
    index: int, g: Array | None, x: Tensor, allow_unused: bool, materialize: bool
) -> Tensor | None:
    """A gradient as `grad` gives it."""
    if g is not None:
        return g if isinstance(g, Tensor) else wrap(g)
    if materialize:
        return wrap(x.raw * 0)
    if not allow_unused:
        raise errors.unused_input(index)
    return None


def as_list(tensors: Any) -> list[Tensor]:
    """One tensor (or its place in the graph) or several, as a list of tensors."""
    given = [tensors] if isinstance(tensors, Tensor | GradientEdge) else list(tensors)
    return [x.ownership_token if isinstance(x, GradientEdge) else x for x in given]


def seeded(outputs: Any, gradients: Any) -> tuple[list[Tensor], list[Any]]:
    """Outputs and their cotangents, checked as PyTorch does."""
    chosen = as_list(outputs)
    if gradients is None:
        seeds: list[Any] = [None] * len(chosen)
    else:
        seeds = [gradients] if isinstance(gradients, Array) else list(gradients)
    if len(seeds) != len(chosen):
        raise errors.wrong_number_of_gradients(len(chosen), len(seeds))
    for i, (x, g) in enumerate(zip(chosen, seeds, strict=True)):
        if not x.slot:
            raise errors.no_grad_fn(i)
        if g is None:
            if x.raw.size != 1:
                raise errors.not_scalar()
            if x.raw.dtype.kind == "c":
                raise errors.complex_output(x.dtype)
        elif tuple(g.shape) != x.raw.shape:
            raise errors.gradient_of_wrong_shape(i, g.shape, x.raw.shape)
        elif g.raw.dtype.kind == "c" and x.raw.dtype.kind != "c":
            raise errors.gradient_of_wrong_dtype(i, g.dtype, x.dtype)
    return chosen, seeds
