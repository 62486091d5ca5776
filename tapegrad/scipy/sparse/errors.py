"""What sparse matrices with recorded elements say when something is wrong."""

from __future__ import annotations

from typing import Any

import numpy


def dense_needed(what: str) -> TypeError:
    return TypeError(
        f"{what} would make a dense array, or take recorded elements off the tape. Use A.toarray() "
        "for a recorded dense array, or A.data for the elements."
    )


def no_operand(operator: str, other: Any) -> TypeError:
    return TypeError(
        f"{operator} of a sparse matrix and {type(other).__name__} is not known here: the result "
        "would be dense, or has no derivative. Use A.toarray() for a recorded dense array."
    )


def wrong_shapes(operator: str, own: tuple[int, ...], other: tuple[int, ...]) -> ValueError:
    return ValueError(
        f"{operator}: a sparse matrix of shape {tuple(own)} does not go with shape {tuple(other)}."
    )


def not_square(name: str, shape: tuple[int, ...]) -> ValueError:
    return ValueError(f"{name} needs a square matrix, but this one has shape {tuple(shape)}.")


def not_converged(name: str, info: int) -> numpy.linalg.LinAlgError:
    reason = f"after {info} iterations" if info > 0 else f"(breakdown, info={info})"
    return numpy.linalg.LinAlgError(
        f"{name} did not converge {reason}, so that there is no derivative. Raise maxiter, give a "
        "preconditioner M, or use spsolve."
    )


def not_supported(name: str, what: str, instead: str) -> TypeError:
    return TypeError(f"{name} of recorded arrays does not take {what}. {instead}")


def shape_needed(name: str) -> TypeError:
    return TypeError(
        f"{name} of recorded elements needs their matrix's shape: pass shape=(rows, columns)."
    )


def diagonal_length(offset: int, length: int, shape: tuple[int, ...]) -> ValueError:
    return ValueError(
        f"diags_array: the diagonal at offset {offset} has {length} elements, but an array of "
        f"shape {tuple(shape)} was given. Give as many, or one number for all."
    )
