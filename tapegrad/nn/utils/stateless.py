"""`functional_call` by its older name."""

from __future__ import annotations

from ...torch.func import functional_call

__all__ = ["functional_call"]
