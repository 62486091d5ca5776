"""`torch.testing`: comparisons for tests, and tensors to test on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy
from numpy import ndarray

from ..backend import HOST, put
from . import errors
from .calls import silent
from .creation import as_tensor
from .dtypes import finfo
from .random import rand, randint
from .tensor import Tensor

__all__ = ["assert_close", "make_tensor"]

INTEGERS = ("int8", "int16", "int32", "int64")

TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
"""By dtype: how large the difference may be in relation to the right value, and beyond that."""

RANGES = {"bool": (0, 2), "uint8": (0, 10), **dict.fromkeys(INTEGERS, (-9, 10))}
"""By dtype: where the elements of `make_tensor` begin, and where they end."""

NUMBERS = (bool, int, float, complex)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise an AssertionError, which says what differs, unless two values are nearly equal.

    They are tensors, arrays or numbers, or sequences and mappings of them. Elements may differ by
    ``atol + rtol * abs(expected)``; the defaults depend on the dtype, and are 0 for integers.

    >>> import tapegrad.torch as torch
    >>> assert_close(torch.tensor(1.0) / 3, torch.tensor(0.33333334))
    """
    if (rtol is None) != (atol is None):
        raise errors.one_tolerance("rtol" if rtol is None else "atol")
    try:
        compare(
            actual,
            expected,
            "",
            None if rtol is None or atol is None else (rtol, atol),
            equal_nan,
            {
                "dtype": check_dtype,
                "device": check_device,
                "stride()": check_stride,
                "class": not allow_subclasses,
            },
        )
    except AssertionError as error:
        if msg is None:
            raise
        raise AssertionError(msg if isinstance(msg, str) else msg(str(error))) from None


def compare(
    actual: Any,
    expected: Any,
    path: str,
    tolerances: tuple[float, float] | None,
    equal_nan: bool,
    checks: dict[str, bool],
) -> None:
    """Compare values at a path within what `assert_close` was given."""
    rest = tolerances, equal_nan, checks
    if isinstance(actual, Tensor) and isinstance(expected, Tensor):
        if checks["class"] and type(actual) is not type(expected):
            raise errors.cannot_compare(type(actual), type(expected))
        compare_tensors(actual, expected, path, *rest)
    elif isinstance(actual, ndarray) and isinstance(expected, ndarray):
        compare_tensors(as_tensor(actual), as_tensor(expected), path, *rest)
    elif isinstance(actual, bool) and isinstance(expected, bool):
        if actual is not expected:
            raise errors.values_differ(f"Booleans mismatch: {actual} is not {expected}", path)
    elif isinstance(actual, NUMBERS) and isinstance(expected, NUMBERS):
        if checks["dtype"] and type(actual) is not type(expected):
            kinds = f"{type(actual)} != {type(expected)}"
            raise errors.values_differ(f"The (d)types do not match: {kinds}.", path)
        values = numpy.asarray(actual), numpy.asarray(expected)
        compare_values(*values, path, tolerances or default_tolerances(*values), equal_nan)
    elif actual is None or expected is None:
        if actual is not expected:
            raise errors.values_differ(f"None mismatch: {actual} is not {expected}", path)
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if set(actual) != set(expected):
            missing, more = sorted(set(expected) - set(actual)), sorted(set(actual) - set(expected))
            raise errors.keys_differ(missing, more, path)
        for key in actual:
            compare(actual[key], expected[key], f"{path}[{key!r}]", *rest)
    elif is_sequence(actual) and is_sequence(expected):
        if len(actual) != len(expected):
            lengths = f"{len(actual)} != {len(expected)}"
            raise errors.values_differ(f"The length of the sequences mismatch: {lengths}", path)
        for i, (a, b) in enumerate(zip(actual, expected, strict=True)):
            compare(a, b, f"{path}[{i}]", *rest)
    else:
        raise errors.cannot_compare(type(actual), type(expected))


def is_sequence(x: Any) -> bool:
    """Whether a value is a sequence of values."""
    return isinstance(x, Sequence) and not isinstance(x, str)


