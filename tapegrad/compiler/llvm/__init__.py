"""Machine code through LLVM: the host, vector mathematics, matrix products, the cache of objects.

Needs the optional llvmlite; `host.unavailable()` says why there is no machine code on a machine.
"""
