"""The errors of `nn.functional`: PyTorch's own words, and a line of advice."""

from __future__ import annotations

from typing import Any

from ...torch.dtypes import of_numpy
from ...torch.errors.types import SCALARS


def not_implemented(name: str, d: Any) -> RuntimeError:
    return RuntimeError(
        f"\"{name}\" not implemented for '{SCALARS[d.name]}'\nConvert first, for example with "
        ".float()."
    )


def bad_gelu() -> RuntimeError:
    return RuntimeError("approximate argument must be either none or tanh.")


def negative_lambda(lambd: float) -> RuntimeError:
    return RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd}.")


def different_types(start: str, a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"{start} {of_numpy(a.dtype)} and {of_numpy(b.dtype)}\nConvert one of them with .to(dtype)."
    )


def prelu_weight(n: int) -> RuntimeError:
    return RuntimeError(
        f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {n}"
    )


def prelu_channels(weights: int, channels: int) -> RuntimeError:
    return RuntimeError(
        "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
        f"{weights} and channel size = {channels}."
    )


def uneven_halves(dim: int, length: int) -> RuntimeError:
    return RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {length}")


def implicit_axis(name: str) -> str:
    return (
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
        "dim=X as an argument."
    )


def different_matrices(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"mat1 and mat2 must have the same dtype, but got {SCALARS[of_numpy(a.dtype).name]} and "
        f"{SCALARS[of_numpy(b.dtype).name]}\nConvert one of them with .to(dtype)."
    )


def linear_shapes(x: Any, weight: Any) -> RuntimeError:
    rows = 1
    for n in x[:-1]:
        rows *= n
    return RuntimeError(
        f"mat1 and mat2 shapes cannot be multiplied ({rows}x{x[-1] if x else 0} and "
        f"{weight[-1] if weight else 0}x{weight[0] if len(weight) > 1 else 1})\nThe last axis of "
        "the input must be as long as that of the weight (out, in)."
    )


def bilinear_batch(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"bilinear(): input batch dimensions do not match: got {list(a[:-1])} and {list(b[:-1])}"
    )


def bilinear_size(number: int, got: int, wanted: int) -> RuntimeError:
    return RuntimeError(
        f"bilinear(): input{number} size does not match weight size: got {got} but expected "
        f"{wanted}"
    )


def bad_reduction(reduction: str) -> ValueError:
    return ValueError(f"{reduction} is not a valid value for reduction: none, mean or sum is")


def older_arguments(found: str) -> str:
    return (
        f"size_average and reduce args will be deprecated, please use reduction='{found}' instead."
    )


def broadcast_target(target: Any, input: Any) -> str:
    return (
        f"Using a target size (torch.Size({list(target)})) that is different to the input size "
        f"(torch.Size({list(input)})). This will likely lead to incorrect results due to "
        "broadcasting. Please ensure they have the same size."
    )


def sizes_differ(input: Any, target: Any) -> RuntimeError:
    return RuntimeError(
        f"The size of tensor a {list(input)} must match the size of tensor b {list(target)}"
    )


MEAN_OF_DIVERGENCE = (
    "reduction: 'mean' divides the total loss by both the batch size and the support size."
    "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
    "'mean' will be changed to behave the same as 'batchmean' in the next major release."
)


def label_beyond(label: int) -> IndexError:
    return IndexError(
        f"Target {label} is out of bounds.\nLabels are from 0 to one less than the number of "
        "classes, or ignore_index."
    )


def batch_of_labels(batch: int, target: Any) -> ValueError:
    return ValueError(
        f"Expected input batch_size ({batch}) to match target batch_size "
        f"({target[0] if target else 0}).\nGive a label for each row of the input."
    )


def shape_of_labels(input: Any, target: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected target size {[input[0], *input[2:]]}, got {list(target)}\nThe target has the "
        "shape of the input without its axis of classes, the second."
    )


def shape_of_probabilities(input: Any, target: Any) -> RuntimeError:
    return RuntimeError(
        f"cross_entropy(): expected target of probabilities {list(target)} to have the shape of "
        f"the input {list(input)}"
    )


def weight_of_classes(classes: int, weight: Any) -> RuntimeError:
    return RuntimeError(
        "weight tensor should be defined either for all "
        f"{classes} classes or no classes but got weight tensor of shape: {list(weight)}"
    )


