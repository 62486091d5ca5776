"""The command line: programs run as they are, names that are missing, what there is."""

import os
import subprocess
import sys
import textwrap
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from tapegrad import __version__
from tapegrad.cli import main
from tapegrad.compat import pytorch

ROOT = Path(__file__).parents[1]

SCRIPT = """
    import argparse, sys
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
    import torch.optim as optim
    from torch.utils.data import DataLoader, TensorDataset
    from torch.optim.lr_scheduler import StepLR
    import torchvision
    from torchvision import datasets, transforms
    from torchvision.utils import make_grid
    from beside import double

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(64, 10)

        def forward(self, x):
            return F.log_softmax(self.fc(torch.flatten(x, 1)), dim=1)

    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float)
    torch.manual_seed(0)
    data = datasets.Digits(transform=transforms.ToTensor())
    net = Net()
    optimizer = optim.SGD(net.parameters(), lr=parser.parse_args().lr)
    scheduler = StepLR(optimizer, 1)
    losses = []
    for x, y in DataLoader(data, 100, shuffle=True):
        optimizer.zero_grad()
        loss = F.nll_loss(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    scheduler.step()
    print(__name__, sys.argv[1:], losses[-1] < 0.7 * losses[0], double(2), torch.__name__)
    sys.exit(3)
"""


def write(folder, script, **others):
    for name, text in {"script": script, **others}.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(text))
    return str(folder / "script.py")


def tapegrad(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "tapegrad", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        **options,
    )


def test_run(tmp_path):
    script = write(tmp_path, SCRIPT, beside="def double(x):\n    return 2 * x")
    done = tapegrad("run", script, "--lr", "0.5", cwd=tmp_path)
    assert done.stdout == "__main__ ['--lr', '0.5'] True 4 tapegrad.torch\n", done.stderr
    assert done.returncode == 3


def test_run_tells_where_a_program_fails(tmp_path):
    script = write(tmp_path, "import torch\ntorch.ones(2).backward()")
    done = tapegrad("run", script)
    assert done.returncode == 1
    assert f'File "{script}", line 2' in done.stderr
    assert "RuntimeError: element 0 of tensors does not require grad" in done.stderr


def test_a_traceback_begins_in_the_program(tmp_path):
    script = write(
        tmp_path,
        """
        import sys
        def fail():
            try:
                raise KeyError("inner")
            except KeyError as error:
                raise ValueError("outer") from error
        sys.excepthook, hook = lambda *given: print("hooked", hook(*given)), sys.excepthook
        fail()
        """,
    )
    done = tapegrad("run", script)
    assert done.returncode == 1
    assert done.stdout == "hooked None\n"
    assert done.stderr.count("Traceback") == 2
    assert done.stderr.count("File ") == done.stderr.count(f'File "{script}"') == 3
    broken = write(tmp_path, "def f(:")
    done = tapegrad("run", broken)
    assert done.returncode == 1
    assert done.stderr.startswith(f'  File "{broken}", line 1')
    assert "SyntaxError" in done.stderr


@pytest.mark.parametrize(
    ("end", "code", "text"),
    [
        ("sys.exit()", 0, ""),
        ("sys.exit(5)", 5, ""),
        ('sys.exit("no data")', 1, "no data\n"),
        ("raise SystemExit(None)", 0, ""),
    ],
)
def test_exit_codes(tmp_path, end, code, text):
    done = tapegrad("run", write(tmp_path, f"import sys\n{end}"))
    assert (done.returncode, done.stdout, done.stderr) == (code, "", text)


def test_a_program_that_is_not_there(capsys, tmp_path):
    nowhere = str(tmp_path / "none.py")
    for command, text in (("run", "there is no file"), ("doctor", "a program cannot be read")):
        with pytest.raises(SystemExit) as caught:
            main([command, nowhere])
        assert caught.value.code == 2
        assert text in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["doctor", write(tmp_path, "def f(:")])
    assert "a program cannot be read: invalid syntax (script.py, line 1)" in capsys.readouterr().err


