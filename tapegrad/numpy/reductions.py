"""reductions."""

__all__: list[str] = []
