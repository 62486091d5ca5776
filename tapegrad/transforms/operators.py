"""Jacobians, Hessians and Gauss-Newton matrices as linear operators of SciPy, without the matrices.

Each records its function once; a product is a walk over the recording, and a product with many
vectors one walk with lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from .. import errors, tree
from ..backend import namespace, on_device, zeros
from ..core.array import Array
from ..core.lanes import pull_lanes, push_lanes
from . import misuse
from .linearize import Recording
from .products import as_tuple, gradient_of
from .vectors import Layout, Packing


class Linear(Recording):
    """A function's run, as products of its Jacobian with vectors, or with the columns of a matrix.

    `domain` and `codomain` say how arguments and results lie in vectors.
    """

    __slots__ = ("codomain", "domain")

    def __init__(self, name: str, fun: Callable[..., Any], args: tuple[Any, ...]) -> None:
        for x in tree.leaves(args):
            if isinstance(x, Array):
                raise misuse.plain_arguments_only(name)
        super().__init__(name, fun, args, has_aux=False, keep=True, forward=True)
        if any(isinstance(x, Array) for x in self.values):
            raise misuse.plain_arguments_only(name)
        for x in (*self.data, *self.values):
            if x.dtype.kind == "c":
                raise misuse.real_only(name, x.dtype)
        self.domain = Layout(self.data)
        self.codomain = Layout(self.values)

    def times(self, matrix: Any) -> Any:
        """The Jacobian times a vector or a matrix."""
        if matrix.ndim == 1:
            pushed = self.walk.push(self.domain.unpack(matrix), self.slots)
            return self.codomain.pack(filled(self.reached(pushed), self.values))
        lanes = matrix.shape[1]
        pushed = push_lanes(self.walk, spread(self.domain, matrix), self.slots, lanes)
        return gathered(filled(self.reached(pushed), self.values, (lanes,)))

    def transposed_times(self, matrix: Any) -> Any:
        """The transposed Jacobian times a vector or a matrix."""
        if matrix.ndim == 1:
            pulled = self.walk.pull(self.seeds(self.codomain.unpack(matrix)))
            return self.domain.pack(filled(pulled, self.data))
        lanes = matrix.shape[1]
        pulled = pull_lanes(self.walk, self.seeds(spread(self.codomain, matrix)), lanes)
        return gathered(filled(pulled, self.data, (lanes,)))

    def reached(self, pushed: list[Any]) -> list[Any]:
        """The tangents of results that depend on the arguments, None for the others."""
        return [t if slot else None for slot, t in zip(self.slots, pushed, strict=True)]

    def seeds(self, cotangents: list[Any]) -> dict[int, Any]:
        """The results' cotangents by slot."""
        seeds: dict[int, Any] = {}
        for slot, g in zip(self.slots, cotangents, strict=True):
            if slot:
                seeds[slot] = seeds[slot] + g if slot in seeds else g
        return seeds


def check_host(name: str, arrays: list[Any]) -> None:
    """Raise if arrays are on a device, where SciPy's operators and solvers are not."""
    for x in arrays:
        if on_device(x):
            raise errors.not_on_device(name, namespace(x).__name__)


def filled(derivatives: list[Any], like: list[Any], lead: tuple[int, ...] = ()) -> list[Any]:
    """Derivatives, with zeros where there is none."""
    return [
        zeros((*lead, *x.shape), x) if d is None else d
        for d, x in zip(derivatives, like, strict=True)
    ]


def spread(layout: Layout, matrix: Any) -> list[Any]:
    """The columns of a matrix as arrays with leading lanes."""
    rows = numpy.ascontiguousarray(matrix.T, layout.dtype)
    return [
        rows[:, start:stop].reshape(len(rows), *shape).astype(dtype, copy=False)
        for (start, stop), shape, dtype in zip(
            layout.bounds, layout.shapes, layout.dtypes, strict=True
        )
    ]


def gathered(arrays: list[Any]) -> Any:
    """Arrays with leading lanes as the columns of a matrix."""
    return numpy.concatenate([x.reshape(len(x), -1) for x in arrays], axis=1).T


