"""`Step`: a function that changes arrays which are no arguments, as one without side effects.

While it is traced, the arrays it can reach stand for values of the tape: they are the same objects,
so that whatever refers to them sees the traced values. What they are in the end are further
results. Everything is put back after the trace; each run of the program then writes its results
where the function would have written them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from numpy import generic, ndarray

from ... import tree
from ...core.array import Array, Traced, grad_of, set_grad, tracked
from ...core.face import Face, bare, dressed, face_of
from ...core.record import raw
from ...core.tape import current_tape, local, tick
from ...core.versions import owner_of, stamp, version_of
from ...errors import TapegradError
from .. import errors
from ..flat import FlatFunction, Options, Results, Variant
from ..search import RATE, Found
from ..storms import Naming
from ..tape import CompileTape
from .arguments import Arguments

LINKS = ("base", "views")


@dataclass(frozen=True)
class Outcome:
    """What a traced step gave and did.

    Its results come first among the program's: `structure` puts them together, `faces` dress them,
    `given` has the place of an array that is returned itself, and `needs` says which require a
    gradient. Then come the new values of the arrays in the places `changed`, then new gradients:
    `grads` says which leaves have a new one, and which have none any more. `swept` says that there
    was a `backward()`.
    """

    structure: Any
    faces: list[Face | None]
    given: list[int | None]
    needs: list[bool]
    changed: list[int]
    grads: list[tuple[int, bool]]
    swept: bool


class Step:
    """One step with the arrays that it can reach, as long as it can reach these and no others."""

    def __init__(self, fun: Any, call: Arguments, options: Options, name: str) -> None:
        self.fun = fun
        own = call.names(fun)
        found = Found([("", fun), *((own[i], call.leaves[i]) for i in call.objects)])
        given = {id(x) for x in call.arrays}
        kept = [i for i, x in enumerate(found.arrays) if id(x) not in given]
        self.found = found
        self.rates = found.rates
        self.arrays = [found.arrays[i] for i in kept]
        objects = [*self.arrays, *call.arrays]
        self.leaves = [i for i, x in enumerate(objects) if x.slot < 0]
        self.kinds = list(map(kind_of, objects))
        self.slots = [x.slot for x in objects]
        self.graded = [i for i in self.leaves if grad_of(objects[i]) is not None]
        names = [*(found.names[i] for i in kept), *(own[i] for i in call.places)]
        names += [f"{names[i]}.grad" for i in self.graded]
        names += [f"learning rate {i}" for i in range(len(self.rates))]
        self.names = [*names, *(own[i] for i in call.chosen)]
        self.flat = FlatFunction(self.run, options, Naming(name, self.names))
        keyed = [held for held in found.held if held.keyed]
        self.empty = [x.container for x in keyed if x.contents is dict and not x.before]
        self.guarded = [x for x in keyed if x.contents is not dict or x.before]
        self.quick: tuple[Callable[..., Any], Outcome, Variant] | None = None
        self.constants: list[tuple[Any, int]] = []
        self.running: tuple[list[Array], Arguments] | None = None
        self.problem = self.unfit(objects)

    def unfit(self, objects: Sequence[Array]) -> str | None:
        """Why no program can do what the step does; None if one can."""
        if not self.found.whole:
            return errors.too_many_objects()
        arrays = [x.raw for x in objects] + [grad_of(objects[i]).raw for i in self.graded]
        owners: dict[int, ndarray] = {}
        for x, name in zip(arrays, self.names, strict=False):
            if not isinstance(x, ndarray | generic):
                return errors.not_in_memory(name)
            if isinstance(x, ndarray):
                other = owners.setdefault(id(owner_of(x)), x)
                if other is not x and numpy.may_share_memory(other, x):
                    return errors.shared_memory(name)
        return None

    def current(self, call: Arguments) -> bool:
        """Whether the step can reach the same arrays, and finds the same options."""
        if any(map(len, self.empty)):  # a module has many tables, and most are
            return False
        for held in self.guarded:
            if not held.same():
                return False
        for x, version in self.constants:
            if version_of(x) != version:
                return False
        objects = [*self.arrays, *call.arrays]
        if [x.slot for x in objects] != self.slots and list(map(kind_of, objects)) != self.kinds:
            return False
        return [i for i in self.leaves if grad_of(objects[i]) is not None] == self.graded

    def __call__(self, call: Arguments) -> Any:
        """The step's results, and its changes done; NotImplemented where it is to run as it is."""
        if self.problem is not None:
            return NotImplemented
        objects = [*self.arrays, *call.arrays]
        objects += [grad_of(objects[i]) for i in self.graded]
        rest = [numpy.float64(group[RATE]) for group in self.rates]
        rest += [call.leaves[i] for i in call.chosen]
        if self.quick is not None:
            entry, outcome, variant = self.quick
            results = entry(*[x.raw for x in objects], *rest)
            if results is not NotImplemented:
                variant.hits += 1
                return applied(outcome, results, objects)
        self.running = objects, call
        inputs = [*map(bare, objects), *rest]
        try:
            found = self.flat.attempt(inputs)
        finally:
            self.running = None
        if found is None:
            return NotImplemented
        self.remember(found.structure, list(map(raw, inputs)))
        return applied(found.structure, found, objects)

    def remember(self, outcome: Outcome, data: list[Any]) -> None:
        """Have the next call go the short way, if results have nothing to do with a tape."""
        variants = self.flat.signature(data).variants
        self.constants = [x for variant in variants for x in variant.trace.constants]
        self.quick = None
        if outcome.swept or not any(outcome.needs):
            entry = self.flat.entry(data)
            if entry is not None:
                self.quick = entry, outcome, variants[0]

    def run(self, *values: Any) -> Results:
        """The step, traced: a function of the values of arrays, gradients, rates and arguments."""
        tape = current_tape()
        assert isinstance(tape, CompileTape)
        assert self.running is not None
        objects, call = self.running
        before = list(map(Before, objects))
        rates = [group[RATE] for group in self.rates]
        given = iter(values)
        try:
            for x in objects:
                install(x, next(given))
            computed = [i for i, (_, sign) in enumerate(self.kinds) if sign > 0]
            tape.watch([objects[i] for i in self.leaves], [objects[i] for i in computed])
            for group in self.rates:
                group[RATE] = next(given)
            results = self.traced(tape, objects, *call.filled(given))
            if tape.swept and computed:
                raise errors.graph_from_outside(self.names[computed[0]])
        except TapegradError:
            raise
        except Exception as error:  # whatever it is, the function raises it again when it is run
            raise errors.cannot_trace(error) from error
        finally:
            for state in before:
                state.restore()
            for group, rate in zip(self.rates, rates, strict=True):
                group[RATE] = rate
            changed = self.found.put_back()
        if changed is not None:
            raise errors.side_effect(changed)
        return results

    def traced(
        self, tape: CompileTape, objects: list[Array], args: Any, kwargs: dict[str, Any]
    ) -> Results:
        """Call the step, and look at what it gave and did."""
        places = [x.slot for x in objects]
        raws = [x.raw for x in objects]
        given, structure = tree.flatten(self.fun(*args, **kwargs))
        known = {id(x): i for i, x in enumerate(objects)}
        results = Results()
        outcome = Outcome(structure, [], [], [], [], [], tape.swept)
        for x in given:
            place = known.get(id(x))
            outcome.given.append(place)
            outcome.faces.append(face_of(x))
            outcome.needs.append(place is None and needs_grad(tape, x))
            results.append(value_of(x) if place is None else None)
        for i, x in enumerate(objects):
            if x.slot == places[i]:
                if x.raw is not raws[i]:
                    raise errors.side_effect(f"the data of {self.names[i]}")
                continue
            if i not in self.leaves and needs_grad(tape, x):
                raise errors.becomes_differentiable(self.names[i])
            outcome.changed.append(i)
            results.append(value_of(x))
        for i in self.leaves:
            g = grad_of(objects[i])
            if g is None and i in self.graded:
                outcome.grads.append((i, False))
            elif g is not None and id(g) not in known:
                if needs_grad(tape, g):
                    raise errors.becomes_differentiable(f"{self.names[i]}.grad")
                outcome.grads.append((i, True))
                results.append(value_of(g))
        results.structure = outcome
        return results


