"""What this package says when it is used wrongly: what happened, where, and what to do instead."""

from __future__ import annotations

from typing import Any


def no_rule(kind: str, name: str, argnums: tuple[int, ...]) -> NotImplementedError:
    which = ", ".join(map(str, argnums))
    define = "defvjp" if kind == "VJP" else "defjvp"
    return NotImplementedError(
        f"{kind} of {name} wrt argnums {which} not defined. Give it with extend.{define}({name}, "
        "...), or hold the argument constant with tapegrad.stop_gradient(x)."
    )


def not_primitive(name: str, fun: str) -> TypeError:
    return TypeError(
        f"{name} needs a primitive, and {fun} is none: its own rules would go on being used. Wrap "
        f"the function first: my_{fun} = primitive({fun})."
    )


def bad_rule(kind: str, rule: Any, fun: str) -> TypeError:
    allowed = "a function or None" if kind == "VJP" else "a function, 'same' or None"
    return TypeError(f"Bad {kind} {rule!r} for {fun}: a rule is {allowed}.")


def traced_keyword(fun: str) -> TypeError:
    return TypeError(
        f"the primitive {fun} got a traced array as a keyword argument, for which there are no "
        "rules. Pass it by position."
    )


def not_scalar(name: str, value: Any) -> TypeError:
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    got = type(value).__name__ if shape is None else f"{dtype}{list(shape)}"
    return TypeError(
        f"{name} only applies to real scalar-output functions, but this one returned {got}. Try "
        "jacobian, elementwise_grad or holomorphic_grad."
    )


def complex_elementwise() -> TypeError:
    return TypeError(
        "elementwise_grad only applies to real-output functions. Take the real part of the result."
    )


def no_vector_space(value: Any) -> TypeError:
    return TypeError(
        f"Can't find vector space for value {value!r} of type {type(value).__name__}. Use floating "
        "point arrays and numbers, in lists, tuples and dictionaries if you like; a class of your "
        "own is a container after tapegrad.tree.register, or needs a Box and a VSpace."
    )


def no_trace(value: Any) -> TypeError:
    return TypeError(
        f"trace needs a function of one floating point array or number, but got "
        f"{type(value).__name__}."
    )


def independent_of_input() -> ValueError:
    return ValueError(
        "Output is independent of input: there is nothing to run again for other inputs. Call the "
        "function itself."
    )


def no_element(space: Any) -> TypeError:
    return TypeError(
        f"a derivative computed with the number that stands for an element of {space!r}. What "
        "reads or changes a traced value of a class of your own must be a primitive, with rules "
        "that give values of the class."
    )
