"""What weight and spectral normalisation compute, for both of their interfaces."""

from __future__ import annotations

from typing import Any

from ...core.modes import no_grad
from .. import functional


def norm_except(v: Any, dim: int) -> Any:
    """The norm over all axes but one, kept; that of the whole for the axis -1."""
    if dim == -1:
        return v.norm()
    return v.norm(dim=[d for d in range(v.dim()) if d != dim % v.dim()], keepdim=True)


def weighted(v: Any, g: Any, dim: int) -> Any:
    """`v` with the norms `g` (Salimans and Kingma, 2016)."""
    return v * (g / norm_except(v, dim))


def as_matrix(weight: Any, dim: int) -> Any:
    """A weight as a matrix whose rows belong to the axis `dim`."""
    if dim % weight.dim():
        axis = dim % weight.dim()
        weight = weight.permute(axis, *(d for d in range(weight.dim()) if d != axis))
    return weight.reshape(weight.size(0), -1)


def iterate(matrix: Any, u: Any, v: Any, count: int, eps: float) -> None:
    """Bring `u` and `v`, in place, nearer to the first singular vectors (the power method)."""
    with no_grad():
        for _ in range(count):
            u.copy_(functional.normalize(matrix.mv(v), dim=0, eps=eps))
            v.copy_(functional.normalize(matrix.t().mv(u), dim=0, eps=eps))


def largest(matrix: Any, u: Any, v: Any) -> Any:
    """The first singular value, of the first singular vectors as they are known now."""
    return u.clone().dot(matrix.mv(v.clone()))


def default_axis(module: Any) -> int:
    """The axis of the outputs in a module's weight."""
    return 1 if getattr(module, "transposed", False) else 0
