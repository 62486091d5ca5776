"""Errors of `torch.autograd.functional`, of forward mode and of `gradcheck`."""

from __future__ import annotations

from typing import Any


def functional_no_tensor(name: str, what: str, i: int, kind: type, single: bool) -> TypeError:
    if single:
        return TypeError(
            f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the "
            f"given {what} has type {kind}."
        )
    return TypeError(
        f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the value "
        f"at index {i} has type {kind}."
    )


def functional_not_scalar(name: str) -> RuntimeError:
    return RuntimeError(
        f"The Tensor returned by the function given to {name} should contain a single element"
    )


def independent_output(i: int) -> RuntimeError:
    return RuntimeError(
        f"Output {i} of the user-provided function does not require gradients. The outputs must "
        "be computed in a differentiable manner from the input when running in strict mode."
    )


def functional_not_single(name: str) -> RuntimeError:
    return RuntimeError(f"The function given to {name} should return a single Tensor")


def independent_of_input(what: str, k: int) -> RuntimeError:
    return RuntimeError(
        f"{what} of the user-provided function is independent of input {k}. This is not allowed "
        "in strict mode."
    )


def independent_derivative(what: str, k: int) -> RuntimeError:
    return RuntimeError(
        f"The {what} of the user-provided function is independent of input {k}. This is not "
        "allowed in strict mode when create_graph=True."
    )


def constant_jacobian(k: int) -> RuntimeError:
    return RuntimeError(
        "While computing the hessian, found that the jacobian of the user-provided function with "
        f"respect to input {k} is independent of the input. This is not allowed in strict mode. "
        "You should ensure that your function is twice differentiable and that the jacobian "
        "depends on the inputs (this would be violated by a linear function for example)."
    )


def vector_needed(name: str) -> RuntimeError:
    if name == "vjp":
        return RuntimeError(
            "The vector v can only be None if the user-provided function returns a single Tensor "
            "with a single element."
        )
    return RuntimeError(
        "The vector v can only be None if the input to the user-provided function is a single "
        "Tensor with a single element."
    )


def vector_count(wanted: int, given: int) -> RuntimeError:
    return RuntimeError(f"v is a tuple of invalid length: should be {wanted} but got {given}.")


def single_vector() -> RuntimeError:
    return RuntimeError("The given v should contain a single Tensor.")


def vector_shape(i: int, wanted: Any, given: Any, single: bool) -> RuntimeError:
    entry = "v" if single else f"Entry {i} of v"
    return RuntimeError(
        f"{entry} has invalid size: should be torch.Size({list(wanted)}) but got "
        f"torch.Size({list(given)})."
    )


def bad_strategy(name: str, given: str) -> AssertionError:
    return AssertionError(
        f'Expected {name} to be either "forward-mode" or "reverse-mode". Hint: If your function '
        f'has more outputs than inputs, "forward-mode" tends to be more performant. Otherwise, '
        f'prefer to use "reverse-mode". It was {given!r}.'
    )


def strict_vectorized(name: str) -> RuntimeError:
    return RuntimeError(
        f"torch.autograd.functional.{name}: `strict=True` and `vectorize=True` (or forward mode) "
        "are not supported together. Please either set `strict=False` or `vectorize=False`."
    )


def forward_graph(name: str) -> NotImplementedError:
    return NotImplementedError(
        f"torch.autograd.functional.{name}: `create_graph=True` and "
        '`strategy="forward-mode"` are not supported together (yet). Please either set '
        '`create_graph=False` or `strategy="reverse-mode"`, or use torch.func.jacfwd.'
    )


def forward_by_columns(name: str) -> NotImplementedError:
    return NotImplementedError(
        f"Computing {name.capitalize()} using forward-AD or forward-over-reverse Hessian is only "
        "implemented for `vectorize=True`."
    )


def no_dual_level(what: str) -> RuntimeError:
    return RuntimeError(
        f"Trying to {what} for forward AD but no level exists, make sure to enter_dual_level() "
        "first."
    )


