"""Errors of `torch.testing`, in PyTorch's words, and of layouts that are not here."""

from __future__ import annotations

from typing import Any

__all__ = ["cannot_compare", "keys_differ", "no_sparse", "one_tolerance", "values_differ"]


def values_differ(text: str, path: str) -> AssertionError:
    return AssertionError(f"{text}\n\nThe failure occurred for item {path}" if path else text)


def keys_differ(missing: list[Any], more: list[Any], path: str) -> AssertionError:
    return values_differ(
        "The keys of the mappings do not match:\n"
        f"Missing keys in the actual mapping: {missing}\n"
        f"Additional keys in the actual mapping: {more}",
        path,
    )


def cannot_compare(a: type, b: type) -> TypeError:
    return TypeError(f"No comparison pair was able to handle inputs of type {a} and {b}.")


def one_tolerance(missing: str) -> ValueError:
    return ValueError(
        f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}."
    )


def no_sparse(name: str) -> NotImplementedError:
    return NotImplementedError(
        f"{name} makes a tensor of a sparse layout, which tapegrad.torch does not have. "
        "Keep the indices and the values as tensors: x.index_add(0, rows, values) adds them up, "
        "and torch.zeros(shape).index_put((rows, columns), values, accumulate=True) is the matrix. "
        "tapegrad.scipy.sparse has sparse matrices that are differentiated."
    )
