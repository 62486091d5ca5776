"""Loops over arrays round the functions under test, as a program would have them."""

import ctypes
import functools

import numpy
from llvmlite import ir

from tapegrad.compiler.llvm import jit
from tapegrad.compiler.llvm.host import Host, host
from tapegrad.compiler.llvm.mathematics import emit, known

INDEX = ir.IntType(64)
ELEMENT = {"float32": ir.FloatType(), "float64": ir.DoubleType()}


@functools.cache
def narrow_host():
    """This machine without its AVX-512, for the code of smaller processors."""
    wide = host()
    features = [
        "-" + name[1:] if name.startswith(("+avx512", "+evex512")) else name
        for name in wide.features.split(",")
    ]
    return Host(wide.triple, wide.cpu, ",".join(features))


def count_loop(builder, count, step, body):
    """for i in range(0, count, step): body(i), with a count that is a positive multiple."""
    entry, block = builder.block, builder.append_basic_block()
    builder.branch(block)
    builder.position_at_end(block)
    i = builder.phi(INDEX)
    i.add_incoming(INDEX(0), entry)
    body(i)
    following = builder.add(i, INDEX(step))
    i.add_incoming(following, builder.block)
    after = builder.append_basic_block()
    builder.cbranch(builder.icmp_unsigned("<", following, count), block, after)
    builder.position_at_end(after)


def module_of(name, dtype, lanes, machine, unroll=1):
    """A module with ``run(count, out, *inputs)``; no lanes are one element outside a vector."""
    module = ir.Module()
    element = ELEMENT[dtype]
    vector = ir.VectorType(element, lanes) if lanes else element
    pointers = [ir.PointerType()] * (1 + known(name))
    run = ir.Function(module, ir.FunctionType(ir.VoidType(), [INDEX, *pointers]), "run")
    builder = ir.IRBuilder(run.append_basic_block())
    count, out, *inputs = run.args
    step = lanes or 1

    def body(i):
        for u in range(unroll):
            at = builder.add(i, INDEX(u * step))
            places = [builder.gep(p, [at], source_etype=element) for p in (out, *inputs)]
            values = [builder.load(place, align=4, typ=vector) for place in places[1:]]
            builder.store(emit(builder, machine, name, *values), places[0], align=4)

    count_loop(builder, count, step * unroll, body)
    builder.ret_void()
    return module


class Kernel:
    """A function as a loop over arrays: kernel(*arrays) -> array."""

    def __init__(self, name, dtype, lanes, machine=None, unroll=1):
        machine = machine or host()
        self.step = (lanes or 1) * unroll
        self.dtype = dtype
        code = jit.compile_object(str(module_of(name, dtype, lanes, machine, unroll)), machine)
        self.library = jit.load(code, ["run"])
        prototype = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * (known(name) + 1))
        self.run = prototype(self.library["run"])

    def __call__(self, *arrays):
        size = arrays[0].size
        padded = -(-size // self.step) * self.step
        inputs = [numpy.resize(a.astype(self.dtype, copy=False), padded) for a in arrays]
        out = numpy.empty(padded, self.dtype)
        self.run(padded, out.ctypes.data, *[a.ctypes.data for a in inputs])
        return out[:size]
