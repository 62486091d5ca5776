"""Errors about differentiation."""

from __future__ import annotations

from typing import Any

from .changes import type_of


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


def unused_input(index: int) -> RuntimeError:
    return RuntimeError(
        f"The differentiated Tensor at index {index} appears to not have been used in the graph. "
        "Set allow_unused=True if this is the desired behavior."
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
        "only Tensors of floating point dtype can require gradients\n"
        "Convert first, for example with .float()."
    )


def made_integer_requires_grad() -> RuntimeError:
    return RuntimeError(
        "Only Tensors of floating point and complex dtype can require gradients\n"
        "Give a dtype, such as dtype=torch.float32."
    )


def grad_of_wrong_size(given: Any, own: Any) -> RuntimeError:
    return RuntimeError(
        f"attempting to assign a gradient of size '{list(given)}' to a tensor of size "
        f"'{list(own)}'. Please ensure that the gradient and the tensor are the same size"
    )


def grad_of_wrong_dtype(given: Any, own: Any) -> RuntimeError:
    return RuntimeError(
        f"attempting to assign a gradient with dtype '{given}' to a tensor with grad_dtype "
        f"'{own}'. The gradient must match the tensor's dtype: convert it with .to({own})."
    )


def grad_of_itself() -> RuntimeError:
    return RuntimeError("can't assign Variable as its own grad")


def grad_no_tensor(kind: type) -> TypeError:
    return TypeError(
        f"assigned grad expected to be a Tensor or None but got grad of type {kind.__name__}"
    )


def gradient_of_wrong_dtype(index: int, given: Any, own: Any) -> RuntimeError:
    return RuntimeError(
        "For complex Tensors, both grad_output and output are required to have the same dtype. "
        f"Mismatch in dtype: grad_output[{index}] has a dtype of {given} and output[{index}] has a "
        f"dtype of {own}."
    )


def detached_view() -> RuntimeError:
    return RuntimeError(
        "Can't detach views in-place. Use detach() instead.\n"
        "To cut a whole graph, detach the tensor that it is a view of."
    )


GRAD_OF_COMPUTED = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
    "attribute won't be populated during autograd.backward(). If you indeed want the .grad field "
    "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor."
)


def hook_without_grad() -> RuntimeError:
    return RuntimeError("cannot register a hook on a tensor that doesn't require gradient")


def hook_no_tensor(kind: type) -> TypeError:
    return TypeError(f"expected Variable, but hook returned '{kind.__name__}'")


def hook_changed_dtype(name: str, before: Any, after: Any) -> RuntimeError:
    return RuntimeError(
        f"hook '{name}' has changed the type of value (was {type_of(before)} got {type_of(after)})"
    )


def hook_changed_size(name: str) -> RuntimeError:
    return RuntimeError(f"hook '{name}' has changed the size of value")


def hook_on_computed() -> RuntimeError:
    return RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")


def retain_without_grad() -> RuntimeError:
    return RuntimeError("can't retain_grad on Tensor that has requires_grad=False")


def saved_no_tensor(i: int, kind: type) -> TypeError:
    return TypeError(
        f"save_for_backward can only save variables, but argument {i} is of type "
        f"{kind.__name__}\n"
        "Keep anything else as an attribute of ctx."
    )


def saved_are_freed() -> RuntimeError:
    return RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors "
        "after they have already been freed). Saved intermediate values of the graph are freed "
        "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
        "backward through the graph a second time or if you need to access saved tensors after "
        "calling backward.\nctx.saved_tensors is there while backward or jvp runs."
    )


def function_instance(name: str) -> RuntimeError:
    return RuntimeError(
        f"{name} should not be instantiated. Methods on autograd functions are all static, so you "
        "should invoke them on the class itself. Instantiating an autograd function is not "
        f"allowed: call {name}.apply(...)."
    )


def no_forward() -> NotImplementedError:
    return NotImplementedError(
        "You must implement the forward function for custom autograd.Function."
    )


def no_setup_context() -> NotImplementedError:
    return NotImplementedError("setup_context is not implemented.")


def no_backward() -> NotImplementedError:
    return NotImplementedError(
        "You must implement either the backward or vjp method for your custom autograd.Function "
        "to use it with backward mode AD."
    )


def no_jvp(name: str) -> NotImplementedError:
    return NotImplementedError(
        f"You must implement the jvp function for custom autograd.Function to use it with forward "
        f"mode AD. ({name} has none.)"
    )


def no_vmap() -> NotImplementedError:
    return NotImplementedError("To use autograd.Function with vmap, implement its vmap method.")


def keywords_of_apply() -> TypeError:
    return TypeError(
        "apply() takes no arguments that forward takes by keyword alone\nLet forward take them by "
        "position, since backward gives a gradient for each argument by its position."
    )


