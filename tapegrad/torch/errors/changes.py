"""Errors about changes in place and `out=`."""

from __future__ import annotations

from typing import Any

from .types import SCALARS


def leaf_changed() -> RuntimeError:
    return RuntimeError(
        "a leaf Variable that requires grad is being used in an in-place operation.\n"
        "Change it inside `with torch.no_grad():`, or change a clone."
    )


def no_diagonal() -> RuntimeError:
    return RuntimeError("dimensions must larger than 1: a vector has no diagonal.")


def uneven_diagonal() -> RuntimeError:
    return RuntimeError("all dimensions of input must be of equal length")


def resized_with_grad() -> RuntimeError:
    return RuntimeError(
        "cannot resize variables that require grad\nUse .reshape, or resize a detached tensor."
    )


def view_of_leaf_changed() -> RuntimeError:
    return RuntimeError(
        "a view of a leaf Variable that requires grad is being used in an in-place operation.\n"
        "Change it inside `with torch.no_grad():`, or change a view of a clone."
    )


def one_of_views_changed(number: int, name: str) -> RuntimeError:
    return RuntimeError(
        f"Output {number} of {name} is a view and is being modified inplace. This view is the "
        "output of a function that returns multiple views. Such functions do not allow the output "
        "views to be modified inplace. You should replace the inplace operation by an out-of-place "
        "one."
    )


def view_of_no_grad_changed() -> RuntimeError:
    return RuntimeError(
        "A view was created in no_grad mode and is being modified inplace with grad mode enabled. "
        "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify "
        "your code by moving both the view and the inplace either both inside the no_grad block "
        "(if you don't want the inplace to be tracked) or both outside (if you want the inplace to "
        "be tracked)."
    )


def does_not_broadcast(own: Any, shape: Any) -> RuntimeError:
    return RuntimeError(
        f"output with shape {list(own)} doesn't match the broadcast shape {list(shape)}\n"
        "An in-place operation can't enlarge a tensor: use the one that gives a new tensor."
    )


def cannot_store(source: Any, to: Any) -> RuntimeError:
    return RuntimeError(
        f"result type {SCALARS[source.name]} can't be cast to the desired output type "
        f"{SCALARS[to.name]}\nUse the operation that gives a new tensor, or .to(dtype)."
    )


def out_requires_grad(name: str) -> RuntimeError:
    return RuntimeError(
        f"{name}(): functions with out=... arguments don't support automatic differentiation, but "
        "one of the arguments requires grad.\nLeave out= away, or compute under torch.no_grad()."
    )


def out_of_wrong_shape(own: Any, shape: Any) -> RuntimeError:
    return RuntimeError(
        f"the tensor given as out has shape {list(own)}, and the result {list(shape)}: resizing it "
        "is not supported.\nGive an empty tensor, or one of the result's shape."
    )


def shared_elements() -> RuntimeError:
    return RuntimeError(
        "unsupported operation: more than one element of the written-to tensor refers to a single "
        "memory location. Please clone() the tensor before performing the operation."
    )


def type_of(d: Any) -> str:
    """The name of the class of a dtype's tensors, which is of one kind or another."""
    if d.is_complex or d.name in ("bfloat16", "bool"):
        return f"CPU{SCALARS[d.name]}Type"
    return f"torch.{SCALARS[d.name]}Tensor"


def modified(
    what: str, source: str | None, version: int, expected: int, by: str, anomaly: bool
) -> RuntimeError:
    hint = (
        "the backtrace further above shows the operation that failed to compute its gradient. The "
        "variable in question was changed in there or anywhere later. Good luck!"
        if anomaly
        else "enable anomaly detection to find the operation that failed to compute its gradient, "
        "with torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )
    of = f", which is {source}," if source else ""
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{what}]{of} is at version {version}; expected version {expected} instead. "
        f"Hint: {hint}\n"
        f"It was changed by {by!r}: use the operation that gives a new tensor, or change a clone."
    )


def set_with_grad() -> RuntimeError:
    return RuntimeError(
        "set_() is not differentiable: the tensor was computed from one that requires grad.\n"
        "Call it on a detached tensor, or under torch.no_grad()."
    )


def memory_of_other_dtype(own: Any, other: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected a Storage of type {SCALARS[own.name]} or an UntypedStorage, but got type "
        f"{SCALARS[other.name]}.\nConvert it first: x.set_(source.to(x.dtype))."
    )
