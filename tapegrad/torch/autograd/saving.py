"""What is done with the tensors that operations save: `saved_tensors_hooks` and its kin."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ...core.tape import Entry, local
from ...core.watch import Packed, pack, unwatch, watch
from .. import errors
from ..tensor import Tensor, wrap


class _State(threading.local):
    """Why this thread refuses hooks, or None."""

    refusal: str | None = None


state = _State()


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

    def save(self, raw: Any) -> Packed:
        return Packed(self.pack_hook(wrap(raw)), self.restore)

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

    def __exit__(self, *_: object) -> None:
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
    """A context in which `saved_tensors_hooks` raises an error of this text."""

    def __init__(self, error_message: str) -> None:
        self.text = error_message
        self.before: list[str | None] = []

    def __enter__(self) -> None:
        self.before.append(state.refusal)
        state.refusal = self.text

    def __exit__(self, *_: object) -> None:
        state.refusal = self.before.pop()


saved_tensors_hooks = SavedTensorsHooks
save_on_cpu = SaveOnCPU
allow_mutation_on_saved_tensors = AllowMutationOnSavedTensors
disable_saved_tensors_hooks = DisableSavedTensorsHooks
