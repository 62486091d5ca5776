"""The LKJ distribution, of Cholesky factors of correlation matrices."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..dtypes import finfo
from ..filling import arange
from ..modes import no_grad
from ..special import multigammaln
from . import constraints, errors
from .distribution import Distribution
from .gamma import Beta
from .utils import as_parameter, normals_like

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """The factors of correlation matrices `R` whose density is that of ``det(R)**(c - 1)``.

    `c` is the `concentration`: 1 for all matrices alike, more for such as are near to the identity
    (Lewandowski, Kurowicka and Joe, Generating random correlation matrices, 2009).

    >>> import tapegrad.torch as torch
    >>> factor = torch.distributions.LKJCholesky(3, 2.0).sample()
    >>> torch.allclose((factor @ factor.T).diagonal(), torch.ones(3))
    True
    """

    arg_constraints: ClassVar[Any] = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(
        self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        if dim < 2:
            raise errors.too_small_matrices(dim)
        self.dim = dim
        self.concentration = as_parameter(concentration)
        super().__init__(self.concentration.shape, (dim, dim), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.dim = self.dim
        return new

    @property
    def rows(self) -> Any:
        """The numbers from 1 on of the rows below the first, in the dtype of the concentration."""
        like = self.concentration
        return arange(1, self.dim, dtype=like.dtype, device=like.device)

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            c = self.concentration[..., None]
            # the square length of a row in front of the diagonal, and its direction (the onion)
            lengths = Beta(self.rows / 2, c + (self.dim - 1 - self.rows) / 2, validate_args=False)
            square = lengths.sample(sample_shape)[..., None]
            shape = (*square.shape[:-1], self.dim)
            sides = normals_like(square, shape).tril()
            sides = sides / sides.norm(dim=-1, keepdim=True) * square.sqrt()
            factor = normals_like(square, self._extended_shape(sample_shape)).zero_()
            factor[..., 1:, :] = sides
            tiny = finfo(factor.dtype).tiny
            heights = (1 - (factor**2).sum(-1)).clamp(min=tiny).sqrt()
            return factor + heights.diag_embed()

    def log_prob(self, value: Any) -> Any:
        self.check(value)
        c = self.concentration
        n = self.dim - 1
        powers = 2 * (c - 1)[..., None] + n - self.rows
        density = (powers * value.diagonal(dim1=-2, dim2=-1)[..., 1:].log()).sum(-1)
        top = c + n / 2
        area = multigammaln(top - 0.5, n) + n * (math.log(math.pi) / 2 - top.lgamma())
        return density - area
