"""Functions that PyTorch has not for some dtypes are refused for them here too."""

import pytest

import tapegrad.torch as torch

F = torch.nn.functional
Z = torch.tensor([1 + 2j, 2 - 1j])
ERRORS = (NotImplementedError, RuntimeError)
BITS = torch.tensor([True, False])
WHOLE = torch.tensor([1, 2])

REFUSED = {
    "cummax": (lambda: Z.cummax(0), NotImplementedError, "cummax_cpu.*'ComplexFloat'"),
    "fmax": (lambda: torch.fmax(Z, Z), RuntimeError, "fmax not implemented for complex tensors"),
    "fmin": (lambda: torch.fmin(Z, Z), RuntimeError, "fmin not implemented for complex tensors"),
    "isneginf": (lambda: torch.isneginf(Z), RuntimeError, "isneginf does not support complex"),
    "isposinf": (lambda: torch.isposinf(Z), RuntimeError, "isposinf does not support complex"),
    "signbit": (lambda: Z.signbit(), RuntimeError, "signbit"),
    "round": (lambda: Z.round(), NotImplementedError, "round_vml_cpu.*'ComplexFloat'"),
    "round bits": (lambda: BITS.round(), NotImplementedError, "round_vml_cpu.*'Bool'"),
    "softmax": (lambda: Z.softmax(0), NotImplementedError, "softmax_lastdim_kernel_impl"),
    "nansum": (lambda: Z.nansum(), RuntimeError, "does not support complex inputs"),
    "nanmean": (lambda: WHOLE.nanmean(), RuntimeError, "but got Long"),
    "unique": (lambda: Z.unique(), NotImplementedError, "unique.*'ComplexFloat'"),
    "histc": (lambda: WHOLE.histc(), NotImplementedError, "histogram_cpu.*'Long'"),
    "relu": (lambda: Z.relu(), NotImplementedError, "clamp is not supported for complex types"),
    "relu of bits": (lambda: torch.relu(BITS), RuntimeError, "Boolean inputs not supported"),
    **{
        name: (lambda name=name: getattr(F, name)(Z), ERRORS, "[Cc]omplex")
        for name in (
            *("celu", "elu", "gelu", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu"),
            *("logsigmoid", "mish", "relu6", "selu", "softplus"),
        )
    },
}


MASK = torch.tensor([[True, False], [True, True]])
HALF = torch.eye(2, dtype=torch.float16)
IMAGE = torch.ones(1, 1, 4, 4)

REFUSED |= {
    "abs": (lambda: MASK.abs(), NotImplementedError, "\"abs_cpu\" not implemented for 'Bool'"),
    "matmul": (lambda: MASK @ MASK, NotImplementedError, "\"addmm_impl_cpu_\" .* 'Bool'"),
    "matvec": (lambda: MASK @ BITS, NotImplementedError, "\"addmv_impl_cpu\" .* 'Bool'"),
    "dot": (lambda: BITS @ BITS, NotImplementedError, "\"dot\" not implemented for 'Bool'"),
    "bmm": (lambda: MASK[None] @ MASK[None], NotImplementedError, "\"bmm\" .* 'Bool'"),
    "linear": (lambda: F.linear(MASK, MASK), NotImplementedError, "addmm_impl_cpu_.*'Bool'"),
    "pow": (lambda: BITS**BITS, NotImplementedError, "\"pow\" not implemented for 'Bool'"),
    "floor": (lambda: BITS.floor(), NotImplementedError, "\"floor_vml_cpu\" .* 'Bool'"),
    "logaddexp": (lambda: torch.logaddexp(WHOLE, WHOLE), NotImplementedError, "'Long'"),
    "clamp": (lambda: BITS.clamp(BITS, BITS), NotImplementedError, "\"clamp_cpu\" .* 'Bool'"),
    "argmax": (lambda: BITS.argmax(), RuntimeError, "argmax.*does not support bool input"),
    "topk": (lambda: BITS.topk(1), RuntimeError, "topk does not support bool dtypes on CPU"),
    "median": (lambda: BITS.median(), NotImplementedError, "\"median_cpu\" .* 'Bool'"),
    "shift": (lambda: BITS << BITS, NotImplementedError, "\"lshift_cpu\" .* 'Bool'"),
    "cov": (lambda: MASK.cov(), RuntimeError, "bool dtype is not supported for input"),
    "inv": (lambda: torch.linalg.inv(HALF), RuntimeError, "Low precision dtypes .* Got Half"),
    "svd": (lambda: torch.linalg.svd(HALF), NotImplementedError, "linalg_svd_cpu.*'Half'"),
    "fft": (lambda: torch.fft.fft(HALF), RuntimeError, "Unsupported dtype Half"),
    "zeta": (lambda: torch.special.zeta(HALF, HALF), NotImplementedError, "zeta_cpu.*'Half'"),
    "uniform": (lambda: WHOLE.clone().uniform_(), NotImplementedError, "check_uniform_bounds"),
    "cauchy": (lambda: WHOLE.clone().cauchy_(), RuntimeError, "you specified long int"),
    "multinomial": (lambda: torch.multinomial(WHOLE, 1), RuntimeError, "for input, got: Long"),
    "randn": (lambda: torch.randn(2, dtype=torch.long), NotImplementedError, "normal_kernel_cpu"),
    "rand": (lambda: torch.rand_like(BITS), NotImplementedError, "check_uniform_bounds.*'Bool'"),
    "eigh": (lambda: torch.linalg.eigh(MASK), NotImplementedError, "linalg_eigh_cpu.*'Bool'"),
    "places": (lambda: torch.unravel_index(BITS, (2,)), TypeError, "got torch.bool"),
    "attention": (
        lambda: F.scaled_dot_product_attention(*[IMAGE.long()] * 3),
        RuntimeError,
        "expected scalar type Float but found Long",
    ),
    "layer_norm": (lambda: F.layer_norm(Z, (2,)), NotImplementedError, "LayerNormKernelImpl"),
    "batch_norm": (
        lambda: F.batch_norm(Z.reshape(2, 1), None, None, training=True),
        NotImplementedError,
        "batch_norm.*'ComplexFloat'",
    ),
    "dropout": (lambda: F.dropout(WHOLE), RuntimeError, "result type Float can't be cast to"),
    "mse": (lambda: F.mse_loss(WHOLE, WHOLE), NotImplementedError, "mse_cpu.*'Long'"),
    "cross entropy": (
        lambda: F.cross_entropy(WHOLE[None], torch.tensor([1])),
        NotImplementedError,
        "log_softmax_lastdim_kernel_impl.*'Long'",
    ),
    "reflected": (lambda: F.pad(MASK, (1, 1), "reflect"), NotImplementedError, "reflection_pad1d"),
    "conv": (
        lambda: F.conv2d(IMAGE.bool(), IMAGE.bool()), NotImplementedError, "slow_conv2d_cpu.*'Bool'"
    ),
    "max_pool": (lambda: F.max_pool2d(IMAGE.bool(), 2), NotImplementedError, "max_pool2d.*'Bool'"),
    "interpolated": (
        lambda: F.interpolate(IMAGE.long(), scale_factor=2), NotImplementedError, "weights_nearest"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    call, kind, text = REFUSED[name]
    with pytest.raises(kind, match=text):
        call()


def test_others_are_not():
    assert torch.equal(F.silu(Z), Z * torch.sigmoid(Z))
    assert torch.relu(WHOLE).tolist() == [1, 2]
    assert F.mse_loss(WHOLE, WHOLE.float()) == 0  # integers count as what they are promoted to
    assert torch.mm(MASK[:0], MASK).shape == (0, 2)  # which needs no kernel
    assert F.softmax(WHOLE, 0, dtype=torch.float32).sum() == 1
    assert F.sigmoid(WHOLE).dtype is torch.float32
    assert F.l1_loss(WHOLE, WHOLE, reduction="sum").item() == 0  # a mean would be refused
    assert F.dropout(WHOLE, 1.0).tolist() == [0, 0]
    assert BITS.clamp(0, 1).tolist() == [1, 0]
    assert torch.cdist(HALF.repeat(15, 1), HALF).shape == (30, 2)  # by a product of matrices
    assert torch.clamp_min(BITS, False).tolist() == [True, False]
    assert (WHOLE.reshape(1, 2) @ WHOLE).tolist() == [5]
    assert WHOLE.float().histc(bins=2).tolist() == [1, 1]
    assert torch.tensor([1.0, float("nan")]).nanmean().item() == 1
