"""What a `Function` is given to keep things in between its forward and its backward."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import errors
from ..tensor import Tensor


class FunctionCtx:
    """`ctx`: the tensors that are saved, and what the author of a `Function` says of its results.

    Anything else may be kept as an attribute. Tensors that are inputs or results should be saved,
    so that changes of them are noticed and derivatives of derivatives go through them.
    """

    name_of_function: ClassVar[str] = "Function"
    needs_input_grad: tuple[bool, ...] = ()
    materialize_grads = True

    def __init__(self) -> None:
        self.to_save: tuple[Any, ...] = ()
        self.for_forward: tuple[Any, ...] | None = None
        self.dirty: tuple[Any, ...] = ()
        self.non_differentiable: tuple[Any, ...] = ()
        self.restored: list[tuple[Any, ...]] = []

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for `backward`, which finds them as `ctx.saved_tensors`."""
        for i, x in enumerate(tensors):
            if not (x is None or isinstance(x, Tensor)):
                raise errors.saved_no_tensor(i, type(x))
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for `jvp`, which finds them as `ctx.saved_tensors`."""
        self.for_forward = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs were changed in place. They have to be returned."""
        self.dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which results have no derivative."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether `backward` gets zeros, as it does by default, or None for no gradient."""
        self.materialize_grads = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors that were saved, in `backward` and `jvp`."""
        if not self.restored:
            raise errors.saved_are_freed()
        return self.restored[-1]

    def name(self) -> str:
        """The name of the node, such as `ExpBackward`."""
        return f"{self.name_of_function}Backward"
