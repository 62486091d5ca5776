"""Older and rarer names of arguments, as PyTorch's."""

import pytest

import tapegrad.torch as torch
from tapegrad import nn


def test_older_names_of_bounds():
    with pytest.warns(FutureWarning, match="`min_value` is deprecated and renamed to `min_val`"):
        module = nn.Hardtanh(min_value=-2.0)
    with pytest.warns(FutureWarning, match="`max_value` is deprecated and renamed to `max_val`"):
        assert nn.Hardtanh(max_value=0.5)(torch.tensor(3.0)).item() == 0.5
    assert repr(module) == "Hardtanh(min_val=-2.0, max_val=1.0)"
    with pytest.raises(AssertionError, match=r"max_val \(1\) must be greater than min_val \(1\)"):
        nn.Hardtanh(1, 1)


def test_names_of_arguments():
    x = torch.ones(2, 3)
    assert nn.RMSNorm(3)(x=x).shape == (2, 3)
    assert len(nn.Sequential().extend(sequential=[nn.ReLU(), nn.Tanh()])) == 2


def test_packed_sequences_in_other_dtypes():
    packed = nn.utils.rnn.pack_sequence([torch.tensor([1.0, 2.0]), torch.tensor([3.0])])
    for name, dtype in {
        "long": torch.int64,
        "int": torch.int32,
        "short": torch.int16,
        "char": torch.int8,
        "byte": torch.uint8,
        "half": torch.float16,
    }.items():
        converted = getattr(packed, name)()
        assert converted.data.dtype is dtype
        assert converted.data.tolist() == [1, 3, 2]
        assert converted.batch_sizes is packed.batch_sizes
    assert packed.pin_memory().data.tolist() == [1, 3, 2]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: nn.ParameterList()(1), RuntimeError, "ParameterList should not be called"),
        (lambda: nn.ParameterDict()(1), RuntimeError, "ParameterDict should not be called"),
        (lambda: nn.ParameterDict()["q"], AttributeError, "object has no attribute 'q'"),
        (lambda: nn.Bilinear(0, 1, 1), ValueError, r"but got \(in1_features=0\)"),
        (lambda: nn.Embedding(3, 2, padding_idx=5), AssertionError, "Padding_idx must be within"),
        (lambda: nn.GLU()(torch.ones(2, 3)), RuntimeError, "but dimension 1 is size 3"),
        (
            lambda: nn.GRUCell(2, 3)(torch.ones(2, 2), torch.ones(1, 3)),
            RuntimeError,
            "Input batch size 2 doesn't match hidden0 batch size 1",
        ),
        (
            lambda: nn.LSTMCell(2, 3)(torch.ones(2, 2), (torch.ones(2, 3), torch.ones(2, 5))),
            RuntimeError,
            "hidden1 has inconsistent hidden_size: got 5, expected 3",
        ),
    ],
)
def test_mistakes_in_the_words_of_pytorch(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_a_module_in_the_place_of_a_parameter():
    layer = nn.Linear(1, 1)
    with pytest.raises(TypeError, match=r"as parameter 'weight' \(torch\.nn\.Parameter or None"):
        layer.weight = nn.ReLU()
