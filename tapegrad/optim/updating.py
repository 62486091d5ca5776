"""Applies a rule to a parameter: in place, or purely."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy
from numpy import ndarray

from ..backend import on_device
from ..compiler.llvm.host import unavailable
from ..ops.complex import from_parts, imag, real
from ..ops.join import stack
from ..ops.linear import astype
from ..torch.tensor import Tensor, writable
from .arithmetic import BLOCK, InPlace, Numbers, Pure
from .rule import NUMBERS, Arrays, Options, Rule

NATIVE = (numpy.dtype(numpy.float32), numpy.dtype(numpy.float64))
SINGLE = NATIVE[0]
FLAGS = (bool, str, type(None))

kernels: dict[Any, Any] = {}
"""Machine code, by what it depends on."""

Program = tuple[Callable[..., None], list[int], ndarray]
"""Machine code, and where its numbers lie, which are in an array."""


class Memory:
    """What steps keep: scratch memory by dtype, the last step, and the buffers it was done on."""

    def __init__(self) -> None:
        self.scratch: dict[Any, InPlace] = {}
        self.last: Step | None = None
        self.buffers: dict[int, Buffers] = {}

    def step(self, rule: Rule, options: Options, numbers: dict[str, Any]) -> Step:
        """A step of a rule on parameters whose states have these numbers."""
        last = self.last
        if last is None or last.numbers != numbers or last.options != options:
            last = self.last = Step(rule, options, numbers, self.scratch)
        return last

    def buffers_of(self, p: Tensor, arrays: dict[str, Tensor]) -> Buffers:
        """The memory of a parameter and of its state's arrays."""
        found = self.buffers.get(id(p))
        if found is None or not found.are_of(p, arrays):
            found = self.buffers[id(p)] = Buffers(p, arrays)
        return found


class Buffers:
    """The memory of a parameter and of its state's arrays, and where it lies."""

    def __init__(self, p: Tensor, arrays: dict[str, Tensor]) -> None:
        raw = writable(p)
        if type(raw) is ndarray and not raw.flags.writeable:
            p.raw = raw = raw.copy()
        self.parameter = p
        self.raw = raw
        self.state = {name: writable(x) for name, x in arrays.items()}
        self.dtype = raw.dtype
        self.size = raw.size
        self.there = on_device(raw)
        self.native = are_native(raw, *self.state.values())
        self.places = [address(x) for x in (raw, *self.state.values())] if self.native else []

    def are_of(self, p: Tensor, arrays: dict[str, Tensor]) -> bool:
        """Whether this is still where they are. Tensors may have been given other memory."""
        if p is not self.parameter or p.raw is not self.raw or len(arrays) != len(self.state):
            return False
        for x, raw in zip(arrays.values(), self.state.values(), strict=True):
            if x.raw is not raw:
                return False
        return True


def address(array: ndarray) -> int:
    """Where an array's memory begins."""
    return int(array.__array_interface__["data"][0])


