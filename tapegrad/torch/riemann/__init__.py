"""Names of the Riemann framework that PyTorch does not have, for programs that come from there."""
