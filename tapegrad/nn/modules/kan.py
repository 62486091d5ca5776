"""Kolmogorov-Arnold networks: layers of learned functions of one variable (Liu et al., 2024)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from ...core.modes import no_grad
from ...torch import linalg
from ...torch.creation import as_tensor
from ...torch.filling import arange
from ...torch.joining import cat
from ...torch.random import rand
from .. import functional, init
from .container import ModuleList
from .module import Module
from .utils import learned

__all__ = ["KAN", "KANLinear"]


class KANLinear(Module):
    """Output j is the sum over inputs i of ``base_weight[j, i] silu(x_i) + spline_ji(x_i)``.

    The splines have degree `spline_order` on `grid_size` equal intervals of `grid_range`, which the
    knots extend on both sides; outside of the knots they are zero. Their coefficients are
    ``spline_weight[j, i] * spline_scaler[j, i]``.

    >>> import tapegrad.torch as torch
    >>> from tapegrad import nn
    >>> nn.KANLinear(3, 2)(torch.zeros(5, 3)).shape
    torch.Size([5, 2])
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        grid_size: int = 5,
        spline_order: int = 3,
        scale_noise: float = 0.1,
        scale_base: float = 1.0,
        scale_spline: float = 1.0,
        enable_standalone_scale_spline: bool = True,
        base_activation: Callable[[Any], Any] = functional.silu,
        grid_range: Sequence[float] = (-1.0, 1.0),
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        low, high = grid_range
        if grid_size < 1 or spline_order < 0 or not low < high:
            raise ValueError(
                f"KANLinear needs grid_size >= 1, spline_order >= 0 and an increasing grid_range, "
                f"but got {grid_size=}, {spline_order=} and {grid_range=}."
            )
        self.in_features = in_features
        self.out_features = out_features
        self.grid_size = grid_size
        self.spline_order = spline_order
        self.scale_noise = scale_noise
        self.scale_base = scale_base
        self.scale_spline = scale_spline
        self.enable_standalone_scale_spline = enable_standalone_scale_spline
        self.base_activation = base_activation
        self.grid_range = (float(low), float(high))
        self.base_weight = learned((out_features, in_features), device, dtype)
        count = grid_size + spline_order
        self.spline_weight = learned((out_features, in_features, count), device, dtype)
        scaler = None
        if enable_standalone_scale_spline:
            scaler = learned((out_features, in_features), device, dtype)
        self.register_parameter("spline_scaler", scaler)
        d = self.base_weight.dtype
        knots: Any = arange(-spline_order, grid_size + spline_order + 1, dtype=d, device=device)
        knots = knots * ((high - low) / grid_size) + low
        self.register_buffer("grid", knots.expand(in_features, -1).clone())
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights anew; the splines begin near zero."""
        init.kaiming_uniform_(self.base_weight, a=math.sqrt(5) * self.scale_base)
        with no_grad():
            k = self.spline_order
            points = self.grid.t()[k : self.grid.size(1) - k]
            noise: Any = rand(self.grid_size + 1, self.in_features, self.out_features) - 0.5
            noise = noise.to(points.dtype) * (self.scale_noise / self.grid_size)
            factor = 1.0 if self.enable_standalone_scale_spline else self.scale_spline
            self.spline_weight.copy_(factor * self.curve2coeff(points, noise))
            if self.spline_scaler is not None:
                init.kaiming_uniform_(self.spline_scaler, a=math.sqrt(5) * self.scale_spline)

    def b_splines(self, x: Any) -> Any:
        """The basis splines at (N, in_features): (N, in_features, grid_size + spline_order).

        By the recursion of Cox and de Boor.
        """
        if x.dim() != 2 or x.size(1) != self.in_features:
            raise ValueError(
                f"KANLinear: the input must have shape (N, {self.in_features}), not "
                f"{tuple(x.shape)}."
            )
        grid = self.grid
        x = x.unsqueeze(-1)
        bases = ((x >= grid[:, :-1]) & (x < grid[:, 1:])).to(x.dtype)
        for k in range(1, self.spline_order + 1):
            rising = (x - grid[:, : -k - 1]) / (grid[:, k:-1] - grid[:, : -k - 1])
            falling = (grid[:, k + 1 :] - x) / (grid[:, k + 1 :] - grid[:, 1:-k])
            bases = rising * bases[..., :-1] + falling * bases[..., 1:]
        return bases

    def curve2coeff(self, x: Any, y: Any) -> Any:
        """The coefficients (out, in, ...) of splines through values y (N, in, out) at x (N, in).

        In the sense of least squares.
        """
        bases = self.b_splines(x).transpose(0, 1)  # (in, N, coefficients)
        return linalg.lstsq(bases, y.transpose(0, 1)).solution.permute(2, 0, 1)

    @property
    def scaled_spline_weight(self) -> Any:
        """The coefficients of the splines."""
        if self.spline_scaler is None:
            return self.spline_weight
        return self.spline_weight * self.spline_scaler.unsqueeze(-1)

    def forward(self, x: Any) -> Any:
        """The outputs (..., out_features) for (..., in_features)."""
        shape = x.shape
        flat = x.reshape(-1, self.in_features)
        base = functional.linear(self.base_activation(flat), self.base_weight)
        bases = self.b_splines(flat).reshape(flat.size(0), -1)
        weight = self.scaled_spline_weight.reshape(self.out_features, -1)
        out = base + functional.linear(bases, weight)
        return out.reshape(*shape[:-1], self.out_features)

    def update_grid(self, x: Any, margin: float = 0.01) -> None:
        """Place the knots by the quantiles of inputs (N, in_features); the function stays near.

        Half of each knot's place is that of an equal grid, so that knots stay apart.
        """
        with no_grad():
            before = self.b_splines(x)  # (N, in, coefficients)
            by_input = before.permute(1, 0, 2) @ self.scaled_spline_weight.permute(1, 2, 0)
            values = by_input.permute(1, 0, 2)
            ordered = x.sort(dim=0).values
            n = x.size(0)
            places = [round(i * (n - 1) / self.grid_size) for i in range(self.grid_size + 1)]
            adaptive = ordered[as_tensor(places)]
            step = (ordered[-1] - ordered[0] + 2 * margin) / self.grid_size
            steps = arange(self.grid_size + 1, dtype=x.dtype).unsqueeze(1)
            equal = steps * step + ordered[0] - margin
            inner = 0.5 * adaptive + 0.5 * equal
            outer = arange(1, self.spline_order + 1, dtype=x.dtype).unsqueeze(1) * step
            knots = cat([inner[:1] - outer.flip(0), inner, inner[-1:] + outer])
            self.grid.copy_(knots.t())
            coefficients = self.curve2coeff(x, values)
            if self.spline_scaler is not None:
                coefficients = coefficients / self.spline_scaler.unsqueeze(-1)
            self.spline_weight.copy_(coefficients)

    def regularization_loss(
        self, regularize_activation: float = 1.0, regularize_entropy: float = 1.0
    ) -> Any:
        """The sum of the splines' mean magnitudes, and the entropy of how they are distributed."""
        sizes = self.spline_weight.abs().mean(-1)
        total = sizes.sum()
        shares = sizes / total
        entropy = -(shares * shares.log()).sum()
        return regularize_activation * total + regularize_entropy * entropy

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"grid_size={self.grid_size}, spline_order={self.spline_order}"
        )


class KAN(Module):
    """`KANLinear` layers one after the other: ``KAN([2, 5, 1])`` is of two.

    The further arguments are those of `KANLinear`.
    """

    def __init__(self, layers_hidden: Sequence[int], *args: Any, **kwargs: Any) -> None:
        super().__init__()
        sizes = list(layers_hidden)
        if len(sizes) < 2:
            raise ValueError(
                f"KAN needs the sizes of at least two layers, as in KAN([2, 5, 1]), not {sizes}."
            )
        self.layers = ModuleList(KANLinear(a, b, *args, **kwargs) for a, b in pairwise(sizes))

    def forward(self, x: Any, update_grid: bool = False) -> Any:
        """The outputs of the last layer; with `update_grid`, knots are placed by the inputs."""
        for layer in self.layers:
            if update_grid:
                layer.update_grid(x)
            x = layer(x)
        return x

    def regularization_loss(
        self, regularize_activation: float = 1.0, regularize_entropy: float = 1.0
    ) -> Any:
        """The sum of the layers' regularisation losses."""
        first, *rest = (
            layer.regularization_loss(regularize_activation, regularize_entropy)
            for layer in self.layers
        )
        for loss in rest:
            first = first + loss
        return first
