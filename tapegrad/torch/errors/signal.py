"""Errors about windows and short-time spectra."""

from __future__ import annotations

from typing import Any


def negative_window(name: str, count: int) -> ValueError:
    return ValueError(f"{name} requires non-negative window length, got M={count}")


def negative_window_length(name: str, count: int) -> RuntimeError:
    return RuntimeError(f"{name} requires non-negative window_length, got window_length={count}")


def window_dtype(name: str, d: Any) -> ValueError:
    return ValueError(f"{name} expects float32 or float64 dtypes, got: {d}")


def not_positive(what: str, given: float) -> ValueError:
    return ValueError(f"{what} must be positive, got: {given} instead.")


def negative_beta(beta: float) -> ValueError:
    return ValueError(f"beta must be non-negative, got: {beta} instead.")


def centre_of_symmetric() -> ValueError:
    return ValueError("Center must be None for symmetric windows\nPass sym=False with it.")


def no_coefficients(kind: type[Exception], what: str) -> Exception:
    return kind(f"Coefficients {what}")


def complex_not_chosen() -> RuntimeError:
    return RuntimeError(
        "stft requires the return_complex parameter be given for real inputs, and will further "
        "require that return_complex=True in a future PyTorch release."
    )


def aligned_and_centred() -> RuntimeError:
    return RuntimeError("stft align_to_window should only be set when center = false")


def bad_frames(name: str, expected: str, given: Any) -> RuntimeError:
    return RuntimeError(f"{name}: expected {expected}, but got {given}")


def one_sided_complex() -> RuntimeError:
    return RuntimeError("Cannot have onesided output if window or input is complex")


def padding_too_wide(pad: int, size: int) -> RuntimeError:
    return RuntimeError(
        "Padding size should be less than the corresponding input dimension, but got: padding "
        f"({pad}, {pad}) of an input of {size} elements\nPass center=False, or a shorter n_fft."
    )


def real_spectrum() -> RuntimeError:
    return RuntimeError(
        "istft requires a complex-valued input tensor matching the output from stft with "
        "return_complex=True."
    )


def uncovered(least: float) -> RuntimeError:
    return RuntimeError(
        f"istft: window overlap add min: {least}\nShifted windows must leave no place uncovered: "
        "shorten hop_length, or pass center=True."
    )
