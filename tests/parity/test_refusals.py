"""What PyTorch refuses for a dtype is refused here, with the same type of error."""

import warnings

import pytest

torch = pytest.importorskip("torch")

from .conversion import tensors, to_ours  # noqa: E402
from .opinfo import chosen, counterpart, full_name, in_scope, wrapped  # noqa: E402

DTYPES = (torch.bool, torch.int64, torch.bfloat16, torch.complex64)
LIKE = (torch.float32, torch.int64, torch.complex64, torch.bool, torch.float64)
"""The dtypes whose samples are cast to a refused one."""

SAMPLES = 2

FREE = {
    "_softmax_backward_data",
    "_upsample_bilinear2d_aa",
    "aminmax",
    "bernoulli",
    "bitwise_not",
    "cholesky",
    "hash_tensor",
    "index_reduce:amax",
    "index_reduce:amin",
    "index_reduce:mean",
    "index_reduce:prod",
    "linalg.matrix_power",
    "linalg.multi_dot",
    "masked.amax",
    "masked.amin",
    "masked.argmax",
    "masked.argmin",
    "masked.cumprod",
    "masked.cumsum",
    "masked.log_softmax",
    "masked.logaddexp",
    "masked.logsumexp",
    "masked.softmax",
    "masked.softmin",
    "masked.std",
    "masked.var",
    "max_pool2d_with_indices_backward",
    "mvlgamma:mvlgamma_p_1",
    "mvlgamma:mvlgamma_p_3",
    "mvlgamma:mvlgamma_p_5",
    "nn.functional.embedding",
    "nn.functional.gaussian_nll_loss",
    "nn.functional.hinge_embedding_loss",
    "nn.functional.l1_loss",
    "nn.functional.linear_cross_entropy:chunked",
    "nn.functional.linear_cross_entropy:chunked_none",
    "nn.functional.max_pool1d",
    "nn.functional.multi_head_attention_forward",
    "nn.functional.poisson_nll_loss",
    "nn.functional.soft_margin_loss",
    "norm:nuc",
    "normal",
    "normal:number_mean",
    "randint_like",
    "round:decimals_0",
    "round:decimals_3",
    "round:decimals_neg_3",
    "scatter_reduce:amax",
    "scatter_reduce:amin",
    "scatter_reduce:mean",
    "stft",
    "svd",
    "torch.ops.aten._safe_softmax.default",
}
"""Entries some of whose refused dtypes have results here, or errors of another type."""


def cast(x, source, to):
    """A sample's arguments of one dtype in another."""
    if isinstance(x, torch.Tensor):
        if x.dtype is not source:
            return x
        x = x.detach()
        return (x.real if x.is_complex() and not to.is_complex else x).to(to)
    if isinstance(x, list | tuple):
        values = [cast(y, source, to) for y in x]
        return type(x)(*values) if hasattr(x, "_fields") else type(x)(values)
    if isinstance(x, dict):
        return {name: cast(y, source, to) for name, y in x.items()}
    return x


def error_of(function, first, args, kwargs):
    """What a call raises, or None."""
    try:
        function(first, *args, **kwargs)
    except Exception as error:
        return error
    return None


def accepted(op):
    """The dtypes that PyTorch refuses and we do not, or with errors of another type."""
    mine, theirs = wrapped(op, counterpart(op), True), wrapped(op, op.op, False)
    found = []
    for to in DTYPES:
        source = next((d for d in LIKE if d in op.dtypes), None)
        if to in op.dtypes or source is None:
            continue
        torch.manual_seed(0)
        samples = [
            s
            for s in chosen(op.sample_inputs("cpu", source, requires_grad=False), 4 * SAMPLES)
            if all(t.numel() for t in tensors((s.input, s.args, list(s.kwargs.values()))))
        ]
        for sample in chosen(samples, SAMPLES) if samples else ():
            given = cast((sample.input, sample.args, sample.kwargs), source, to)
            right = error_of(theirs, *given)
            if right is None:
                continue
            error = error_of(mine, *to_ours(given))
            if not isinstance(error, type(right)):
                found.append(f"{to}: {type(right).__name__} {right}, here {error!r}"[:300])
    return found


OTHERS = [op for op in in_scope() if full_name(op) not in FREE]


@pytest.mark.parametrize("op", [pytest.param(op, id=full_name(op)) for op in OTHERS])
def test_refusals(op):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = accepted(op)
    assert not found, found
