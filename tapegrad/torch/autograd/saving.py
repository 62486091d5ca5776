"""What is done with the tensors that operations save: `saved_tensors_hooks` and its kin."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ...core.modes import no_grad
from ...core.tape import Entry, leaves, local
from ...core.versions import version_of
from ...core.watch import Packed, pack, unwatch, watch
from .. import errors
from ..tensor import Tensor, wrap


class _State(threading.local):
    """Why this thread refuses hooks, or None, and how many pairs of hooks it is inside of."""

    refusal: str | None = None
    depth = 0


state = _State()


def restored(raw: Any, slot: int) -> Any:
    """A saved value as the leaf that it is of, or with its place on the tape."""
    if slot < 0 and (leaf := leaves.get(slot)) is not None and leaf.raw is raw:
        return leaf
    x = wrap(raw)
    x.slot = int(str(slot))  # not the same object, which would keep the entry from compaction
    x.tape = local.root if slot else None
    return x


class SavedTensorsHooks:
    """A context in which ``pack_hook(tensor)`` is saved in place of each tensor.

    The backward makes it a tensor again with `unpack_hook`. The innermost pair counts. Inside of
    `torch.func` transforms, which use what they save at once, nothing is packed.
    """

    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def save(self, raw: Any, slot: int) -> Packed:
        before = version_of(raw)
        with no_grad():
            value = self.pack_hook(restored(raw, slot))
        if version_of(raw) != before:
            raise errors.packed_in_place()
        return Packed(value, self.restore)

    def restore(self, value: Any) -> Any:
        x = self.unpack_hook(value)
        if not isinstance(x, Tensor):
            raise errors.unpacked_no_tensor(type(x))
        return x.raw

    def watcher(self, entry: Entry) -> Entry:
        return entry if local.root.marks else pack(entry, self.save)

    def __enter__(self) -> None:
        if state.refusal is not None:
            raise RuntimeError(state.refusal)
        watch(self.watcher)
        state.depth += 1

    def __exit__(self, *_: object) -> None:
        state.depth -= 1
        unwatch(self.watcher)


class SaveOnCPU(SavedTensorsHooks):
    """A context in which saved tensors wait in the CPU's memory for the backward."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda x: (x.device, x.to("cpu")), lambda packed: packed[1].to(packed[0]))


class AllowMutationOnSavedTensors(SavedTensorsHooks):
    """A context in which saved tensors may be changed in place: copies of them are saved."""

    def __init__(self) -> None:
        super().__init__(lambda x: x.clone(), lambda x: x)


class DisableSavedTensorsHooks:
    """A context in which `saved_tensors_hooks` raises an error of this text; so it does inside."""

    def __init__(self, error_message: str) -> None:
        self.text = error_message
        self.before: list[str | None] = []

    def __enter__(self) -> None:
        if state.depth:
            raise RuntimeError(self.text)
        self.before.append(state.refusal)
        state.refusal = self.text

    def __exit__(self, *_: object) -> None:
        state.refusal = self.before.pop()


saved_tensors_hooks = SavedTensorsHooks
save_on_cpu = SaveOnCPU
allow_mutation_on_saved_tensors = AllowMutationOnSavedTensors
disable_saved_tensors_hooks = DisableSavedTensorsHooks