def differentiated_twice() -> RuntimeError:
    return RuntimeError(
        "trying to differentiate twice a function that was marked with @once_differentiable\n"
        "Take the mark off its backward if it is made of differentiable operations."
    )


def number_of_gradients(name: str, wanted: int, given: int) -> RuntimeError:
    return RuntimeError(
        f"function {name} returned an incorrect number of gradients (expected {wanted}, got "
        f"{given})\nReturn one for each argument of forward, None where there is none."
    )


def gradient_of_no_tensor(name: str, place: int) -> RuntimeError:
    return RuntimeError(
        f"function {name} returned a gradient different from None at position {place + 1}, but "
        "the corresponding forward input was not a Variable"
    )


def gradient_no_tensor(name: str, kind: type) -> RuntimeError:
    return RuntimeError(
        f"expected Variable or None (got {kind.__name__})\nIt was returned by {name}."
    )


def wrong_gradient(name: str, place: int, given: Any, wanted: Any) -> RuntimeError:
    return RuntimeError(
        f"Function {name} returned an invalid gradient at index {place} - got {list(given)} but "
        f"expected shape compatible with {list(wanted)}"
    )


def function_closes_over(name: str) -> RuntimeError:
    return RuntimeError(
        f"the forward of {name} reads a tensor of the running vmap that is no argument of it\n"
        "Give it as an argument to apply()."
    )


def dirty_not_returned() -> RuntimeError:
    return RuntimeError(
        "Some elements marked as dirty during the forward method were not returned as output. The "
        "inputs that are modified inplace must all be outputs of the Function."
    )


def hook_results(wanted: int, given: int) -> RuntimeError:
    return RuntimeError(
        f"hook has returned an incorrect number of values (got {given}, but expected {wanted})"
    )


def bad_hook_mode(mode: str) -> ValueError:
    return ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")


def edge_without_grad() -> RuntimeError:
    return RuntimeError(
        "It is not possible to get the gradient edge for a Tensor that does not require gradients"
    )


def packed_in_place() -> RuntimeError:
    return RuntimeError(
        "A saved tensor pack hook is modifying its input in place. Tensors provided as input to "
        "pack hook cannot be modified by in-place operations as this can lead to unexpected "
        "side-effects.\nLet it change a clone."
    )


def unpacked_no_tensor(kind: type) -> TypeError:
    return TypeError(
        "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
        f"{kind.__name__}"
    )


ANOMALY_ON = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
    "enabled for debugging."
)

ANOMALY = "Error detected in {name}. Traceback of forward call that caused the error:\n"

ANOMALY_UNKNOWN = (
    "Error detected in {name}. No forward pass information available. Enable detect anomaly "
    "during forward pass for more information."
)


def nan_gradient(name: str, place: int, frame: Any) -> RuntimeError:
    where = "" if frame is None else f'\nIt was computed in "{frame[0]}", line {frame[1]}.'
    return RuntimeError(f"Function '{name}' returned nan values in its {place}th output.{where}")


def primals_no_tuple() -> RuntimeError:
    return RuntimeError(
        "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to "
        "call f(*primals)."
    )


def independent_result(index: int) -> RuntimeError:
    return RuntimeError(
        f"jvp(f, primals, tangents, strict=True): The output of f with index {index} is "
        "independent of the inputs. This is not allowed with strict=True."
    )


def bad_functionalize(remove: str) -> RuntimeError:
    return RuntimeError(
        "functionalize(f, remove='mutations'): received invalid argument for remove=. Valid "
        "options are:\n     remove='mutations'\n     remove='mutations_and_views'\n"
        f"but got {remove!r}"
    )


def key_twice(names: list[str]) -> ValueError:
    return ValueError(
        f"{names} appears in multiple dictionaries; behavior of functional call is ambiguous"
    )


def names_of_module(module: Any, unknown: list[str], missing: list[str]) -> RuntimeError:
    text = f"Error(s) in reparametrizing for {type(module).__name__}:"
    for what, names in (("Unexpected", unknown), ("Missing", missing)):
        if names:
            text += f"\n\t{what} key(s): {', '.join(map(repr, sorted(names)))}."
    return RuntimeError(text)


def no_models() -> RuntimeError:
    return RuntimeError("stack_module_state: Expected at least one model, got 0.")


def models_differ() -> RuntimeError:
    return RuntimeError(
        "stack_module_state: Expected all models to have the same training/eval mode."
    )


def classes_differ() -> RuntimeError:
    return RuntimeError("stack_module_state: Expected all models to be of the same class.")


def negative_derivative(n: int) -> ValueError:
    return ValueError(f"n must be a non-negative integer, but is {n}")


ONLY_INPUTS = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate "
    "gradient for other parts of the graph, please use torch.autograd.backward."
)
