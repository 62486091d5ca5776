"""The errors of optimisers: PyTorch's own words, and a line of advice where they need one."""

from __future__ import annotations

from typing import Any


def typename(x: Any) -> str:
    """The name of an object's class, as PyTorch says it."""
    kind = type(x)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"torch.{kind.__qualname__}"


def single_tensor(params: Any) -> TypeError:
    return TypeError(
        "params argument given to the optimizer should be an iterable of Tensors or dicts, "
        f"but got {typename(params)}. Put it into a list."
    )


def no_parameters() -> ValueError:
    return ValueError("optimizer got an empty parameter list")


def group_is_no_dict(group: Any) -> TypeError:
    return TypeError(f"param_group must be a dict, but got {type(group)}")


def parameters_in_set() -> TypeError:
    return TypeError(
        "optimizer parameters need to be organized in ordered collections, but the ordering of "
        "tensors in sets will change between runs. Please use a list instead."
    )


def names_missing() -> ValueError:
    return ValueError(
        "all optimizer params should be with/without names. Some param names are missing"
    )


def names_differ(named: bool) -> ValueError:
    return ValueError(
        "all optimizer param groups should be with/without names. cannot add param group "
        f"{'with' if named else 'without'} names to the optimizer"
    )


def no_tensor(param: Any) -> TypeError:
    return TypeError(
        f"optimizer can only optimize Tensors, but one of the params is {typename(param)}"
    )


def no_leaf() -> ValueError:
    return ValueError(
        "can't optimize a non-leaf Tensor. It was computed from others: optimise those, or its "
        "detach().requires_grad_()."
    )


DUPLICATES = (
    "optimizer contains a parameter group with duplicate parameters; in future, this will cause "
    "an error; see github.com/pytorch/pytorch/issues/40967 for more information"
)


def in_several_groups() -> ValueError:
    return ValueError("some parameters appear in more than one parameter group")


def required_option(name: str) -> ValueError:
    return ValueError(
        f"parameter group didn't specify a value of required optimization parameter {name}"
    )


def different_groups() -> ValueError:
    return ValueError("loaded state dict has a different number of parameter groups")


def different_group_sizes() -> ValueError:
    return ValueError(
        "loaded state dict contains a parameter group that doesn't match the size of "
        "optimizer's group"
    )


def hook_result(function: Any, result: Any) -> RuntimeError:
    return RuntimeError(
        f"{function} must return None or a tuple of (new_args, new_kwargs), but got {result}."
    )


def no_step(name: str) -> NotImplementedError:
    return NotImplementedError(f"{name} has neither a rule nor a method step()")


def invalid(what: str, value: Any) -> ValueError:
    return ValueError(f"Invalid {what}: {value}")


def out_of_range(what: str, bound: str, value: Any) -> ValueError:
    return ValueError(f"{what} should be {bound} but is: {value}")


def not_one_element(what: str) -> ValueError:
    return ValueError(f"Tensor {what} must be 1-element")


def tensor_with_foreach(what: str) -> ValueError:
    return ValueError(f"{what} as a Tensor is not supported for capturable=False and foreach=True")


def mixed_betas() -> ValueError:
    return ValueError("betas must be either both floats or both Tensors")


def nesterov_without_momentum() -> ValueError:
    return ValueError("Nesterov momentum requires a momentum and zero dampening")


def fused_and(other: str) -> RuntimeError:
    if other == "foreach":
        return RuntimeError("`fused` and `foreach` cannot be `True` together.")
    return RuntimeError(f"`fused` does not support `{other}`")


def capturable() -> AssertionError:
    return AssertionError(
        "If capturable=True, params and state_steps must be on supported devices: ['cuda']. There "
        "are no graphs to capture on a CPU: leave the flag out."
    )


def dense_gradients() -> RuntimeError:
    return RuntimeError(
        "SparseAdam does not support dense gradients, please consider Adam instead\n"
        "The gradients of nn.Embedding(sparse=True) and nn.EmbeddingBag(sparse=True) are for it."
    )


def no_rows(name: str) -> RuntimeError:
    if name in ("Adam", "AdamW"):
        return RuntimeError(
            "Adam does not support sparse gradients, please consider SparseAdam instead\n"
            "Or make the embedding without sparse=True: all gradients are dense in memory here."
        )
    return RuntimeError(
        f"{name} does not support sparse gradients\n"
        "Make the embedding without sparse=True: all gradients are dense in memory here."
    )


def decay_of_rows() -> RuntimeError:
    return RuntimeError("weight_decay option is not compatible with sparse gradients")


def complex_parameters(name: str) -> RuntimeError:
    return RuntimeError(f"{name} does not support complex parameters")


def sparse_adam_of_complex(indices: Any) -> ValueError:
    return ValueError(
        f"Complex params at indices {indices}: SparseAdam does not support complex parameters"
    )


def not_2d(shape: Any) -> ValueError:
    return ValueError(
        f"Muon only supports 2D parameters whereas we found a parameter with size: {shape}"
    )


def unknown_adjustment(name: str) -> ValueError:
    return ValueError(f"Adjust learning rate function {name} is not supported")


def too_many_iterations() -> ValueError:
    return ValueError("Number of steps must be less than 100 for computational efficiency")


def not_three_coefficients() -> ValueError:
    return ValueError("Coefficients must be a tuple of exactly 3 values")


def lbfgs_groups() -> ValueError:
    return ValueError("LBFGS doesn't support per-parameter options (parameter groups)")


def unknown_line_search() -> RuntimeError:
    return RuntimeError("only 'strong_wolfe' is supported")


def closure_needed() -> TypeError:
    return TypeError(
        "LBFGS.step() missing 1 required positional argument: 'closure'. It evaluates the loss "
        "several times: step(closure), where closure() computes the gradients and gives the loss."
    )


def different_structure(name: str, expected: Any, found: Any) -> ValueError:
    return ValueError(
        f"The structure of {name} is not that of the parameters: {found} in place of {expected}. "
        "Give the gradients as grad gives them."
    )
