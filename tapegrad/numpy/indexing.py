"""indexing."""

from . import assignment, subscript

__all__: list[str] = []
