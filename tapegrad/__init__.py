"""Differentiate programs written with NumPy."""

from .ops import operators
from .transforms.grad import grad, value_and_grad
from .transforms.linearize import jvp, linearize, vjp
from .transforms.vmap import vmap
from . import numpy
