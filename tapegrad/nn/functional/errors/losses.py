"""Errors of losses."""

from __future__ import annotations

from typing import Any

from ....torch.dtypes import of_numpy
from ....torch.errors.types import SCALARS


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
        "expected target dtype to be Long or Byte, but got "
        f"{SCALARS[of_numpy(target.dtype).name]}\nLabels are integers: convert them with .long()."
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
