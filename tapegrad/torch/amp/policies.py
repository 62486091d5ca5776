"""Which functions compute in half and which in single precision under `autocast`, as PyTorch's do
on a CPU (https://pytorch.org/docs/stable/amp.html#cpu-op-specific-behavior)."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy

from ..casting import casting
from ..conversion import converted
from ..dtypes import as_numpy, dtype, promote_types
from ..tensor import Tensor

HALF = frozenset(
    [
        *["addbmm", "addmm", "baddbmm", "bmm", "chain_matmul", "conv1d", "conv2d", "conv3d"],
        *["conv_tbc", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "einsum"],
        *["inner", "layer", "cell", "linear", "matmul", "mm", "multi_dot", "multi_head", "prelu"],
        *["scaled_dot_product_attention", "tensordot", "vecdot"],
    ]
)
"""Functions whose arguments become halves: their sums are long, and products fast in hardware."""

ROUNDED = frozenset(["corrcoef", "cov", "matrix_power", "pinv"])
"""Functions that end with a product of halves, of what was single before: their result is half."""

SINGLE = frozenset(
    [
        *["adaptive_avg_pool3d", "adaptive_max_pool3d", "avg_pool3d", "binary_cross_entropy"],
        *["binary_cross_entropy_with_logits", "cdist", "cholesky", "cholesky_ex"],
        *["cholesky_inverse", "cholesky_solve", "cond", "cosine_embedding_loss"],
        *["cross_entropy", "ctc_loss", "eig", "eigh", "eigvals", "eigvalsh"],
        *["fake_quantize_per_tensor_affine", "fft", "fft2", "fftn", "fractional_max_pool2d"],
        *["fractional_max_pool3d", "geqrf", "grid_sampler", "hfft", "hinge_embedding_loss"],
        *["householder_product", "huber_loss", "ifft", "ifft2", "ifftn", "ihfft", "inv", "inv_ex"],
        *["inverse", "irfft", "irfft2", "irfftn", "kl_div", "l1_loss", "lstsq", "lu_solve"],
        *["margin_ranking_loss", "matrix_rank", "max_pool3d", "max_unpool1d", "max_unpool2d"],
        *["max_unpool3d", "mse_loss", "multi_margin_loss", "multilabel_margin_loss"],
        *["nanquantile", "nll_loss", "orgqr", "ormqr", "pad", "pinverse", "poisson_nll_loss"],
        *["polar", "prod", "qr", "quantile", "rfft", "rfft2", "rfftn", "smooth_l1_loss"],
        *["soft_margin_loss", "solve", "stft", "svd", "svdvals", "tensorinv", "tensorsolve"],
        *["trace", "triangular_solve", "triplet_margin_loss", "view_as_complex"],
    ]
)
"""Functions whose arguments become single precision, which halves are too coarse for."""

WIDEST = frozenset(["cat", "index_copy", "stack"])
"""Functions whose arguments become the widest of their dtypes."""


def contracts(equation: str, operands: Any) -> bool:
    """Whether a letter of an `einsum` is summed over between two operands."""
    terms, arrow, result = equation.partition("->")
    lengths: dict[str, list[int]] = {}
    for term, x in zip(terms.split(","), operands, strict=True):
        before, dots, after = term.partition("...")
        shape = x.raw.shape
        own = dict(zip(before, shape, strict=False))
        own |= dict(zip(reversed(after), reversed(shape), strict=False)) if dots else {}
        for letter, n in own.items():
            lengths.setdefault(letter, []).append(n)
    if not arrow:
        letters = [c for c in terms if c.isalpha()]
        result = "".join(c for c in letters if letters.count(c) == 1)
    return any(
        len(found) - found.count(1) > 1 for letter, found in lengths.items() if letter not in result
    )


def contracts_some(a: Any, b: Any, dims: Any = 2) -> bool:
    """Whether a `tensordot` leaves axes: a sum over all is an inner product of vectors."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        return not dims or prod(a.shape[:-dims]) * prod(b.shape[dims:]) > 1
    kept = [
        [n for i, n in enumerate(x.shape) if i not in {d % x.dim() for d in axes}]
        for x, axes in zip((a, b), dims, strict=True)
    ]
    return prod(kept[0]) * prod(kept[1]) > 1


