"""What transforms say when they are used wrongly: what happened, where, and what to do instead."""

from __future__ import annotations

from typing import Any

from ..errors import TapegradError, describe


def counted(number: int, what: str) -> str:
    """Such as "1 argument" and "2 arguments"."""
    return f"{number} {what}" + ("" if number == 1 else "s")


def not_function(name: str, value: Any) -> TypeError:
    return TypeError(
        f"{name} needs a function as its first argument, but got {describe(value)}. What the "
        "function is called with comes after."
    )


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


def bad_argnums(name: str, argnums: Any) -> TypeError:
    return TypeError(
        f"{name}: argnums must be an integer or a sequence of integers, not {argnums!r}. Keyword "
        "arguments are named in argnames."
    )


def no_such_argument(name: str, argnums: Any, wanted: int, count: int) -> ValueError:
    return ValueError(
        f"{name}: argnums={argnums!r} names argument {wanted}, but the function was called with "
        f"{counted(count, 'positional argument')}. Give the argument by position, or use argnames."
    )


def repeated_argument(name: str, argnums: Any) -> ValueError:
    return ValueError(
        f"{name}: argnums={argnums!r} names an argument twice. Name it once, and use its "
        "derivative as often as you like."
    )


def no_such_keyword(name: str, wanted: str, given: list[str]) -> ValueError:
    return ValueError(
        f"{name}: argnames names {wanted!r}, but the keyword arguments given were: "
        f"{', '.join(given) or 'none'}. Write {wanted}=..., or use argnums for an argument given "
        "by position."
    )


def no_auxiliary(name: str, result: Any) -> TypeError:
    return TypeError(
        f"{name} with has_aux=True needs a function that returns a pair (value, aux), but this one "
        f"returned {type(result).__name__}. Return both, or leave has_aux out."
    )


def not_tuple(name: str, what: str, value: Any) -> TypeError:
    return TypeError(
        f"{name}: {what} must be a tuple with one entry an argument, but is of type "
        f"{type(value).__name__}. For one argument write ({what[:-1]},)."
    )


def complex_input(name: str, dtype: Any) -> TypeError:
    return TypeError(
        f"{name} with holomorphic=True needs complex inputs and a complex result, but got {dtype}. "
        "Convert the input with x.astype(complex), or leave holomorphic out."
    )


def complex_jacobian(name: str, what: str, mode: str, dtype: Any) -> TypeError:
    return TypeError(
        f"{name} with mode {mode!r} needs a real {what}, but got {dtype}. Use the other mode, or "
        "pass holomorphic=True if the function is holomorphic."
    )


def bad_chunk_size(name: str, size: int) -> ValueError:
    return ValueError(f"{name}: chunk_size must be at least 1, not {size}. None takes all at once.")


def bad_option(name: str, option: str, allowed: tuple[str, ...], value: Any) -> ValueError:
    choices = ", ".join(map(repr, allowed[:-1])) + f" or {allowed[-1]!r}"
    return ValueError(f"{name}: {option} must be {choices}, not {value!r}.")


def axes_count(function: str, axes: int, arguments: int) -> ValueError:
    return ValueError(
        f"vmap: in_axes has length {axes}, but {function} was called with "
        f"{counted(arguments, 'positional argument')}. Give one entry an argument."
    )


def axes_mismatch(what: str, axes: Any, structure: Any) -> ValueError:
    return ValueError(
        f"vmap: {what}={axes!r} does not fit {structure or 'one array'}. Use an int or None for "
        "the whole, or the same containers with an int or None for each branch."
    )


def no_such_axis(function: str, shape: tuple[int, ...], axis: int) -> ValueError:
    return ValueError(
        f"vmap: an argument of {function} of shape {shape} has no axis {axis}. Use None in in_axes "
        "for arguments that all lanes share."
    )


def no_lanes(function: str) -> ValueError:
    return ValueError(
        f"vmap: no argument of {function} has lanes. Give an axis in in_axes, or axis_size."
    )


def lanes_disagree(function: str, sizes: dict[int, Any]) -> ValueError:
    found = ", ".join(f"{size} (of {shape})" for size, shape in sizes.items())
    return ValueError(
        f"vmap: the arguments of {function} disagree on the number of lanes: {found}. Choose other "
        "axes in in_axes, or None for an argument that all lanes share."
    )


def no_place_for_lanes(shape: tuple[int, ...], axis: int) -> ValueError:
    return ValueError(
        f"vmap: a result of shape {shape} has no place for lanes at out_axes={axis}. Its axes with "
        f"lanes are {-len(shape) - 1} to {len(shape)}."
    )


