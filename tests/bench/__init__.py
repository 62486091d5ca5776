"""Benchmarks: run by hand, never tests, since times on a busy machine prove nothing."""
