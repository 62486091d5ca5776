"""Large products of matrices through the BLAS that SciPy brings.

`write_product` gives a function of the same arguments as that of `gemm`; the BLAS's address has to
be imported where it is loaded: `imports`. Without SciPy, `available()` is false.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.util
from typing import Any

import numpy

from .gemm import Product, Strides
from .text import Function, Kind

ROUTINES = {numpy.dtype("float32"): "sgemm", numpy.dtype("float64"): "dgemm"}
LARGEST = 2**31 - 1  # of its integers


@functools.cache
def available() -> bool:
    return importlib.util.find_spec("scipy") is not None


@functools.cache
def imports(dtype: numpy.dtype[Any]) -> dict[str, int]:
    """The address of the routine for a dtype, by the name that it is called by."""
    capsules = importlib.import_module("scipy.linalg.cython_blas").__pyx_capi__
    routine = ROUTINES[dtype]
    api = ctypes.pythonapi
    name, pointer = api.PyCapsule_GetName, api.PyCapsule_GetPointer
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = capsules[routine]
    return {f"tapegrad.{routine}": pointer(capsule, name(capsule))}


def leading(strides: Strides, rows: int, columns: int) -> tuple[str, int] | None:
    """Whether the BLAS, which takes matrices by columns, gets this one turned, and its stride.

    None where neither its rows nor its columns are in one piece.
    """
    row, column = strides
    if (column == 1 or columns == 1) and (row >= max(columns, 1) or rows == 1):
        return "N", max(row, columns, 1)
    if (row == 1 or rows == 1) and (column >= max(rows, 1) or columns == 1):
        return "T", max(column, rows, 1)
    return None


def takes(product: Product) -> bool:
    """Whether the BLAS can compute a product as it is."""
    if product.c[1] != 1:
        product = product.transposed()
    layouts = (
        leading(product.a, product.m, product.k),
        leading(product.b, product.k, product.n),
        leading(product.c, product.m, product.n),
    )
    return (
        all(layout is not None and layout[1] <= LARGEST for layout in layouts)
        and layouts[2] is not None
        and layouts[2][0] == "N"
        and max(product.m, product.n, product.k) <= LARGEST
    )


def write_product(name: str, product: Product) -> Function:
    """A function that lets the BLAS multiply."""
    function = Function(f"define internal void @{name}(ptr %a, ptr %b, ptr %c, ptr %context)")
    a, b = "%a", "%b"
    if product.c[1] != 1:
        product, a, b = product.transposed(), b, a
    one = Kind(product.dtype, 1)

    def stored(type: str, value: str | int) -> tuple[str, str]:
        place = function.variable(type)
        function.do(f"store {type} {value}, ptr {place}")
        return "ptr", place

    def matrix(pointer: str, strides: Strides, rows: int, columns: int) -> tuple[Any, Any, Any]:
        layout = leading(strides, rows, columns)
        assert layout is not None, "ask `takes` first"
        return stored("i8", ord(layout[0])), ("ptr", pointer), stored("i32", layout[1])

    # by columns, the rows of C are those of its transpose, which is the product of the transposes
    turn_b, b_pointer, b_step = matrix(b, product.b, product.k, product.n)
    turn_a, a_pointer, a_step = matrix(a, product.a, product.m, product.k)
    _, c_pointer, c_step = matrix("%c", product.c, product.m, product.n)
    sizes = [stored("i32", size) for size in (product.n, product.m, product.k)]
    alpha = stored(one.element, one.constant(1.0))
    beta = stored(one.element, one.constant(float(product.accumulate)))
    arguments = [turn_b, turn_a, *sizes, alpha, b_pointer, b_step, a_pointer, a_step]
    routine = f"tapegrad.{ROUTINES[product.dtype]}"
    function.call("void", routine, *arguments, beta, c_pointer, c_step)
    function.do("ret void")
    return function