def compare_tensors(
    actual: Tensor,
    expected: Tensor,
    path: str,
    tolerances: tuple[float, float] | None,
    equal_nan: bool,
    checks: dict[str, bool],
) -> None:
    """Compare what two tensors are, and their values."""
    properties = {
        "shape": lambda x: x.shape,
        "device": lambda x: x.device,
        "dtype": lambda x: x.dtype,
        "stride()": lambda x: x.stride(),
    }
    for name, read in properties.items():
        if checks.get(name, True) and read(actual) != read(expected):
            difference = f"{read(actual)} != {read(expected)}"
            text = f"The values for attribute '{name}' do not match: {difference}."
            raise errors.values_differ(text, path)
    a, b = (numpy.asarray(put(x.detach().raw, HOST)) for x in (actual, expected))
    compare_values(a, b, path, tolerances or default_tolerances(a, b), equal_nan)


def default_tolerances(a: ndarray, b: ndarray) -> tuple[float, float]:
    """The larger ones of the dtypes of two arrays."""
    pairs = [TOLERANCES.get(x.dtype.name, (0.0, 0.0)) for x in (a, b)]
    return max(p[0] for p in pairs), max(p[1] for p in pairs)


@silent
def compare_values(
    a: ndarray, b: ndarray, path: str, tolerances: tuple[float, float], equal_nan: bool
) -> None:
    """Raise unless the elements of two arrays are nearly equal."""
    rtol, atol = tolerances
    common = numpy.promote_types(a.dtype, b.dtype)
    if common.kind == "b":
        common = numpy.dtype(numpy.int64)
    a, b = a.astype(common), b.astype(common)
    exact = a == b
    if equal_nan:
        exact |= numpy.isnan(a) & numpy.isnan(b)
    distance = numpy.abs(a - b)
    near = exact | (numpy.isfinite(distance) & (distance <= atol + rtol * numpy.abs(b)))
    if near.all():
        return
    scalars = not a.ndim
    what, how = "Scalars" if scalars else "Tensor-likes", "close" if atol or rtol else "equal"
    lines = [f"{what} are not {how}!", ""]
    if scalars:
        lines.append(f"Expected {b.item()} but got {a.item()}.")
    else:
        wrong = int(a.size - near.sum())
        lines.append(f"Mismatched elements: {wrong} / {a.size} ({wrong / a.size:.1%})")
    relative = distance / numpy.abs(b)
    for name, values, allowed in (("absolute", distance, atol), ("relative", relative, rtol)):
        values = numpy.where(near, 0, values)
        place = numpy.unravel_index(int(values.argmax()), values.shape)
        greatest = values[place].item()
        limit = f" (up to {allowed} allowed)" if atol or rtol else ""
        if scalars:
            lines.append(f"{name.capitalize()} difference: {greatest}{limit}")
        else:
            at = tuple(map(int, place))
            lines.append(f"Greatest {name} difference: {greatest} at index {at}{limit}")
    raise errors.values_differ("\n".join(lines), path)


def make_tensor(
    *shape: Any,
    dtype: Any,
    device: Any = "cpu",
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A tensor of random elements from `low` to `high`, `high` excluded.

    By default they are from -9 to 9, of unsigned integers from 0 to 9, of booleans both. If
    `noncontiguous`, its elements lie apart in memory; if `exclude_zero`, zeros become ones, or the
    smallest normal number of a floating-point dtype.
    """
    sizes = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    wide = (*sizes[:-1], 2 * sizes[-1]) if noncontiguous and sizes else sizes
    first, last = RANGES.get(dtype.name, (-9, 9))
    start = first if low is None else low
    end = last if high is None else high
    if dtype.is_complex:
        x = rand(wide, dtype=dtype, device=device) * (end - start) + complex(start, start)
    elif dtype.is_floating_point:
        x = rand(wide, dtype=dtype, device=device) * (end - start) + start
    else:
        x = randint(int(start), int(end), wide, dtype=dtype, device=device)
    if noncontiguous and sizes:
        x = x[..., ::2]
    if exclude_zero:
        real = dtype.to_real()
        x.masked_fill_(x == 0, finfo(real).tiny if real.is_floating_point else 1)
    return x.requires_grad_(requires_grad)
