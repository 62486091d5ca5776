"""Every deliberate error, with what happened, where, and what to do instead."""

from __future__ import annotations

from typing import Any


class TapegradError(RuntimeError):
    """Base class of errors about tapes and transforms."""


class EscapedValueError(TapegradError):
    """A value was used after the transform that made it had ended."""


class NotDifferentiableError(TypeError):
    """A derivative was asked of something that has none."""


class ConcretizationError(TapegradError, TypeError):
    """A value that differs between the lanes of `vmap` was read as a single one."""


def describe(x: Any) -> str:
    """A short description of an array: its dtype and shape, never its elements."""
    shape = getattr(x, "shape", None)
    if shape is None:
        return type(x).__name__
    return f"{x.dtype}{list(shape)}"


def escaped(x: Any) -> EscapedValueError:
    return EscapedValueError(
        f"a traced value ({describe(x)}) was used after the transform that made it had ended. "
        "Return it from the function (with has_aux=True beside a result to differentiate) instead "
        "of storing it outside, or store tapegrad.stop_gradient(value)."
    )


def other_thread(x: Any) -> TapegradError:
    return TapegradError(
        f"a value ({describe(x)}) of a transform that runs in another thread was used in this one. "
        "Call the transform inside the thread, or pass the plain array in."
    )


def explain(error: Exception, op: Any, data: list[Any]) -> None:
    """Add an operation's name and its inputs' shapes and dtypes to an error of its forward."""
    inputs = ", ".join(describe(x) for x in data)
    error.add_note(f"in the operation {op.name!r} on {inputs}")


def not_scalar(name: str, shape: tuple[int, ...]) -> TypeError:
    return TypeError(
        f"{name} needs a function with a scalar result, but this one returned shape {shape}. "
        "Reduce it, for example with .sum(), or use tapegrad.jacobian."
    )


def not_array(name: str, what: str, value: Any) -> TypeError:
    kind = type(value).__name__
    dtype = getattr(value, "dtype", None)
    return TypeError(
        f"{name}: {what} must be an array or a number, but is of type {kind}"
        + ("." if dtype is None else f" and dtype {dtype}.")
    )


def no_result(name: str, value: Any) -> TypeError:
    advice = (
        "Does it lack a return?"
        if value is None
        else "Return the scalar alone, or a pair (scalar, anything) with has_aux=True."
    )
    return TypeError(
        f"{name}: the result of the function must be an array or a number, but is of type "
        f"{type(value).__name__}. {advice}"
    )


def not_function(name: str, value: Any) -> TypeError:
    return TypeError(
        f"{name} needs a function as its first argument, but got {describe(value)}. What the "
        "function is called with comes after."
    )


def bad_argnums(name: str, argnums: Any) -> TypeError:
    return TypeError(
        f"{name}: argnums must be an integer or a sequence of integers, not {argnums!r}. Keyword "
        "arguments are named in argnames."
    )


def no_such_argument(name: str, argnums: Any, wanted: int, count: int) -> ValueError:
    return ValueError(
        f"{name}: argnums={argnums!r} names argument {wanted}, but positional arguments were given: "
        f"{count}. Give the argument by position, or use argnames."
    )


def no_such_keyword(name: str, wanted: str, given: list[str]) -> ValueError:
    return ValueError(
        f"{name}: argnames names {wanted!r}, but the keyword arguments given were: "
        f"{', '.join(given) or 'none'}. Write {wanted}=..., or use argnums for an argument given by "
        "position."
    )


def bad_chunk_size(name: str, size: int) -> ValueError:
    return ValueError(f"{name}: chunk_size must be at least 1, not {size}. None takes all at once.")


def integer_input(name: str, where: str, dtype: Any) -> TypeError:
    return TypeError(
        f"{name} needs inputs of floating point, but {where} has dtype {dtype}. "
        "Convert it, for example with x.astype(float) or by writing 2.0 instead of 2."
    )


def complex_input(name: str, dtype: Any) -> TypeError:
    return TypeError(
        f"{name} with holomorphic=True needs complex inputs and a complex result, but got {dtype}. "
        "Convert the input with x.astype(complex), or leave holomorphic out."
    )


def complex_result(name: str, dtype: Any) -> TypeError:
    return TypeError(
        f"{name} needs a real result, but the function returned {dtype}. Take its real part or "
        "abs(), or pass holomorphic=True if the function is holomorphic."
    )


def no_rule(name: str) -> TypeError:
    return TypeError(
        f"numpy.{name} has no rule for traced arrays. Write it with other functions of "
        "tapegrad.numpy, wrap it with tapegrad.custom_vjp, or pass tapegrad.stop_gradient(x) if no "
        "derivative should go through it."
    )


def no_batch_rule(name: str) -> TypeError:
    return TypeError(
        f"the operation {name!r} has no rule for vmap. Call it on one lane at a time in a Python loop, "
        "or give it a rule with tapegrad.custom_vjp."
    )


