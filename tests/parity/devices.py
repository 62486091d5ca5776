"""Runs the entries of PyTorch's operator list on the stand-in for a GPU, and says which raise.

`python -c "from tests.parity.devices import main; main()"` writes them into docs/gpu.md, by reason.
(As a module of Python's own `-m` it takes far longer: PyTorch inspects the frames that lead to it.)
"""

from __future__ import annotations

import sys
import textwrap
import warnings
from collections import defaultdict
from importlib.machinery import ModuleSpec
from pathlib import Path

import torch

import tapegrad.torch as ours
from tapegrad import backend

from ..gpu import standin
from . import opinfo
from .conversion import to_ours
from .scope import REFUSED

PAGE = Path(__file__).parents[2] / "docs" / "gpu.md"
BEGIN, END = "<!-- entries that raise -->", "<!-- end of the entries -->"
SAMPLES = 4

LACKING, OURS = "CuPy has nothing of the kind", "computed by NumPy's functions alone"


def there(x):
    """An argument on the stand-in."""
    if isinstance(x, ours.Tensor):
        moved = x.detach().cuda()
        return moved.requires_grad_() if x.requires_grad else moved
    if isinstance(x, ours.device):
        return ours.device("cuda")
    if isinstance(x, ours.Generator):
        return ours.Generator("cuda")
    if isinstance(x, tuple | list):
        return type(x)(map(there, x)) if not hasattr(x, "_fields") else type(x)(*map(there, x))
    if isinstance(x, dict):
        return {k: there(v) for k, v in x.items()}
    return x


def refusal(op):
    """What an entry raises on the stand-in for a sample that runs on the CPU; None if nothing."""
    dtype = next(d for d in (torch.float32, *opinfo.DTYPES) if d in op.dtypes)
    function = opinfo.wrapped(op, opinfo.counterpart(op), True)
    grad = op.supports_autograd and dtype.is_floating_point
    torch.manual_seed(0)
    for sample in opinfo.chosen(op.sample_inputs("cpu", dtype, requires_grad=grad), SAMPLES):
        if REFUSED.get(op.name, lambda sample: False)(sample):
            continue
        finish = opinfo.processed(sample)

        def result(move, sample=sample, finish=finish):
            given = to_ours((sample.input, sample.args, sample.kwargs))
            first, args, kwargs = move(given)
            return finish(function(first, *args, **kwargs))

        try:
            result(lambda given: given)
        except Exception:  # PyTorch's samples hold what is refused everywhere, too
            continue
        try:
            result(there)
        except Exception as error:  # each is an answer
            return str(error)
    return None


def lines():
    """The entries that raise, by reason."""
    found = defaultdict(list)
    entries = [op for op in opinfo.in_scope() if opinfo.dtypes_of(op)]
    for op in entries:
        text = refusal(op)
        if text is not None:
            reason = LACKING if "computed on the CPU alone" in text else OURS
            found[reason].append(opinfo.full_name(op))
    count = sum(map(len, found.values()))
    yield f"Of {len(entries)} entries of PyTorch's operator list, {count} raise on the stand-in:"
    yield ""
    for reason, names in sorted(found.items()):
        text = f"{reason}: {', '.join(f'`{name}`' for name in sorted(names))}."
        yield from textwrap.wrap(text, 100, initial_indent="* ", subsequent_indent="  ")


def main():
    """Write the list into the page."""
    sys.modules["cupy"] = standin.xp
    standin.xp.__spec__ = ModuleSpec("cupy", None)
    backend.gpu.cache_clear()
    warnings.simplefilter("ignore")
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(before + "\n".join([BEGIN, *lines(), END]) + after)
