"""Flat functions compiled: for every signature of the arrays, and every path through the branches.

`FlatFunction` is what `compile` and the derivatives of compiled functions are made of. On recorded
arrays its run is one entry of their tape, whose rules are again such functions.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy
from numpy import generic, ndarray

from ..backend import as_data
from ..callers import warn as warn_caller
from ..core.array import Array, tracked
from ..core.program import Program
from ..core.record import raw
from ..errors import ConcretizationError, ImperativeError
from ..transforms.rules import Usage
from . import errors
from .backends import Runner
from .entry import any_mapped, append
from .graph import same
from .noticing import noticing_prints
from .numpy_program import owned
from .outside import Outside, Written
from .passes import optimise
from .report import ProgramReport, operations
from .search import Found
from .storms import NAMELESS, STORM, Naming, warn_of_storm
from .tape import is_compiling
from .trace import Trace

Flat = Callable[..., list[Any]]


class Results(list[Any]):
    """Results of a flat function that knows their `structure`."""

    structure: Any = None


KINDS = "biufcV"
"""The kinds of dtypes of numbers: V are those of `ml_dtypes`, but for records and raw bytes."""

MOST_VARIANTS = 16
"""How many paths through a function's branches are kept."""


@dataclass(frozen=True)
class Options:
    """How to compile.

    `donated` are the numbers of arrays whose memory results may take; with `check`, the second run
    is a trace too, to see whether it is the same.
    """

    backend: str = "auto"
    fast: bool = False
    donated: tuple[int, ...] = ()
    check: bool = False


class FlatFunction:
    """A function of arrays that gives a list of arrays, compiled."""

    def __init__(self, function: Flat, options: Options, named: Naming = NAMELESS) -> None:
        self.function = function
        self.options = options
        self.named = named
        self.signatures: dict[Any, Signature] = {}
        self.last: Signature | None = None
        self.lock = threading.RLock()

    def __call__(self, *inputs: Any) -> Results:
        return as_results(self.call(inputs))

    def call(self, inputs: Sequence[Any]) -> list[Any]:
        results = None if is_compiling() else self.attempt(inputs)
        return self.function(*inputs) if results is None else results

    def attempt(self, inputs: Sequence[Any]) -> Results | None:
        """The results by a program; None where the function is to run as it is."""
        data = list(map(raw, inputs))
        if not all(isinstance(x, ndarray | generic) for x in data):
            return None  # another library's arrays
        tracked = any(isinstance(x, Array) and x.slot for x in inputs)
        if tracked:  # a tape may refer to what is donated
            donated = self.options.donated
            data = [x.copy() if i in donated else x for i, x in enumerate(data)]
        signature = self.last = self.signature(data)
        run = signature.run(data)
        if run is None:
            return None
        if not tracked or run.variant.trace.swept or not run.computed:
            return run.variant.outputs(run.computed)
        if run.variant.depends_on_call and any_mapped(inputs):
            return None
        inputs = list(inputs)
        for i in run.variant.trace.overwritten:
            inputs[i] = duplicate(inputs[i])
        inputs += [*run.samples, *run.variant.trace.read]
        computed = append(run.variant, inputs, run.computed, Usage())
        return run.variant.outputs(computed)

    def entry(self, data: list[Any]) -> Callable[..., Any] | None:
        """The short way for raw arrays like these, if they have been run before and there is."""
        variants = self.signature(data).variants
        return variants[0].entry if len(variants) == 1 else None

    def signature(self, data: list[Any]) -> Signature:
        key = tuple([(x.dtype, x.shape, type(x)) for x in data])
        found = self.signatures.get(key)
        if found is None:
            with self.lock:
                made = Signature(self.function, self.options, self.named)
                found = self.signatures.setdefault(key, made)
                if self.named is not NAMELESS and len(self.signatures) in STORM:
                    warn_of_storm(self.named, list(self.signatures))
        return found


