"""join."""
