"""`cond`: one of two functions, chosen by a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import tree
from ...backend import as_data, quiet
from ...core.array import Array, is_mapped
from ...core.op import table
from ...errors import ConcretizationError
from .. import errors


def cond(
    pred: Any, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: Any
) -> Any:
    """``true_fun(*operands)`` where `pred` is true, else ``false_fun(*operands)``.

    Where the value of `pred` is known, the one function runs; under `compile` its value is checked
    again at each call. Where it differs between lanes (under `vmap`) or turns (in the body of a
    loop), both run, and the results, which must have the same structure and shapes, are chosen
    from; a derivative comes from the chosen one alone.

    >>> import numpy as np, tapegrad as tg
    >>> f = lambda x: tg.cond(x > 0, lambda x: x * x, lambda x: -x, x)
    >>> f(3.0), tg.vmap(f)(np.array([3.0, -2.0]))
    (9.0, array([9., 2.]))
    """
    if getattr(pred, "shape", ()) != ():
        raise errors.bad_predicate("cond", pred.shape)
    if is_mapped(pred):
        try:
            return true_fun(*operands) if bool(pred) else false_fun(*operands)
        except ConcretizationError:
            if known(pred):
                raise
        pred.tape.quiet = True  # what is not chosen may be undefined
        with quiet():
            return both(pred, true_fun(*operands), false_fun(*operands))
    return true_fun(*operands) if bool(pred) else false_fun(*operands)


def known(pred: Any) -> bool:
    """Whether the value of a predicate may be read."""
    try:
        bool(pred)
    except ConcretizationError:
        return False
    return True


def both(pred: Any, chosen: Any, other: Any) -> Any:
    """The leaves of two trees, chosen by a predicate that stands for many."""
    xs, structure = tree.flatten(chosen)
    ys, own = tree.flatten(other)
    if own != structure:
        raise errors.branches_differ(structure, own)
    results = []
    for x, y in zip(xs, ys, strict=True):
        x, y = (v if isinstance(v, Array) else as_data(v) for v in (x, y))
        if x.shape != y.shape:
            raise errors.branches_differ(x.shape, y.shape)
        results.append(table["where"].function(pred, x, y))
    return tree.unflatten(structure, results)
