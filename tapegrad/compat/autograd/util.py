"""Small helpers that extensions of autograd use."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from .substitution import subval, subvals
from .test_util import check_grads

__all__ = ["func", "quick_grad_check", "subval", "subvals", "toposort"]


def func(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f`: what a method of a class is the function of."""
    return f


def toposort(
    end_node: Any, parents: Callable[[Any], Iterable[Any]] = attrgetter("parents")
) -> Iterator[Any]:
    """The nodes that `end_node` depends on and itself, each before its parents."""
    pending: dict[Any, int] = {end_node: 1}
    stack = list(parents(end_node))
    while stack:
        node = stack.pop()
        if node not in pending:
            stack.extend(parents(node))
        pending[node] = pending.get(node, 0) + 1
    ready = [end_node]
    while ready:
        node = ready.pop()
        yield node
        for parent in parents(node):
            pending[parent] -= 1
            if not pending[parent]:
                ready.append(parent)


def quick_grad_check(
    fun: Callable[..., Any],
    arg0: Any,
    extra_args: Sequence[Any] = (),
    kwargs: dict[str, Any] | None = None,
    verbose: bool = True,
    eps: float = 1e-4,
    rtol: float = 1e-4,
    atol: float = 1e-6,
    rs: Any = None,
) -> None:
    """Deprecated: `test_util.check_grads` of the first order in reverse mode."""
    warnings.warn("quick_grad_check is deprecated. Use test_util.check_grads.", stacklevel=2)
    check_grads(lambda x: fun(x, *extra_args, **(kwargs or {})), modes=["rev"], order=1)(arg0)
