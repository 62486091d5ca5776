"""`compile`: a function of pytrees as programs, one for each signature."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, overload

import optree

from .. import tree
from ..callers import warn
from ..core.array import Array, untracked
from ..core.face import Face, bare, dressed, face_of, faces, settings
from ..transforms.arguments import check_function, name_of
from ..transforms.flat import is_array
from . import errors
from .backends import native_way_in
from .flat import FlatFunction, Options, Results, Variant
from .graph import Graph
from .keys import argument_names, static_key
from .numpy_source import readable
from .report import Report, SignatureReport
from .steps import Steps, is_step
from .storms import STORM, Naming, described
from .tape import is_compiling
from .trace import Trace
from .unpacking import packer, unpacker

BACKENDS = ("auto", "numpy", "llvm")


@overload
def compile(
    fun: Callable[..., Any],
    static_argnums: int | Sequence[int] = (),
    donate_argnums: int | Sequence[int] = (),
    backend: str = "auto",
    fast: bool = False,
    check: bool = True,
) -> Compiled: ...
@overload
def compile(
    fun: None = None,
    static_argnums: int | Sequence[int] = (),
    donate_argnums: int | Sequence[int] = (),
    backend: str = "auto",
    fast: bool = False,
    check: bool = True,
) -> Callable[[Callable[..., Any]], Compiled]: ...
def compile(
    fun: Callable[..., Any] | None = None,
    static_argnums: int | Sequence[int] = (),
    donate_argnums: int | Sequence[int] = (),
    backend: str = "auto",
    fast: bool = False,
    check: bool = True,
) -> Any:
    """`fun`, run as a program: traced once for each signature, then without Python in between.

    A signature is the structure of the arguments, the shapes and dtypes of their arrays, and the
    values of everything else in them: Python numbers, strings, and the arguments `static_argnums`.
    Results are those of `fun` to the last few units in the last place; `fast` allows rearranged
    sums, fused products and reciprocals in place of quotients.

    `donate_argnums` are arguments that are not used any more after the call: results of the same
    shapes and dtypes may be written into their arrays. `backend` is `"llvm"` (machine code),
    `"numpy"`, or `"auto"`: NumPy at first, and machine code when it is made, where llvmlite is
    installed. With `check`, the function runs anew in the second call, to see whether it does the
    same: one that reads values behind the tape's back is not compiled, and a warning says so.

    Without `fun` it gives a decorator: ``@tg.compile(static_argnums=1)``.

    >>> import numpy as np, tapegrad as tg
    >>> f = tg.compile(tg.grad(lambda x: (x * x).sum()))
    >>> f(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    if backend not in BACKENDS:
        raise errors.bad_backend(backend, BACKENDS)
    if fun is None:
        return lambda fun: compile(fun, static_argnums, donate_argnums, backend, fast, check)
    check_function("compile", fun)
    return Compiled(fun, static_argnums, donate_argnums, Options(backend, fast, check=check))


class Compiled:
    """What `compile` returns."""

    def __init__(
        self,
        fun: Callable[..., Any],
        static_argnums: int | Sequence[int],
        donate_argnums: int | Sequence[int],
        options: Options,
    ) -> None:
        self.fun = fun
        self.static_argnums = as_tuple(static_argnums)
        self.donate_argnums = as_tuple(donate_argnums)
        self.options = options
        self.calls: dict[Any, Call] = {}
        self.steps: Steps | None = None
        self.lock = threading.Lock()
        self.quick: tuple[Quick, ...] = ()
        self.short: tuple[tuple[Callable[[], bool] | None, Callable[..., Any]], ...] = ()
        self.last: Call | None = None
        functools.update_wrapper(self, fun, updated=())

    def __repr__(self) -> str:
        return f"<compiled function {name_of(self.fun)}>"

    def __reduce__(self) -> Any:
        """It travels, and is copied, without its programs."""
        return Compiled, (self.fun, self.static_argnums, self.donate_argnums, self.options)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            for same, short in self.short:
                if same is None or same():
                    results = short(*args)
                    if results is not NotImplemented:
                        return results
        return self.call(args, kwargs)

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of any kind: of a new signature, or with recorded arrays."""
        if is_compiling():
            return self.fun(*args, **kwargs)
        if not self.calls and self.steps is None:
            self.look((args, kwargs))
        if self.steps is not None:
            return self.steps(args, kwargs)
        static: tuple[Any, ...] = ()
        dynamic: Sequence[Any] = args
        if self.static_argnums:
            static, dynamic = self.split(args)
        leaves, structure = tree.flatten((dynamic, kwargs))
        chosen = tuple([i for i, x in enumerate(leaves) if is_array(x)])
        if not chosen:  # numbers are static: each would be a program of its own
            return self.fun(*args, **kwargs)
        arrays = [leaves[i] for i in chosen]
        rest = [x for x in leaves if not is_array(x)]
        dress = tuple(map(face_of, arrays)) if faces else ()
        if any(dress):
            arrays = [bare(x) for x in arrays]
        wrap = any(isinstance(x, Array) for x in arrays)
        ambient = tuple([setting() for setting in settings])
        key = (structure, chosen, tuple(map(static_key, rest)), static, len(args), dress, ambient)
        call = self.calls.get(key)
        if call is None:
            call = Call(self, leaves, chosen, structure, static, len(args), dress)
            self.calls[key] = call
            if len(self.calls) in STORM:
                self.warn_of_storm(list(self.calls), call)
        self.last = call
        results = call.flat(*arrays)
        if wrap:
            results[:] = [untracked(x) if is_raw_array(x) else x for x in results]
        elif not (rest or static or kwargs or any(call.result_faces) or any(dress)):
            self.remember(args, call.flat, arrays, results.structure)
        if any(call.result_faces):
            dressed_results = map(dressed, results, call.result_faces)
            return tree.unflatten(results.structure, dressed_results)
        return tree.unflatten(results.structure, results)

    def look(self, arguments: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
        """Find out whether the function is a step."""
        with self.lock:
            if self.steps is None and is_step(self.fun, arguments):
                self.steps = Steps(self.fun, self.options, name_of(self.fun))

    def warn_of_storm(self, keys: list[Any], call: Call) -> None:
        """Warn that the function is compiled for ever new values of what is no array."""
        *_, before, last = keys
        what = "its arguments have another structure."
        if before[0] == last[0]:
            names = [*call.plain, *(f"argument {i}" for i in call.static)]
            olds = [*before[2], *(static_key(x) for _, x in before[3])]
            news = [*last[2], *(static_key(x) for _, x in last[3])]
            for name, old, new in zip(names, olds, news, strict=False):
                if old != new:
                    what = f"{name} is {new[1]} now, and was {old[1]} before."
        text = errors.recompiled(name_of(self.fun), len(keys), what)
        warn(text, errors.RecompilationWarning)

    def remember(
        self, args: tuple[Any, ...], flat: FlatFunction, arrays: list[Any], structure: Any
    ) -> None:
        """Have the next call like this one go the short way, if there is one."""
        entry = flat.entry(arrays)
        if entry is not None and all(quick.entry is not entry for quick in self.quick):
            (variant,) = flat.signature(arrays).variants
            quick = Quick(args, entry, structure, variant.trace)
            self.quick = (quick, *self.quick[: MOST_QUICK - 1])
            self.short = tuple([(quick.same, quick.call) for quick in self.quick])

    def report(self, *args: Any, **kwargs: Any) -> Report:
        """What the function has become: signatures, guards, steps, operations, memory.

        Given arguments, it is run on them, and says how long each step takes. Waits for machine
        code that is being made.
        """
        if args or kwargs:
            self.variant(args, kwargs).runner.timing = True
            for step in self.steps.all() if self.steps is not None else ():
                step.quick = None
            self.call(args, kwargs)
        signatures = []
        short = {quick.entry: quick.hits for quick in self.quick}
        for names, flat in self.flats():
            for key, signature in list(flat.signatures.items()):  # other threads may add some
                arguments = ", ".join(
                    f"{name}: {described(part)}" for name, part in zip(names, key, strict=True)
                )
                programs = []
                for variant in signature.variants:
                    report = variant.report()
                    more = short.get(variant.entry, 0) if variant.entry else 0
                    programs.append(replace(report, hits=report.hits + more))
                signatures.append(SignatureReport(arguments, signature.refused, tuple(programs)))
        if self.steps is not None:
            signatures += [SignatureReport(*refusal) for refusal in self.steps.refusals()]
        return Report(name_of(self.fun), tuple(signatures))

    def flats(self) -> Iterator[tuple[list[str], FlatFunction]]:
        """The flat functions that there are so far, with the names of their arrays."""
        for call in list(self.calls.values()):
            yield call.names, call.flat
        for step in self.steps.all() if self.steps is not None else ():
            yield step.names, step.flat

    def graph(self, *args: Any, **kwargs: Any) -> Graph:
        """The graph of the program for arguments like these; without any, of the last call."""
        return self.variant(args, kwargs).graph

    def source(self, *args: Any, **kwargs: Any) -> str:
        """The program for arguments like these as Python; without any, of the last call.

        It runs on its own: ``program(*arrays)`` returns the list of results. Random numbers, and
        arrays that the function reads from outside, are its last arguments.
        """
        variant = self.variant(args, kwargs)
        further = ["random numbers, drawn anew for each call"] * len(variant.trace.samplers)
        further += ["an array that is read from outside"] * len(variant.trace.read)
        return readable(variant.graph, further)

    def variant(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Variant:
        """The program for some arguments, which is run if there is none yet."""
        if args or kwargs:
            self.call(args, kwargs)
        last = self.last if self.steps is None else self.steps.last
        signature = last.flat.last if last is not None else None
        if signature is None or not signature.variants:
            raise errors.no_program()
        return signature.variants[-1]

    def split(self, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[Any]]:
        """The static arguments with their positions, and the others."""
        static = {}
        for i in self.static_argnums:
            if not -len(args) <= i < len(args):
                raise errors.bad_argnum("static_argnums", i, len(args))
            static[i % len(args)] = args[i]
            try:
                hash(args[i])
            except TypeError:
                raise errors.unhashable_static(f"argument {i}", args[i]) from None
        return tuple(sorted(static.items())), [x for i, x in enumerate(args) if i not in static]


MOST_QUICK = 4
"""How many signatures are tried the short way."""


class Quick:
    """The short way for calls with arrays of one signature and nothing else.

    ``call(*args)`` gives the results, or `NotImplemented`; it is machine code itself where it can,
    if the function reads no arrays from outside. `same` says whether all else that the function
    reads is as it was, and is None where there is nothing.
    """

    def __init__(
        self, args: tuple[Any, ...], entry: Callable[..., Any], structure: Any, trace: Trace
    ) -> None:
        arguments: Any = args
        own = optree.tree_structure(arguments, namespace="tapegrad")
        self.entry = entry
        self.read = trace.read
        self.same = trace.outside.same if trace.outside.places else None
        self.native = None if self.read else native_way_in(entry, own, structure)
        self.counted = 0
        if self.native is None:
            self.plain = all(child.is_leaf() for child in own.children())
            self.unpack = unpacker(own)
            self.make = packer(structure)
        self.call: Callable[..., Any] = self.by_hand if self.native is None else self.native.call

    @property
    def hits(self) -> int:
        """How often it was gone."""
        return self.counted if self.native is None else self.native.hits

    def by_hand(self, *args: Any) -> Any:
        leaves = args if self.plain else self.unpack(args)
        results = NotImplemented if leaves is None else self.entry(*leaves, *self.read)
        if results is NotImplemented:
            return results
        self.counted += 1
        return self.make(results)


class Call:
    """All calls with the same structure and static values, as a flat function of the arrays."""

    def __init__(
        self,
        compiled: Compiled,
        leaves: list[Any],
        chosen: tuple[int, ...],
        structure: Any,
        static: tuple[Any, ...],
        count: int,
        dress: tuple[Face | None, ...],
    ) -> None:
        self.fun = compiled.fun
        self.faces = dress
        self.result_faces: list[Face | None] = []
        places = set(chosen)
        self.leaves = [None if i in places else x for i, x in enumerate(leaves)]
        self.chosen = chosen
        self.structure = structure
        self.static = dict(static)
        self.count = count
        dynamic, kwargs = tree.unflatten(structure, leaves)
        every = argument_names(compiled.fun, dynamic, kwargs, self.static, range(len(leaves)))
        self.names = [every[i] for i in chosen]
        self.plain = [name for i, name in enumerate(every) if i not in places]
        roots = [("", compiled.fun)]
        roots += [(name, x) for name, x in zip(every, self.leaves, strict=True) if x is not None]
        roots += [(f"argument {i}", x) for i, x in static]
        naming = Naming(name_of(compiled.fun), self.names, roots)
        donated = donated_leaves(compiled.donate_argnums, dynamic, self.static, count)
        arrays = tuple(k for k, i in enumerate(chosen) if i in donated)
        options = replace(compiled.options, donated=arrays)
        self.flat = FlatFunction(self.run, options, naming)

    def run(self, *arrays: Any) -> Results:
        """The function itself, flat."""
        leaves = list(self.leaves)
        if any(self.faces):
            arrays = tuple(map(dressed, arrays, self.faces))
        for i, x in zip(self.chosen, arrays, strict=True):
            leaves[i] = x
        dynamic, kwargs = tree.unflatten(self.structure, leaves)
        if self.static:
            rest = iter(dynamic)
            dynamic = [
                self.static[i] if i in self.static else next(rest) for i in range(self.count)
            ]
        leaves, structure = tree.flatten(self.fun(*dynamic, **kwargs))
        self.result_faces = [face_of(x) for x in leaves] if faces else []
        results = Results(map(bare, leaves))
        results.structure = structure
        return results


def as_tuple(argnums: int | Sequence[int]) -> tuple[int, ...]:
    return (argnums,) if isinstance(argnums, int) else tuple(argnums)


def is_raw_array(x: Any) -> bool:
    return is_array(x) and not isinstance(x, Array)


def donated_leaves(
    argnums: tuple[int, ...], dynamic: Sequence[Any], static: dict[int, Any], count: int
) -> set[int]:
    """The places, among the leaves of a call's arguments, of those that are donated."""
    for i in argnums:
        if not -count <= i < count:
            raise errors.bad_argnum("donate_argnums", i, count)
    wanted = {i % count for i in argnums}
    places = [i for i in range(count) if i not in static]
    found: set[int] = set()
    start = 0
    for i, value in zip(places, dynamic, strict=True):
        size = len(tree.leaves(value))
        if i in wanted:
            found.update(range(start, start + size))
        start += size
    return found
