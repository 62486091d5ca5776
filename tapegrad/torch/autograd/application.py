"""The call of a `Function` as one entry of the tape, whose rule calls `backward`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from numpy import zeros

from ...backend import is_inexact
from ...core.array import Array, tracked
from ...core.mutation import change
from ...core.op import Op
from ...core.record import deepest_tape, pick, record
from ...core.tape import Paused, Tape, local, tick
from ...transforms.rules import pull_function, pushing
from .. import errors
from ..inplace import check_may_change
from ..tensor import Tensor, core, wrap
from .batched import BatchedCall, by_author
from .call import Call, is_tensor
from .context import FunctionCtx


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