def dual_of_dual() -> RuntimeError:
    return RuntimeError(
        "Making a dual Tensor based on a Tensor that already has a forward gradient at the same "
        "level 0 is not supported."
    )


def nested_dual_level() -> RuntimeError:
    return RuntimeError(
        "Nested forward mode AD is not supported at the moment\nUse torch.func.jvp, which nests."
    )


def tangent_shape(wanted: Any, given: Any) -> RuntimeError:
    return RuntimeError(
        "Trying to set a forward gradient that has a different size than that of the original "
        f"Tensor, this is not supported. Tensor is of size {list(wanted)} while the given forward "
        f"gradient is of size {list(given)}."
    )


def dual_of_integers(d: Any) -> ValueError:
    return ValueError(f"Expected primal to be floating point or complex, but got: {d}")


class GradcheckError(RuntimeError):
    """`gradcheck` has found a derivative that is wrong."""


def nothing_chosen() -> AssertionError:
    return AssertionError(
        "Expected at least one of check_forward_ad or check_backward_ad to be True"
    )


def overlapping_input(i: int) -> RuntimeError:
    return RuntimeError(
        f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
        "non-overlapping to be able to compute the numerical gradients correctly. You should call "
        ".contiguous on the input before passing it to gradcheck."
    )


def nothing_to_check() -> ValueError:
    return ValueError(
        "gradcheck expects at least one input tensor to require gradient, but none of them "
        "have requires_grad=True."
    )


def jacobian_mismatch(k: int, i: int, numerical: Any, analytical: Any) -> GradcheckError:
    return GradcheckError(
        f"Jacobian mismatch for output {k} with respect to input {i},\n"
        f"numerical:{numerical}\nanalytical:{analytical}\n"
        "Inputs should be of double precision, and away from kinks."
    )


def not_reentrant(k: int) -> GradcheckError:
    return GradcheckError(
        f"Backward is not reentrant, i.e., running backward with same input and grad_output "
        "multiple times gives different values, although analytical gradient matches numerical "
        f"gradient. (It is that of output {k}.)"
    )


def gradient_dtype(given: Any, wanted: Any) -> GradcheckError:
    return GradcheckError(f"gradient has dtype {given}, but its input {wanted}")


def gradient_shape(given: Any, wanted: Any) -> GradcheckError:
    return GradcheckError(
        f"Analytical gradient has incorrect size: {list(given)} instead of {list(wanted)}"
    )


def undefined_gradients() -> GradcheckError:
    return GradcheckError(
        'Expected backward function to handle undefined output grads. Please look at "Notes '
        'about undefined output gradients" in "tools/autograd/derivatives.yaml"'
    )


def batched_gradients(k: int) -> GradcheckError:
    return GradcheckError(
        f"gradcheck: batched gradients of output {k} differ from those computed one by one."
    )


def context_of_checkpoint() -> NotImplementedError:
    return NotImplementedError(
        "checkpoint() runs the recorded operations again, not the function, so that context_fn has "
        "no part in it.\nTo choose what is kept, use tapegrad.checkpoint(function, keep=...)."
    )


def no_aux() -> RuntimeError:
    return RuntimeError("output of function f should be a tuple: (output, aux) if has_aux is True")


def gradient_of_no_tensor_result(kind: type) -> RuntimeError:
    return RuntimeError(
        f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {kind}"
    )


def gradient_of_axes(count: int) -> RuntimeError:
    return RuntimeError(
        "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
        f"{count} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
    )


def derivative_of_no_tensor(call: str, kind: type) -> RuntimeError:
    return RuntimeError(
        f"{call}: expected f(*primals) to return only tensors, got unsupported type {kind}"
    )


def lane_no_tensor(name: str, kind: type) -> ValueError:
    return ValueError(
        f"vmap({name}, ...): `{name}` must only return Tensors, got type {kind}. Did you mean to "
        "set out_dims= to None for output?"
    )
