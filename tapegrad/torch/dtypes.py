"""PyTorch's dtypes, and how they combine.

A `dtype` stands for one of NumPy's (bfloat16 is that of `ml_dtypes`). Promotion goes by category:
bool, integer, floating point, complex. Within the highest category, arrays with axes come before
arrays without, and these before Python numbers (https://pytorch.org/docs/stable/tensor_attributes).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import ml_dtypes
import numpy

from ..core.face import settings
from . import errors

__all__ = [
    "bfloat16",
    "can_cast",
    "cdouble",
    "cfloat",
    "complex64",
    "complex128",
    "double",
    "dtype",
    "finfo",
    "float16",
    "float32",
    "float64",
    "get_default_dtype",
    "half",
    "iinfo",
    "int8",
    "int16",
    "int32",
    "int64",
    "long",
    "promote_types",
    "result_type",
    "set_default_dtype",
    "short",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]


class dtype:
    """A type of elements, such as `float32`. `numpy.dtype(x)` gives NumPy's."""

    __slots__ = ("category", "dtype", "is_complex", "is_floating_point", "is_signed", "name")

    def __init__(self, name: str, numpy_dtype: Any) -> None:
        self.name = name
        self.dtype = numpy.dtype(numpy_dtype)  # NumPy looks for an attribute of this name
        self.is_complex = self.dtype.kind == "c"
        self.is_floating_point = self.dtype.kind == "f" or name == "bfloat16"
        self.is_signed = self.dtype.kind not in "bu"
        self.category = (
            3 if self.is_complex else 2 if self.is_floating_point else int(self.dtype.kind != "b")
        )

    @property
    def itemsize(self) -> int:
        """The size of an element in bytes."""
        return self.dtype.itemsize

    def to_complex(self) -> dtype:
        """The complex dtype whose parts are of this one; raises for float16, which has none."""
        if self is float16:
            raise errors.half_complex("torch.float16 with complex numbers")
        return self if self.is_complex else COMPLEX_OF[self.name]

    def to_real(self) -> dtype:
        """The dtype of the parts of this complex one."""
        return REAL_OF.get(self.name, self)

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return of_numpy, (self.dtype,)

    def __copy__(self) -> dtype:
        return self

    def __deepcopy__(self, memo: Any) -> dtype:
        return self


bool_ = dtype("bool", numpy.bool_)
uint8 = dtype("uint8", numpy.uint8)
uint16 = dtype("uint16", numpy.uint16)
uint32 = dtype("uint32", numpy.uint32)
uint64 = dtype("uint64", numpy.uint64)
int8 = dtype("int8", numpy.int8)
int16 = short = dtype("int16", numpy.int16)
int32 = dtype("int32", numpy.int32)
int64 = long = dtype("int64", numpy.int64)
float16 = half = dtype("float16", numpy.float16)
bfloat16 = dtype("bfloat16", ml_dtypes.bfloat16)
float32 = dtype("float32", numpy.float32)
float64 = double = dtype("float64", numpy.float64)
complex64 = cfloat = dtype("complex64", numpy.complex64)
complex128 = cdouble = dtype("complex128", numpy.complex128)

ALL = (
    bool_,
    uint8,
    uint16,
    uint32,
    uint64,
    int8,
    int16,
    int32,
    int64,
    float16,
    bfloat16,
    float32,
    float64,
    complex64,
    complex128,
)

BY_NUMPY: dict[Any, dtype] = {d.dtype: d for d in ALL}

COMPLEX_OF = {
    "float16": complex64,
    "bfloat16": complex64,
    "float32": complex64,
    "float64": complex128,
}
REAL_OF = {"complex64": float32, "complex128": float64}


def of_numpy(numpy_dtype: Any) -> dtype:
    """The dtype that stands for one of NumPy's."""
    found = BY_NUMPY.get(numpy_dtype)
    if found is None:
        found = BY_NUMPY.get(numpy.dtype(numpy_dtype).newbyteorder("="))
        if found is None:
            raise errors.no_such_dtype(numpy_dtype)
    return found


def as_numpy(d: Any) -> Any:
    """NumPy's dtype for one of ours, one of NumPy's, or Python's `bool`, `int`, `float`."""
    if type(d) is dtype:
        return d.dtype
    if d is float:
        return defaults.real.dtype
    if d is complex:
        return defaults.complex.dtype
    return of_numpy(numpy.dtype(d)).dtype