class Signature:
    """What is known for one combination of shapes and dtypes: the paths through the branches.

    They are right as long as what the function reads from `outside` is the same; `renewals` counts
    how often it was not. `refused` is why nothing is compiled: then the function runs as it is.
    """

    def __init__(self, function: Flat, options: Options, named: Naming) -> None:
        self.function = function
        self.options = options
        self.name, _, self.roots = named
        self.outside: Outside | None = None
        self.renewals = 0
        self.variants: list[Variant] = []
        self.refused: str | None = None
        self.lock = threading.RLock()

    def run(self, data: list[Any]) -> Run | None:
        """A run of the variant whose guards hold; None where the function is to run as it is."""
        outside = self.outside
        if outside is not None and not outside.same():
            self.look_outside(outside)
        tried = self.variants
        for variant in tried:
            given = data if variant.checked else [x.copy() for x in data]  # some may be donated
            run = self.tried(variant, given)
            if run is not None:
                return run if variant.checked else self.checked(variant, data, run)
        if self.refused:
            return None
        with self.lock:
            for variant in self.variants[len(tried) :]:  # another thread was faster
                run = variant.run(data)
                if run is not None:
                    return run
            return self.first_run(data)

    def tried(self, variant: Variant, data: list[Any]) -> Run | None:
        """A run of a variant. Where it fails, so does the function, at the user's line."""
        failed: Exception
        try:
            return variant.run(data)
        except Exception as error:
            failed = error
        if self.roots and not variant.options.donated:
            self.function(*data)
        raise failed

    def look_outside(self, outside: Outside) -> None:
        """Do without the programs there are, if the function now finds something else outside."""
        with self.lock:
            changed = outside.changed()
            if changed is None or self.outside is not outside:
                return
            self.outside, self.variants = None, []
            self.renewals += 1
            if self.renewals == MOST_VARIANTS:
                self.refused = errors.changes_outside(changed, MOST_VARIANTS)
                warn(errors.not_pure(self.name, self.refused))

    def checked(self, variant: Variant, data: list[Any], run: Run) -> Run | None:
        """A variant's second run, if the function, traced again, is the same program.

        It is not where the function reads what no tape sees: a value that is taken out of its
        arrays, a generator of random numbers, a variable that changes. Then it is not compiled.
        """
        with self.lock:
            if variant.checked:
                return run
            variant.checked = True
            if all(map(same_array, data, variant.first)):
                data = [other_data(x) for x in data]  # what is read must not be the same again
            variant.first = []
            found = Found(self.roots or [("", self.function)])
            arrays = Written(found.plain)
            changed = None
            try:
                with noticing_prints() as lines:
                    trace = Trace(self.function, data, run.samples, self.roots)
            except Exception:  # the function does not take such data: nothing is found out
                return run
            finally:
                changed, written = found.put_back(), arrays.put_back()
            if written is not None or is_another(trace, variant.trace):
                reason = errors.IMPURE if written is None else errors.writes_outside(written)
                self.refuse(variant, reason)
                return None
            if changed is not None:
                warn(errors.skipped(self.name, f"changes {changed or 'a variable outside'}"))
            if lines:
                warn(errors.skipped(self.name, f"prints (line {lines[0]})"))
            return run

    def refuse(self, variant: Variant, reason: str) -> None:
        """Do without a variant, and without any other, from now on."""
        self.variants = [v for v in self.variants if v is not variant]
        self.refused, self.outside = reason, None
        warn(errors.not_pure(self.name, reason))

    def first_run(self, data: list[Any]) -> Run | None:
        """A new variant, with the results of the run that it was traced in."""
        if len(self.variants) >= MOST_VARIANTS:
            self.refused = f"more than {MOST_VARIANTS} paths through the branches"
            return None
        for x in data:
            if x.dtype.kind not in KINDS or x.dtype.type is numpy.void:
                self.refused = errors.no_operations(x.dtype)
                return None
        try:
            trace = Trace(self.function, data, roots=self.roots)
        except (ConcretizationError, ImperativeError, errors.NotCompiledError) as error:
            self.refused = str(error)
            return None
        if trace.captured:  # values of a transform around, which are others in the next call
            if any(x.slot < 0 for x in trace.captured):
                self.refused = errors.unreachable_leaf()
            return None
        if trace.outside.places:
            self.outside = trace.outside
        variant = Variant(trace, self.options)
        if self.options.check:
            variant.checked = False
            variant.first = [x.copy() for x in data]
        run = Run(variant, owned(trace.take(), data), trace.drawn)
        self.variants = [*self.variants, variant]
        return run


class Run(NamedTuple):
    """What a variant computed, and the random numbers that it drew for it."""

    variant: Variant
    computed: list[Any]
    samples: list[Any]


