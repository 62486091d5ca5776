"""Modules are found under the paths of PyTorch, and are the same ones under either path."""

import subprocess
import sys
from importlib import import_module

import pytest

PATHS = [
    ("tapegrad.torch.nn", "tapegrad.nn"),
    ("tapegrad.torch.nn.functional", "tapegrad.nn.functional"),
    ("tapegrad.torch.nn.modules.conv", "tapegrad.nn.modules.conv"),
    ("tapegrad.torch.nn.utils.rnn", "tapegrad.nn.utils.rnn"),
    ("tapegrad.torch.optim", "tapegrad.optim"),
    ("tapegrad.torch.optim.lr_scheduler", "tapegrad.optim.lr_scheduler"),
    ("tapegrad.torch.utils.data", "tapegrad.data"),
    ("tapegrad.torch.utils.data.sampler", "tapegrad.data.sampler"),
]


@pytest.mark.parametrize(("path", "own"), PATHS)
def test_module_under_both_paths(path, own):
    assert import_module(path) is import_module(own)
    assert import_module(own).__spec__.name == own


def test_modules_imported_first_under_these_paths():
    code = "\n".join(
        f"import sys, {p} as module; assert module is sys.modules[{o!r}]" for p, o in PATHS
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_mixed_precision_of_older_programs():
    amp = import_module("tapegrad.torch.cuda.amp")
    assert import_module("tapegrad.torch").cuda.amp is amp
    assert issubclass(amp.GradScaler, import_module("tapegrad.torch.amp").GradScaler)


def test_what_is_not_there():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'tapegrad.torch.nn.quantized'"):
        import_module("tapegrad.torch.nn.quantized")
