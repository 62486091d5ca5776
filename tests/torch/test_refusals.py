"""Functions that PyTorch has not for some dtypes are refused for them here too."""

import pytest

import tapegrad.torch as torch

F = torch.nn.functional
Z = torch.tensor([1 + 2j, 2 - 1j])
BITS = torch.tensor([True, False])
WHOLE = torch.tensor([1, 2])

REFUSED = {
    "cummax": (lambda: Z.cummax(0), NotImplementedError, "cummax_cpu.*'ComplexFloat'"),
    "fmax": (lambda: torch.fmax(Z, Z), RuntimeError, "fmax.*Complex"),
    "fmin": (lambda: torch.fmin(Z, Z), RuntimeError, "fmin.*Complex"),
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
        name: (lambda name=name: getattr(F, name)(Z), (NotImplementedError, RuntimeError), "Compl")
        for name in (
            *("celu", "elu", "gelu", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu"),
            *("logsigmoid", "mish", "relu6", "selu", "softplus"),
        )
    },
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    call, kind, text = REFUSED[name]
    with pytest.raises(kind, match=text):
        call()


def test_others_are_not():
    assert torch.equal(F.silu(Z), Z * torch.sigmoid(Z))
    assert torch.relu(WHOLE).tolist() == [1, 2]
    assert WHOLE.float().histc(bins=2).tolist() == [1, 1]
    assert torch.tensor([1.0, float("nan")]).nanmean().item() == 1
