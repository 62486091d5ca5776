"""Errors of normalisations."""

from __future__ import annotations

from typing import Any


def grouped_axes(shape: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected at least 2 dimensions for input tensor but received {len(shape)}"
    )


def uneven_channels(shape: Any, many: int) -> RuntimeError:
    return RuntimeError(
        "Expected number of channels in input to be divisible by num_groups, but got input of "
        f"shape {list(shape)} and num_groups={many}"
    )


def affine_of_channels(name: str, shape: Any, own: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected {name} to be a vector of size equal to the number of channels in input, but "
        f"got {name} of shape {list(shape)} and input of shape {list(own)}"
    )


def single_value(shape: Any) -> ValueError:
    return ValueError(
        "Expected more than 1 value per channel when training, got input size "
        f"torch.Size({list(shape)})\nA single value has no variance: use a larger batch, or "
        ".eval()."
    )


def single_element(shape: Any) -> ValueError:
    return ValueError(
        "Expected more than 1 spatial element when training, got input size "
        f"torch.Size({list(shape)})"
    )


def batched_axes(shape: Any) -> ValueError:
    return ValueError(f"expected at least 2D input (got {len(shape)}D input)")


def numbers_of_channels(name: str, got: int, channels: int) -> RuntimeError:
    return RuntimeError(
        f"{name} should contain {channels} elements not {got}\nOne for each channel, the second "
        "axis of the input."
    )


def response_axes(n: int) -> ValueError:
    return ValueError(f"Expected 3D or higher dimensionality input (got {n} dimensions)")
