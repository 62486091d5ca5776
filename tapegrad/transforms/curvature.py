"""Summaries of second derivatives: `fisher_vp` and `laplacian`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import tree
from ..ops.linear import reshape
from ..ops.linear import sum as sum_over
from .linearize import Pushed
from .products import as_arguments, hessian_diag
from .rules import Pulled


def fisher_vp(fun: Callable[..., Any], primals: Any, tangents: Any) -> Any:
    """The Fisher information matrix of a model times a vector.

    ``fun(*primals)`` is an array of log-likelihoods, one an observation. The matrix is the mean of
    the outer products of their gradients, ``J.T @ J / n``: with observed data the empirical Fisher
    matrix; with data drawn from the model (as constants: `tapegrad.stop_gradient`) an unbiased
    estimate of the matrix itself. Where the likelihood is of the exponential family, `ggnvp` of the
    mean negative log-likelihood gives it exactly. `primals` and `tangents` are as for `hvp`.

    >>> import numpy as np, tapegrad as tg
    >>> data = np.array([-1.0, 0.0, 1.0, 2.0])
    >>> print(tg.fisher_vp(lambda mean: -((data - mean) ** 2) / 2, 0.5, 1.0))  # of a unit normal
    1.25
    """
    args, vectors = as_arguments("fisher_vp", "tangents", primals, tangents)
    forward = Pushed("fisher_vp", fun, args, vectors)
    count = max(sum(x.size for x in tree.leaves(forward.result)), 1)
    scores = tree.map(lambda t: t / count, forward.tangent)
    run = Pulled("fisher_vp", fun, args, scores)
    product = run.inputs.rebuild(run.pulled)
    return tuple(product) if isinstance(primals, tuple) else product[0]


def laplacian(
    fun: Callable[..., Any],
    primals: Any,
    *,
    chunk_size: int | None = None,
    samples: int | None = None,
    rng: Any = None,
) -> Any:
    """The Laplacian of a scalar function, the trace of its Hessian.

    Exactly, or with `samples` by Hutchinson's estimate: see `hessian_diag`, whose sum it is.

    >>> import numpy as np, tapegrad as tg
    >>> print(tg.laplacian(lambda x: (x**3).sum(), np.array([1.0, 2.0])))
    18.0
    """
    diagonal = hessian_diag(fun, primals, chunk_size=chunk_size, samples=samples, rng=rng)
    total: Any = 0.0
    for x in tree.leaves(diagonal):
        total = total + sum_over(reshape(x, to=(x.size,)), axis=(0,), keepdims=False)
    return total
