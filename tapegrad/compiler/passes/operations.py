"""What rewrites have to know of operations: in which dtype they compute, and what NaN becomes.

An operation computes in the dtype `of_result` if its inputs may be converted to that beforehand. It
`passes_nan` if each element of its result is NaN, or does not depend on it, where an input's is.
An operation is left out where it is not so for some values: ``pow(1, nan)`` is 1.
"""

from __future__ import annotations

ARITHMETIC = "add subtract multiply divide negative positive reciprocal square cube remainder fmod"

FUNCTIONS = """
exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh
atanh erf erfc expit maximum minimum clip
"""

LOSING_NAN = """
copysign hypot atan2 logaddexp logaddexp2 fmax fmin floor_divide pow bitwise_and bitwise_or
bitwise_xor bitwise_invert
"""

OTHER_FUNCTIONS = """
degrees radians abs fabs logit leaky_relu gelu gelu_tanh normal_integral silu sigmoid softplus_of
mish conj from_parts
"""

CHOICES = "where keep where_larger guard"

REDUCTIONS = "sum mean var std prod max min logsumexp cumsum cumprod"

MOVING = """
reshape permute_dims broadcast_to cast getitem scatter_add setitem take_along put_along concat stack
roll diagonal embed_diagonal triangle mirrored shift
"""

SUMS_OF_PRODUCTS = """
matmul einsum affine convolve convolve_transposed convolve_kernel convolve_full convolve_valid
diagonal_sums polyval layer_norm softmax log_softmax c2c r2c c2r
"""

of_result = frozenset(f"{ARITHMETIC} {FUNCTIONS} {LOSING_NAN}".split())

passes_nan = frozenset(
    " ".join(
        [ARITHMETIC, FUNCTIONS, OTHER_FUNCTIONS, CHOICES, REDUCTIONS, MOVING, SUMS_OF_PRODUCTS]
    ).split()
)
