"""What distributions share: parameters made one shape, and probabilities as their logits."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ...core.array import Traced
from ..arithmetic import logaddexp
from ..broadcasting import broadcast_tensors
from ..creation import tensor
from ..dtypes import finfo, get_default_dtype, int64
from ..filling import arange, tril_indices, zeros
from ..modes import enable_grad
from ..random import rand, randn
from ..tensor import Tensor
from . import errors

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]


EULER = 0.5772156649015329
"""What the derivative of the gamma function at 1 is, but for its sign."""


class LazyProperty(cached_property[Any]):
    """A property that is computed once; recorded, even where it is first asked for unrecorded."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        with enable_grad():
            return super().__get__(instance, owner)


lazy_property = LazyProperty


def broadcast_all(*values: Any) -> list[Any]:
    """Numbers and tensors as tensors of one shape; numbers take the dtype of the first tensor."""
    if not all(isinstance(v, Tensor | int | float | complex) for v in values):
        raise errors.parameters_no_numbers()
    first = next((v for v in values if isinstance(v, Tensor)), None)
    options: dict[str, Any] = {"dtype": get_default_dtype()}
    if first is not None:
        options = {"dtype": first.dtype, "device": first.device}
    return list(
        broadcast_tensors(*(v if isinstance(v, Tensor) else tensor(v, **options) for v in values))
    )


def as_parameter(value: Any) -> Any:
    """A number or a tensor as a tensor."""
    return broadcast_all(value)[0]


def clamp_probs(probs: Tensor) -> Any:
    """Probabilities no nearer to 0 and 1 than the precision of their dtype."""
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Any:
    """The logarithms of probabilities; if `is_binary`, of their odds."""
    inside = clamp_probs(probs)
    return inside.log() - (-inside).log1p() if is_binary else inside.log()


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Any:
    """The probabilities of logits, along the last axis; if `is_binary`, of each alone."""
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def normals_like(x: Tensor, shape: Any) -> Tensor:
    """Standard normal numbers in the dtype of `x`, and where it is."""
    return randn(shape, dtype=x.dtype, device=x.device)


def uniforms_like(x: Tensor, shape: Any) -> Any:
    """Numbers between 0 and 1, both excluded, in the dtype of `x`, and where it is."""
    drawn = rand(shape, dtype=x.dtype, device=x.device)
    return drawn.clamp(min=finfo(x.dtype).tiny)


def holds(mask: Any) -> bool:
    """Whether a condition holds everywhere, as far as that is known: lanes have many values."""
    return isinstance(mask, Traced) or bool(mask.all())


def softplus(x: Any) -> Any:
    """``log(1 + exp(x))``, of a tensor."""
    return logaddexp(x, x * 0)


def sum_rightmost(value: Tensor, count: int) -> Any:
    """The sum over the last `count` axes."""
    return value.sum(tuple(range(-count, 0))) if count else value


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Any:
    """The elements of a square matrix up to a diagonal, row by row."""
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise errors.no_such_diagonal(diag, n)
    place = tril_indices(n, n, diag)
    return mat[..., place[0], place[1]]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Any:
    """A square matrix with zeros above a diagonal, of its other elements, row by row."""
    count = vec.shape[-1]
    n = next((n for n in range(count + 2) if elements_below(n, diag) >= count), 0)
    if elements_below(n, diag) != count:
        raise errors.no_triangle(count)
    place = tril_indices(n, n, diag)
    numbers = zeros((n, n), dtype=int64)
    numbers[place[0], place[1]] = arange(count)
    return vec[..., numbers].tril(diag)


def elements_below(n: int, diag: int) -> int:
    """How many elements of a matrix of `n` rows lie up to a diagonal."""
    return sum(min(max(i + 1 + diag, 0), n) for i in range(n))
