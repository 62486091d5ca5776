"""contraction."""

__all__: list[str] = []
