"""Errors about differentiation."""

from __future__ import annotations

from typing import Any


def no_grad_fn(index: int) -> RuntimeError:
    return RuntimeError(
        f"element {index} of tensors does not require grad and does not have a grad_fn\n"
        "It was made without requires_grad=True, under no_grad, or by detach()."
    )


def not_scalar() -> RuntimeError:
    return RuntimeError(
        "grad can be implicitly created only for scalar outputs\n"
        "Reduce the result first, for example with .sum() or .mean(), or pass gradient=."
    )


def complex_output(d: Any) -> RuntimeError:
    return RuntimeError(
        "grad can be implicitly created only for real scalar outputs but got "
        f"{d}\nTake .real or .abs() first, or pass gradient=."
    )


def gradient_of_wrong_shape(index: int, given: Any, wanted: Any) -> RuntimeError:
    return RuntimeError(
        f"Mismatch in shape: grad_output[{index}] has a shape of torch.Size({list(given)}) and "
        f"output[{index}] has a shape of torch.Size({list(wanted)}).\n"
        "Give the gradient in the shape of the output."
    )


def wrong_number_of_gradients(outputs: int, given: int) -> RuntimeError:
    return RuntimeError(
        f"got {outputs} tensors and {given} gradients\nGive one gradient for each output, or None."
    )


def unused_input() -> RuntimeError:
    return RuntimeError(
        "One of the differentiated Tensors appears to not have been used in the graph. Set "
        "allow_unused=True if this is the desired behavior."
    )


def input_without_grad() -> RuntimeError:
    return RuntimeError(
        "One of the differentiated Tensors does not require grad\n"
        "Make it a leaf with requires_grad_() before it is used."
    )


def no_inputs() -> RuntimeError:
    return RuntimeError(
        "`inputs` argument to `backward()` cannot be empty.\nLeave it away for all leaves."
    )


def materialized_but_unused() -> ValueError:
    return ValueError(
        "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
        "allow_unused=False."
    )


def only_leaves() -> RuntimeError:
    return RuntimeError(
        "you can only change requires_grad flags of leaf variables. If you want to use a computed "
        "variable in a subgraph that doesn't require differentiation use var_no_grad = "
        "var.detach()."
    )


def integer_requires_grad() -> RuntimeError:
    return RuntimeError(
        "only Tensors of floating point and complex dtype can require gradients\n"
        "Convert first, for example with .float()."
    )


def wrong_grad(wanted: str) -> RuntimeError:
    return RuntimeError(f"assigned grad has data of a different {wanted}")


GRAD_OF_COMPUTED = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
    "attribute won't be populated during autograd.backward(). If you indeed want the .grad field "
    "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor."
)


def hook_without_grad() -> RuntimeError:
    return RuntimeError("cannot register a hook on a tensor that doesn't require gradient")


def hook_on_computed() -> RuntimeError:
    return RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")


def retain_without_grad() -> RuntimeError:
    return RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
