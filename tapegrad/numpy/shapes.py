"""shapes."""

__all__: list[str] = []
