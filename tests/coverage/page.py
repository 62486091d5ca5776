"""The page on coverage: what every function was found to do."""

from __future__ import annotations

import textwrap
from typing import Any

from .faces import FACES, Face
from .measure import Constant, Row, measure

TEXT = """\
# What of NumPy and SciPy has derivatives

Made by `python -m tests.coverage` from running every function; a test runs each again and compares
with its line here. On plain arrays everything works: a name that this package does not define is
NumPy's or SciPy's own.

* **reverse**, **forward**, **second**: values are the original's; gradients and tangents are those
  of finite differences, and so are the tangents and the gradient of the gradient.
* **vmap**: the same as a loop, for the function and for its gradient. Where it says no, the
  result's shape depends on values, or values are checked; that works everywhere but on values that
  differ between the lanes.
* **dtypes**: what can be differentiated, with values of the original's dtype and a gradient of the
  input's: half (e), single (f), double (d), complex (F, D). Some of SciPy's functions widen half
  and single precision, which may be kept here. A dtype that is missing is refused, by the original
  or by this package.
* **plain**: the call of NumPy's or SciPy's own function (`numpy.sum(x)`) records too. Where it says
  no, that call raises and says so, because the function does not ask what its arguments are; write
  `tapegrad.numpy` or `tapegrad.scipy`.

Solvers call the function that they are given: `scipy.optimize`, the quadratures and initial value
problems of `scipy.integrate`, and `scipy.sparse` are not on this page, but have tests of their own.
"""
HEAD = """\
| function | reverse | forward | second | vmap | dtypes | plain |
| --- | --- | --- | --- | --- | --- | --- |
"""
HEAD_OF_CONSTANTS = """\
| function | gives | vmap | plain |
| --- | --- | --- | --- |
"""
CONSTANTS = """\
Without derivative, because they give no numbers of floating point: on tracked arrays they compute,
and nothing is differentiated through their results.
"""
REFUSED = """\
No derivative here: on tracked arrays these raise a TypeError that says what to do. On others they
compute.
"""
CODES = {"float16": "e", "float32": "f", "float64": "d", "complex64": "F", "complex128": "D"}


def yes(holds: bool) -> str:
    return "yes" if holds else "no"


def line(name: str, found: Row | Constant) -> str:
    """A function's line in its table."""
    if isinstance(found, Constant):
        cells = [found.kind, yes(found.vmap), yes(found.plain)]
    else:
        dtypes = " ".join(CODES[d] for d in found.dtypes)
        orders = (found.reverse, found.forward, found.second)
        cells = [*map(yes, orders), yes(found.vmap), dtypes, yes(found.plain)]
    return f"| `{name}` | {' | '.join(cells)} |"


def section(face: Face, lines: dict[tuple[str, str], str]) -> str:
    """A face's part of the page."""
    own = [lines[face.title, name] for name in sorted(face.names)]
    rows = [each for each in own if each.count("|") == HEAD.splitlines()[0].count("|")]
    constants = [each for each in own if each not in rows]
    parts = [f"## `{face.title}`", HEAD + "\n".join(rows)]
    if constants:
        parts += [CONSTANTS.strip(), HEAD_OF_CONSTANTS + "\n".join(constants)]
    if face.refused:
        parts += [REFUSED.strip(), wrapped(face.refused)]
    return "\n\n".join(parts)


def wrapped(names: Any) -> str:
    return "\n".join(textwrap.wrap(", ".join(f"`{name}`" for name in names), width=98))


def measured() -> dict[tuple[str, str], str]:
    """The lines of all functions, from running them."""
    return {
        (face.title, name): line(name, measure(face.probes[name], face.ours, face.original))
        for face in FACES
        for name in face.names
    }


def page_of(lines: dict[tuple[str, str], str]) -> str:
    """The page's text, of its lines."""
    return "\n\n".join([TEXT.strip(), *(section(face, lines) for face in FACES)]) + "\n"


def lines_of(text: str) -> dict[tuple[str, str], str]:
    """The lines of a page, by the title of a section and the name of a function."""
    found = {}
    title = ""
    for each in text.splitlines():
        if each.startswith("## "):
            title = each.strip("# `")
        elif each.startswith("| `"):
            found[title, each.split("`")[1]] = each
    return found
