"""Errors of activations, distributions and dropout."""

from __future__ import annotations

from typing import Any

from ....torch.dtypes import of_numpy


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
