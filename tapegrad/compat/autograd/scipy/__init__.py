"""SciPy's names, for plain and for traced arrays. SciPy must be installed."""
