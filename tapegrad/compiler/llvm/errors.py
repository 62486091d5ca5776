"""What is said where there is no machine code, and when the code that asks for it is wrong."""

from __future__ import annotations

from typing import Any


def no_llvmlite() -> str:
    return "llvmlite is not installed: pip install llvmlite"


def other_interpreter(name: str) -> str:
    return f"generated code is called by CPython alone, and this is {name}"


def other_memory(machine: str) -> str:
    return f"generated code needs a 64-bit little-endian machine, and this one is {machine}"


def old_llvm(versions: str, lowest: int) -> str:
    return f"LLVM {lowest} or newer is needed, and there is {versions}: pip install -U llvmlite"


def lacking_instructions(cpu: str, missing: tuple[str, ...]) -> str:
    return f"the processor {cpu} lacks {', '.join(missing)}"


def broken_llvmlite(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"llvmlite does not work here: {type(error).__name__}: {text}"


def no_emitter(name: str, types: tuple[Any, ...]) -> ValueError:
    return ValueError(
        f"There is no vector function {name!r} of ({', '.join(map(str, types))}). Ask "
        "`mathematics.known(name)` first, and pass floats or doubles, or vectors of one of them."
    )


def bad_code(error: Exception) -> RuntimeError:
    return RuntimeError(f"LLVM does not accept the generated code, please report it: {error}")