def test_a_module_with_relative_imports(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    write(
        package,
        """
        import sys
        import torch
        from . import beside
        from .beside import size
        print(__name__, __package__, sys.argv[1:], size(torch.ones(3)), torch.__name__)
        """,
        beside="def size(x):\n    return len(x)",
        __init__="",
    )
    done = tapegrad("run", "-m", "package.script", "-m", "x", cwd=tmp_path)
    assert done.stdout == "__main__ package ['-m', 'x'] 3 tapegrad.torch\n", done.stderr
    assert "No module named" in tapegrad("run", "-m", "package.none", cwd=tmp_path).stderr


FRESH = """
    import torch, torchvision
    from torch.utils.data import DataLoader, TensorDataset

    def names(batch):
        return torch.__name__, torchvision.__name__

    if __name__ == "__main__":
        data = TensorDataset(torch.arange(2))
        options = {"num_workers": 1, "collate_fn": names}
        print(*DataLoader(data, 2, **options, multiprocessing_context="spawn"))
"""


def test_workers_that_are_spawned_know_the_names_too(tmp_path):
    done = tapegrad("run", write(tmp_path, FRESH))
    assert done.stdout == "('tapegrad.torch', 'tapegrad.vision')\n", done.stderr


def test_the_stand_ins_are_modules_of_this_package():
    for name in ("torch", "torchvision", "autograd"):
        before = sys.modules.get(name)
        assert import_module(f"tapegrad.cli.names.{name}").__doc__.startswith(f"`{name}` in a ")
        assert sys.modules.get(name) is before


def test_run_of_a_program_with_autograd(tmp_path):
    script = write(
        tmp_path,
        """
        import autograd.numpy as np
        from autograd import grad
        print(grad(lambda x: np.sin(x) * x)(0.0))
        """,
    )
    assert tapegrad("run", script).stdout == "0.0\n"


DOCTOR = """
    import torch.nn as nn
    import torch.nowhere.inner
    import numpy as np
    from torch import optim, nonsense
    from torchvision.transforms import Resize, Wrong
    from autograd import grad
    from beside import f

    def g(x):
        return np.sin(x) + torch.sin(x) + nn.functional.reloo(nn.Linear(3, 2)(x)) + x.nothing

    nn.Linear.absent
    import torch
"""


def test_doctor(tmp_path, capsys):
    write(tmp_path, DOCTOR, beside="import torch\ntorch.missing.part(torch.float32.itemsize)")
    assert main(["doctor", str(tmp_path / "script.py")]) == 1
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines]
    assert names[:-1] == [
        "torch.missing.part",
        "torch.nn.Linear.absent",
        "torch.nn.functional.reloo",
        "torch.nonsense",
        "torch.nowhere.inner",
        "torchvision.transforms.Wrong",
    ]
    assert lines[0].endswith("beside.py:2)")
    assert lines[2].endswith("script.py:11)")
    assert lines[-1].startswith("6 of ")


def test_doctor_finds_nothing(tmp_path, capsys):
    assert main(["doctor", write(tmp_path, "from torch import nn\nnn.ReLU()")]) == 0
    assert capsys.readouterr().out == "All 3 names are here.\n"


def test_info(capsys):
    assert main(["info"]) == 0
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert lines["tapegrad"] == __version__
    assert "processors" in lines["threads"]
    assert lines.keys() >= {"Python", "numpy", "BLAS", "GPU", "compiler"}


def test_wrong_commands(capsys):
    with pytest.raises(SystemExit):
        main(["fly"])
    assert "invalid choice: 'fly'" in capsys.readouterr().err


def test_entry_point():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"tapegrad": "tapegrad.cli:main"}


def test_install_and_uninstall():
    before = {name: module for name, module in sys.modules.items() if name.startswith("torch")}
    pytorch.install()
    try:
        import torch.nn
        import torch.utils.data

        import tapegrad.data
        import tapegrad.nn

        assert torch.nn is tapegrad.nn
        assert torch.utils.data is tapegrad.data
        with pytest.raises(ModuleNotFoundError, match=r"torch\.nowhere"):
            import torch.nowhere
    finally:
        pytorch.uninstall()
    after = {name: module for name, module in sys.modules.items() if name.startswith("torch")}
    assert after == before


def test_versions_read_as_pytorchs(tmp_path):
    script = write(
        tmp_path,
        """
        import torch, torchvision
        assert torch.__version__ >= "2.0" and torch.version.cuda is None
        print([int(n) for n in torch.__version__.split("+")[0].split(".")][:2])
        print(torchvision.__version__.split(".")[:2], torch.version.__version__)
        """,
    )
    lines = tapegrad("run", script).stdout.splitlines()
    assert lines == ["[2, 13]", "['0', '28'] 2.13.0+tapegrad"]
