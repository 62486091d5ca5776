"""`torch.onnx`, for programs that import it. Nothing is exported."""

from __future__ import annotations

from typing import Any

from . import errors

__all__ = ["export"]


def export(*args: Any, **kwargs: Any) -> None:
    """Raises: models are not exported to ONNX here."""
    raise errors.no_onnx()
