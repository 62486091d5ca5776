"""The operations on a GPU against the CPU, in several processes, since each compiles kernels."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np

from ..ops import check
from . import table
from .report import Device, Row, put, take

WORKERS = min(8, os.cpu_count() or 1)
"""How many processes run the operations side by side."""

FREE = {"eig", "eigh", "qr", "svd", "singular_vectors", "lq", "polar"}
"""Factors of which signs or an order are free: another library may choose others."""


def in_single(value: Any) -> Any:
    """Samples in single precision."""
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fc":
        return value.astype(np.float32 if value.dtype.kind == "f" else np.complex64)
    return value


def worker(device: Device, part: int, parts: int) -> None:
    """Forward, cotangents and tangents of a part of the operations, in two precisions.

    Writes a line for each sample: its name and operation, the dtype, and what came of it.
    """
    place = table.Place(put(device.xp), take(device.xp))
    names = set(sorted(check.base())[part::parts])
    started = perf_counter()
    for name, op, inputs, params in check.cases():
        if perf_counter() - started > device.seconds:
            break
        if op.name not in names or int(name.rpartition("-")[2]) > 1 or op.name == "transfer":
            continue
        if any(getattr(x, "dtype", np.dtype(float)).kind not in "biufc" for x in inputs):
            continue  # dates, which are the host's alone
        for dtype, tolerance in (("float64", 1e-7), ("float32", 2e-3)):
            if dtype == "float32" and any(isinstance(p, np.dtype) for p in params.values()):
                continue
            xs = inputs if dtype == "float64" else tuple(map(in_single, inputs))
            found = outcome(op, xs, params, place, tolerance)
            sys.stdout.write(f"{json.dumps([name, op.name, dtype, found])}\n")
            sys.stdout.flush()


def outcome(op: Any, inputs: Any, params: Any, place: table.Place, tolerance: float) -> str:
    """What comes of a sample: nothing, or "host" for what the device has nothing for, or why."""
    try:
        with np.errstate(all="ignore"):
            table.forward(op, inputs, params, place, tolerance)
            table.derivatives(op, inputs, params, place, tolerance)
    except Exception as error:  # each one is a finding, and the others are wanted too
        if isinstance(error, TypeError) and "on the CPU alone" in str(error):
            return "host"
        return f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
    return ""


def started_workers(device: Device) -> list[subprocess.Popen[str]]:
    """Processes that run the operations while this one goes on."""
    command = [sys.executable, "-m", "tests.gpu.check", "--seconds", str(device.seconds)]
    if device.rehearsal:
        command.append("--rehearse")
    return [
        subprocess.Popen(
            [*command, "--part", str(i), str(WORKERS)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for i in range(WORKERS)
    ]


def operations(workers: list[subprocess.Popen[str]], seconds: float) -> Iterator[Row]:
    """The operations against the CPU."""
    met, host, free = set(), set(), set()
    ran = {"float64": 0, "float32": 0}
    wrong: dict[str, str] = {}
    for i, process in enumerate(workers):
        try:
            written, said = process.communicate(timeout=seconds + 30)
        except subprocess.TimeoutExpired:
            process.kill()
            written, said = process.communicate()
            wrong[f"worker {i}"] = "it did not end in time, and was stopped"
        if process.returncode > 0:
            wrong[f"worker {i}"] = " ".join(said.split())[-160:]
        for line in written.splitlines():
            name, op, dtype, found = json.loads(line)
            met.add(op)
            if not found:
                ran[dtype] += 1
            elif found == "host":
                host.add(op)
            elif op in FREE and found.startswith("AssertionError"):
                free.add(op)
            else:
                wrong.setdefault(name, f"{dtype}: {found}")
    yield Row("operations met", f"{len(met)} of {len(check.base())}")
    yield Row("samples as on the CPU", f"{ran['float64']} in float64, {ran['float32']} in float32")
    yield Row("on the CPU alone, and said so", f"{len(host)}: {' '.join(sorted(host))}")
    yield Row("with factors of other signs", " ".join(sorted(free)) or "none")
    for name, text in wrong.items():
        yield Row(f"WRONG {name}", text, good=False)
