"""The call of a `Function` as one entry of the tape, whose rule calls `backward`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from numpy import zeros

from ...backend import is_inexact
from ...core.array import Array, tracked
from ...core.face import conjugated
from ...core.modes import no_grad
from ...core.mutation import change
from ...core.op import Op, table
from ...core.record import deepest_tape, pick, record
from ...core.tape import Paused, Tape, local, tick
from ...transforms.rules import Usage, pull_function, pushing
from ...transforms.vmap import vmap
from .. import errors
from ..inplace import check_may_change
from ..tensor import Tensor, core, faces, wrap
from .context import FunctionCtx

FACE = faces[Tensor]


class Call:
    """One call of a `Function`: its class, `ctx`, and arguments that are no tensors."""

    def __init__(self, function: Any, ctx: FunctionCtx, args: Sequence[Any]) -> None:
        self.function = function
        self.ctx = ctx
        self.places = [i for i, x in enumerate(args) if isinstance(x, Tensor)]
        self.args = [None if isinstance(x, Tensor) else x for x in args]
        self.shapes = [(x.raw.shape, x.raw.dtype) for x in args if isinstance(x, Tensor)]
        ctx.needs_input_grad = tuple(isinstance(x, Tensor) and x.slot != 0 for x in args)
        self.usage = Usage()
        self.single = True
        self.outputs: list[Any] = []  # of each result that is a tensor, shape and dtype; else None
        self.sources: list[tuple[str, int]] = []
        self.forward_sources: list[tuple[str, int]] = []
        self.others: list[Any] = []  # what is saved and is neither input nor result

    def again(self, inputs: Sequence[Any]) -> Call:
        """The same call with other tensors."""
        return Call(self.function, type(self.ctx)(), self.filled(inputs))

    def has_jvp(self) -> bool:
        """Whether the author gave a rule for forward mode."""
        return bool(self.function.has("jvp"))

    def has_vmap(self) -> bool:
        """Whether the author gave a rule for lanes."""
        return bool(self.function.has("vmap"))

    def filled(self, tensors: Sequence[Any]) -> list[Any]:
        """The arguments with these tensors."""
        args = list(self.args)
        for i, x in zip(self.places, tensors, strict=True):
            args[i] = x
        return args

    def forward(self, tensors: Sequence[Tensor]) -> list[Any]:
        """The results, computed without a record, with what is to be saved noted."""
        args, ctx, function = self.filled(tensors), self.ctx, self.function
        with no_grad():
            if function.has("setup_context"):
                output = function.forward(*args)
                function.setup_context(ctx, tuple(args), output)
            else:
                output = function.forward(ctx, *args)
        self.single = not isinstance(output, tuple)
        results = [output] if self.single else list(output)
        arrays = list(filter(is_tensor, results))
        self.others = []
        self.sources = [self.source(x, tensors, arrays) for x in ctx.to_save]
        self.forward_sources = self.sources
        if ctx.for_forward is not None:
            self.forward_sources = [self.source(x, tensors, arrays) for x in ctx.for_forward]
        self.outputs = [(x.raw.shape, x.raw.dtype) if is_tensor(x) else None for x in results]
        return results

    def source(self, x: Any, tensors: Sequence[Any], results: Sequence[Any]) -> tuple[str, int]:
        """Where a saved tensor is to be found again."""
        for place, among in (("output", results), ("input", tensors)):
            for i, y in enumerate(among):
                if x is y:
                    return place, i
        self.others.append(x)
        return "other", len(self.others) - 1

    def saved(
        self, sources: list[tuple[str, int]], inputs: Sequence[Any], outs: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The saved tensors, with inputs and results as the walk over the tape sees them."""
        places = {"input": inputs, "output": outs}
        return tuple(
            self.others[at] if place == "other" else as_tensor(places[place][at])
            for place, at in sources
        )

    def pull(self, inputs: Sequence[Any], outs: Sequence[Any], gs: Sequence[Any]) -> list[Any]:
        """The cotangents of the inputs, in the core's convention, for those of the results."""
        ctx = self.ctx
        rest = iter(gs)
        grads = [None if of is None else self.shown(next(rest), of) for of in self.outputs]
        ctx.restored.append(self.saved(self.sources, inputs, outs))
        try:
            pulled = self.function.backward(ctx, *grads)
        finally:
            ctx.restored.pop()
        given = list(pulled) if isinstance(pulled, tuple | list) else [pulled]
        while len(given) > len(self.args) and given[-1] is None:
            given.pop()
        if len(given) != len(self.args):
            raise errors.number_of_gradients(ctx.name(), len(self.args), len(given))
        for i, g in enumerate(given):
            if g is not None and i not in self.places:
                raise errors.gradient_of_no_tensor(ctx.name(), i)
        return [
            self.fitted(given[i], i, *of) for i, of in zip(self.places, self.shapes, strict=True)
        ]

    def shown(self, g: Any, of: Any) -> Any:
        """A cotangent as `backward` sees it."""
        if g is not None:
            return wrap(conjugated(g, FACE))
        if not self.ctx.materialize_grads:
            return None
        return wrap(zeros(*of)[()])

    def fitted(self, g: Any, place: int, shape: tuple[int, ...], dtype: Any) -> Any:
        """A gradient from `backward` in the shape and dtype of the argument."""
        if g is None:
            return None
        if not isinstance(g, Tensor):
            raise errors.gradient_no_tensor(self.ctx.name(), type(g))
        if g.raw.shape != shape:
            if not reduces_to(g.raw.shape, shape):
                raise errors.wrong_gradient(self.ctx.name(), place, g.raw.shape, shape)
            g = g.sum_to_size(shape)
        result: Any = core(g) if g.slot else g.raw
        if g.raw.dtype != dtype:
            if g.raw.dtype.kind == "c" and dtype.kind != "c":
                result = table["real"].function(result)
            result = table["astype"].function(result, to=dtype, source=result.dtype)
        return conjugated(result, FACE)

    def push(self, inputs: Sequence[Any], outs: Sequence[Any], tangents: Sequence[Any]) -> Any:
        """The tangents of the results, for those of the inputs."""
        ctx = self.ctx
        given = self.filled([None if t is None else wrap(t) for t in tangents])
        given = [x if i in self.places else None for i, x in enumerate(given)]
        ctx.restored.append(self.saved(self.forward_sources, inputs, outs))
        try:
            pushed = self.function.jvp(ctx, *given)
        finally:
            ctx.restored.pop()
        results = list(pushed) if isinstance(pushed, tuple) else [pushed]
        return [None if t is None else (core(t) if t.slot else t.raw) for t in results]


