"""`sparsity`: one run of a function, and a walk that pushes index sets through what it recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from scipy import sparse

from .. import tree
from ..core.program import trace
from ..core.record import raw
from ..transforms import misuse
from ..transforms.arguments import check_function, input_data, result_data
from ..transforms.flat import FlatCall
from ..transforms.grad import differentiator
from ..transforms.rules import can_push
from .pattern import Pattern
from .sets import PatternTape, argument_sets, push_sets, warn_of_values

KINDS = ("jacobian", "hessian")


def sparsity(fun: Callable[..., Any], *args: Any, of: str = "jacobian", **kwargs: Any) -> Pattern:
    """The pattern of the derivative of `fun` in its first argument, with a colouring.

    Pass it to `sparse_jacobian`, or with ``of="hessian"``, of a scalar function, to
    `sparse_hessian`. Results and argument may be trees of arrays of any shape: rows and columns
    count their elements in order.

    The function runs once. What an element of the results depends on is followed through indexing,
    sums, products, elementwise functions, whatever the values are: a product with a number that is
    zero here is an element all the same. Zeros of a constant array are values; those of a
    `scipy.sparse` matrix are structure. Operations of which nothing more is known link lines or
    blocks. Where the function looks at values (`if x[0] > 0`, an index that was computed), a
    `PatternWarning` says that the pattern may be another elsewhere.

    >>> import numpy as np, tapegrad as tg
    >>> pattern = tg.sparsity(lambda x: x[1:] * x[:-1], np.ones(5))
    >>> pattern
    <pattern of shape (4, 5): 8 elements, 2 colors>
    """
    check_function("sparsity", fun)
    if of not in KINDS:
        raise misuse.bad_option("sparsity", "of", KINDS, of)
    return find("sparsity", fun, args, kwargs, symmetric=of == "hessian")


def find(
    name: str,
    fun: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    symmetric: bool,
) -> Pattern:
    """The pattern of the Jacobian or the Hessian of `fun`."""
    if not args:
        raise misuse.no_such_argument(name, 0, 0, 0)
    if symmetric:
        fun = differentiator(name, fun, 0, None, False, False)
    own = tree.leaves(args[0])
    call = FlatCall(fun, args, kwargs, lambda i, _: i < len(own))
    data = [raw(input_data(name, fun, 0, args[0], i, x)) for i, x in enumerate(own)]
    sizes: list[int] = []

    def run(*arrays: Any) -> list[Any]:
        results = [result_data(name, x) for x in call(*arrays)]
        sizes.extend(x.size for x in results)
        return results

    tape = PatternTape()
    program = trace(run, data, [True] * len(data), tape)
    inputs = argument_sets([x.size for x in data])
    with numpy.errstate(all="ignore"):  # rules run on numbers that mean nothing
        outputs = push_sets(program, inputs, tape)
    warn_of_values(tape.looked)
    columns = sum(x.size for x in data)
    rows = [
        sparse.csr_array((size, columns), dtype=bool) if own is None else own
        for own, size in zip(outputs, sizes, strict=True)
    ]
    matrix = sparse.vstack(rows, format="csr") if rows else sparse.csr_array((0, columns))
    if symmetric:
        matrix = matrix.multiply(matrix.T).tocsr()  # second derivatives do not ask for an order
    matrix.sort_indices()
    return Pattern.of(matrix, symmetric, can_push(program.entries))
