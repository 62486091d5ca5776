"""One call of a `Function`: what its author's functions get and give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy import zeros

from ...core.face import conjugated, faces
from ...core.modes import no_grad
from ...core.op import table
from ...transforms.rules import Usage
from .. import errors
from ..tensor import Tensor, core, wrap
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
