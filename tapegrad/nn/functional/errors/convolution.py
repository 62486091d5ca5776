"""Errors of convolutions and padding."""

from __future__ import annotations

from typing import Any

from ....torch.dtypes import of_numpy


def wrong_length(function: str, name: str, n: int, values: Any) -> RuntimeError:
    return RuntimeError(
        f"{function}: expected {name} to be a single integer value or a list of {n} values to "
        f"match the convolution dimensions, but got {name}={list(values)}"
    )


def wrong_axes(function: str, n: int, shape: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {function}, but got input "
        f"of size: {list(shape)}"
    )


def wrong_kernel_axes(n: int, shape: Any) -> RuntimeError:
    return RuntimeError(
        f"expected a weight with {n + 2} dimensions (channels out, channels in, and {n} of the "
        f"kernel), but got weight of size {list(shape)}"
    )


def convolved_dtypes(x: Any, weight: Any, bias: Any) -> RuntimeError:
    other, name = (weight, "weight") if weight.dtype != x.dtype else (bias, "bias")
    return RuntimeError(
        f"Input type ({of_numpy(x.dtype)}) and {name} type ({of_numpy(other.dtype)}) should be "
        "the same\nConvert one of them with .to(dtype)."
    )


def uneven_groups(groups: int, weight: Any) -> RuntimeError:
    return RuntimeError(
        f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but "
        f"got weight of size {list(weight)} instead"
    )


def convolved_channels(
    groups: int, weight: Any, x: Any, channels: int, transposed: bool
) -> RuntimeError:
    kind = "transposed=1, " if transposed else ""
    return RuntimeError(
        f"Given {kind}groups={groups}, weight of size {list(weight)}, expected input{list(x)} to "
        f"have {channels} channels, but got {x[1]} channels instead\nImages are (N, C, ...): "
        "channels are the second axis."
    )


def convolved_bias(groups: int, weight: Any, made: int, bias: Any) -> RuntimeError:
    return RuntimeError(
        f"Given groups={groups}, weight of size {list(weight)}, expected bias to be 1-dimensional "
        f"with {made} elements, but got bias of size {list(bias)} instead"
    )


def bad_padding(padding: str) -> RuntimeError:
    return RuntimeError(f"Invalid padding string: '{padding}'. It is 'same', 'valid' or numbers.")


def sizes_of(lengths: Any) -> str:
    return " x ".join(map(str, lengths))


def kernel_too_large(room: Any, spans: Any) -> RuntimeError:
    return RuntimeError(
        f"Calculated padded input size per channel: ({sizes_of(room)}). Kernel size: "
        f"({sizes_of(spans)}). Kernel size can't be greater than actual input size"
    )


def too_much_output_padding(extra: Any, steps: Any, dilations: Any) -> RuntimeError:
    return RuntimeError(
        "output padding must be smaller than either stride or dilation, but got output_padding "
        f"{list(extra)}, stride {list(steps)} and dilation {list(dilations)}"
    )


def output_too_small(lengths: Any, to: Any) -> RuntimeError:
    return RuntimeError(
        f"Given input size per channel: ({sizes_of(lengths)}). Calculated output size per "
        f"channel: ({sizes_of(to)}). Output size is too small"
    )


def negative_length(shape: Any, widths: Any) -> RuntimeError:
    return RuntimeError(
        f"The input size {list(shape)}, plus negative padding {widths}, resulted in a negative "
        "output size, which is invalid."
    )


def too_many_widths(widths: int, n: int) -> RuntimeError:
    return RuntimeError(
        "Padding length should be less than or equal to two times the input dimension but got "
        f"padding length {widths} and input of dimension {n}"
    )


def value_of_mode(mode: str) -> ValueError:
    return ValueError(f'Padding mode "{mode}" doesn\'t take in value argument')


def unknown_mode(mode: str) -> NotImplementedError:
    return NotImplementedError(
        f"Unrecognised padding mode {mode}\nThere are constant, reflect, replicate and circular."
    )


def widths_of_mode(n: int, mode: str) -> NotImplementedError:
    return NotImplementedError(
        "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now: "
        f"{mode} padding of an input of {n} dimensions takes two widths for each of its last "
        f"{max(n - 2, 1)} or {max(n - 1, 1)}"
    )


def too_wide(mode: str, axis: int, widths: Any, shape: Any) -> RuntimeError:
    return RuntimeError(
        "Argument #4: Padding size should be less than the corresponding input dimension, but "
        f"got: padding {widths} at dimension {axis} of input {list(shape)}"
    )


def wraps_twice() -> RuntimeError:
    return RuntimeError("Padding value causes wrapping around more than once.")


def nothing_to_repeat(shape: Any) -> RuntimeError:
    return RuntimeError(f"Expected a tensor with non-empty axes to pad, but got: {list(shape)}")
