"""Which functions compute in half and which in single precision under `autocast`, as PyTorch's do
on a CPU (https://pytorch.org/docs/stable/amp.html#cpu-op-specific-behavior)."""

from __future__ import annotations

from typing import Any

import numpy

from ..casting import casting
from ..conversion import converted
from ..dtypes import as_numpy, dtype, promote_types
from ..tensor import Tensor

HALF = frozenset(
    [
        *["addbmm", "addmm", "baddbmm", "bmm", "conv1d", "conv2d", "conv3d", "conv_tbc"],
        *["conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "linear"],
        *["inner", "matmul", "mm", "multi_dot", "multi_head", "prelu"],
        *["scaled_dot_product_attention", "tensordot", "vecdot"],
    ]
)
"""Functions whose arguments become halves: their sums are long, and products fast in hardware."""

SINGLE = frozenset(
    [
        *["adaptive_avg_pool3d", "avg_pool3d", "binary_cross_entropy"],
        *["binary_cross_entropy_with_logits", "cdist", "cholesky"],
        *["cholesky_inverse", "cholesky_solve", "cosine_embedding_loss"],
        *["cross_entropy", "ctc_loss", "grid_sample", "hinge_embedding_loss"],
        *["huber_loss", "inverse", "kl_div", "l1_loss", "lu_solve"],
        *["margin_ranking_loss", "max_pool3d", "max_unpool2d", "max_unpool3d"],
        *["mse_loss", "multi_margin_loss", "multilabel_margin_loss"],
        *["nanquantile", "nll_loss", "pinverse", "poisson_nll_loss", "polar", "prod"],
        *["quantile", "smooth_l1_loss", "soft_margin_loss", "stft", "trace"],
        *["triplet_margin_loss", "view_as_complex"],
    ]
)
"""Functions whose arguments become single precision, which halves are too coarse for."""

SINGLE_MODULES = ("tapegrad.torch.fft", "tapegrad.torch.linalg")

WIDEST = frozenset(["cat", "index_copy", "stack"])
"""Functions whose arguments become the widest of their dtypes."""

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
        if name in HALF:
            return cast(self.run(function, *cast((args, kwargs), self.half)), self.half)
        if name in SINGLE or function.__module__.startswith(SINGLE_MODULES):
            return self.run(function, args, kwargs)
        if name in WIDEST:
            widest = self.dtype
            for x in tensors_in((args, kwargs)):
                if x.is_floating_point():
                    widest = promote_types(widest, x.dtype)
            return self.run(function, args, kwargs, as_numpy(widest))
        return NotImplemented

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
