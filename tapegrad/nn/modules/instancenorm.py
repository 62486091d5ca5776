"""Normalisation of each channel of each example."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from .. import functional
from .batchnorm import _LazyNormBase, _NormBase

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _InstanceNorm(_NormBase):
    """Normalises each channel of each example to mean 0 and variance 1."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def forward(self, input: Any) -> Any:
        self._check_input_dim(input)
        axis = input.dim() - self.axes[0]  # 0 without a batch
        if input.size(axis) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={axis} to match num_features "
                    f"({self.num_features}), but got: {input.size(axis)}."
                )
            warnings.warn(
                f"input's size at dim={axis} does not match num_features. You can silence this "
                "warning by not passing in num_features, which is not used because affine=False",
                stacklevel=2,
            )
        if axis == 0:
            return self._normalise(input.unsqueeze(0)).squeeze(0)
        return self._normalise(input)

    def _normalise(self, input: Any) -> Any:
        return functional.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], *rest: Any
    ) -> None:
        names = [n for n in ("running_mean", "running_var") if prefix + n in state_dict]
        if local_metadata.get("version") is None and not self.track_running_stats and names:
            kind = type(self).__name__
            listed = " and ".join(f'"{prefix}{name}"' for name in names)
            rest[-1].append(
                f"Unexpected running stats buffer(s) {listed} for {kind} with "
                "track_running_stats=False. If state_dict is a checkpoint saved before 0.4.0, this "
                f"may be expected because {kind} does not track running stats by default since "
                "0.4.0. Please remove these keys from state_dict. If the running stats are "
                f"actually needed, instead set track_running_stats=True in {kind} to enable "
                f"them. See the documentation of {kind} for details."
            )
            for name in names:
                state_dict.pop(prefix + name)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


class InstanceNorm1d(_InstanceNorm):
    """`functional.instance_norm` of (N, C, L) or (C, L)."""

    axes = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """`functional.instance_norm` of (N, C, H, W) or (C, H, W)."""

    axes = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """`functional.instance_norm` of (N, C, D, H, W) or (C, D, H, W)."""

    axes = (4, 5)


class LazyInstanceNorm1d(_LazyNormBase, InstanceNorm1d):
    """An `InstanceNorm1d` that takes `num_features` from its first input."""

    cls_to_become: ClassVar[type[Any] | None] = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNormBase, InstanceNorm2d):
    """An `InstanceNorm2d` that takes `num_features` from its first input."""

    cls_to_become: ClassVar[type[Any] | None] = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNormBase, InstanceNorm3d):
    """An `InstanceNorm3d` that takes `num_features` from its first input."""

    cls_to_become: ClassVar[type[Any] | None] = InstanceNorm3d
