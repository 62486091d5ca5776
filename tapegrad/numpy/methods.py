"""methods."""

__all__: list[str] = []
