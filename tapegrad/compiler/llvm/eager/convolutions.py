"""Convolutions of images for eager code: for each shape, machine code made once and kept on disk.

As everything in this package, these give None where there is no machine code for the arrays.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy
from numpy import ndarray

from ..arguments import BYTE
from ..cache import Cache, key
from ..convolution import (
    Convolution,
    shape_of,
    write_forward,
    write_input_gradient,
    write_turn,
    write_weight_gradient,
)
from ..convolution.shape import Padding, Pair
from ..host import host
from ..jit import compile_object, load, lock
from ..text import Function
from ..tiles import imports
from . import native, pointer

WRITERS = {
    "convolve": write_forward,
    "input_gradient": write_input_gradient,
    "weight_gradient": write_weight_gradient,
}

_functions: dict[tuple[str, Convolution], Any] = {}
_asked: Counter[tuple[str, Convolution]] = Counter()

OFTEN = 3
"""The time that a patient caller asks for a shape, at which it gets code of its own."""


def convolve(
    x: ndarray,
    weights: ndarray,
    stride: Pair = (1, 1),
    dilation: Pair = (1, 1),
    padding: Padding = ((0, 0), (0, 0)),
    groups: int = 1,
    patient: bool = False,
) -> ndarray | None:
    """Images (batch, channel, row, column) under weights (filter, channel, row, column)."""
    if not native(x, weights):
        return None
    conv = shape_of(x.shape, weights.shape, x.dtype, stride, dilation, padding, groups)
    if conv is None:
        return None
    return run("convolve", conv, x, weights, (conv.batch, len(weights), *conv.out), patient)


def input_gradient(
    g: ndarray,
    weights: ndarray,
    images: tuple[int, ...],
    stride: Pair = (1, 1),
    dilation: Pair = (1, 1),
    padding: Padding = ((0, 0), (0, 0)),
    groups: int = 1,
    patient: bool = False,
) -> ndarray | None:
    """The cotangent of images of a shape, for that of what `convolve` gives."""
    if not native(g, weights):
        return None
    conv = shape_of(images, weights.shape, g.dtype, stride, dilation, padding, groups)
    if conv is None or g.shape != (conv.batch, len(weights), *conv.out):
        return None
    return run("input_gradient", conv, g, weights, images, patient)


def weight_gradient(
    x: ndarray,
    g: ndarray,
    weights: tuple[int, ...],
    stride: Pair = (1, 1),
    dilation: Pair = (1, 1),
    padding: Padding = ((0, 0), (0, 0)),
    groups: int = 1,
    patient: bool = False,
) -> ndarray | None:
    """The cotangent of weights of a shape, for that of what `convolve` gives."""
    if not native(x, g):
        return None
    conv = shape_of(x.shape, weights, x.dtype, stride, dilation, padding, groups)
    if conv is None or g.shape != (conv.batch, weights[0], *conv.out):
        return None
    return run("weight_gradient", conv, x, g, weights, patient)


def run(
    name: str,
    conv: Convolution,
    x: ndarray,
    y: ndarray,
    shape: tuple[int, ...],
    patient: bool,
) -> ndarray | None:
    """The result of one of the functions; None if one is `patient`, and it is not often asked for.

    Code for a shape takes a twentieth of a second to make, the first time on a machine.
    """
    if patient and (name, conv) not in _functions:
        _asked[name, conv] += 1
        if _asked[name, conv] < OFTEN:
            return None
    out = numpy.empty(shape, conv.dtype)
    turned = numpy.dtype(conv.dtype).itemsize * conv.groups * conv.filters * conv.depth
    scratch = numpy.empty(conv.scratch + turned, numpy.uint8)
    function(name, conv)(*map(pointer, (x, y, out, scratch)))
    return out


def function(name: str, conv: Convolution) -> Callable[..., None]:
    """The machine code of one of the three functions for a shape."""
    found = _functions.get((name, conv))
    if found is None:
        with lock:
            found = _functions.setdefault((name, conv), compiled(name, conv))
    return found[0]


def compiled(name: str, conv: Convolution) -> tuple[Callable[..., None], Any]:
    """A function to be called with four addresses, and the memory that its code is in."""
    machine = host()
    written = WRITERS[name](name, conv, machine)
    run = Function("define void @run(ptr %x, ptr %y, ptr %out, ptr %scratch)", glue=True)
    functions, weights = [written, run], "%y"
    if name == "input_gradient" and conv.turns:
        functions.append(write_turn("turn", conv))
        weights = run.at(BYTE, "%scratch", conv.scratch)
        run.do(f"call void @turn(ptr %y, ptr {weights})")
    given = f"ptr %x, ptr {weights}, ptr %out, ptr %scratch, i64 0, i64 {conv.batch}"
    run.do(f"call void @{name}({given})")
    run.do("ret void")
    needs = written.needs | run.needs
    text = "\n".join([*needs.values(), *(function.text() for function in functions)])
    cache, stored = Cache(), key(text.encode(), machine, "convolution")
    code = cache.get(stored)
    if code is None:
        code = compile_object(text, machine)
        cache.put(stored, code)
    library = load(code, ["run"], imports(conv.dtype, machine))
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(library["run"]), library
