"""Differentiate programs written with NumPy."""

from . import numpy, ops, tree
from .transforms.grad import grad, value_and_grad
from .transforms.linearize import jvp, linearize, vjp
from .transforms.vmap import vmap

__all__ = ["grad", "jvp", "linearize", "numpy", "ops", "tree", "value_and_grad", "vjp", "vmap"]
