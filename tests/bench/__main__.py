"""Measure what the project promises about speed, beside the peers that are installed.

    python -m tests.bench [PART OF A NAME ...]

Everything runs in this process, on one thread, in turns; a row is a ratio of medians with its bar.
"""

import os
import sys

PINNED = "TAPEGRAD_BENCH"  # set once the number of threads is

if __name__ == "__main__":
    if PINNED not in os.environ:
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        os.environ |= dict.fromkeys((*names, PINNED), "1")
        os.execv(sys.executable, [sys.executable, "-m", "tests.bench", *sys.argv[1:]])
    from .bars import main  # imports numerical libraries, which read the number of threads

    main(sys.argv[1:])
