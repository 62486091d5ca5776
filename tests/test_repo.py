"""The repository's own rules: layers, docstrings, sizes, dependencies, what an import loads."""

import ast
import dis
import re
import subprocess
import sys
import tomllib
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tapegrad.core.op import table

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "tapegrad"
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
TREES = {name: ast.parse(path.read_text(), str(path)) for name, path in MODULES.items()}

LAYERS = (
    ("callers", "errors", "folders"),
    ("backend",),
    ("finder",),
    ("core",),
    ("ops",),
    ("tree",),
    ("transforms",),
    ("numpy",),
    ("implicit", "scipy", "sparse"),
    ("compiler",),
    ("torch",),
    ("nn",),
    ("optim",),
    ("data",),
    ("io",),
    ("inspect", "testing", "vision"),
    ("inspect",),
    ("testing",),
    ("compat",),
    ("cli",),
    ("__main__",),
    ("",),
)
"""From the bottom up, the parts of the package; a part may import from its own layer and below."""

OPTIONAL = {"cupy", "llvmlite", "scipy"}
"""What is imported only where it is installed."""


def imports_of(name):
    """The modules that a module imports anywhere, inside functions too."""
    path, found = MODULES[name], set()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parts, *([node.module] if node.module else [])])
            for alias in node.names:
                submodule = f"{base}.{alias.name}"
                found.add(submodule if submodule in MODULES else base)
    return found


def layer_of(name):
    part = name.partition(".")[2].partition(".")[0]
    return next(i for i, parts in enumerate(LAYERS) if part in parts)


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_downward(name):
    own = layer_of(name)
    for other in imports_of(name) & MODULES.keys():
        assert layer_of(other) <= own, f"{name} imports {other}, which lies above it"


def test_imports_have_no_cycle():
    # a module's own package is imported before it in any case
    graph = {
        name: {other for other in imports_of(name) & MODULES.keys() if not name.startswith(other)}
        for name in MODULES
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"modules import each other: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize("name", MODULES)
def test_module_has_a_docstring(name):
    assert not TREES[name].body or ast.get_docstring(TREES[name])


@pytest.mark.parametrize("name", MODULES)
def test_module_is_short(name):
    assert len(MODULES[name].read_text().splitlines()) <= 400, "one subject a file"


def test_folders_of_modules_are_packages():
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_dependencies_are_what_is_imported():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {re.match(r"[\w-]+", entry).group() for entry in project["dependencies"]}
    imported = {module.partition(".")[0] for name in MODULES for module in imports_of(name)}
    outside = imported - set(sys.stdlib_module_names) - {"tapegrad"} - OPTIONAL
    assert {{"PIL": "pillow"}.get(module, module) for module in outside} == declared


UNPICKLERS = {
    "tapegrad.torch.errors.files",
    "tapegrad.torch.serialization.reading",
    "tapegrad.torch.serialization.writing",
    "tapegrad.vision.datasets.pickles",
}
"""What may import pickle: an unpickler that knows a few names, its errors, and a pickler."""


def test_nothing_else_is_unpickled():
    for name in MODULES.keys() - UNPICKLERS:
        assert not imports_of(name) & {"pickle", "marshal", "shelve", "dill"}, name


def test_import_is_light():
    code = "import sys, tapegrad; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()
    heavy = {"scipy", "PIL", "tqdm", "hypothesis", "pytest", "cupy", "urllib.request", "llvmlite"}
    assert not heavy & set(loaded)


def texts():
    """Every text file of the repository."""
    for path in ROOT.rglob("*"):
        hidden = any(
            part.startswith(".") and part != ".ci" for part in path.relative_to(ROOT).parts
        )
        if not hidden and path.suffix in {".py", ".md", ".toml", ".yml", ""} and path.is_file():
            yield path


def test_no_path_of_one_machine():
    pattern = re.compile(r"(?<![\w.~*])/(?:home|root|work|tmp|Users)/")
    for path in texts():
        for line in path.read_text().splitlines():
            assert not pattern.search(line), f"{path}: {line}"


CONVENTIONS = [
    *["abs", "clip", "cumprod", "fmax", "fmin", "hypot", "max", "maximum", "min", "minimum"],
    *["pow", "prod", "sign", "sinc", "std"],
]
"""Operations with ties, kinks or singular points, whose convention their `doc` must say."""


@pytest.mark.parametrize("name", CONVENTIONS)
def test_conventions_are_documented(name):
    assert table[name].doc


@pytest.mark.parametrize("name", sorted(name for name, op in table.items() if not op.elementwise))
def test_operation_is_documented(name):
    if name != "pick":
        assert table[name].doc.endswith(".")


def rules():
    """Every derivative rule, with a name."""
    for name, op in sorted(table.items()):
        vjp = op.vjp if isinstance(op.vjp, tuple) else (op.vjp,)
        for i, rule in enumerate(vjp):
            if rule is not None:
                yield pytest.param(rule, id=f"{name}-{i}")
        if callable(op.jvp):
            yield pytest.param(op.jvp, id=f"{name}-jvp")


@pytest.mark.parametrize("rule", list(rules()))
def test_rule_reads_what_its_argument_names_say(rule):
    code = rule.__code__
    named = code.co_varnames[1 : code.co_argcount]  # after the cotangent: the output, the inputs
    loaded = set(code.co_cellvars)
    for instruction in dis.get_instructions(code):
        if instruction.opname.startswith("LOAD_FAST"):
            names = instruction.argval  # Python 3.13 has instructions that load two
            loaded.update(names if isinstance(names, tuple) else (names,))
    unread = {name for name in named if not name.startswith("_")} - loaded
    assert not unread, "an array that no rule reads is kept alive: give it a name like _x"
