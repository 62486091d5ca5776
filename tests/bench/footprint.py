"""What the library costs beside the operations: long tapes, memory, its import."""

import os
import statistics
import subprocess
import sys
import time
from tempfile import TemporaryDirectory

import numpy as np

import tapegrad as tg

from .programs import mul_add
from .timing import medians

OPERATIONS = 1_000_000


def growth_of_time():
    """The time of an operation in a chain of a million, over that in a chain of 100,000."""

    def seconds(operations):
        start = time.perf_counter()
        tg.grad(lambda x: mul_add(x, 0.999, 0.1, operations))(np.float64(0.3))
        return (time.perf_counter() - start) / operations

    return min(seconds(OPERATIONS) for _ in range(3)) / min(
        seconds(OPERATIONS // 10) for _ in range(3)
    )


BYTES = """
import resource
import numpy as np
import tapegrad as tg

def resident():
    with open("/proc/self/statm") as numbers:
        return int(numbers.read().split()[1]) * resource.getpagesize()

def run(n):
    def chain(x):
        y = x
        for _ in range(n // 2):
            y = y * 0.999 + x
        return y
    return tg.vjp(chain, np.float64(0.3))

run(1000)
before = resident()
kept = run(1_000_000)
print((resident() - before) / 1_000_000)
"""


def bytes_an_entry():
    """The growth of a process by a chain of a million operations, an operation (Linux)."""
    return number_printed(BYTES)


def small_gradient_above_many():
    """The time of a small gradient above a million live entries, over that above a hundred."""
    found = {}

    def outer(x, operations, name):
        alive = [x]
        for _ in range(operations):
            alive.append(alive[-1] * 0.999)
        found[name] = medians({"": lambda: tg.grad(lambda y: y * y)(2.0)})[""]
        return alive[-1]

    for name, operations in (("few", 100), ("many", OPERATIONS)):
        tg.vjp(lambda x, n=operations, name=name: outer(x, n, name), np.float64(0.3))
    return found["many"] / found["few"]


IMPORT = """
import time
import numpy
start = time.process_time()
import tapegrad
print(1000 * (time.process_time() - start))
"""


def import_milliseconds():
    """The CPU time of the import beyond that of NumPy, once its modules are compiled."""
    with TemporaryDirectory() as directory:
        compiled = {"PYTHONPYCACHEPREFIX": directory, "PYTHONDONTWRITEBYTECODE": ""}
        number_printed(IMPORT, compiled)
        return statistics.median(number_printed(IMPORT, compiled) for _ in range(5))


def number_printed(code, variables=None):
    """What a fresh interpreter prints."""
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | (variables or {}),
    )
    return float(result.stdout)
