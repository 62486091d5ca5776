"""Kernels of CUDA's C++ on the host, compiled by its own compiler: for the stand-in."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy
import pytest

LANGUAGE = """
#include <algorithm>
#include <cmath>
using std::cos; using std::log; using std::min; using std::sin; using std::sqrt;
typedef _Float16 float16;
struct dim { long long x; };
static thread_local dim gridDim, blockIdx, blockDim, threadIdx;
#define __global__
"""
"""What a kernel's text takes for given."""

RUN = """
extern "C" void run(long long blocks, long long threads, {declared}) {{
    gridDim.x = blocks;
    blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++)
            {name}({given});
}}
"""

SCALARS: dict[type, Any] = {
    numpy.float32: ctypes.c_float,
    numpy.float64: ctypes.c_double,
    numpy.int64: ctypes.c_int64,
    numpy.uint64: ctypes.c_uint64,
}


@cache
def compiled(text: str, name: str) -> Any:
    """A kernel's text as a function of the host: of the grid, the block, and its arguments."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("there is no C++ compiler")
    declared = re.search(rf"\b{name}\((.*?)\)", text, re.DOTALL)
    assert declared is not None
    given = ", ".join(p.split()[-1].lstrip("*") for p in declared[1].split(","))
    source = LANGUAGE + re.sub("#include <cupy/.*>", "", text)
    source += RUN.format(declared=declared[1], name=name, given=given)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "kernel.cpp")
        file.write_text(source)
        command = [compiler, "-shared", "-fPIC", "-O1", "-w", "-o", f"{file}.so", str(file)]
        subprocess.run(command, check=True)
        return ctypes.CDLL(f"{file}.so").run


def launched(text: str, name: str, blocks: int, threads: int, args: Any) -> None:
    """Run a kernel on addresses and NumPy's scalars."""
    given = [SCALARS[type(x)](x) if type(x) in SCALARS else ctypes.c_void_p(x) for x in args]
    compiled(text, name)(ctypes.c_longlong(blocks), ctypes.c_longlong(threads), *given)