def not_labels(target: Any) -> RuntimeError:
    return RuntimeError(
        f"expected scalar type Long but found {SCALARS[of_numpy(target.dtype).name]}\nLabels are "
        "integers: convert them with .long()."
    )


def not_probabilities(target: Any) -> RuntimeError:
    return RuntimeError(
        "Expected floating point type for target with class probabilities, got "
        f"{SCALARS[of_numpy(target.dtype).name]}"
    )


def bad_smoothing(smoothing: float) -> RuntimeError:
    return RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {smoothing}")


def target_size(input: Any, target: Any) -> ValueError:
    return ValueError(
        f"Using a target size (torch.Size({list(target)})) that is different to the input size "
        f"(torch.Size({list(input)})) is deprecated. Please ensure they have the same size."
    )


def target_must_match(input: Any, target: Any) -> ValueError:
    return ValueError(
        f"Target size (torch.Size({list(target)})) must be the same as input size "
        f"(torch.Size({list(input)}))"
    )


def ranking_axes(a: Any, b: Any, target: Any) -> RuntimeError:
    return RuntimeError(
        "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
        f"input1: torch.Size({list(a)}), input2: torch.Size({list(b)}), target: "
        f"torch.Size({list(target)}) "
    )


def not_scores(shape: Any) -> RuntimeError:
    return RuntimeError(
        "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
        f"{list(shape)}"
    )


def scores_and_labels(input: Any, target: Any) -> RuntimeError:
    return RuntimeError(f"inconsistent target size: {list(target)} for scores {list(input)}")


def embedding_target(a: Any, b: Any, target: Any) -> RuntimeError:
    return RuntimeError(
        "0D or 1D target tensor expected, multi-target not supported: the target has the shape "
        f"{list(target)}, and the inputs {list(a)} and {list(b)}"
    )


def triplet_axes(anchor: int, positive: int, negative: int) -> RuntimeError:
    return RuntimeError(
        "The anchor, positive, and negative tensors are expected to have the same number of "
        f"dimensions, but got: anchor {anchor}D, positive {positive}D, and negative {negative}D "
        "inputs"
    )


def cosine_of_integers(d: Any) -> RuntimeError:
    return RuntimeError(
        f"expected common dtype to be floating point, yet common dtype is "
        f"{SCALARS[of_numpy(d).name]}"
    )


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


def pooled_padding(padding: int, kernel: int) -> RuntimeError:
    return RuntimeError(
        f"pad should be at most half of effective kernel size, but got pad={padding}, "
        f"kernel_size={kernel}"
    )


def pooled_size(shape: Any, to: Any) -> RuntimeError:
    return RuntimeError(
        f"Given input size: ({sizes_of(shape[1:])}). Calculated output size: "
        f"({sizes_of((shape[1], *to))}). Output size is too small"
    )


def unpooled_indices(x: Any, indices: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected shape of indices to be same as that of the input tensor ({list(x)}) but got "
        f"indices tensor with shape: {list(indices)}"
    )


def unpooled_size(given: Any, to: Any, stride: Any) -> ValueError:
    return ValueError(
        f'invalid output_size "{list(given)}" (each length must be less than a stride '
        f"{list(stride)} away from {list(to)})"
    )


def unpooled_place(values: Any, to: Any) -> RuntimeError:
    wrong = int(values.max()) if values.min() >= 0 else int(values.min())
    return RuntimeError(
        f"Found an invalid max index: {wrong} (output volumes are of size {sizes_of(to)})"
    )


def adaptive_size(name: str, n: int, sizes: Any) -> RuntimeError:
    return RuntimeError(
        f"{name}: output_size must be {n} non-negative numbers, or one for all, got {list(sizes)}"
    )


def adaptive_empty(name: str, shape: Any) -> RuntimeError:
    return RuntimeError(
        f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has "
        f"sizes {list(shape)}"
    )


def fractional_size(name: str, output: int, kernel: int, length: int) -> RuntimeError:
    return RuntimeError(
        f"{name}: kernel size {kernel} is too large relative to input length {length} for an "
        f"output of {output}"
    )


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


