"""What modules say when they are used wrongly: PyTorch's words, and one line of advice."""

from __future__ import annotations

from typing import Any

from ..torch.tensor import Tensor


def type_name(value: Any) -> str:
    """The name of a value's type as PyTorch writes it in errors."""
    if isinstance(value, Tensor):
        return str(value.type())
    kind = value if isinstance(value, type) else type(value)
    if kind.__module__ in ("builtins", None):
        return kind.__name__
    return f"{kind.__module__}.{kind.__qualname__}"


def no_init(what: str) -> AttributeError:
    return AttributeError(
        f"cannot assign {what} before Module.__init__() call\n"
        "Call super().__init__() first in your module's __init__."
    )


def name_not_string(what: str, name: Any) -> TypeError:
    return TypeError(f"{what} name should be a string. Got {type_name(name)}")


def name_with_dot(what: str, name: str) -> KeyError:
    got = f", got: {name}" if what == "module" else ""
    return KeyError(f'{what} name can\'t contain "."{got}')


def empty_name(what: str) -> KeyError:
    return KeyError(f'{what} name can\'t be empty string ""')


def name_taken(name: str) -> KeyError:
    return KeyError(f"attribute '{name}' already exists")


def cannot_register(value: Any, what: str, name: str, expected: str) -> TypeError:
    return TypeError(
        f"cannot assign '{type_name(value)}' object to {what} '{name}' ({expected} required)"
    )


def cannot_assign(value: Any, what: str, name: str, expected: str) -> TypeError:
    return TypeError(
        f"cannot assign '{type_name(value)}' as {what} '{name}' ({expected} expected)\n"
        f"Wrap it, or delete the {what} first with del."
    )


def computed_parameter(name: str) -> ValueError:
    return ValueError(
        f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
        f"explicitly. To express '{name}' as a function of another Tensor, compute the value in "
        "the forward() method."
    )


def not_module(value: Any) -> TypeError:
    return TypeError(f"{type_name(value)} is not a Module subclass")


def no_attribute(owner: Any, name: str) -> AttributeError:
    return AttributeError(f"'{type(owner).__name__}' object has no attribute '{name}'")


def no_member(owner: Any, name: str) -> AttributeError:
    return AttributeError(f"{type(owner).__name__} has no attribute `{name}`")


def not_member(name: str, kind: str) -> AttributeError:
    return AttributeError(f"`{name}` is not {kind}")


def no_forward(module: Any) -> NotImplementedError:
    return NotImplementedError(
        f'Module [{type(module).__name__}] is missing the required "forward" function'
    )


def both_backward_hooks(where: str) -> RuntimeError:
    return RuntimeError(
        "Cannot use both regular backward hooks and full backward hooks "
        f"{where}. Please use only one of them."
    )


def bad_pre_hook_result(result: Any) -> RuntimeError:
    return RuntimeError(
        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {result}."
    )


def wrong_number_of_gradients(what: str, got: int, expected: int) -> RuntimeError:
    of = "grad_output" if "pre" in what else "grad_input"
    return RuntimeError(
        f"Backward {what} returned an invalid number of {of}, got {got}, but expected {expected}"
    )


def integer_module(d: Any) -> TypeError:
    return TypeError(
        f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={d}"
    )


def cannot_load(module: Any, messages: list[str]) -> RuntimeError:
    lines = "\n\t".join(messages)
    return RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t{lines}")


def not_a_state(given: Any) -> TypeError:
    return TypeError(f"Expected state_dict to be dict-like, got {type(given)}.")


def extra_state(name: str) -> RuntimeError:
    return RuntimeError(
        f"Module.{name}() was called, but this module has no extra state. Define get_extra_state "
        "and set_extra_state together."
    )


def uninitialized(kind: str) -> ValueError:
    return ValueError(
        "Attempted to use an uninitialized parameter. This error happens when you are using a "
        f"`LazyModule` or explicitly manipulating `torch.nn.parameter.{kind}` objects. When using "
        "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling "
        "torch functions"
    )


def shape_of_uninitialized() -> RuntimeError:
    return RuntimeError(
        "Can't access the shape of an uninitialized parameter or buffer. This error usually "
        "happens in `load_state_dict` when trying to load an uninitialized parameter into an "
        "initialized module. Call `forward` to initialize the parameters before accessing their "
        "attributes."
    )


def renamed_bound(name: str) -> str:
    return f"keyword argument `{name}ue` is deprecated and renamed to `{name}`"


def failed_hook(kind: str, failure: Exception) -> str:
    return (
        f"{kind}module forward hook with ``always_call=True`` raised an exception that was "
        f"silenced as another error was raised in forward: {failure}"
    )


def called_container(container: Any) -> RuntimeError:
    return RuntimeError(f"{type(container).__name__} should not be called.")
