"""Errors about indices, masks, gathering and scattering."""

from __future__ import annotations

from typing import Any

from .types import NATIVE, SCALARS


def negative_step() -> ValueError:
    return ValueError(
        "step must be greater than zero\nUse torch.flip(x, dims) to turn an axis round."
    )


def bad_index(error: IndexError, shape: Any, key: Any) -> IndexError:
    text = str(error).replace("for axis", "for dimension")
    if text.startswith("too many indices"):
        text = f"too many indices for tensor of dimension {len(shape)}"
    elif text.startswith("only integers"):
        allowed = int | slice | list | None
        wrong = [k for k in key if not isinstance(k, allowed) and not hasattr(k, "shape")]
        got = f" (got {type(wrong[0]).__name__})" if wrong else ""
        text = (
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
            f"valid indices{got}"
        )
    elif text.startswith("arrays used as indices"):
        text = "tensors used as indices must be long, int, byte or bool tensors"
    return IndexError(f"{text}\nThe tensor has the shape {list(shape)}.")


def flag_among_indices() -> IndexError:
    return IndexError(
        "a truth value beside other indices can't be assigned to\n"
        "Write it as a condition: if flag: x[index] = value."
    )


def not_condition(d: Any) -> RuntimeError:
    return RuntimeError(
        f"where expected condition to be a boolean tensor, but got a tensor with dtype "
        f"{SCALARS[d.name]}"
    )


def not_mask(name: str, d: Any) -> RuntimeError:
    return RuntimeError(
        f"{name} only supports boolean masks, but got mask with dtype {NATIVE[d.name]}\n"
        "Convert it with .bool()."
    )


def not_selecting_mask() -> RuntimeError:
    return RuntimeError(
        "masked_select: expected BoolTensor for mask\nConvert it with .bool(), or compare it."
    )


def negative_rows() -> RuntimeError:
    return RuntimeError("nonzero_static: 'size' must be an non-negative integer")


def value_with_axes(n: int) -> RuntimeError:
    return RuntimeError(
        "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
        f"{n} dimension(s)."
    )


def not_integer_index(name: str) -> RuntimeError:
    return RuntimeError(
        f"{name}(): Expected dtype int64 for index\nConvert it, for example with .long()."
    )


def index_axes(name: str) -> RuntimeError:
    return RuntimeError("Index tensor must have the same number of dimensions as input tensor")


def index_beyond(index: int, axis: int, size: int) -> RuntimeError:
    return RuntimeError(f"index {index} is out of bounds for dimension {axis} with size {size}")


def index_out_of_range(name: str) -> IndexError:
    return IndexError(f"{name}(): index out of range in self")


def index_not_vector(name: str) -> IndexError:
    return IndexError(f"{name}(): Index is supposed to be a vector")


def scatter_dtype(name: str) -> RuntimeError:
    return RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")


def bad_reduction(reduce: str) -> RuntimeError:
    return RuntimeError(
        f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}."
    )


def copy_dtype(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"index_copy_(): self and source expected to have the same dtype, but got (self) {a} and "
        f"(source) {b}"
    )


def put_dtype(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        "Index put requires the source and destination dtypes match, got "
        f"{SCALARS[a.name]} for the destination and {SCALARS[b.name]} for the source."
    )


def take_beyond(size: int) -> IndexError:
    return IndexError(f"out of range: tried to access an element of a tensor of {size} elements")


def no_whole_indices(d: Any) -> TypeError:
    return TypeError(f"expected 'indices' to be integer dtype, but got {d}")
