"""Imperative differentiation: the sweep from a result back to the leaves.

What is computed from an imperative leaf is recorded on the thread's ambient tape. `backward` finds
the entries that a result came from, pulls cotangents through them, adds those of the leaves to
their `grad`, and frees the entries. `gradients` gives cotangents instead of adding them up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import errors
from ..backend import as_data, is_complex, namespace
from .array import Array
from .face import bare, conjugated, face_of
from .gradient import add_to_grad, own
from .graph import free, reach
from .leaf import check_on_graph, retained
from .op import table
from .sweep import Sweep
from .tail import backward_at_the_end
from .tape import ReplayTape


def backward(
    output: Array | Sequence[Array],
    gradient: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Sequence[Array] | None = None,
) -> None:
    """Add the derivatives of `output` (or several outputs) to the `grad` of the leaves.

    `gradient` is the output's cotangent; a scalar needs none. With `inputs`, only these are added
    to. The entries that were used are freed, unless `retain_graph` (by default, as `create_graph`).
    With `create_graph`, the derivatives are recorded themselves. Inside a transform they always are
    until it ends, and only entries older than it are freed.

    >>> from tapegrad.core.leaf import requires_grad
    >>> w = requires_grad(3.0)
    >>> backward(w * w)
    >>> float(w.grad.raw)
    6.0
    """
    release = not (create_graph if retain_graph is None else retain_graph)
    simple = release and gradient is None and inputs is None
    if simple and isinstance(output, Array) and backward_at_the_end(output):
        return
    outputs, seeds = pair("backward", output, gradient)
    tape = replayed_on(outputs)
    if tape is not None:
        wanted = tape.leaves() if inputs is None else list(inputs)
        for x, g in zip(wanted, tape.pulled(outputs, seeds, wanted), strict=True):
            if g is not None:
                add_to_grad(x, as_result(g, create_graph), create_graph)
        return
    if inputs is not None:
        for x in inputs:
            check_on_graph("an input of backward", x)
    targets = None if inputs is None else {x.slot for x in inputs}
    run = Sweep(outputs, seeds, targets, create_graph)
    if release and run.is_large() and run.is_plain():
        run.consume()
        return
    run.run(accumulate=True)
    if inputs is not None:
        for x in inputs:
            if x.slot > 0 and x.slot in run.captured and x.slot not in retained:
                add_to_grad(x, run.captured[x.slot], create_graph)
    if release:
        free(run.entries)


def gradients(
    output: Array | Sequence[Array],
    inputs: Sequence[Array],
    gradient: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
) -> list[Array | None]:
    """The derivatives of `output` with respect to leaves or computed values; adds to no `grad`.

    None stands for an input that the output does not depend on. The other arguments are those of
    `backward`.
    """
    outputs, seeds = pair("gradients", output, gradient)
    tape = replayed_on(outputs)
    if tape is not None:
        pulled = zip(inputs, tape.pulled(outputs, seeds, inputs), strict=True)
        return [None if g is None else own(as_result(g, create_graph), x) for x, g in pulled]
    for x in inputs:
        check_on_graph("an input of gradients", x)
    run = Sweep(outputs, seeds, {x.slot for x in inputs}, create_graph)
    run.run(accumulate=False)
    results: list[Array | None] = []
    for x in inputs:
        g = run.captured.get(x.slot)
        results.append(None if g is None else own(g, x))
    if not (create_graph if retain_graph is None else retain_graph):
        free(run.entries)
    return results


def release(outputs: Sequence[Array]) -> None:
    """Free the graph of some outputs without a sweep."""
    free(reach((x.slot for x in outputs), 1, set()))


def replayed_on(outputs: Sequence[Array]) -> ReplayTape | None:
    """The replay tape that outputs are on; None where they are on a differentiation tape."""
    for x in outputs:
        if isinstance(x.tape, ReplayTape):
            return x.tape
    return None


def as_result(g: Any, create_graph: bool) -> Any:
    """A recorded cotangent as one that is differentiated further, or is not."""
    return g if create_graph else table["stop_gradient"].function(g)


def pair(name: str, output: Any, gradient: Any) -> tuple[list[Array], list[Any]]:
    """Outputs and their cotangents, as lists, checked."""
    outputs = [output] if isinstance(output, Array) else list(output)
    given = [gradient] if isinstance(output, Array) or gradient is None else list(gradient)
    if gradient is None:
        given = [None] * len(outputs)
    if len(given) != len(outputs):
        raise errors.structure_mismatch(
            f"{name}, gradient", f"{len(outputs)} of them", f"{len(given)}"
        )
    seeds = []
    for x, g in zip(outputs, given, strict=True):
        if not x.slot:
            raise errors.not_on_graph(name, x)
        if g is None:
            if x.raw.size != 1:
                raise errors.gradient_needed(name, x.shape)
            if is_complex(x.raw.dtype):
                raise errors.complex_result(name, x.raw.dtype)
            seeds.append(namespace(x.raw).ones_like(x.raw)[()])
            continue
        g = bare(g) if isinstance(g, Array) else as_data(g)
        if g.shape != x.shape:
            raise errors.shape_mismatch(name, "the argument gradient", x.shape, g.shape)
        dtype = x.raw.dtype
        if g.dtype != dtype:
            if is_complex(g.dtype) and not is_complex(dtype):
                raise errors.lost_imaginary_part(name, "the argument gradient", dtype, g.dtype)
            g = table["astype"].function(g, to=dtype, source=g.dtype)
        seeds.append(conjugated(g, face_of(x)))
    return outputs, seeds
