"""What sparse derivatives say when something is wrong."""

from __future__ import annotations

from typing import Any

from ..errors import TapegradError


class PatternWarning(UserWarning):
    """A sparsity pattern may hold only at the values it was found with."""


class PatternError(TapegradError):
    """A sparsity pattern lacks elements, or belongs to another function."""


def data_dependent(looked: list[str]) -> str:
    places = ", ".join(dict.fromkeys(what.rstrip(",") for what in looked))
    return (
        f"the function looks at values: {places}. Its sparsity pattern was found for the path "
        "taken here, and may be another elsewhere. Choose with tapegrad.numpy.where instead, or "
        "use the pattern only where the path is the same; tapegrad.sparse.check tells."
    )


def too_dense(name: str, size: int) -> MemoryError:
    return MemoryError(
        f"the sparsity pattern would have {size:.3g} elements, from the operation {name!r} on: of "
        "that operation it is only known that results depend on whole lines or blocks of its "
        "input. Write it with indexing, sums and products, pass a pattern of your own, or use "
        "tapegrad.jvp or tapegrad.hvp, which need no matrix."
    )


def wrong_shape(name: str, pattern: tuple[int, ...], needed: tuple[int, ...]) -> PatternError:
    return PatternError(
        f"{name}: the pattern has shape {tuple(pattern)}, but the matrix here has shape "
        f"{tuple(needed)}. Compute another with tapegrad.sparsity for arguments of these shapes."
    )


def not_symmetric(name: str) -> PatternError:
    return PatternError(
        f"{name} needs a symmetric pattern, coloured as such. Compute it with "
        'tapegrad.sparsity(fun, x, of="hessian").'
    )


def incomplete(largest: float) -> PatternError:
    return PatternError(
        "the pattern lacks elements here: products of the sparse matrix with random vectors differ "
        f"from those of the derivative by up to {largest:.3g}. The function takes another path at "
        "these values, or is another; compute the pattern again with tapegrad.sparsity."
    )


def complex_values(name: str, what: str, dtype: Any) -> TypeError:
    return TypeError(
        f"{name} needs a real {what}, but got {dtype}. Split it into its real and imaginary parts."
    )


def not_pattern(value: Any) -> TypeError:
    return TypeError(
        "a pattern must come from tapegrad.sparsity, or be a scipy.sparse matrix whose stored "
        f"elements are the pattern, not of type {type(value).__name__}."
    )


def asymmetric(shape: tuple[int, ...]) -> PatternError:
    return PatternError(
        f"a symmetric pattern must be symmetric, but this one, of shape {tuple(shape)}, is not. "
        "The pattern of a Hessian may be pattern + pattern.T."
    )
