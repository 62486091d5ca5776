"""Calls of every function of the array API standard (2024.12), by name.

Each is `(arguments, keywords)`, with ndarrays in it that the tests convert.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Call = tuple[tuple[Any, ...], dict[str, Any]]

CALLS: dict[str, list[Call]] = {}

BOOL = np.array([[True, False, True], [False, False, True]])
INT = np.array([[3, -1, 2], [0, 5, -4]])
UINT = np.array([[3, 1, 2], [0, 5, 4]], dtype=np.uint8)
FLOAT = np.array([[0.5, -1.5, 2.25], [3.5, -0.25, 1.0]])
SINGLE = FLOAT.astype(np.float32)
COMPLEX = FLOAT + 1j * FLOAT[::-1]
POSITIVE = np.abs(FLOAT) + 0.5
UNIT = FLOAT / 4
VECTOR = np.array([0.5, -1.5, 2.25])
CUBE = np.arange(24.0).reshape(2, 3, 4) - 7.5
SQUARE = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.25], [0.5, -0.25, 2.0]])  # positive definite
STACK = np.stack([SQUARE, 2 * SQUARE + np.eye(3)])
EMPTY = np.zeros((0, 3))
SCALAR = np.array(2.5)
SHIFT = np.array([[1, 0, 2], [3, 1, 0]])

REAL = (INT, UINT, FLOAT, SINGLE)
NUMERIC = (*REAL, COMPLEX)
ALL = (BOOL, *NUMERIC)
FLOATING = (FLOAT, SINGLE, COMPLEX, EMPTY, SCALAR)


def calls(names: str, *inputs: Any, **keywords: Any) -> None:
    """A call of each function with these inputs."""
    for name in names.split():
        CALLS.setdefault(name, []).append((inputs, keywords))


def each(names: str, arrays: tuple[Any, ...], **keywords: Any) -> None:
    """Calls of functions of one array."""
    for x in arrays:
        calls(names, x, **keywords)


def pairs(names: str, arrays: tuple[Any, ...]) -> None:
    """Calls of functions of two arrays: of equal shapes, broadcast, and beside Python numbers."""
    for x in arrays:
        calls(names, x, x[::-1])
        calls(names, x, x[:1])
        calls(names, x, True if x.dtype == bool else 2)
        calls(names, True if x.dtype == bool else 2, x)


each("asin acos atan asinh atanh", (UNIT, UNIT.astype(np.float32)))
each("acosh log log2 log10 log1p sqrt", (POSITIVE, POSITIVE.astype(np.float32), COMPLEX))
each("cos cosh exp expm1 sin sinh tan tanh reciprocal", FLOATING[:3])
each("abs negative positive square sign", (INT, *FLOATING))
each("ceil floor trunc round", (INT, FLOAT, SINGLE))
each("real imag", (COMPLEX,))
each("conj", (COMPLEX, FLOAT))
each("isfinite isinf isnan", (INT, FLOAT, COMPLEX, np.array([np.nan, np.inf, 1.0])))
each("signbit", (FLOAT, np.array([-0.0, 0.0])))
each("logical_not bitwise_invert", (BOOL,))
each("bitwise_invert", (INT, UINT))
pairs("add subtract multiply equal not_equal", NUMERIC)
pairs("divide", FLOATING[:3])
pairs("pow", (UINT, POSITIVE, COMPLEX))
pairs("less less_equal greater greater_equal maximum minimum", REAL)
pairs("floor_divide remainder", (INT + 7, FLOAT))
pairs("atan2 copysign hypot logaddexp nextafter", (FLOAT, SINGLE))
pairs("bitwise_and bitwise_or bitwise_xor", (BOOL, INT))
pairs("logical_and logical_or logical_xor", (BOOL,))
calls("bitwise_left_shift bitwise_right_shift", INT, SHIFT)
calls("clip", FLOAT, -1.0, 2.0)
calls("clip", FLOAT, min=0.0)
calls("clip", FLOAT, max=FLOAT[::-1])
calls("clip", INT, min=0, max=3)

for axis in (None, 0, (0, 1), -1):
    each("sum prod", NUMERIC, axis=axis)
    each("max min", REAL, axis=axis, keepdims=True)
    each("mean std var", (FLOAT, SINGLE), axis=axis)
    each("all any", ALL, axis=axis)
    each("count_nonzero", ALL, axis=axis)
each("sum prod", (UINT,), dtype=np.dtype(np.uint8))
each("sum prod", (INT,), dtype=np.dtype(np.float64), keepdims=True)
each("std var", (FLOAT,), correction=1.0, keepdims=True)
each("mean", (COMPLEX,), keepdims=True)
each("sum any all prod", (EMPTY, SCALAR))
each("cumulative_sum cumulative_prod", NUMERIC, axis=1)
each("cumulative_sum cumulative_prod", (VECTOR,), include_initial=True)
each("argmax argmin", REAL, axis=1, keepdims=True)
each("argmax argmin", REAL)
each("sort argsort", REAL)
each("sort argsort", (INT, FLOAT), axis=0, descending=True)
each("argsort", (np.array([2, 1, 2, 1, 1]),), descending=True, stable=True)
calls("searchsorted", np.array([0.5, 1.0, 2.0]), FLOAT, side="right")
calls("searchsorted", np.array([2.0, 0.5, 1.0]), VECTOR, sorter=np.array([1, 2, 0]))
each("nonzero", ALL)
each("unique_counts unique_inverse unique_all", (INT, np.array([2.0, 1.0, 2.0])))
each("unique_values", (np.array([2.0, 2.0]),))  # the order of several is open
calls("where", BOOL, FLOAT, FLOAT[::-1])
calls("where", BOOL, INT, INT[0])
calls("where", BOOL, FLOAT, 1.0)

calls("broadcast_arrays", FLOAT, VECTOR)
calls("broadcast_to", VECTOR, (2, 3))
calls("concat stack", (FLOAT, FLOAT[::-1]), axis=1)
calls("concat", (FLOAT, EMPTY), axis=None)
calls("diff", FLOAT, n=2)
calls("diff", INT, axis=0, prepend=INT[:1], append=INT[:1])
calls("expand_dims", FLOAT, axis=-1)
each("flip", ALL, axis=None)
each("flip", ALL, axis=(0, 1))
calls("moveaxis", CUBE, (0, 1), (2, 0))
calls("permute_dims", CUBE, (2, 0, 1))
calls("repeat", FLOAT, 2)
calls("repeat", FLOAT, np.array([1, 2]), axis=0)
calls("reshape", CUBE, (4, -1))
calls("reshape", CUBE, (24,), copy=True)
calls("roll", FLOAT, 2)
calls("roll", FLOAT, (1, 2), axis=(0, 1))
calls("squeeze", FLOAT[None], axis=0)
calls("tile", FLOAT, (2, 1, 2))
calls("unstack", CUBE, axis=1)
calls("take", FLOAT, np.array([2, 0]), axis=1)
calls("take", VECTOR, np.array([2, 0, 2]))
calls("take_along_axis", FLOAT, np.array([[0, 2], [1, 1]]), axis=1)
calls("meshgrid", VECTOR, FLOAT[0], indexing="ij")
calls("meshgrid", VECTOR, FLOAT[0])
each("tril triu", (FLOAT, CUBE), k=1)
each("matrix_transpose", (FLOAT, CUBE))

calls("matmul", FLOAT, FLOAT.T)
calls("matmul", CUBE, VECTOR[:1].repeat(4))
calls("matmul", INT, INT.T)
calls("tensordot", CUBE, FLOAT, axes=((1,), (1,)))
calls("vecdot", COMPLEX, COMPLEX[::-1])
calls("vecdot", CUBE, CUBE, axis=-3)
calls("vecdot", UINT, UINT)

calls("arange", 5)
calls("arange", 1.5, 4, 0.5, dtype=np.dtype(np.float32))
calls("linspace", 0.0, 1.0, 5, endpoint=False)
calls("eye", 3, 2, k=-1)
calls("zeros ones", (2, 3), dtype=np.dtype(np.int32))
calls("full", (2,), 1.5)
calls("zeros_like ones_like", INT, dtype=np.dtype(np.complex64))
calls("full_like", INT, 7)
calls("asarray", [[1.0, 2.0], [3.0, 4.0]], dtype=np.dtype(np.float32))
calls("asarray", FLOAT, copy=True)
calls("astype", FLOAT, np.dtype(np.float32))
calls("astype", INT, np.dtype(np.float64), copy=False)
calls("astype", FLOAT, np.dtype(np.complex128))
calls("can_cast", np.dtype(np.float32), np.dtype(np.float64))
calls("result_type", FLOAT, np.dtype(np.float32))
calls("isdtype", np.dtype(np.float32), "real floating")

calls("linalg.cholesky", STACK)
calls("linalg.cholesky", SQUARE, upper=True)
calls("linalg.cross", FLOAT, FLOAT[::-1])
calls("linalg.det", STACK)
calls("linalg.inv", STACK)
calls("linalg.diagonal", CUBE, offset=1)
calls("linalg.matrix_norm", STACK, ord="fro", keepdims=True)
calls("linalg.matrix_power", SQUARE, 3)
calls("linalg.matrix_rank", STACK)
calls("linalg.matrix_transpose", CUBE)
calls("linalg.matmul", STACK, SQUARE)
calls("linalg.outer", VECTOR, VECTOR)
calls("linalg.pinv", FLOAT)
calls("linalg.slogdet", STACK)
calls("linalg.solve", STACK, FLOAT.T)
calls("linalg.tensordot", CUBE, FLOAT, axes=((1,), (1,)))
calls("linalg.trace", CUBE, offset=-1)
calls("linalg.vecdot", FLOAT, FLOAT[::-1])
calls("linalg.vector_norm", CUBE, axis=(0, 2), ord=3)
calls("linalg.vector_norm", CUBE, keepdims=True)
calls("linalg.eigh linalg.eigvalsh linalg.svdvals linalg.qr linalg.svd", SQUARE)

calls("fft.fft fft.ifft fft.fftn fft.ifftn fft.hfft", COMPLEX)
calls("fft.rfft fft.rfftn fft.ihfft", FLOAT)
calls("fft.irfft fft.irfftn", COMPLEX)
calls("fft.fftfreq fft.rfftfreq", 5, d=0.5)
calls("fft.fftshift fft.ifftshift", FLOAT)
