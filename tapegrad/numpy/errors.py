"""What goes wrong between recorded arrays and NumPy, with what to do instead."""

from __future__ import annotations

from ..errors import ConversionError


def no_conversion(what: str) -> ConversionError:
    return ConversionError(
        f"{what} would take a traced value off the tape, and its derivative would be lost without "
        "a word. numpy.array, full, vectorize and functions of lists do that too, and so does "
        "a[i:j] = x or a[mask] = x where a is an ndarray. Use the function of the same name in "
        "tapegrad.numpy; make an array that is to be filled with tapegrad.numpy (zeros, empty, "
        "...) inside the function; import tapegrad.scipy.sparse, so that matrices of scipy.sparse "
        "multiply; or use tapegrad.stop_gradient(x) where no derivative is wanted."
    )


def no_number(what: str) -> ConversionError:
    return ConversionError(
        f"{what} would take a traced value off the tape, and its derivative would be lost without "
        "a word. Functions of math do that too. Leave the conversion out, use the function of the "
        "same name in tapegrad.numpy, or pass tapegrad.stop_gradient(x) where no derivative is "
        "wanted."
    )


def recorded_into_ndarray(name: str) -> TypeError:
    return TypeError(
        f"{name} was to write a traced value into a plain ndarray, which no tape sees. Write "
        "a = a + x instead of a += x, leave out out=, or make the array with tapegrad.numpy "
        "(zeros, array, ...) inside the function."
    )


def where_without_out(name: str) -> ValueError:
    return ValueError(
        f"numpy.{name} with where= but without out= leaves elements that are not computed "
        f"undefined. Pass out=, or write tapegrad.numpy.where(mask, {name}(...), other)."
    )


def no_ufunc_rule(name: str) -> TypeError:
    return TypeError(
        f"the ufunc {name!r} has no rule for traced arrays. Use the function of that name in "
        "tapegrad.numpy or tapegrad.scipy.special where there is one, or tapegrad.numpy.vectorize "
        "in place of numpy.frompyfunc; wrap it with tapegrad.custom_vjp, or pass "
        "tapegrad.stop_gradient(x) if no derivative should go through it."
    )


def no_kernel_rule(name: str) -> TypeError:
    return TypeError(
        f"CuPy's kernel {name} has no rule for traced arrays. Write it with functions of "
        "tapegrad.numpy, or wrap it with tapegrad.custom_vjp."
    )
