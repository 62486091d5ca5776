"""What there is on this machine: versions, devices, BLAS, threads, compilers."""

from __future__ import annotations

import os
import platform
from importlib import import_module, metadata
from typing import Any

import numpy

from ..backend import gpu
from ..compiler.llvm import host

PACKAGES = ("numpy", "scipy", "optree", "ml_dtypes", "safetensors", "pillow", "llvmlite")
LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def version(package: str) -> str:
    """The version of a package that is installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def blas() -> str:
    """The library that NumPy multiplies matrices by."""
    config: Any = numpy.show_config(mode="dicts")
    found = config["Build Dependencies"]["blas"]
    return f"{found.get('name')} {found.get('version')}"


def threads() -> str:
    """How many processors there are, and what limits the threads of BLAS."""
    processors = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    )
    limits = [f"{name}={os.environ[name]}" for name in LIMITS if name in os.environ]
    return f"{processors} processors{', ' if limits else ''}{', '.join(limits)}"


def graphics() -> str:
    """The GPUs, or why there is none."""
    found, reason = gpu()
    if found is None:
        return f"none: {reason}"
    return f"{found.cuda.runtime.getDeviceCount()} by CuPy {found.__version__}"


def machine_code() -> str:
    """What compiles for the processor, or why nothing does."""
    reason = host.unavailable()
    if reason is not None:
        return f"none: {reason}"
    return f"{host.versions()}, for {host.host().cpu} ({host.host().vector_bytes * 8} bits)"


def describe() -> str:
    """All of it as text."""
    entries = {
        "tapegrad": import_module("tapegrad").__version__,
        "Python": f"{platform.python_version()} ({platform.platform()})",
        **{name: version(name) for name in PACKAGES},
        "BLAS": blas(),
        "threads": threads(),
        "GPU": graphics(),
        "compiler": machine_code(),
    }
    width = max(map(len, entries))
    return "".join(f"{name:<{width}}  {text}\n" for name, text in entries.items())
