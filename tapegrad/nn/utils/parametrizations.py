"""Parametrizations that are often used: orthogonal weights, weight and spectral normalisation."""

from __future__ import annotations

from typing import Any

from ...core.modes import no_grad
from ...torch import linalg
from ...torch.filling import eye
from ...torch.joining import cat
from ...torch.linalg.reflections import geqrf
from ...torch.matrices import matrix_exp
from .. import functional
from ..modules.module import Module
from .norms import as_matrix, default_axis, iterate, largest, norm_except, weighted
from .parametrize import register_parametrization

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

MAPS = ("matrix_exp", "cayley", "householder")


class _Orthogonal(Module):
    """Matrices, taller than wide or transposed, whose columns are orthonormal.

    `base` is a fixed orthogonal factor, which allows the maps to begin at any value.
    """

    base: Any

    def __init__(self, weight: Any, orthogonal_map: str, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        self.trivialized = use_trivialization
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x: Any) -> Any:
        wide = x.size(-2) < x.size(-1)
        if wide:
            x = x.mT
        n, k = x.size(-2), x.size(-1)
        if self.orthogonal_map == "householder":
            q = reflections(x)
        else:
            low = x.tril()
            if n != k:
                zeros = x.new_zeros((*x.shape[:-2], n, n - k))
                low = cat([low, zeros], dim=-1)
            skew = low - low.mH
            q = matrix_exp(skew) if self.orthogonal_map == "matrix_exp" else cayley(skew)
            if n != k:
                q = q[..., :k]
        if self.trivialized:
            q = self.base @ q
        return q.mT if wide else q

    def right_inverse(self, q: Any) -> Any:
        """The original that gives `q` (or what is orthogonal and near it)."""
        if tuple(q.shape) != tuple(self.shape):
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of "
                f"shape {q.shape}."
            )
        wide = q.size(-2) < q.size(-1)
        tall = q.mT if wide else q
        n, k = tall.size(-2), tall.size(-1)
        if not self.trivialized:
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley "
                    "parametrizations when use_trivialization=False."
                )
            a, tau = geqrf(tall)
            signs = a.diagonal(dim1=-2, dim2=-1).sign()
            signs = signs * (1 - 2 * (tau == 0).to(signs.dtype))
            below = a.tril(-1)
            made = below + eye(n, k, dtype=a.dtype) * signs.unsqueeze(-2)
            return made.mT if wide else made
        if n != k:
            tall = cat([tall, tall.new_empty((*tall.shape[:-2], n, n - k)).normal_()], dim=-1)
        self.base = orthogonalised(tall)
        return (
            -eye(n if not wide else k, k if not wide else n, dtype=q.dtype).expand(q.shape).clone()
        )


def cayley(skew: Any) -> Any:
    """The Cayley transform of skew-symmetric matrices."""
    unit = eye(skew.size(-1), dtype=skew.dtype)
    return linalg.solve(unit - 0.5 * skew, unit + 0.5 * skew)


def reflections(x: Any) -> Any:
    """The product of the Householder reflections below the diagonal, with signs from it."""
    below = x.tril(-1)
    tau = 2.0 / (1.0 + (below * below).sum(dim=-2))
    q = linalg.householder_product(below, tau)
    return q * x.diagonal(dim1=-2, dim2=-1).trunc().unsqueeze(-2)


def orthogonalised(a: Any) -> Any:
    """The orthogonal factor of square matrices; itself for orthogonal ones."""
    q, r = linalg.qr(a)
    return q * r.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def orthogonal(
    module: Any,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> Any:
    """Keep a matrix of a module orthogonal: by "matrix_exp", "cayley" or "householder".

    Without a map, it is "matrix_exp" for square and complex matrices, else "householder".
    """
    weight = getattr(module, name, None)
    if weight is None:
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(
            f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions."
        )
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1) or weight.is_complex()
        orthogonal_map = "matrix_exp" if square else "householder"
    if orthogonal_map not in MAPS:
        raise ValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: '
            f"{orthogonal_map}"
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)


class _WeightNorm(Module):
    """A direction `v` and norms `g`, over all axes but `dim`."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        return weighted(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Any) -> tuple[Any, Any]:
        """The norms and the direction of a weight."""
        return norm_except(weight, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int = 0) -> Any:
    """Learn the norms and the direction of a weight apart (Salimans and Kingma, 2016).

    The norms are over all axes but `dim`; over all if it is None. States that were saved by the
    older `nn.utils.weight_norm` can be loaded.
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state: Any, prefix: str, *_: Any) -> None:
        for i, letter in enumerate("gv"):
            old = f"{prefix}{name}_{letter}"
            if old in state:
                state[f"{prefix}parametrizations.{name}.original{i}"] = state.pop(old)

    module._register_load_state_dict_pre_hook(rename)
    return module


class _SpectralNorm(Module):
    """A weight divided by its largest singular value, as the power method knows it."""

    _u: Any
    _v: Any

    def __init__(
        self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        super().__init__()
        if not -weight.ndim <= dim < weight.ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{weight.ndim}, "
                f"{weight.ndim - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.dim = dim % weight.ndim
        self.eps = eps
        if weight.ndim > 1:
            self.n_power_iterations = n_power_iterations
            with no_grad():
                matrix = as_matrix(weight, self.dim)
                rows, columns = matrix.shape
                for name, size in (("_u", rows), ("_v", columns)):
                    drawn = weight.new_empty(size).normal_(0, 1)
                    self.register_buffer(name, functional.normalize(drawn, dim=0, eps=eps))
                iterate(matrix, self._u, self._v, 15, eps)

    def forward(self, weight: Any) -> Any:
        if weight.ndim == 1:
            return functional.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            iterate(matrix, self._u, self._v, self.n_power_iterations, self.eps)
        return weight / largest(matrix, self._u, self._v)

    def right_inverse(self, value: Any) -> Any:
        """The value itself."""
        return value


def spectral_norm(
    module: Any,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Any:
    """Keep the largest singular value of a weight at 1 (Miyato et al., 2018).

    In training, each use makes `n_power_iterations` steps of the power method.
    """
    weight = getattr(module, name, None)
    if weight is None:
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    axis = default_axis(module) if dim is None else dim
    made = _SpectralNorm(weight, n_power_iterations, axis, eps)
    return register_parametrization(module, name, made)