class Step:
    """A step of a rule, for any number of parameters whose states have the same `numbers`.

    It is done in place: in one pass by machine code where there is llvmlite, else by NumPy block by
    block, in scratch memory.
    """

    def __init__(
        self, rule: Rule, options: Options, numbers: dict[str, Any], scratch: dict[Any, InPlace]
    ) -> None:
        self.rule = rule
        self.options = options
        self.numbers = numbers
        self.after, self.c = rule.coefficients(Numbers, options, numbers)
        self.scratch = scratch
        self.native = rule.elementwise and unavailable() is None
        self.programs: dict[Any, Program] = {}

    def apply(self, buffers: Buffers, g: Any) -> None:
        """Do the step on a parameter and its state's arrays, given its gradient."""
        p, state = buffers.raw, buffers.state
        if self.native and buffers.native and are_native(g) and g.dtype is buffers.dtype:
            run, numbers, _ = self.program(buffers.dtype, state)
            first, *others = buffers.places
            run(1, buffers.size, first, address(g), *others, *numbers)
        elif not self.rule.elementwise:
            p[...], arrays = self.rule.update(Pure, p, g, state, self.c, self.options)
            for name, array in arrays.items():
                state[name][...] = array
        else:
            self.apply_to_any(p, numpy.asarray(g), state)

    def apply_to_any(self, p: ndarray, g: ndarray, state: dict[str, ndarray]) -> None:
        """Do the step on arrays of any layout. Halves are computed in float32."""
        if not p.flags.c_contiguous and p.flags.f_contiguous:
            p, g = p.T, g.T
            state = {name: array.T for name, array in state.items()}
        written: list[tuple[ndarray, ndarray]] = []
        lines = {name: line_of(array, written) for name, array in state.items()}
        line, g = line_of(p, written), line_of(g, None)
        arrays = line, g, *lines.values()
        if self.native and are_native(*arrays):
            run, numbers, _ = self.program(line.dtype, lines)
            run(1, line.size, *map(address, arrays), *numbers)
        else:
            self.run_blocks(line, g, lines)
        for array, values in written:
            if array.dtype.kind == "c":
                values = values.view(array.dtype)
            array[...] = values.reshape(array.shape)

    def run_blocks(self, p: ndarray, g: ndarray, state: dict[str, ndarray]) -> None:
        """Do the step by NumPy, on arrays of one axis."""
        arithmetic = self.scratch.get(p.dtype)
        if arithmetic is None:
            arithmetic = self.scratch[p.dtype] = InPlace(p.dtype)
        for start in range(0, p.size, BLOCK):
            block = slice(start, start + BLOCK)
            part = p[block]
            arithmetic.begin(part.size)
            parts = {name: array[block] for name, array in state.items()}
            self.rule.update(arithmetic, part, g[block], parts, self.c, self.options)

    def program(self, dtype: numpy.dtype[Any], state: Arrays) -> Program:
        """The machine code of the step."""
        found = self.programs.get(dtype)
        if found is None:
            key = self.rule.update, kinds(self.options), kinds(self.c), dtype
            kernel = kernels.get(key)
            if kernel is None:
                from .kernels import Kernel

                kernel = kernels[key] = Kernel(self.rule, dtype, [*state], self.c, self.options)
            values = numpy.array([x for x in self.c.values() if type(x) in NUMBERS], dtype)
            start = address(values)
            places = [start + i * values.itemsize for i in range(values.size)]
            found = self.programs[dtype] = kernel.run, places, values
        return found


def are_native(*arrays: Any) -> bool:
    """Whether machine code can take arrays as they are."""
    dtype = arrays[0].dtype
    if dtype not in NATIVE or not arrays[0].size:
        return False
    for x in arrays:
        if type(x) is not ndarray or x.dtype != dtype:
            return False
        flags = x.flags
        if not (flags.c_contiguous and flags.aligned):
            return False
    return True


def kinds(values: Mapping[str, Any]) -> frozenset[tuple[str, Any]]:
    """What code depends on, by name in any order: flags, and which numbers are zero."""
    return frozenset(
        [
            (name, x if type(x) in FLAGS else type(x) in NUMBERS and x == 0)
            for name, x in values.items()
        ]
    )


def line_of(array: ndarray, written: list[tuple[ndarray, ndarray]] | None) -> ndarray:
    """The real numbers of an array along one axis; noted in `written` if they are a copy."""
    line = array.reshape(-1)
    if array.dtype.kind == "c":
        line = line.view(line.real.dtype)
    elif array.dtype.itemsize == 2:  # a half
        line = line.astype(numpy.float32)
    if written is not None and not numpy.may_share_memory(line, array):
        written.append((array, line))
    return line


def update_pure(
    rule: Rule, p: Any, g: Any, state: Arrays, c: dict[str, Any], options: Options
) -> tuple[Any, Arrays]:
    """The parameter and its arrays after a step with coefficients `c`, as the core's arrays.

    Halves are computed in float32, as they are in place.
    """
    if p.dtype.itemsize == 2 and rule.elementwise:
        dtypes = {name: array.dtype for name, array in state.items()}
        wide = {name: like(array, SINGLE) for name, array in state.items()}
        new, wide = update_pure(rule, like(p, SINGLE), like(g, SINGLE), wide, c, options)
        return like(new, p.dtype), {name: like(x, dtypes[name]) for name, x in wide.items()}
    g = like(g, p.dtype)
    pairs = p.dtype.kind == "c" and rule.elementwise
    if pairs:
        p, g = parts_of(p), parts_of(g)
        state = {name: parts_of(array) for name, array in state.items()}
    c = {name: like(value, p.dtype) for name, value in c.items()}
    p, state = rule.update(Pure, p, g, state, c, options)
    if pairs:
        return whole_of(p), {name: whole_of(array) for name, array in state.items()}
    return p, state


def like(x: Any, dtype: Any) -> Any:
    """A number or an array that does not change the dtype of what it multiplies."""
    source = getattr(x, "dtype", None)
    if source is None or source == dtype or source.kind == "b":
        return x
    return astype(x, to=dtype, source=source)


def parts_of(x: Any) -> Any:
    """The real and imaginary parts of an array, along a new first axis."""
    return stack(real(x), imag(x), axis=0)


def whole_of(parts: Any) -> Any:
    """The complex array with these parts."""
    return from_parts(parts[0], parts[1])
