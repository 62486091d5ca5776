"""Errors of folding, resizing and sampling."""

from __future__ import annotations

from typing import Any

from ....torch.dtypes import of_numpy


def unfolded_axes(n: int, shape: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected {n + 1}D or {n + 2}D (batch mode) tensor with possibly 0 batch size and other "
        f"non-zero dimensions for input, but got: {list(shape)}"
    )


def no_windows(shape: Any, kernel: Any) -> RuntimeError:
    return RuntimeError(
        f"Given input with spatial size {list(shape[2:])}, kernel_size={list(kernel)}, calculated "
        "shape of the array of sliding blocks is not positive: its components must be at least one."
    )


def folded_axes(shape: Any) -> RuntimeError:
    return RuntimeError(
        "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
        f"dimensions for input, but got: {list(shape)}"
    )


def folded_channels(shape: Any, kernel: Any) -> RuntimeError:
    return RuntimeError(
        "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but "
        f"got input.size(1)={shape[1]} and kernel_size={list(kernel)}."
    )


def folded_windows(to: Any, kernel: Any, windows: Any, got: int) -> RuntimeError:
    return RuntimeError(
        f"Given output_size={list(to)}, kernel_size={list(kernel)}, expected size of input's "
        f"dimension 2 to match the calculated number of sliding blocks {windows[0]} * {windows[1]} "
        f"= {windows[0] * windows[1]}, but got input.size(2)={got}."
    )


def shuffled_axes(name: str, n: int) -> RuntimeError:
    return RuntimeError(
        f"{name} expects input to have at least 3 dimensions, but got input with {n} dimension(s)"
    )


def shuffled_channels(r: int, channels: int) -> RuntimeError:
    return RuntimeError(
        "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
        f"upscale_factor, but input.size(-3)={channels} is not divisible by {r * r}"
    )


def unshuffled_size(name: str, length: int, r: int) -> RuntimeError:
    return RuntimeError(
        f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but {name}={length} "
        f"is not divisible by {r}"
    )


def shuffled_groups(channels: int, groups: int) -> RuntimeError:
    return RuntimeError(
        f"Number of channels must be divisible by groups. Got {channels} channels and {groups} "
        "groups."
    )


def interpolated_size(n: int, given: Any) -> ValueError:
    return ValueError(
        f"Input and output must have the same number of spatial dimensions, but got input with "
        f"{n} spatial dimensions and output size or scale_factor of {list(given)}. Please provide "
        "input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format."
    )


def aligned_mode() -> ValueError:
    return ValueError(
        "align_corners option can only be set with the interpolating modes: linear | bilinear | "
        "bicubic | trilinear"
    )


def interpolated_mode(n: int, mode: str) -> NotImplementedError:
    return NotImplementedError(
        "Input Error: Only 3D, 4D and 5D input Tensors supported (got "
        f"{n}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | area | "
        f"nearest-exact (got {mode})"
    )


def interpolated_to(lengths: Any, to: Any) -> RuntimeError:
    return RuntimeError(
        f"Input and output sizes should be greater than 0, but got input {list(lengths)} output "
        f"{list(to)}"
    )


def older_name(name: str) -> str:
    return f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead."


DEFAULT_CORNERS = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. "
    "Please specify align_corners=True if the old behavior is desired."
)


def sampled_mode(mode: str) -> ValueError:
    return ValueError(
        "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but "
        f"got: '{mode}'"
    )


def sampled_edges(edges: str) -> ValueError:
    return ValueError(
        "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
        f"'reflection', but got: '{edges}'"
    )


def grid_of_integers(theta: Any) -> ValueError:
    return ValueError(
        f"Expected theta to have floating point type, but got {of_numpy(theta.dtype)}"
    )


def grid_size(size: Any) -> RuntimeError:
    return RuntimeError(
        "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
        f"respectively, with non-zero, positive output size. Got size {list(size)}."
    )


def grid_of_maps(n: int, theta: Any, size: Any) -> ValueError:
    return ValueError(
        f"Expected a batch of {n}D affine matrices of shape Nx{n}x{n + 1} for size {list(size)}. "
        f"Got torch.Size({list(theta)})."
    )
