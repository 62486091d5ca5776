"""From LLVM IR to object code, and from object code to addresses that can be called.

`compile_object(text, host)` gives the bytes of an object file, which a cache may keep; `load(code,
names, imports)` puts them into memory and gives a `Library`: ``library[name]`` is the address of
a function, valid for as long as the library is referenced. The memory is freed with the library.

Both may be called from any thread: one `lock` guards LLVM, and what is made once in a process. A
fork waits until no thread is inside, so that the child finds LLVM and the lock in order; what was
loaded before works in the child too.

Functions from outside (BLAS, say) are called by names of your choice, with their addresses in
`imports` at each load: so object code holds no address and means the same in every process.
"""

from __future__ import annotations

import functools
import itertools
import os
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import errors
from .host import Host, bindings

LEVEL = 1  # of LLVM's code generator: 2 takes longer and its code was never found to be faster

lock = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
    )

_session: Any = None
"""LLVM's linker in this process, made at the first load and never disposed of."""
_numbers = itertools.count()


class Library:
    """Functions in memory. ``library[name]`` is an address; it dies with the library."""

    __slots__ = ("_addresses", "_tracker")

    def __init__(self, tracker: Any, names: Iterable[str]) -> None:
        self._tracker = tracker
        self._addresses = {name: int(tracker[name]) for name in names}

    def __getitem__(self, name: str) -> int:
        return self._addresses[name]

    def __del__(self, finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not finalizing():  # when llvmlite is no longer whole
            with lock:
                self._tracker.close()


def compile_object(text: str, host: Host) -> bytes:
    """Object code for the module in LLVM assembly `text`, made for the processor `host`.

    Functions marked alwaysinline are inlined and allocas become registers; code is otherwise
    taken as it is: no loop is vectorised or unrolled.
    """
    with lock:  # even while what LLVM has made is disposed of, at the return from within
        return compiled(text, host)


def compiled(text: str, host: Host) -> bytes:
    llvm = bindings()
    context = llvm.create_context()
    try:
        module = llvm.parse_assembly(text, context)
        module.triple = host.triple
        module.verify()
    except RuntimeError as error:
        raise errors.bad_code(error) from None
    machine = target_machine(host)
    module.data_layout = str(machine.target_data)
    optimise(module, machine)
    return bytes(machine.emit_object(module))


def load(code: bytes, names: Iterable[str], imports: Mapping[str, int] | None = None) -> Library:
    """Put object code into memory; `names` are the functions whose addresses are wanted.

    Raises RuntimeError if the code is damaged or lacks a name, or needs one that is not imported.
    """
    names = tuple(names)
    with lock:
        return Library(linked(code, names, imports or {}), names)


def linked(code: bytes, names: tuple[str, ...], imports: Mapping[str, int]) -> Any:
    global _session
    llvm = bindings()
    if _session is None:
        _session = llvm.create_lljit_compiler()
    builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
    for name in names:
        builder.export_symbol(name)
    for name, address in imports.items():
        builder.import_symbol(name, address)
    return builder.link(_session, f"tapegrad-{next(_numbers)}")


@functools.cache
def target_machine(host: Host) -> Any:
    """LLVM's code generator for a processor. Code finds its constants at any distance."""
    target = bindings().Target.from_triple(host.triple)
    return target.create_target_machine(cpu=host.cpu, features=host.features, opt=LEVEL, jit=True)


def optimise(module: Any, machine: Any) -> None:
    """Inline what says so, and clean up after it."""
    llvm = bindings()
    options = llvm.create_pipeline_tuning_options(speed_level=LEVEL)
    passes = llvm.create_pass_builder(machine, options)
    inline = llvm.create_new_module_pass_manager()
    inline.add_always_inliner_pass()
    inline.run(module, passes)
    clean = llvm.create_new_function_pass_manager()
    clean.add_sroa_pass()
    clean.add_simplify_cfg_pass()
    for function in module.functions:
        if not function.is_declaration:
            clean.run(function, passes)
