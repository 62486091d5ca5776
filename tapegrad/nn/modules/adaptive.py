"""The softmax over many classes of very different frequency (Grave et al., 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ...torch.joining import cat
from .. import functional
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    """The log-probability of each target, and minus their mean."""

    output: Any
    loss: Any


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-probabilities of classes sorted by frequency, the most frequent first.

    The classes up to the first cutoff are in the head, beside one entry for each cluster of the
    others; a cluster has a projection to a smaller space of its own.
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        given = list(cutoffs)
        if not given:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            given != sorted(set(given))
            or given[0] <= 0
            or given[-1] > n_classes - 1
            or any(int(c) != c for c in given)
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
                "order, where each value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*given, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(given)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, head_bias, device, dtype)
        self.tail = ModuleList()
        for i, (start, stop) in enumerate(pairwise(self.cutoffs)):
            size = int(in_features // div_value ** (i + 1))
            self.tail.append(
                Sequential(
                    Linear(in_features, size, False, device, dtype),
                    Linear(size, stop - start, False, device, dtype),
                )
            )

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        self.head.reset_parameters()
        for projection in self.tail:
            for linear in projection:
                linear.reset_parameters()

    def forward(self, input_: Any, target_: Any) -> _ASMoutput:
        """The log-probabilities of the targets, (N) or one, and the loss."""
        check_target(input_, target_)
        batched = target_.dim() > 0
        input = input_ if batched else input_.unsqueeze(0)
        target = target_ if batched else target_.unsqueeze(0)
        if bool(((target < 0) | (target >= self.n_classes)).any()):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        head = functional.log_softmax(self.head(input), dim=1)
        places = target.clone()  # of the targets, or of their clusters, in the head
        inside = input.new_zeros(target.size(0))
        for i, (start, stop) in enumerate(pairwise(self.cutoffs)):
            rows = ((target >= start) & (target < stop)).nonzero().squeeze(1)
            if not rows.numel():
                continue
            places = places.index_fill(0, rows, self.shortlist_size + i)
            cluster = functional.log_softmax(self.tail[i](input.index_select(0, rows)), dim=1)
            at = (target.index_select(0, rows) - start).unsqueeze(1)
            inside = inside.index_copy(0, rows, cluster.gather(1, at).squeeze(1))
        output = inside + head.gather(1, places.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def log_prob(self, input: Any) -> Any:
        """The log-probabilities of all classes, (N, n_classes)."""
        head: Any = functional.log_softmax(self.head(input), dim=1)
        parts = [head[:, : self.shortlist_size]]
        for i, projection in enumerate(self.tail):
            cluster = functional.log_softmax(projection(input), dim=1)
            parts.append(cluster + head[:, self.shortlist_size + i].unsqueeze(1))
        return cat(parts, 1)

    def predict(self, input: Any) -> Any:
        """The most probable class of each example."""
        return self.log_prob(input).argmax(dim=1)


def check_target(input: Any, target: Any) -> None:
    """Raise unless there is one target for each vector."""
    if target.dim() > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input.dim() != target.dim() + 1:
        raise RuntimeError(
            f"{target.dim()}D target tensor expects {target.dim() + 1}D input tensors, but found "
            f"inputs with size {input.size()}"
        )
    if target.dim() and input.size(0) != target.size(0):
        raise RuntimeError("Input and target should have the same size in the batch dimension.")