def no_jvp(name: str) -> TypeError:
    return TypeError(
        f"{name} has no forward-mode rule: a function of custom_vjp has reverse mode only. "
        "Use tapegrad.custom_jvp, which serves both modes, or a reverse-mode transform."
    )


def no_conversion(what: str) -> TypeError:
    return TypeError(
        f"{what} would take a traced value off the tape, and its derivative would be lost without a "
        "word. Use the function of the same name in tapegrad.numpy; make an array that is to be "
        "filled with tapegrad.numpy (zeros, empty, ...) inside the function; or use "
        "tapegrad.stop_gradient(x) where no derivative is wanted."
    )


def many_lanes(what: str, purpose: str) -> ConcretizationError:
    return ConcretizationError(
        f"{what} of a value that differs between the lanes of {purpose}. Use tapegrad.numpy.where "
        "to choose element by element, or tapegrad.stop_gradient outside of it; shapes must not "
        "depend on values either."
    )


def structure_mismatch(name: str, expected: Any, got: Any) -> TypeError:
    return TypeError(
        f"{name}: the structures differ. Expected {expected}, but got {got}. "
        "Give one array of the same shape for each array."
    )


def shape_mismatch(name: str, where: str, expected: Any, got: Any) -> ValueError:
    return ValueError(
        f"{name}: {where} must have shape {tuple(expected)}, but has shape {tuple(got)}."
    )


def dangling(slots: int) -> EscapedValueError:
    return EscapedValueError(
        "the sweep reached a value that is neither an entry nor a leaf of the tape: it was made in "
        "a transform that has ended, or its entries were freed by an earlier backward(). Return "
        "values from the transform instead of storing them, or call backward(retain_graph=True)."
        if slots == 1
        else f"the sweep reached {slots} values that are neither entries nor leaves of the tape: they "
        "were made in a transform that has ended, or an earlier backward() freed their entries. "
        "Return values from the transform instead of storing them, or call "
        "backward(retain_graph=True)."
    )


def no_auxiliary(name: str, result: Any) -> TypeError:
    return TypeError(
        f"{name} with has_aux=True needs a function that returns a pair (value, aux), but this one "
        f"returned {type(result).__name__}. Return both, or leave has_aux out."
    )


def lanes_differ() -> ValueError:
    return ValueError(
        "vmap: a result has out_axes=None, but it differs between the lanes. Give an axis, or reduce "
        "it inside the function."
    )


def random_in_lanes() -> TapegradError:
    return TapegradError(
        "random numbers were drawn inside vmap. Say what is meant: vmap(..., randomness='different') "
        "for numbers of its own in each lane, or randomness='same' for the same in all."
    )


def not_tuple(name: str, what: str, value: Any) -> TypeError:
    return TypeError(
        f"{name}: {what} must be a tuple with one entry an argument, but is of type "
        f"{type(value).__name__}. For one argument write ({what[:-1]},)."
    )


def missing_data_file(directory: Any, name: str) -> FileNotFoundError:
    return FileNotFoundError(
        f"there is no file {name} or {name}.gz in {directory}. Give the directory that holds MNIST's "
        "four files, or have them fetched: tapegrad.vision.download_mnist()."
    )


def bad_data_file(path: Any, why: str) -> ValueError:
    return ValueError(f"{path} is damaged or not what it should be: {why}. Fetch it again.")


def download_failed(target: Any, reasons: list[str]) -> ConnectionError:
    return ConnectionError(
        f"could not fetch {target.name}:\n  " + "\n  ".join(reasons) + f"\nTry again later (what has "
        f"arrived is kept), or put the file into {target.parent} yourself."
    )


def no_ufunc_rule(name: str) -> TypeError:
    return TypeError(
        f"the ufunc {name!r} has no rule for traced arrays. Use the function of that name in "
        "tapegrad.numpy or tapegrad.scipy.special where there is one, wrap it with "
        "tapegrad.custom_vjp, or pass tapegrad.stop_gradient(x) if no derivative should go through it."
    )


def recorded_into_ndarray(name: str) -> TypeError:
    return TypeError(
        f"{name} was to write a traced value into a plain ndarray, which no tape sees. Write "
        "a = a + x instead of a += x, or make the array with tapegrad.numpy (zeros, array, ...) "
        "inside the function."
    )


def where_without_out(name: str) -> ValueError:
    return ValueError(
        f"numpy.{name} with where= but without out= leaves elements that are not computed undefined. "
        f"Pass out=, or write tapegrad.numpy.where(mask, {name}(...), other)."
    )


def no_view(dtype: Any) -> TypeError:
    return TypeError(
        f"a recorded array cannot be viewed as another type ({dtype}): the tape knows numbers, not "
        "bytes. Use x.astype(dtype) to convert the values, or x.copy() for a copy."
    )


def no_ndarray_method(name: str, instead: str) -> TypeError:
    return TypeError(f"recorded arrays have no method {name}(). {instead}")


def no_argument(function: str, argument: str, instead: str) -> TypeError:
    return TypeError(
        f"numpy.{function} of traced arrays does not take {argument}. {instead}"
    )


