"""The call of a `Function` over the lanes of a `vmap`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...core.op import table
from ...transforms.vmap import vmap
from .call import Call, is_tensor


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
