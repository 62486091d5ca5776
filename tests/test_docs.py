"""The documentation is run: code on the pages, examples in docstrings, links, tables of values.

A page's ```python blocks run in order in one namespace. What a block prints must be what its
comments `# -> ...` say, line by line.
"""

import contextlib
import doctest
import importlib
import io
import math
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.tape import shared

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
FRAGMENTS = {"adding-an-op.md"}  # quotes definitions that the package makes itself


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


WITH_CODE = [page for page in PAGES if blocks(page) and page.name not in FRAGMENTS]


def name_of(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", WITH_CODE, ids=name_of)
def test_code_prints_what_the_page_says(page, monkeypatch):
    monkeypatch.setattr(shared, "imperative", False)  # a page begins in a fresh process
    names = {"__name__": "page"}
    for block in blocks(page):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, "example.py", "exec"), names)
        said = re.findall(r"# -> ?(.*)$", block, re.MULTILINE)
        assert [line.rstrip() for line in printed.getvalue().splitlines()] == said


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
        if not target.startswith(("http:", "https:")):
            assert (page.parent / target).exists(), target


MODULES = ["tapegrad", *(m.name for m in pkgutil.walk_packages(tg.__path__, "tapegrad."))]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    module = importlib.import_module(name)
    source = Path(module.__file__).read_text()
    runner = doctest.DocTestRunner()
    for docstring in doctest.DocTestFinder().find(module):
        # not those of NumPy, which its functions' namesakes here have too
        if docstring.examples and docstring.examples[0].source.strip() in source:
            runner.run(docstring)
    assert runner.summarize().failed == 0


def rows():
    """The rows of the tables: expression, point, value, gradient, and whether forward mode too."""
    text = (ROOT / "docs" / "conventions.md").read_text()
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if line.startswith("| `") and len(cells) >= 4:
            forward = not cells[-1].startswith("reverse")
            yield *(cell.strip("`") for cell in cells[:4]), forward


@pytest.mark.parametrize(("expression", "point", "value", "gradient", "forward"), list(rows()))
def test_conventions(expression, point, value, gradient, forward):
    names = {"np": tnp, "tg": tg, "inf": math.inf, "nan": math.nan}
    read = {name: eval(text, names) for name, text in (("point", point), ("value", value))}
    x = np.asarray(read["point"])[()]
    x = x if x.dtype.kind in "fc" else x.astype(float)
    with np.errstate(all="ignore"):
        function = eval(f"lambda x: {expression}", names)
        out, slope = tg.value_and_grad(function)(x)
    np.testing.assert_allclose(out, read["value"], rtol=1e-12)
    expected = np.asarray(eval(gradient, names))
    assert np.shape(slope) == expected.shape
    np.testing.assert_allclose(slope, expected, rtol=1e-12, atol=1e-300)
    for place in np.ndindex(x.shape) if forward else ():
        for unit in (1, 1j) if x.dtype.kind == "c" else (1,):
            direction = np.zeros(x.shape, x.dtype)
            direction[place] = unit
            with np.errstate(all="ignore"):
                tangent = tg.jvp(function, (x,), (direction[()],))[1]
                right = np.real(expected[place] * unit) if unit == 1j else expected[place].real
            np.testing.assert_allclose(tangent, right, rtol=1e-12, atol=1e-300)
