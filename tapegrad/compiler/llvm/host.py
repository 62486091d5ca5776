"""The machine that generated code runs on: its processor's features, its vectors, its limits.

`host()` describes this machine; `unavailable()` says in one line why it cannot run generated code,
or gives None where it can. Nothing here is imported from llvmlite before one of them is called.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.util
import platform
import sys
from dataclasses import dataclass, field
from typing import Any

from . import errors

NEEDED = {"x86_64": ("avx2", "fma"), "aarch64": ("neon",)}
"""By architecture, what generated code stands on: vectors and a fused multiply-add."""

LOWEST_LLVM = 20  # the first whose assembly has `splat` constants


@dataclass(frozen=True)
class Host:
    """A processor, as LLVM names it: what code is generated for, and part of the key of a cache.

    `features` are LLVM's, as in "+avx2,-avx512f"; they rule, whatever `cpu` is called.
    """

    triple: str
    cpu: str
    features: str
    enabled: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names = (name.strip() for name in self.features.split(","))
        object.__setattr__(
            self, "enabled", frozenset(name[1:] for name in names if name.startswith("+"))
        )

    @property
    def architecture(self) -> str:
        """The first part of the triple, under the name that `NEEDED` has for it."""
        name = self.triple.partition("-")[0]
        return {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)

    @property
    def avx512(self) -> bool:
        """Whether the instructions that AVX-512 processors have in common are there."""
        return {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= self.enabled

    @property
    def vector_bytes(self) -> int:
        """The size of the widest vector registers in bytes: 64, 32 or 16."""
        if self.avx512:
            return 64
        return 32 if "avx2" in self.enabled else 16

    @property
    def registers(self) -> int:
        """How many vector registers there are."""
        return 16 if self.vector_bytes == 32 else 32

    def lanes(self, itemsize: int) -> int:
        """How many elements of `itemsize` bytes a vector register holds."""
        return self.vector_bytes // itemsize


@functools.cache
def host() -> Host:
    """This machine. Needs llvmlite."""
    llvm = bindings()
    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        features["prefer-256-bit"] = False  # or LLVM cuts wide vectors into halves
    return Host(llvm.get_process_triple(), llvm.get_host_cpu_name(), features.flatten())


@functools.cache
def bindings() -> Any:
    """llvmlite's bindings, with the code generator of this machine ready."""
    llvm = importlib.import_module("llvmlite.binding")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    return llvm


def versions() -> str:
    """The versions of llvmlite and LLVM, on which the generated code depends."""
    llvmlite = importlib.import_module("llvmlite")
    return (
        f"llvmlite {llvmlite.__version__}, LLVM {'.'.join(map(str, bindings().llvm_version_info))}"
    )


@functools.cache
def unavailable() -> str | None:
    """Why this machine cannot run generated code, in one line; None where it can."""
    if sys.implementation.name != "cpython":
        return errors.other_interpreter(sys.implementation.name)
    if ctypes.sizeof(ctypes.c_void_p) != 8 or sys.byteorder != "little":
        return errors.other_memory(platform.machine())
    if importlib.util.find_spec("llvmlite") is None:
        return errors.no_llvmlite()
    try:
        llvm = bindings()
        if llvm.llvm_version_info[0] < LOWEST_LLVM:
            return errors.old_llvm(versions(), LOWEST_LLVM)
        machine = host()
        missing = lacking(machine)
        if missing:
            return errors.lacking_instructions(machine.cpu, missing)
        llvm.check_jit_execution()
        probe(llvm, machine)
    except (ImportError, OSError, RuntimeError, AttributeError, TypeError) as error:
        return errors.broken_llvmlite(error)
    return None


PROBE = """
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
define <8 x float> @probe(ptr %x, <8 x i1> %mask) {
  %v = call <8 x float> @llvm.masked.load.v8f32.p0(
    ptr %x, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %w = call <8 x float> @llvm.fma.v8f32(
    <8 x float> %v, <8 x float> %v, <8 x float> splat (float 1.0))
  ret <8 x float> %w
}
"""


def probe(llvm: Any, machine: Host) -> None:
    """Raise an error unless llvmlite compiles code such as ours: a newer one may not."""
    module = llvm.parse_assembly(PROBE, llvm.create_context())
    module.verify()
    target = llvm.Target.from_triple(machine.triple)
    target.create_target_machine(
        cpu=machine.cpu, features=machine.features, opt=1, jit=True
    ).emit_object(module)


def lacking(machine: Host) -> tuple[str, ...]:
    """What generated code needs of a processor and this one does not have."""
    if machine.architecture not in NEEDED:
        return (" or ".join(NEEDED),)
    return tuple(name for name in NEEDED[machine.architecture] if name not in machine.enabled)
