"""`python -m tests.parity`: run all of PyTorch's operator list and write `docs/parity.md`."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

import torch

from . import opinfo, page


def outcome(index: int) -> tuple[str, str]:
    """The name of an entry, and "passed" or what went wrong."""
    op = opinfo.in_scope()[index]
    results = (opinfo.outcome(op, d) for d in opinfo.dtypes_of(op))
    return opinfo.full_name(op), next((r for r in results if r != "passed"), "passed")


def main() -> None:
    with ProcessPoolExecutor() as pool:
        results = dict(pool.map(outcome, range(len(opinfo.in_scope())), chunksize=8))
    version = torch.__version__.partition("+")[0]
    page.PAGE.write_text(page.written(version, results))
    for name, result in results.items():
        if result != "passed":
            print(f"{name}: {' '.join(result.split())[:300]}")


if __name__ == "__main__":
    main()
