"""polynomial."""

__all__: list[str] = []
