"""`python -m tests.parity`: run all of PyTorch's operator list and write `docs/parity.md`."""

from __future__ import annotations

import torch

from . import opinfo, page


def main() -> None:
    results = {}
    for op in opinfo.in_scope():
        outcomes = [opinfo.outcome(op, d) for d in opinfo.dtypes_of(op)]
        results[opinfo.full_name(op)] = next((o for o in outcomes if o != "passed"), "passed")
    version = torch.__version__.partition("+")[0]
    page.PAGE.write_text(page.written(version, results))
    for name, outcome in results.items():
        if outcome != "passed":
            print(f"{name}: {' '.join(outcome.split())[:300]}")


if __name__ == "__main__":
    main()
