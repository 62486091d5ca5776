"""The names and modules of HIPS `autograd`, for programs written with that.

Change ``autograd`` to ``tapegrad.compat.autograd`` in the imports, or leave the program as it is,
and call `install` before it runs. The conventions are autograd's; the derivatives are this
package's, so forward mode, float32 and gradients that autograd lacks come with it.
"""

from .binding import install, uninstall
from .builtins import dict, isinstance, list, tuple, type
from .core import primitive
from .differential_operators import (
    checkpoint,
    deriv,
    elementwise_grad,
    grad,
    grad_and_aux,
    grad_named,
    hessian,
    hessian_tensor_product,
    hessian_vector_product,
    holomorphic_grad,
    jacobian,
    make_ggnvp,
    make_hvp,
    make_jvp,
    make_vjp,
    multigrad_dict,
    tensor_jacobian_product,
    value_and_grad,
    vector_jacobian_product,
)

__all__ = [
    "checkpoint",
    "deriv",
    "dict",
    "elementwise_grad",
    "grad",
    "grad_and_aux",
    "grad_named",
    "hessian",
    "hessian_tensor_product",
    "hessian_vector_product",
    "holomorphic_grad",
    "install",
    "isinstance",
    "jacobian",
    "list",
    "make_ggnvp",
    "make_hvp",
    "make_jvp",
    "make_vjp",
    "multigrad_dict",
    "primitive",
    "tensor_jacobian_product",
    "tuple",
    "type",
    "uninstall",
    "value_and_grad",
    "vector_jacobian_product",
]
