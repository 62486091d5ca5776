"""What type checkers read of packages under PyTorch's paths names what is there."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import tapegrad

ROOT = Path(tapegrad.__file__).parent
STUBS = sorted(ROOT.rglob("*.pyi"))


@pytest.mark.parametrize("stub", STUBS, ids=lambda path: str(path.relative_to(ROOT)))
def test_stub(stub):
    path = ".".join(stub.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
    text = stub.read_text()
    (home,) = re.findall(r"^from ([\w.]+) import \*$", text, re.MULTILINE)
    assert import_module(path) is import_module(home)
    for name in re.findall(r"(\w+) as \1\b", text):
        assert hasattr(import_module(home), name)


def test_there_are_stubs():
    assert {path.parent.name for path in STUBS} == {"nn", "optim", "utils"}