def sums_of_rows(input: Any, other: Any) -> bool:
    """Whether an `inner` is neither a multiple nor an inner product of vectors."""
    return min(input.dim(), other.dim()) > 0 and max(input.dim(), other.dim()) > 1


def pads_in_single(input: Any, pad: Any, mode: str = "constant", value: Any = None) -> bool:
    """Whether a padding is among those that autocast knows."""
    return mode == "replicate" or (mode == "reflect" and len(pad) < 6)


def runs_in_halves(mode: str, *rest: Any) -> bool:
    """Whether all of a recurrent layer or cell is half; else its states keep their dtype."""
    if len(rest) == 4:
        return mode.startswith("RNN")
    return mode != "GRU" and rest[4][4] is None


APPLIES: dict[str, Callable[..., bool]] = {
    "cell": runs_in_halves,
    "einsum": contracts,
    "inner": sums_of_rows,
    "layer": runs_in_halves,
    "max_pool3d": lambda *args: not args[-1],  # its form with indices is not known
    "matrix_power": lambda A, n: n not in (-1, 0, 1),
    "pad": pads_in_single,
    "tensordot": contracts_some,
}
"""By name: whether the lists hold for given arguments."""

single = numpy.dtype(numpy.float32)


class Policy:
    """What autocast to a dtype does to a call."""

    def __init__(self, to: dtype) -> None:
        self.dtype = to
        self.half = as_numpy(to)

    def __call__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a function whose arguments are cast; NotImplemented for others."""
        name = function.__name__
        if kwargs.get("out") is not None:
            return NotImplemented
        if name in APPLIES and not APPLIES[name](*args, **kwargs):
            return self.gated(function, args) if name in ("cell", "layer") else NotImplemented
        if name in HALF:
            return cast(self.run(function, *cast((args, kwargs), self.half)), self.half)
        if name in ROUNDED:
            return cast(self.run(function, args, kwargs), self.half)
        if name in SINGLE:
            return self.run(function, args, kwargs)
        if name in WIDEST:
            widest = self.dtype
            for x in tensors_in((args, kwargs)):
                if x.is_floating_point():
                    widest = promote_types(widest, x.dtype)
            return self.run(function, args, kwargs, as_numpy(widest))
        return NotImplemented

    def gated(self, function: Any, args: tuple[Any, ...]) -> Any:
        """A recurrent layer or cell whose products are of halves, and whose states are not.

        With a projection, the hidden state is a product too.
        """
        mode, data, *others, weights = args if function.__name__ == "cell" else args[:-1]
        hidden, state = others[-2:]
        states = (hidden, hidden if state is None else state)
        kept = [as_numpy(promote_types(self.dtype, x.dtype)) for x in states]
        if len(weights) == 5 and weights[4] is not None:
            kept[0] = self.half
        given = (mode, cast(data, self.half), *others, cast(weights, self.half))
        *hidden, state = self.run(function, (*given, *args[len(given) :]), {})
        return (*cast(hidden, kept[0]), cast(state, kept[1]))

    def run(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], to: Any = single
    ) -> Any:
        """Call a function in a precision: single, in which processors add halves too."""
        casting.policy = None
        try:
            return function(*cast(args, to), **cast(kwargs, to))
        finally:
            casting.policy = self


def cast(x: Any, to: Any) -> Any:
    """Arguments with tensors of real numbers, but for double precision, in a dtype."""
    if isinstance(x, Tensor):
        is_cast = x.is_floating_point() and x.raw.dtype.itemsize < 8
        return converted(x, to) if is_cast else x
    if isinstance(x, list | tuple) and not hasattr(x, "_fields"):
        return type(x)(cast(y, to) for y in x)
    if isinstance(x, dict):
        return {name: cast(y, to) for name, y in x.items()}
    return x


def tensors_in(x: Any) -> list[Tensor]:
    """The tensors in nested arguments."""
    if isinstance(x, Tensor):
        return [x]
    if isinstance(x, dict):
        x = [*x.values()]
    return [t for y in x for t in tensors_in(y)] if isinstance(x, list | tuple) else []
