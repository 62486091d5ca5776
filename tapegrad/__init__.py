"""Differentiate programs written with NumPy."""

from . import numpy, ops, tree
from .inspect.record import record
from .testing import check_grads
from .transforms.checkpoint import checkpoint
from .transforms.custom_jvp import custom_jvp
from .transforms.custom_vjp import custom_vjp
from .transforms.grad import grad, value_and_grad
from .transforms.jacobian import hessian, jacfwd, jacobian, jacrev
from .transforms.linearize import jvp, linearize, vjp
from .transforms.products import elementwise_grad, ggnvp, hessian_diag, hvp, vhp
from .transforms.stop import stop_gradient
from .transforms.vmap import vmap

__all__ = [
    "check_grads",
    "checkpoint",
    "custom_jvp",
    "custom_vjp",
    "elementwise_grad",
    "ggnvp",
    "grad",
    "hessian",
    "hessian_diag",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
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