def complex_jacobian(name: str, what: str, mode: str, dtype: Any) -> TypeError:
    return TypeError(
        f"{name} with mode {mode!r} needs a real {what}, but got {dtype}. Use the other mode, or pass "
        "holomorphic=True if the function is holomorphic."
    )


def freed(count: int) -> EscapedValueError:
    return EscapedValueError(
        "trying to go backward through the graph a second time, or through a value of a transform "
        f"that has ended: {'a value' if count == 1 else f'{count} values'} that the result was "
        "computed from is neither an entry nor a leaf of the tape. Call the first backward() with "
        "retain_graph=True, or return values from a transform instead of storing them."
    )


def not_on_graph(what: str, x: Any) -> NotDifferentiableError:
    return NotDifferentiableError(
        f"{what} needs a value that depends on an imperative leaf, but this one ({describe(x)}) does "
        "not require grad: it is a constant, was computed under no_grad, or comes from vmap."
    )


def gradient_needed(name: str, shape: tuple[int, ...]) -> TypeError:
    return TypeError(
        f"{name} of a result of shape {tuple(shape)} needs its cotangent: pass gradient, an array of "
        "that shape, or reduce the result to a scalar, for example with .sum()."
    )


def computed_leaf(x: Any) -> ValueError:
    return ValueError(
        f"only a leaf can be made to require grad or not to: this value ({describe(x)}) was computed "
        "from tracked ones. Use detach(x) first."
    )


def backward_of_lanes(purpose: str) -> TapegradError:
    return TapegradError(
        f"backward() inside {purpose} would give a leaf one gradient a lane. Use tapegrad.grad or vjp "
        "inside and return what they give, or call backward() on the result outside."
    )


def closed_over(kind: str, name: str) -> TapegradError:
    return TapegradError(
        f"the {kind} function {name} closes over a traced value, or has one in nondiff_argnums; its "
        "rule could give no derivative for it. Pass the value as an argument, or close over "
        "tapegrad.stop_gradient(value)."
    )


def keyword_only(kind: str, name: str, names: list[str]) -> TypeError:
    return TypeError(
        f"the {kind} function {name} was called with keyword-only arguments {names}, for which its "
        "rule has no place. Make them positional, or bind them with functools.partial."
    )


def no_rule_given(kind: str, name: str, method: str) -> AttributeError:
    return AttributeError(
        f"the {kind} function {name} has no rule yet. Give it one with {name}.{method}."
    )


def forward_pair(name: str, result: Any) -> TypeError:
    return TypeError(
        f"fwd of the custom_vjp function {name} must return a pair (result, residuals), but returned "
        f"{type(result).__name__}. Residuals may be any tree of arrays, or None."
    )


def backward_tuple(name: str, count: int, result: Any) -> TypeError:
    got = f"{len(result)} of them" if isinstance(result, tuple | list) else type(result).__name__
    return TypeError(
        f"bwd of the custom_vjp function {name} must return a tuple of {count} cotangents, one for "
        f"each argument, but returned {got}. Put None where there is none."
    )


def tangent_pair(name: str, result: Any) -> TypeError:
    return TypeError(
        f"the rule of the custom_jvp function {name} must return a pair (result, tangent), but "
        f"returned {type(result).__name__}."
    )


def defjvps_count(name: str, count: int, given: int) -> TypeError:
    return TypeError(
        f"defjvps of the custom_jvp function {name} was given {given} rules, but it was called with "
        f"{count} arguments. Give one an argument, or None where nothing flows."
    )


def defjvps_with_nondiff(name: str) -> TypeError:
    return TypeError(
        f"defjvps of the custom_jvp function {name} does not go with nondiff_argnums. Use defjvp."
    )


def rule_shape(what: str, expected: Any, got: Any) -> ValueError:
    return ValueError(f"{what} must have shape {expected}, but has shape {got}.")


def rule_dtype(what: str, expected: Any, got: Any) -> TypeError:
    return TypeError(f"{what} must be {expected}, but is {got}. Take its real part.")


def axes_mismatch(what: str, axes: Any, structure: Any) -> ValueError:
    return ValueError(
        f"vmap: {what}={axes!r} does not fit {structure or 'one array'}. Use an int or None for the "
        "whole, or the same containers with an int or None for each branch."
    )


def real_transform_of_complex(x: Any) -> TypeError:
    return TypeError(
        f"the transform of a real array got a complex one ({describe(x)}). Take its real part, or use "
        "the complex transform (fft, fftn), which has all frequencies."
    )


def not_in_scipy_face(function: str, what: str, instead: str) -> TypeError:
    return TypeError(f"scipy.{function} of traced arrays does not take {what}. {instead}")


def no_scipy_rule(name: str) -> TypeError:
    return TypeError(
        f"{name} has no rule for traced arrays. Write it with other functions of tapegrad.numpy and "
        "tapegrad.scipy, wrap it with tapegrad.custom_vjp or tapegrad.custom_jvp, or pass "
        "tapegrad.stop_gradient(x) if no derivative should go through it."
    )
