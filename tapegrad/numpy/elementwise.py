"""elementwise."""

__all__: list[str] = []
