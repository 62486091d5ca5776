"""The errors of mixed precision."""

from __future__ import annotations

from typing import Any

AUTOCAST_WITHOUT_CUDA = "CUDA is not available or torch_xla is imported. Disabling autocast."

SCALER_WITHOUT_CUDA = (
    "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling. "
    'For a CPU, say GradScaler("cpu").'
)


def device_type_is_no_string(x: Any) -> ValueError:
    return ValueError(f"Expected `device_type` of type `str`, got: `{type(x)}`")


def no_autocast(device: str) -> RuntimeError:
    return RuntimeError(f"User specified an unsupported autocast device_type '{device}'")


def autocast_dtype(device: str) -> str:
    return (
        f"In {device.upper()} autocast, but the target dtype is not supported. Disabling autocast."
        f"\n{device.upper()} Autocast only supports dtypes of torch.bfloat16, torch.float16 "
        "currently."
    )


def autocast_of_value(x: Any) -> TypeError:
    return TypeError(
        f"autocast()(func) requires a callable, but got {type(x).__name__}. Did you mean to use "
        "autocast as a context manager? For example:\n    with torch.autocast(device_type=...):\n"
        "        output = model(input)"
    )


def bad_scaler_factor(which: str, relation: str) -> AssertionError:
    return AssertionError(f"The {which} factor must be {relation} 1.0.")


def scaled_outputs() -> ValueError:
    return ValueError("outputs must be a Tensor or an iterable of Tensors")


def nothing_scaled(function: str) -> AssertionError:
    return AssertionError(
        f"Attempted {function} but _scale is None.  This may indicate your script did not use "
        "scaler.scale(loss or outputs) earlier in the iteration."
    )


def unscaled_twice() -> RuntimeError:
    return RuntimeError(
        "unscale_() has already been called on this optimizer since the last update()."
    )


def unscaled_after_step() -> RuntimeError:
    return RuntimeError("unscale_() is being called after step().")


def unscaled_halves() -> ValueError:
    return ValueError(
        "Attempting to unscale FP16 gradients. Keep the parameters in single precision; autocast "
        "casts them where that is of use."
    )


def stepped_twice() -> RuntimeError:
    return RuntimeError("step() has already been called since the last update().")


def closure_with_scaler() -> RuntimeError:
    return RuntimeError("Closure use is not currently supported if GradScaler is enabled.")


def nothing_unscaled() -> AssertionError:
    return AssertionError("No inf checks were recorded prior to update.")


def nothing_to_unscale() -> AssertionError:
    return AssertionError(
        "No inf checks were recorded for this optimizer.\nNone of its parameters has a gradient: "
        "call scaler.scale(loss).backward() first."
    )


def empty_scaler_state() -> RuntimeError:
    return RuntimeError(
        "The source state dict is empty, possibly because it was saved from a disabled instance "
        "of GradScaler."
    )


def bad_scale() -> AssertionError:
    return AssertionError(
        "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor "
        "with requires_grad=False."
    )


def scaler_in_use() -> AssertionError:
    return AssertionError(
        "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end "
        "after scaler.update()."
    )
