"""Files: `save` and `load` on safetensors."""

from .files import load, load_metadata, save

__all__ = ["load", "load_metadata", "save"]