class Variant:
    """One path through a function, for one signature: a graph, and what runs it."""

    def __init__(self, trace: Trace, options: Options) -> None:
        self.trace = trace
        self.options = options
        self.program: Program = trace.program
        donated = () if trace.guards else options.donated  # else it may have to be run again
        self.graph, watched = optimise(trace.graph, careful=bool(donated), fast=options.fast)
        self.runner = Runner(
            self.graph, watched, trace.kinds, donated, options.fast, options.backend
        )
        self.derived: dict[Any, FlatFunction] = {}
        self.hits = 1
        self.checked = True
        self.first: list[Any] = []  # the data of the first call, until it is checked

    def report(self) -> ProgramReport:
        """What the program has become."""
        self.runner.wait()
        native = self.runner.native
        return ProgramReport(
            self.hits,
            tuple(self.trace.guards),
            len(self.graph.order()),
            operations(self.graph),
            self.runner.problem,
            *((*native.report(), self.runner.times) if native is not None else ()),
        )

    @property
    def depends_on_call(self) -> bool:
        """Whether it holds for this call alone: it took a branch, or drew random numbers."""
        return bool(self.trace.guards or self.trace.samplers)

    def run(self, data: Sequence[Any]) -> Run | None:
        """A run, or None where a branch would be taken another way."""
        samples = [as_data(draw(())) for draw in self.trace.samplers]
        results = self.compute([*data, *samples, *self.trace.read])
        guards = self.trace.guards
        if guards:
            results, values = results[: -len(guards)], results[-len(guards) :]
            if any(x != y for x, y in zip(values, guards, strict=True)):
                return None
        self.hits += 1
        return Run(self, results, samples)

    @property
    def entry(self) -> Callable[..., Any] | None:
        """What gives the function's results for plain arrays in the fewest steps, if it can."""
        if not self.checked:
            return None
        if self.depends_on_call or any(r is not None for r in self.trace.results):
            return None
        return self.runner.entry

    def execute(self, data: Sequence[Any]) -> list[Any]:
        """The results for raw inputs, samples included, that take this path."""
        results = self.compute(data)
        return results[: len(results) - len(self.trace.guards)]

    def compute(self, data: Sequence[Any]) -> list[Any]:
        """All outputs of the graph; where leaving out guards makes a NaN, with them."""
        results = self.runner(*data)
        if results is None:
            results = self.careful(*data)
            assert results is not None
        return results

    @functools.cached_property
    def careful(self) -> Runner:
        """The program with all guards."""
        graph, _ = optimise(self.trace.graph, careful=True, fast=self.options.fast)
        return Runner(graph, (), self.trace.kinds, (), self.options.fast, self.options.backend)

    def outputs(self, computed: Sequence[Any]) -> Results:
        """The function's results, of which some depend on no input."""
        rest = iter(computed)
        results = Results()
        results.structure = self.trace.structure
        for constant in self.trace.results:
            results.append(next(rest) if constant is None else fresh(constant[0]))
        return results

    def derive(self, key: Any, function: Flat) -> FlatFunction:
        """`function` compiled, for a purpose that has `key`; the same for the same key."""
        return self.derived.setdefault(
            key, FlatFunction(function, replace(self.options, donated=()))
        )


def duplicate(x: Any) -> Any:
    """An array with memory of its own, in the same place on its tape."""
    return tracked(type(x), x.raw.copy(), x.slot, x.tape) if isinstance(x, Array) else x.copy()


def warn(text: str) -> None:
    """Warn, at the call of the compiled function."""
    warn_caller(text, errors.ImpureWarning)


def same_array(x: Any, y: Any) -> bool:
    return bool(numpy.array_equal(x, y, equal_nan=x.dtype.kind in "fc"))


def is_another(trace: Trace, other: Trace) -> bool:
    """Whether a function, traced on the same path, did something else."""
    if trace.captured or len(trace.guards) != len(other.guards):
        return False
    if any(x != y for x, y in zip(trace.guards, other.guards, strict=True)):
        return False
    return not same(trace.graph, other.graph) or addresses(trace) != addresses(other)


def addresses(trace: Trace) -> list[int]:
    """Where the arrays are that a trace reads from outside."""
    return [x.ctypes.data for x in trace.read]


def other_data(x: Any) -> Any:
    """Other data of the same kind: the elements in another order, which keeps an array of positive
    numbers one, and a symmetric matrix."""
    if not isinstance(x, ndarray) or not x.ndim:
        return x
    return numpy.roll(numpy.flip(x), 1, axis=tuple(range(x.ndim)))


def as_results(results: list[Any]) -> Results:
    return results if isinstance(results, Results) else Results(results)


def fresh(x: Any) -> Any:
    return x.copy() if isinstance(x, ndarray) else x
