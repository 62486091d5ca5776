"""The page `docs/parity.md`: which of PyTorch's operators agree, counted by running them all."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

from . import scope

PAGE = Path(__file__).parents[2] / "docs" / "parity.md"

HEAD = """\
# Agreement with PyTorch

`tapegrad.torch` is run beside PyTorch {version} on the samples of PyTorch's own operator list,
`op_db`: {total} entries with several dtypes each. An entry passes if value, dtype, shape,
`requires_grad` and gradient agree for double and single precision, complex numbers, integers and
booleans, where PyTorch supports them. This page is written by `python -m tests.parity`.

| Group | Passed | In scope | Left out |
|---|---|---|---|
"""

LEFT = """
## Left out

| Entry | Why |
|---|---|
"""

NOTES = """
## Where PyTorch itself is off

Some answers are not asked for, since PyTorch's are not right:

* `special.bessel_y1` misses the true value by up to 7e-7 in double precision.
* `logcumsumexp` in single precision has a gradient that is off by 3e-3.
* `as_strided_scatter` gives a gradient to the elements that it replaces, and none to the others.
* `istft` gives most windows no gradient.
* `histogramdd` takes edges that do not ascend; here they raise an error.
"""


def left_out() -> str:
    """The table of what is not in scope."""
    return LEFT + "".join(f"| `{name}` | {why} |\n" for name, why in sorted(scope.LEFT_OUT.items()))


def written(version: str, results: dict[str, str]) -> str:
    """The page for outcomes by entry: "passed", or what went wrong."""
    passed: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    failed = defaultdict(list)
    for name, outcome in results.items():
        group = scope.group_of(name)
        whole[group] += 1
        passed[group] += outcome == "passed"
        if outcome != "passed":
            failed[group].append(name)
    away = Counter(map(scope.group_of, scope.LEFT_OUT))
    rows = [(f"`{group}`", passed[group], whole[group], away[group]) for group in scope.GROUPS]
    rows.append(("all", passed.total(), whole.total(), away.total()))
    lines = [f"| {' | '.join(map(str, row))} |\n" for row in rows]
    page = HEAD.format(version=version, total=whole.total() + away.total()) + "".join(lines)
    if failed:
        names = sorted(f"`{name}`" for names in failed.values() for name in names)
        page += "\nNot yet: " + ", ".join(names) + ".\n"
    return page + left_out() + NOTES
