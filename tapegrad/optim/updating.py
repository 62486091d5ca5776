"""Applies a rule to a parameter: in place, or purely."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from weakref import ref

import numpy
from numpy import ndarray

from ..backend import on_device
from ..compiler.llvm.host import unavailable
from ..ops.complex import from_parts, imag, real
from ..ops.fused import fused
from ..ops.join import stack
from ..ops.linear import astype
from .arithmetic import BLOCK, InPlace, Pure
from .rule import NUMBERS, Arrays, Options, Rule, is_zero

NATIVE = (numpy.dtype(numpy.float32), numpy.dtype(numpy.float64))
SINGLE = NATIVE[0]
FLAGS = (bool, str, type(None))

kernels: dict[Any, Any] = {}
"""Machine code, by what it depends on."""


class Memory:
    """What steps keep: scratch memory by dtype, and where the arrays are that they meet again."""

    def __init__(self) -> None:
        self.arithmetics: dict[Any, InPlace] = {}
        self.places: dict[int, tuple[Any, int]] = {}

    def arithmetic(self, dtype: Any) -> InPlace:
        """The arithmetic in place for a dtype."""
        found = self.arithmetics.get(dtype)
        if found is None:
            found = self.arithmetics[dtype] = InPlace(dtype)
        return found

    def place(self, array: ndarray) -> int:
        """As `address`, which takes NumPy a microsecond."""
        found = self.places.get(id(array))
        if found is None or found[0]() is not array:
            found = self.places[id(array)] = ref(array), address(array)
        return found[1]


def address(array: ndarray) -> int:
    """Where an array's memory begins."""
    return int(array.__array_interface__["data"][0])


class Step:
    """A step of a rule, with its coefficients and options, for any number of parameters.

    It is done in place: in one pass by machine code where there is llvmlite, else by NumPy block by
    block, in scratch memory.
    """

    def __init__(self, rule: Rule, c: dict[str, Any], options: Options, memory: Memory) -> None:
        self.rule = rule
        self.c = c
        self.options = options
        self.memory = memory
        self.native = rule.elementwise and unavailable() is None
        self.key = rule.update, kinds(options), kinds(c)
        self.numbers: dict[Any, tuple[ndarray, list[int]]] = {}

    def apply(self, p: ndarray, g: Any, state: dict[str, ndarray]) -> None:
        """Do the step on a parameter's buffer, and on those of its state, given its gradient."""
        there = on_device(p)
        if there or not self.rule.elementwise:
            if there:
                new, arrays = update_pure(self.rule, p, g, state, self.c, self.options)
            else:
                new, arrays = self.rule.update(Pure, p, g, state, self.c, self.options)
            p[...] = new
            for name, array in arrays.items():
                state[name][...] = array
        elif self.native and are_native(p, g, *state.values()):
            place = self.memory.place
            self.run(p, state, [place(p), address(g), *map(place, state.values())])
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
            self.run(line, lines, [*map(address, arrays)])
        else:
            self.run_blocks(line, g, lines)
        for array, values in written:
            if array.dtype.kind == "c":
                values = values.view(array.dtype)
            array[...] = values.reshape(array.shape)

    def run_blocks(self, p: ndarray, g: ndarray, state: dict[str, ndarray]) -> None:
        """Do the step by NumPy, on arrays of one axis."""
        arithmetic = self.memory.arithmetic(p.dtype)
        for start in range(0, p.size, BLOCK):
            block = slice(start, start + BLOCK)
            part = p[block]
            arithmetic.begin(part.size)
            parts = {name: array[block] for name, array in state.items()}
            self.rule.update(arithmetic, part, g[block], parts, self.c, self.options)

    def run(self, p: ndarray, state: dict[str, ndarray], addresses: list[int]) -> None:
        """Do the step in machine code, on arrays in one piece."""
        key = self.key, p.dtype
        kernel = kernels.get(key)
        if kernel is None:
            from .kernels import Kernel

            kernel = kernels[key] = Kernel(self.rule, p.dtype, [*state], self.c, self.options)
        numbers = self.numbers.get(p.dtype)
        if numbers is None:
            values = numpy.array([x for x in self.c.values() if type(x) in NUMBERS], p.dtype)
            start = address(values)
            places = [start + i * values.itemsize for i in range(values.size)]
            numbers = self.numbers[p.dtype] = values, places
        kernel.run(1, p.size, *addresses, *numbers[1])


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


def kinds(values: Mapping[str, Any]) -> tuple[Any, ...]:
    """What code depends on: flags, and which numbers are zero."""
    return tuple(
        [x if type(x) in FLAGS else type(x) in NUMBERS and x == 0 for x in values.values()]
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
    if on_device(p) and on_device(g) and rule.elementwise:
        p, state = update_fused(rule, p, g, state, c, options)
    else:
        p, state = rule.update(Pure, p, g, state, c, options)
    if pairs:
        return whole_of(p), {name: whole_of(array) for name, array in state.items()}
    return p, state


def update_fused(
    rule: Rule, p: Any, g: Any, state: Arrays, c: dict[str, Any], options: Options
) -> tuple[Any, Arrays]:
    """The same on a device, as one kernel of the parameter, its arrays, and the coefficients."""
    update, names = rule.update, tuple(state)
    varying, fixed = {}, {}
    for name, x in c.items():
        if type(x) in FLAGS:
            fixed[name] = x
        elif on_device(x):
            varying[name] = x
        elif x == 0:  # of coefficients too, code depends on which are zero
            fixed[name] = 0.0
        else:
            varying[name] = p.dtype.type(x)
    numbers, constants = tuple(varying), tuple(fixed.items())
    given = tuple(
        (name, x if type(x) in FLAGS else float(not is_zero(x))) for name, x in options.items()
    )

    def step(p: Any, g: Any, *values: Any) -> tuple[Any, ...]:
        arrays = dict(zip(names, values, strict=False))
        coefficients = dict(zip(numbers, values[len(names) :], strict=True))
        known = dict(constants)
        new, after = update(Pure, p, g, arrays, {**known, **coefficients}, dict(given))
        return new, *(after[name] for name in names)

    new, *after = fused(step, p, g, *state.values(), *varying.values())
    return new, dict(zip(names, after, strict=True))


def like(x: Any, dtype: Any) -> Any:
    """A number or an array that does not change the dtype of what it multiplies."""
    source = getattr(x, "dtype", None)
    if source is None or source == dtype or source.kind == "b":
        return x
    return astype(x, to=dtype, source=source)


def parts_of(x: Any) -> Any:
    """The real and imaginary parts of an array, along a new first axis."""
    return stack([real(x), imag(x)], 0)


def whole_of(parts: Any) -> Any:
    """The complex array with these parts."""
    return from_parts(parts[0], parts[1])
