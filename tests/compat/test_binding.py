"""`install`: the package under the name autograd, and the undoing of it."""

import subprocess
import sys
from importlib import import_module, util
from pathlib import Path

import pytest

from tapegrad.compat import autograd as own
from tapegrad.compat.autograd import install, uninstall
from tapegrad.compat.autograd.binding import finder

ROOT = Path(__file__).parents[2]

NAMES = {
    "autograd": "grad jacobian hessian value_and_grad make_vjp make_jvp make_hvp primitive deriv",
    "autograd.builtins": "dict isinstance list tuple type",
    "autograd.core": "make_vjp make_jvp vspace VSpace primitive primitive_vjps defvjp",
    "autograd.differential_operators": "make_jvp_reversemode grad_and_aux multigrad_dict",
    "autograd.extend": "primitive defvjp defvjp_argnum defvjp_argnums defjvp def_linear VSpace Box",
    "autograd.misc": "flatten const_graph",
    "autograd.misc.fixed_points": "fixed_point",
    "autograd.misc.flatten": "flatten flatten_func",
    "autograd.misc.optimizers": "adam rmsprop sgd unflatten_optimizer",
    "autograd.numpy": "sin array linalg fft random ndarray pi float64 make_diagonal __version__",
    "autograd.numpy.fft": "fft rfftn fftshift",
    "autograd.numpy.linalg": "solve inv norm LinAlgError",
    "autograd.numpy.numpy_boxes": "ArrayBox",
    "autograd.numpy.numpy_vjps": "unbroadcast unbroadcast_f",
    "autograd.numpy.numpy_vspaces": "ArrayVSpace ComplexArrayVSpace",
    "autograd.numpy.random": "randn RandomState seed",
    "autograd.scipy.integrate": "odeint solve_ivp",
    "autograd.scipy.linalg": "solve_triangular sqrtm",
    "autograd.scipy.signal": "convolve fftconvolve",
    "autograd.scipy.special": "logsumexp gammaln expit",
    "autograd.scipy.stats": "norm t gamma beta chi2 poisson dirichlet multivariate_normal uniform",
    "autograd.scipy.stats.multivariate_normal": "logpdf pdf entropy rvs",
    "autograd.scipy.stats.norm": "logpdf cdf logcdf sf rvs",
    "autograd.test_util": "check_grads combo_check scalar_close check_equivalent",
    "autograd.tracer": "Box Node getval isbox primitive notrace_primitive trace",
    "autograd.util": "func subval subvals toposort quick_grad_check",
    "autograd.wrap_util": "unary_to_nary wraps",
}


@pytest.fixture
def bound():
    install()
    yield
    uninstall()


@pytest.mark.usefixtures("bound")
@pytest.mark.parametrize("module", NAMES)
def test_modules_and_names(module):
    found = import_module(module)
    assert found.__name__ == "tapegrad.compat." + module
    for name in NAMES[module].split():
        assert hasattr(found, name), name


@pytest.mark.usefixtures("bound")
def test_all_ways_to_import():
    names = {}
    exec(
        "from autograd.numpy.linalg import *\n"
        "import autograd\n"
        "import autograd.numpy as np\n"
        "import autograd.scipy.stats.multivariate_normal as mvn\n"
        "from autograd.scipy.stats import norm\n"
        "from autograd import grad as g\n"
        "import autograd.scipy.special\n",
        names,
    )
    assert names["autograd"] is own
    assert names["np"] is own.numpy
    assert "Any" not in names
    assert names["g"] is own.grad
    assert names["norm"].logpdf(0.0) == pytest.approx(-0.9189385332046727)
    assert names["solve"] is own.numpy.linalg.solve
    assert names["mvn"].__name__.endswith("multivariate_normal")
    with pytest.raises(ModuleNotFoundError, match=r"autograd\.no_such_module"):
        import_module("autograd.no_such_module")


def test_what_was_there_comes_back(monkeypatch):
    class Other:
        pass

    monkeypatch.setitem(sys.modules, "autograd", Other)
    install()
    install()  # once is enough
    assert import_module("autograd") is own
    uninstall()
    uninstall()
    assert sys.modules["autograd"] is Other
    assert finder not in sys.meta_path


def test_without_it_nothing_is_bound():
    spec = util.find_spec("autograd")
    assert spec is None or "tapegrad" not in str(spec.origin)


def test_a_script_runs_unmodified(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import autograd.numpy as np\n"
        "from autograd import grad\n"
        "print(grad(lambda x: np.sum(x ** 2))(np.array([1.0, 2.0])))\n"
    )
    code = (
        "import runpy\nfrom tapegrad.compat.autograd import install\ninstall()\n"
        f"runpy.run_path({str(script)!r})\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert run.stdout == "[2. 4.]\n"


def test_scipy_is_loaded_when_it_is_used():
    code = (
        "import sys\nimport tapegrad.compat.autograd.misc.optimizers\nprint('scipy' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert run.stdout == "False\n"
