"""What of PyTorch's operator list is in scope, and where an agreement can't be asked for."""

from __future__ import annotations

HARDWARE = "runs on a GPU alone"
SPARSE = "sparse layouts: `tapegrad.sparse` has its own"
HALF_COMPLEX = "complex numbers of half precision, which NumPy does not have"
FOREIGN_STORAGE = "reads memory beside the elements of the tensor it is given"

LEFT_OUT = {
    "as_strided:partial_views": FOREIGN_STORAGE,
    "chalf": HALF_COMPLEX,
    "jiterator_2inputs_2outputs": HARDWARE,
    "jiterator_4inputs_with_extra_args": HARDWARE,
    "jiterator_binary": HARDWARE,
    "jiterator_binary_return_by_ref": HARDWARE,
    "jiterator_unary": HARDWARE,
    "nn.functional.batch_norm:without_cudnn": HARDWARE,
    "sparse.mm:reduce": SPARSE,
    "sparse.sampled_addmm": SPARSE,
    "to_sparse": SPARSE,
    "torch._scaled_mm": HARDWARE,
    "torch._scaled_mm_v2": HARDWARE,
    "torch.ops.aten._efficient_attention_forward": HARDWARE,
    "torch.ops.aten._flash_attention_forward": HARDWARE,
}
"""By full name, the entries that are not in scope, and why."""

RANDOM = {
    *("bernoulli", "cauchy", "exponential", "geometric", "log_normal", "multinomial", "normal"),
    *("rand_like", "randint", "randint_like", "randn", "randn_like", "svd_lowrank", "uniform"),
    *("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"),
    *(
        f"nn.functional.{kind}dropout{n}"
        for kind in ("", "alpha_", "feature_alpha_")
        for n in ("", "2d", "3d")
    ),
    *("nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d"),
    "nn.functional.rrelu",
}
"""What draws random numbers or leaves memory as it is: all but the values is compared."""

TIES = ("sort", "argsort", "topk", "kthvalue", "mode", "median", "nanmedian", "msort")
"""What gives places of elements, of which PyTorch does not say which of several equal ones."""

INACCURATE = {"special.bessel_y1": (2e-6, 0.0), "logcumsumexp": (0.0, 5e-3)}
"""Where PyTorch itself is off, by how much, in double and in single precision.

Its Bessel function Y1 misses 0.1137364419775 at 5.5 by 7e-7. Its gradient of `logcumsumexp` in
single precision differs from that in double precision by 3e-3.
"""

REFUSED = {
    "histogramdd": lambda sample: any(
        (edges.diff() < 0).any() for edges in sample.args[0] if hasattr(edges, "diff")
    ),
}
"""Samples that raise here, and for which PyTorch's answer is of no use: edges that don't ascend."""

WRONG_GRADIENTS = {
    "as_strided_scatter": lambda sample: True,
    "istft": lambda sample: sample.kwargs.get("window") is not None,
}
"""Samples for which PyTorch's gradient is not that of its result, and is not asked for.

That of `as_strided_scatter` is not zero where elements are replaced, and is zero elsewhere;
`istft` gives most windows none.
"""

GROUPS = (
    "torch",
    "torch.fft",
    "torch.linalg",
    "torch.masked",
    "torch.nn.functional",
    "torch.signal",
    "torch.special",
)


def group_of(name: str) -> str:
    """The namespace that an entry belongs to."""
    found = [g for g in GROUPS if f"torch.{name}".startswith(f"{g}.")]
    return max(found, key=len)
