"""A module that mixes groups of channels."""

from __future__ import annotations

from typing import Any

from .. import functional
from .module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """`functional.channel_shuffle`: mixes the groups of channels."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Any) -> Any:
        return functional.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