def operator(
    shape: tuple[int, int],
    dtype: Any,
    times: Callable[[Any], Any],
    transposed_times: Callable[[Any], Any],
    domain: Packing,
    codomain: Packing,
) -> Any:
    """SciPy's `LinearOperator`, with the packings of its two spaces as attributes."""
    from scipy.sparse.linalg import LinearOperator

    def product(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda x: function(x.reshape(-1) if x.ndim == 2 and x.shape[1] == 1 else x)

    result = LinearOperator(
        shape,
        matvec=product(times),
        rmatvec=product(transposed_times),
        matmat=times,
        rmatmat=transposed_times,
        dtype=dtype,
    )
    result.domain, result.codomain = domain, codomain
    return result


def jacobian_operator(fun: Callable[..., Any], primals: Any) -> Any:
    """The Jacobian of `fun` at `primals` as a `scipy.sparse.linalg.LinearOperator`.

    `primals` is one argument, or a tuple of arguments, trees of arrays. The operator acts on
    vectors of all their elements; its `domain.pack(tree)` and `domain.unpack(vector)` convert, and
    so does its `codomain` for the result. Products from the left are reverse walks. It is for plain
    arrays: traced arguments raise.

    >>> import numpy as np, tapegrad as tg
    >>> J = tg.jacobian_operator(lambda x: x**2, np.array([1.0, 2.0, 3.0]))
    >>> J @ np.ones(3), J.T @ np.array([1.0, 0.0, 0.0])
    (array([2., 4., 6.]), array([2., 0., 0.]))
    """
    run = Linear("jacobian_operator", fun, as_tuple(primals))
    check_host("jacobian_operator", run.data)
    shape = (run.codomain.size, run.domain.size)
    dtype = numpy.result_type(run.domain.dtype, run.codomain.dtype)
    domain, codomain = Packing(primals), Packing(run.result)
    return operator(shape, dtype, run.times, run.transposed_times, domain, codomain)


def hessian_operator(fun: Callable[..., Any], primals: Any) -> Any:
    """The Hessian of a scalar function as a `LinearOperator`; see `jacobian_operator`.

    >>> import numpy as np, tapegrad as tg
    >>> H = tg.hessian_operator(lambda x: (x**3).sum(), np.array([1.0, 2.0]))
    >>> H @ np.ones(2)
    array([ 6., 12.])
    """
    args = as_tuple(primals)
    run = Linear("hessian_operator", gradient_of("hessian_operator", fun, len(args)), args)
    check_host("hessian_operator", run.data)
    space = Packing(primals)
    size = run.domain.size
    return operator((size, size), run.domain.dtype, run.times, run.times, space, space)


def ggn_operator(fun: Callable[..., Any], loss: Callable[..., Any], primals: Any) -> Any:
    """The generalised Gauss-Newton matrix as a `LinearOperator`; see `ggnvp`.

    >>> import numpy as np, tapegrad as tg
    >>> G = tg.ggn_operator(lambda x: x * x, lambda y: (y * y).sum() / 2, np.array([1.0, 2.0]))
    >>> G @ np.ones(2)
    array([ 4., 16.])
    """
    run = Linear("ggn_operator", fun, as_tuple(primals))
    check_host("ggn_operator", run.data)
    curvature = Linear("ggn_operator", gradient_of("ggn_operator", loss, 1), (run.result,))
    space = Packing(primals)
    size = run.domain.size

    def times(matrix: Any) -> Any:
        return run.transposed_times(curvature.times(run.times(matrix)))

    return operator((size, size), run.domain.dtype, times, times, space, space)


SMALL = 16
"""Up to this size the whole matrix is cheaper than Lanczos' method."""


def hessian_extremes(
    fun: Callable[..., Any], primals: Any, *, vectors: bool = False, tol: float = 0.0
) -> tuple[Any, Any]:
    """The smallest and the largest eigenvalue of a scalar function's Hessian, by Lanczos' method.

    With `vectors`, each comes as a pair with its eigenvector, in the structure of `primals`. `tol`
    is the relative accuracy; 0 is that of the machine. Raises ValueError where there is no element.

    >>> import numpy as np, tapegrad as tg
    >>> low, high = tg.hessian_extremes(lambda x: x[0] ** 2 - 3 * x[1] ** 2, np.ones(2))
    >>> print(low, high)
    -6.0 2.0
    """
    matrix = hessian_operator(fun, primals)
    size = matrix.shape[0]
    if not size:
        raise misuse.no_elements("hessian_extremes")
    if size <= SMALL:
        values, basis = numpy.linalg.eigh(matrix @ numpy.eye(size))
    else:
        from scipy.sparse.linalg import eigsh

        start = numpy.random.default_rng(0).standard_normal(size)
        values, basis = eigsh(matrix, k=2, which="BE", v0=start, tol=tol)
    ends = [
        (values[i], matrix.domain.unpack(numpy.ascontiguousarray(basis[:, i]))) for i in (0, -1)
    ]
    low, high = ends if vectors else [value for value, _ in ends]
    return low, high
