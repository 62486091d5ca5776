"""sorting."""

__all__: list[str] = []
