"""Times of functions that take turns in one process, so that all meet the same noise."""

import gc
import statistics
import time

SLICE = 0.01  # seconds that a function runs, at least once, before the next has its turn
ROUNDS = 21


def medians(functions, rounds=ROUNDS):
    """The median time of a call of each function, in seconds, in the order of the dict."""
    counts = {name: calls_in_slice(function) for name, function in functions.items()}
    times = {name: [] for name in functions}
    gc.collect()
    for _ in range(rounds):
        for name, function in functions.items():
            turns = range(counts[name])
            start = time.perf_counter()
            for _ in turns:
                function()
            times[name].append((time.perf_counter() - start) / counts[name])
    return {name: statistics.median(values) for name, values in times.items()}


def calls_in_slice(function):
    """How many calls fit into a slice, once the function is warm."""
    end = time.perf_counter() + 5 * SLICE
    function()
    seconds = SLICE
    while time.perf_counter() < end:
        start = time.perf_counter()
        function()
        seconds = min(seconds, time.perf_counter() - start)
    return max(1, int(SLICE / seconds))
