"""creation."""

__all__: list[str] = []