def applied(outcome: Outcome, results: list[Any], objects: list[Array]) -> Any:
    """What a step gives, once its changes are done."""
    rest = iter(results[len(outcome.faces) :])
    for i in outcome.changed:
        store(objects[i], plain_of(next(rest)))
    for i, new in outcome.grads:
        x = objects[i]
        set_grad(x, tracked(x.untraced, plain_of(next(rest)), 0, None) if new else None)
    given = []
    for x, face, place, needs in zip(
        results, outcome.faces, outcome.given, outcome.needs, strict=False
    ):
        if place is not None:
            given.append(objects[place])
            continue
        if not needs:
            x = plain_of(x)
        elif not isinstance(x, Array):  # its graph was used up by a backward() inside
            x = tracked(Array, x, tick(), local.root)
        given.append(dressed(x, face))
    return tree.unflatten(outcome.structure, given)


class Before:
    """An array as it was before a trace."""

    __slots__ = ("array", "grad", "kind", "links", "raw", "slot", "tape")

    def __init__(self, x: Array) -> None:
        self.array = x
        self.kind, self.raw, self.slot, self.tape = type(x), x.raw, x.slot, x.tape
        self.grad = grad_of(x)
        self.links = {name: getattr(x, name) for name in LINKS if hasattr(x, name)}

    def restore(self) -> None:
        x = self.array
        x.__class__ = self.kind
        x.raw, x.slot, x.tape = self.raw, self.slot, self.tape
        set_grad(x, self.grad)
        unlink(x)
        for name, link in self.links.items():
            setattr(x, name, link)


def unlink(x: Array) -> None:
    for name in LINKS:
        if hasattr(x, name):
            delattr(x, name)


def install(x: Array, value: Array) -> None:
    """Have an array stand for a value of the tape. Its memory cannot be written to meanwhile."""
    data = value.raw
    if isinstance(data, ndarray):
        data = data.view()
        data.flags.writeable = False
    unlink(x)
    x.raw, x.slot, x.tape = data, value.slot, value.tape
    x.__class__ = x.traced


def kind_of(x: Array) -> tuple[type, int]:
    """What of an array is not in a signature: its class, and whether it is differentiated."""
    return type(x), (x.slot > 0) - (x.slot < 0)


def value_of(x: Any) -> Any:
    """A result of a trace: a value that later changes of the object leave alone."""
    if not isinstance(x, Array):
        return x
    return tracked(Traced, x.raw, x.slot, x.tape) if x.slot else x.raw


def needs_grad(tape: CompileTape, x: Any) -> bool:
    """Whether a result requires a gradient."""
    return isinstance(x, Array) and bool(x.slot) and tape.requires_grad(x)


def plain_of(x: Any) -> Any:
    return x.raw if isinstance(x, Array) else x


def store(x: Array, new: Any) -> None:
    """Write a new value where an array has its elements."""
    data = x.raw
    if isinstance(data, ndarray) and data.flags.writeable:
        data[...] = new
        stamp(data, "step")
    else:
        x.raw = new
