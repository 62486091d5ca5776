"""What of NumPy and SciPy works on recorded arrays: probes, and the page that says it."""
