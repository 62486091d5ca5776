"""Differentiate programs written with NumPy.

`grad`, `vmap` and the other transforms are here; `tapegrad.numpy` has NumPy's names, and
`tapegrad.scipy` SciPy's, for the functions that are transformed.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from . import errors, numpy, ops, tree
from .inspect.record import record
from .testing import check_grads
from .transforms.checkpoint import checkpoint
from .transforms.curvature import fisher_vp, laplacian
from .transforms.custom_jvp import custom_jvp
from .transforms.custom_vjp import custom_vjp
from .transforms.grad import grad, value_and_grad
from .transforms.jacobian import hessian, jacfwd, jacobian, jacrev
from .transforms.linearize import jvp, linearize, vjp
from .transforms.naming import checkpoint_name
from .transforms.operators import (
    ggn_operator,
    hessian_extremes,
    hessian_operator,
    jacobian_operator,
)
from .transforms.products import elementwise_grad, ggnvp, hessian_diag, hvp, vhp
from .transforms.steps import gauss_newton_step, levenberg_marquardt_step, newton_cg_step
from .transforms.stop import stop_gradient
from .transforms.vmap import vmap

__version__ = "0.1.0"

__all__ = [
    "check_grads",
    "checkpoint",
    "checkpoint_name",
    "custom_jvp",
    "custom_vjp",
    "elementwise_grad",
    "errors",
    "fisher_vp",
    "gauss_newton_step",
    "ggn_operator",
    "ggnvp",
    "grad",
    "hessian",
    "hessian_diag",
    "hessian_extremes",
    "hessian_operator",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacobian_operator",
    "jacrev",
    "jvp",
    "laplacian",
    "levenberg_marquardt_step",
    "linearize",
    "newton_cg_step",
    "numpy",
    "ops",
    "record",
    "stop_gradient",
    "tree",
    "value_and_grad",
    "vhp",
    "vjp",
    "vmap",
]

LOADED_WHEN_USED = (
    "compat",
    "data",
    "implicit",
    "io",
    "nn",
    "optim",
    "scipy",
    "sparse",
    "torch",
    "vision",
)
"""The subpackages that are imported when they are first used."""


HOMES = {
    "compile": "compiler",
    "load": "io",
    "save": "io",
    "cond": "compiler.control",
    "fori_loop": "compiler.control",
    "scan": "compiler.control",
    "while_loop": "compiler.control",
    "sparse_hessian": "sparse",
    "sparse_jacobian": "sparse",
    "sparsity": "sparse",
}
"""Functions of subpackages that are imported when they are first used."""


def __getattr__(name: str) -> Any:
    if name in HOMES:
        return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
    if name in LOADED_WHEN_USED:
        return import_module(f"{__name__}.{name}")
    if not name.startswith("_"):
        face = import_module(f"{__name__}.torch")
        if hasattr(face, name):  # PyTorch's names, where they are not taken
            return getattr(face, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    names = [*__all__, *LOADED_WHEN_USED, *HOMES, "__version__"]
    if find_spec("scipy") is None:
        names = [n for n in names if n != "scipy" and "spars" not in n]
    return names