class _Defaults:
    """The dtype of Python's floats, and of its complex numbers."""

    real = float32
    complex = complex64


defaults = _Defaults()
settings.append(lambda: defaults.real)


def get_default_dtype() -> dtype:
    """The dtype of tensors made of Python's floats."""
    return defaults.real


def set_default_dtype(d: Any) -> None:
    """Make `d` the dtype of tensors made of Python's floats."""
    d = of_numpy(as_numpy(d))
    if not d.is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default type, not {d}")
    defaults.real = d
    defaults.complex = COMPLEX_OF[d.name]


ORDER = {d: i for i, d in enumerate(ALL)}


@cache
def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest dtype that tensors of the dtypes `a` and `b` combine to.

    >>> promote_types(int64, float32)
    torch.float32
    """
    if a is b:
        return a
    if a.category < b.category:
        a, b = b, a
    if a.category > b.category:
        if a.is_complex and b is float64:
            return complex128
        return a
    if a.category == 1:
        if {a, b} & {uint16, uint32, uint64}:
            raise errors.no_common_dtype(a, b)
        if a.is_signed and b.is_signed:
            return a if a.itemsize > b.itemsize else b
        signed = a if a.is_signed else b  # beside uint8
        return int16 if signed is int8 else signed
    if {a, b} == {float16, bfloat16}:
        return float32
    return a if ORDER[a] > ORDER[b] else b


def common(*operands: Any) -> dtype | None:
    """The dtype that tensors and Python numbers combine to; None if there is no operand.

    An operand is a raw array, or a Python number.
    """
    best: list[dtype | None] = [None, None, None]  # of arrays with axes, without, of numbers
    for x in operands:
        if type(x) in NUMBERS:
            level = 2
            d = NUMBERS[type(x)]
            own = defaults.real if d is float64 else defaults.complex if d is complex128 else d
        else:
            level = 0 if x.shape else 1
            own = of_numpy(x.dtype)
        before = best[level]
        best[level] = own if before is None else promote_types(before, own)
    return combine(*best)


NUMBERS = {bool: bool_, int: int64, float: float64, complex: complex128}


def combine(arrays: dtype | None, scalars: dtype | None, numbers: dtype | None) -> dtype | None:
    """What arrays with axes, those without, and numbers combine to: by category, in this order."""
    result = arrays
    for other in (scalars, numbers):
        if other is None:
            continue
        if result is None:
            result = other
        elif other.category > result.category:
            real = other.is_complex and result.is_floating_point
            result = result.to_complex() if real else other
    return result


def result_type(a: Any, b: Any) -> dtype:
    """The dtype that an operation on two tensors or numbers gives."""
    found = common(*(getattr(x, "raw", x) for x in (a, b)))
    assert found is not None
    return found


def can_cast(source: dtype, to: dtype) -> bool:
    """Whether a result of the dtype `source` may be stored in place in a tensor of the dtype `to`.

    >>> can_cast(float64, float32), can_cast(float32, int64)
    (True, False)
    """
    return source.category <= to.category and not (to is bool_ and source is not bool_)


class finfo:
    """The limits of a floating-point dtype."""

    def __init__(self, type: dtype | None = None) -> None:
        self.dtype = str(type or defaults.real).removeprefix("torch.")
        d = (type or defaults.real).to_real()
        if not d.is_floating_point:
            raise TypeError("torch.finfo() requires a floating point input type. Use torch.iinfo")
        info: Any = ml_dtypes.finfo(d.dtype)
        self.bits = info.bits
        self.max = float(info.max)
        self.min = float(info.min)
        self.eps = float(info.eps)
        self.tiny = self.smallest_normal = float(info.smallest_normal)
        self.resolution = float(info.resolution)

    def __repr__(self) -> str:
        fields = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return (
            "finfo("
            + ", ".join(f"{f}={getattr(self, f):g}" for f in fields)
            + f", dtype={self.dtype})"
        )


class iinfo:
    """The limits of an integer dtype."""

    def __init__(self, type: dtype) -> None:
        if type.category != 1:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo")
        info = numpy.iinfo(type.dtype)
        self.dtype = type.name
        self.bits = info.bits
        self.max = int(info.max)
        self.min = int(info.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