def unfolded_axes(shape: Any) -> RuntimeError:
    return RuntimeError(
        "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
        f"dimensions for input, but got: {list(shape)}"
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


def not_index(name: str, index: Any) -> RuntimeError:
    return RuntimeError(
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
        f"Long, Int; but got {SCALARS[of_numpy(index.dtype).name]} instead (while checking "
        f"arguments for {name})\nIndices are integers: convert them with .long()."
    )


def not_long(name: str, index: Any) -> RuntimeError:
    return RuntimeError(
        f"{name} is only applicable to index tensor of type LongTensor, not "
        f"{SCALARS[of_numpy(index.dtype).name]}\nConvert it with .long()."
    )


def weighted_bags(mode: str) -> NotImplementedError:
    return NotImplementedError(
        "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for "
        f"mode='sum' (got mode='{mode}')."
    )


def weights_of_bags(index: Any, weights: Any) -> ValueError:
    return ValueError(
        f"embedding_bag: If per_sample_weights ({list(weights)}) is not None, then it must have "
        f"the same shape as the input ({list(index)})"
    )


def offsets_of_matrix() -> ValueError:
    return ValueError(
        "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of "
        "fixed length sequences."
    )


def first_offset(offset: int) -> RuntimeError:
    return RuntimeError(
        f"offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
        f"position 0. However, got {offset}"
    )


def last_offset(offset: int, length: int) -> RuntimeError:
    return RuntimeError(
        f"offsets[-1] can not be greater than input's length ({length}), but got offsets[-1] of "
        f"{offset}"
    )


def bad_probability(p: float) -> ValueError:
    return ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropped_axes(name: str, rank: int, n: int) -> str:
    return (
        f"{name}: Received a {rank}-D input to {name}, which is deprecated and will result in an "
        f"error in a future release. It takes {n + 1} or {n + 2} dimensions."
    )


def bad_slopes(lower: float, upper: float) -> RuntimeError:
    return RuntimeError(
        f"Lower bound should be less than or equal to the upper bound, got {lower} and {upper}"
    )


def bag_axes(n: int) -> ValueError:
    return ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {n}")


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


def attended_axes(*ranks: int) -> RuntimeError:
    return RuntimeError(
        "scaled_dot_product_attention: Expected query, key, and value to all be  at least 2 "
        f"dimensional, but got query.dim(): {ranks[0]}, key.dim(): {ranks[1]} and value.dim(): "
        f"{ranks[2]} instead."
    )


def attended_dtypes(*tensors: Any) -> RuntimeError:
    names = [str(of_numpy(x.dtype)) for x in tensors]
    return RuntimeError(
        "Expected query, key, and value to have the same dtype, but got query.dtype: "
        f"{names[0]} key.dtype: {names[1]} and value.dtype: {names[2]} instead."
    )


def shared_heads(*shapes: Any) -> RuntimeError:
    return RuntimeError(
        "Number of heads in key and value must divide the number of heads in query, but got "
        f"query {list(shapes[0])}, key {list(shapes[1])} and value {list(shapes[2])}"
    )


def multi_head_axes(n: int) -> AssertionError:
    return AssertionError(
        f"query should be unbatched 2D or batched 3D tensor but received {n}-D query tensor"
    )


def multi_head_mixed(*ranks: int) -> AssertionError:
    return AssertionError(
        f"For {'batched' if ranks[0] == 3 else 'unbatched'} ({ranks[0]}-D) `query`, expected `key` "
        f"and `value` to be {ranks[0]}-D but found {ranks[1]}-D and {ranks[2]}-D tensors "
        "respectively"
    )


def multi_head_size(wanted: int, got: int) -> AssertionError:
    return AssertionError(f"was expecting embedding dimension of {wanted}, but got {got}")


def multi_head_division(size: int, heads: int) -> AssertionError:
    return AssertionError(f"embed_dim {size} not divisible by num_heads {heads}")


def lengths_of_batch(n: int, times: int, lengths: int) -> RuntimeError:
    return RuntimeError(
        f"input_lengths must be of size batch_size and target_lengths too: the batch has {n}, and "
        f"there are {times} and {lengths}"
    )


def input_length(time: int, steps: int) -> RuntimeError:
    return RuntimeError(
        f"Expected input_lengths to have value at most {steps}, but got value {time}"
    )


def bias_of_logits(bias: Any, shape: Any) -> RuntimeError:
    return RuntimeError(
        f"linear_cross_entropy: expected linear_bias of shape {list(shape[:-1])}, but got "
        f"{list(bias.raw.shape)}"
    )