def lanes_differ() -> ValueError:
    return ValueError(
        "vmap: a result has out_axes=None, but it differs between the lanes. Give an axis, or "
        "reduce it inside the function."
    )


def no_jvp(name: str) -> TypeError:
    return TypeError(
        f"{name} has no forward-mode rule: a function of custom_vjp has reverse mode only. "
        "Use tapegrad.custom_jvp, which serves both modes, or a reverse-mode transform."
    )


def closed_over(kind: str, name: str) -> TapegradError:
    return TapegradError(
        f"the {kind} function {name} closes over a traced value, or has one in nondiff_argnums; "
        "its rule could give no derivative for it. Pass the value as an argument, or close over "
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
        f"fwd of the custom_vjp function {name} must return a pair (result, residuals), but "
        f"returned {type(result).__name__}. Residuals may be any tree of arrays, or None."
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
        f"defjvps of the custom_jvp function {name} was given {given} rules, but it was called "
        f"with {count} arguments. Give one an argument, or None where nothing flows."
    )


def defjvps_with_nondiff(name: str) -> TypeError:
    return TypeError(
        f"defjvps of the custom_jvp function {name} does not go with nondiff_argnums. Use defjvp."
    )


def rule_shape(what: str, expected: Any, got: Any) -> ValueError:
    return ValueError(f"{what} must have shape {expected}, but has shape {got}.")


def rule_dtype(what: str, expected: Any, got: Any) -> TypeError:
    return TypeError(f"{what} must be {expected}, but is {got}. Take its real part.")


def nothing_to_check() -> TypeError:
    return TypeError(
        "check_grads needs an argument with numbers of floating point, but there is none in args. "
        "Write 2.0 instead of 2, or x.astype(float)."
    )


def bad_samples(name: str, samples: int) -> ValueError:
    return ValueError(f"{name}: samples must be at least 1, not {samples}. None is exact.")


def plain_arguments_only(name: str) -> TypeError:
    return TypeError(
        f"{name} computes on plain arrays, for SciPy, and its result has no derivative; but a "
        "traced value is among its arguments, or in what its function closes over. Call it outside "
        "of the transform, use hvp, jvp and vjp inside, or pass tapegrad.stop_gradient(x)."
    )


def no_elements(name: str) -> ValueError:
    return ValueError(f"{name}: there is no element in the arguments, so that the matrix is empty.")


def bad_size(what: str, size: Any) -> ValueError:
    return ValueError(
        f"checkpoint: {what} must be a number of bytes, or a string such as '500MB' or '2GiB', but "
        f"is {size!r}."
    )


def bad_keep(keep: str) -> TypeError:
    return TypeError(
        f"checkpoint: keep must be a sequence of names, but is the string {keep!r}. Write "
        f"keep=[{keep!r}]."
    )


def real_only(name: str, dtype: Any) -> TypeError:
    return TypeError(
        f"{name} needs real arguments and results, but got {dtype}. Take the real and the "
        "imaginary part as arguments, or use jvp and vjp."
    )


def bad_damping(name: str, damping: float) -> ValueError:
    return ValueError(f"{name}: damping must not be negative, but is {damping}.")


def plain_random(name: str, randomness: str) -> TapegradError:
    return TapegradError(
        f"{name} drew from a generator of NumPy inside vmap(randomness={randomness!r}): its "
        "numbers are the same in all lanes. Draw with tapegrad.numpy.random (it has the same "
        "names, default_rng among them) and randomness='different' for numbers of its own in each "
        "lane; draw before, and map over an axis of the array; or pass randomness='same'."
    )


def repeated_often(
    budget: float, states: int, size: int, parts: int, times: int, better: float, fewer: int
) -> str:
    """A warning: with its budget, a checkpoint's reverse sweep computes the run many times."""
    return (
        f"checkpoint: in a budget of {size_text(budget)}, {counted(states, 'state')} of up to "
        f"{size_text(size)} can be kept of a run that is cut into {parts} parts, so that the "
        f"reverse sweep computes it about {times} times. With budget='{size_text(better)}' it "
        f"would be about {counted(fewer, 'time')}."
    )


def size_text(size: float) -> str:
    """A number of bytes with a unit, as `checkpoint` takes it."""
    for power, unit in ((9, "GB"), (6, "MB"), (3, "kB")):
        if size >= 10**power:
            return f"{size / 10**power:.3g}{unit}"
    return f"{int(size)}B"
