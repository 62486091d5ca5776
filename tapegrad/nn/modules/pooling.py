"""Pooling: a value for each window."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import functional
from .module import Module
from .utils import _ntuple

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class Axes(Module):
    """A module for so many axes beside those of the batch and of the channels."""

    axes: ClassVar[int]

    def described(self, *names: str) -> str:
        """Attributes as a representation shows them."""
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class _MaxPoolNd(Axes):
    """The largest element of each window, and where it is if `return_indices`."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Any) -> Any:
        function = (functional.max_pool1d, functional.max_pool2d, functional.max_pool3d)[
            self.axes - 1
        ]
        return function(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    def extra_repr(self) -> str:
        return self.described("kernel_size", "stride", "padding", "dilation", "ceil_mode")


class MaxPool1d(_MaxPoolNd):
    """`functional.max_pool1d` of (N, C, L) or (C, L)."""

    axes = 1


class MaxPool2d(_MaxPoolNd):
    """`functional.max_pool2d` of (N, C, H, W) or (C, H, W)."""

    axes = 2


class MaxPool3d(_MaxPoolNd):
    """`functional.max_pool3d` of (N, C, D, H, W) or (C, D, H, W)."""

    axes = 3


class _MaxUnpoolNd(Axes):
    """Puts the results of a max pooling where they were, with zeros around."""

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        each = _ntuple(self.axes)
        self.kernel_size = each(kernel_size)
        self.stride = each(kernel_size if stride is None else stride)
        self.padding = each(padding)

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        function = (functional.max_unpool1d, functional.max_unpool2d, functional.max_unpool3d)[
            self.axes - 1
        ]
        return function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return self.described("kernel_size", "stride", "padding")


class MaxUnpool1d(_MaxUnpoolNd):
    """`functional.max_unpool1d`: the inverse of `MaxPool1d` with its indices."""

    axes = 1


class MaxUnpool2d(_MaxUnpoolNd):
    """`functional.max_unpool2d`: the inverse of `MaxPool2d` with its indices."""

    axes = 2


class MaxUnpool3d(_MaxUnpoolNd):
    """`functional.max_unpool3d`: the inverse of `MaxPool3d` with its indices."""

    axes = 3


class AvgPool1d(Axes):
    """`functional.avg_pool1d`: the mean of each window of (N, C, L) or (C, L)."""

    axes = 1

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        each = _ntuple(1)
        self.kernel_size = each(kernel_size)
        self.stride = each(kernel_size if stride is None else stride)
        self.padding = each(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Any) -> Any:
        return functional.avg_pool1d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
        )

    def extra_repr(self) -> str:
        return self.described("kernel_size", "stride", "padding")


class AvgPool2d(Axes):
    """`functional.avg_pool2d`: the mean of each window of (N, C, H, W) or (C, H, W)."""

    axes = 2

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Any) -> Any:
        function = functional.avg_pool2d if self.axes == 2 else functional.avg_pool3d
        return function(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def extra_repr(self) -> str:
        return self.described("kernel_size", "stride", "padding")


class AvgPool3d(AvgPool2d):
    """`functional.avg_pool3d`: the mean of each window of (N, C, D, H, W) or (C, D, H, W)."""

    axes = 3


class _FractionalMaxPool(Axes):
    """The largest elements of windows that are chosen at random (Graham, 2014)."""

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> None:
        super().__init__()
        each = _ntuple(self.axes)
        name = type(self).__name__
        if output_size is None and output_ratio is None:
            raise ValueError(
                f"{name} requires specifying either an output size, or a pooling ratio"
            )
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if output_ratio is not None and not all(0 < r < 1 for r in each(output_ratio)):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {each(output_ratio)})")
        self.kernel_size = each(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else each(output_size)
        self.output_ratio = None if output_ratio is None else each(output_ratio)

    def forward(self, input: Any) -> Any:
        function = (
            functional.fractional_max_pool2d if self.axes == 2 else functional.fractional_max_pool3d
        )
        return function(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool2d(_FractionalMaxPool):
    """`functional.fractional_max_pool2d`."""

    axes = 2


class FractionalMaxPool3d(_FractionalMaxPool):
    """`functional.fractional_max_pool3d`."""

    axes = 3


class _LPPoolNd(Axes):
    """The p-norm of each window."""

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Any) -> Any:
        function = (functional.lp_pool1d, functional.lp_pool2d, functional.lp_pool3d)[self.axes - 1]
        return function(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        return self.described("norm_type", "kernel_size", "stride", "ceil_mode")


class LPPool1d(_LPPoolNd):
    """`functional.lp_pool1d`."""

    axes = 1


class LPPool2d(_LPPoolNd):
    """`functional.lp_pool2d`."""

    axes = 2


class LPPool3d(_LPPoolNd):
    """`functional.lp_pool3d`."""

    axes = 3


class _AdaptiveMaxPoolNd(Axes):
    """The largest element of each of so many windows that the result has a given size."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Any) -> Any:
        function = (
            functional.adaptive_max_pool1d,
            functional.adaptive_max_pool2d,
            functional.adaptive_max_pool3d,
        )
        return function[self.axes - 1](input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        return self.described("output_size")


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """`functional.adaptive_max_pool1d`."""

    axes = 1


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """`functional.adaptive_max_pool2d`."""

    axes = 2


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """`functional.adaptive_max_pool3d`."""

    axes = 3


class _AdaptiveAvgPoolNd(Axes):
    """The mean of each of so many windows that the result has a given size."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Any) -> Any:
        function = (
            functional.adaptive_avg_pool1d,
            functional.adaptive_avg_pool2d,
            functional.adaptive_avg_pool3d,
        )
        return function[self.axes - 1](input, self.output_size)

    def extra_repr(self) -> str:
        return self.described("output_size")


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """`functional.adaptive_avg_pool1d`."""

    axes = 1


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """`functional.adaptive_avg_pool2d`."""

    axes = 2


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """`functional.adaptive_avg_pool3d`."""

    axes = 3
