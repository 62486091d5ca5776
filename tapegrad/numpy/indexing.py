"""indexing."""

__all__: list[str] = []
