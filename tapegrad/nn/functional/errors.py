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