def reduces_to(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether an array of one shape sums to another, which broadcasts to it."""
    if len(to) > len(shape):
        return False
    tail = shape[len(shape) - len(to) :]
    return all(m in (1, n) for n, m in zip(tail, to, strict=True))


def is_tensor(x: Any) -> bool:
    return isinstance(x, Tensor)


def as_tensor(x: Any) -> Tensor:
    return x if isinstance(x, Tensor) else wrap(x)


def apply(call: Any, args: Sequence[Any]) -> Any:
    """The results of a call, recorded."""
    tensors = [args[i] for i in call.places]
    tape = deepest_tape(tuple(tensors))
    if tape is not None and tape.replay:
        results = on_replay_tape(call, tensors)
    elif tape is None or type(local.tape) is Paused:
        results = call.forward(tensors)
    else:
        results = on_root(call, tensors, tape)
    return results[0] if call.single else tuple(results)


def on_replay_tape(call: Call, tensors: list[Tensor]) -> list[Any]:
    """The call as an instruction, which is run again over all lanes."""
    results = call.forward([wrap(x.raw) for x in tensors])
    for x in results:
        if isinstance(x, Tensor) and x.slot:
            raise errors.function_closes_over(call.ctx.name_of_function)
    raws = tuple(x.raw for x in results if is_tensor(x))
    arrays = tuple(map(core, tensors))
    recorded = iter(map(wrap, record(operation(len(raws)), arrays, {"call": call}, raws)))
    return [next(recorded) if is_tensor(x) else x for x in results]


def on_root(call: Call, tensors: list[Tensor], tape: Tape) -> list[Any]:
    """The call as an entry that saves what `ctx` says."""
    slots = tuple(x.slot if x.raw.dtype.kind in "fcV" else 0 for x in tensors)
    results = call.forward(tensors)
    ctx = call.ctx
    for x in ctx.dirty:
        if not any(x is y for y in results):
            raise errors.dirty_not_returned()
        check_may_change(x)
    kept = {place for place in call.sources + call.forward_sources if place[0] != "other"}
    values = [x.raw if ("input", i) in kept else None for i, x in enumerate(tensors)]
    chosen = [k for k, x in enumerate(results) if is_tensor(x)]
    arrays = [results[k] for k in chosen]
    outs = tuple(x.raw if ("output", i) in kept else None for i, x in enumerate(arrays))
    op = operation(len(arrays))
    slot = tick()
    tape.append((op.code(len(tensors)), slot, *slots, {"call": call}, *values, outs))
    tape.steep = True
    if slot > tape.limit:
        tape.compact()
    whole = tracked(Array, [x.raw for x in arrays], slot, tape)
    for i, (k, x) in enumerate(zip(chosen, arrays, strict=True)):
        if is_inexact(x.raw.dtype) and not any(x is y for y in ctx.non_differentiable):
            results[k] = placed(x, pick(whole, i), tensors, ctx)
    return results


def placed(x: Tensor, new: Array, tensors: list[Tensor], ctx: FunctionCtx) -> Tensor:
    """A result on its place on the tape: itself where it is new or was changed in place."""
    if any(x is y for y in ctx.dirty):
        change(x, lambda _: None, lambda _old, _data: new, False, ctx.name())
        return x
    if any(x is y for y in tensors) or getattr(x, "base", None) is not None:
        return wrap(new)
    x.slot = new.slot
    x.tape = new.tape
    return x


@functools.cache
def operation(outputs: int) -> Op:
    """The operation of calls with so many results."""

    def function(*inputs: Any, call: Call) -> tuple[Any, ...]:
        tensors = list(map(wrap, inputs))
        again = call.again(tensors)
        results = apply(again, again.filled(tensors))
        return tuple(core(x) for x in ((results,) if again.single else results) if is_tensor(x))

    return Op(
        "function",
        forward=lambda _xp, *inputs, call: tuple(x.raw for x in function(*inputs, call=call)),
        vjp=_pull,
        jvp=_push,
        batch=_batch,
        joint=True,
        steep=True,  # for all that is known
        outputs=outputs,
        function=function,
        doc="A call of a torch.autograd.Function.",
    )


def _pull(
    g: tuple[Any, ...], out: tuple[Any, ...], *inputs: Any, wanted: Any, call: Call
) -> list[Any]:
    call.usage.pulled = True
    return call.pull(inputs, out, g)


def _push(
    tangents: tuple[Any, ...], out: tuple[Any, ...], *inputs: Any, call: Any
) -> tuple[Any, ...]:
    if call.has_jvp():
        return tuple(call.push(inputs, out, tangents))
    if not (call.usage.pulled or pushing.pulled):
        raise errors.no_jvp(call.ctx.name_of_function)
    return transposed(tangents, out, inputs, call)


def transposed(
    tangents: Sequence[Any], out: Sequence[Any], inputs: Sequence[Any], call: Call
) -> tuple[Any, ...]:
    """The tangents where an inner transform has used `backward`, as under a Hessian.

    They are `backward`, which is linear in its gradients, transposed.
    """
    given = [i for i, t in enumerate(tangents) if t is not None]

    def backward(*gs: Any) -> list[Any]:
        pulled = call.pull(inputs, out, gs)
        return [zeros(*call.shapes[i]) if pulled[i] is None else pulled[i] for i in given]

    gs = [zeros(*of)[()] for of in call.outputs]
    wanted = [is_inexact(g.dtype) for g in gs]
    name = call.ctx.name_of_function
    return tuple(pull_function(name, backward, gs, wanted, [tangents[i] for i in given]))


def _batch(_function: Any, mapped: tuple[bool, ...], *inputs: Any, call: Call) -> tuple[Any, ...]:
    tensors = list(map(wrap, inputs))
    if call.has_vmap():
        results = by_author(call, mapped, tensors)
    else:
        batched = BatchedCall(call, mapped, tensors)
        output = apply(batched, batched.filled(tensors))
        results = [output] if batched.single else list(output)
    return tuple(core(x) for x in results if is_tensor(x))


class VmapInfo(NamedTuple):
    """What an author's rule for lanes is told of the `vmap`."""

    batch_size: int
    randomness: str


def by_author(call: Call, mapped: tuple[bool, ...], tensors: Sequence[Any]) -> list[Any]:
    """The results over lanes, by the author's rule, with their lanes in front."""
    lanes = next(x.raw.shape[0] for x, has in zip(tensors, mapped, strict=True) if has)
    axes = [0 if has else None for has in mapped]
    dims = [axes[call.places.index(i)] if i in call.places else None for i in range(len(call.args))]
    info = VmapInfo(lanes, "error")
    output, out_dims = call.function.vmap(info, tuple(dims), *call.filled(tensors))
    results = list(output) if isinstance(output, tuple) else [output]
    places = list(out_dims) if isinstance(out_dims, tuple) else [out_dims] * len(results)
    return [
        x.expand(lanes, *x.shape) if at is None else x.movedim(at, 0)
        for x, at in zip(results, places, strict=True)
    ]


class BatchedCall(Call):
    """A call over lanes: the functions of the call of one lane, under `vmap`."""

    one: Call

    def __init__(self, lane: Call, mapped: tuple[bool, ...], tensors: Sequence[Any]) -> None:
        self.lane = lane
        self.mapped = mapped
        super().__init__(lane.function, type(lane.ctx)(), lane.filled(tensors))

    def again(self, inputs: Sequence[Any]) -> Call:
        return BatchedCall(self.lane, self.mapped, inputs)

    def has_vmap(self) -> bool:
        return False

    def axes(self, inputs: Sequence[Any]) -> list[int | None]:
        """Where the lanes of what is saved of the inputs are."""
        return [0 if has else None for has in self.mapped]

    def forward(self, tensors: Sequence[Any]) -> list[Any]:
        """As that of one lane, which runs once; what it saves has lanes, too."""
        results: list[Any] = []

        def one(*lanes: Any) -> tuple[list[Any], list[Any]]:
            self.one = self.lane.again(lanes)
            results[:] = self.one.forward(lanes)
            return list(filter(is_tensor, results)), self.one.others

        arrays, self.others = vmap(one, tuple(self.axes(tensors)))(*tensors)
        self.single = self.one.single
        self.sources = self.one.sources
        self.forward_sources = self.one.forward_sources
        self.ctx.materialize_grads = self.one.ctx.materialize_grads
        rest = iter(arrays)
        results = [next(rest) if is_tensor(x) else x for x in results]
        marked = self.one.outputs
        self.outputs = [
            (x.raw.shape, x.raw.dtype) if of else None
            for x, of in zip(results, marked, strict=True)
        ]
        return results

    def pull(self, inputs: Sequence[Any], outs: Sequence[Any], gs: Sequence[Any]) -> list[Any]:
        def one(xs: Any, ys: Any, others: Any, cotangents: Any) -> list[Any]:
            self.one.others = others
            return self.one.pull(xs, ys, cotangents)

        axes = (self.axes(inputs), 0, 0, 0)
        given = list(inputs), list(outs), self.others, list(gs)
        pulled = vmap(one, axes)(*given)
        total = table["sum"].function
        return [
            d if d is None or has else total(d, axis=(0,), keepdims=False)
            for d, has in zip(pulled, self.mapped, strict=True)
        ]

    def push(self, inputs: Sequence[Any], outs: Sequence[Any], tangents: Sequence[Any]) -> Any:
        def one(xs: Any, ys: Any, others: Any, ts: Any) -> list[Any]:
            self.one.others = others
            return list(self.one.push(xs, ys, ts))

        axes = self.axes(inputs)
        given = list(inputs), list(outs), self.others, list(tangents)
        return vmap(one, (axes, 0, 0, axes))(*given)
