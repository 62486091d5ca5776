"""Mistakes of other frameworks on NumPy: none of them here."""

import copy
import math

import pytest

import tapegrad.torch as torch
from tapegrad import nn
from tapegrad.nn import functional


def test_cross_entropy_of_large_logits():
    logits = torch.tensor([[1000.0, 0.0]], requires_grad=True)
    loss = functional.cross_entropy(logits, torch.tensor([1]))
    assert loss.item() == 1000.0
    loss.backward()
    assert logits.grad.tolist() == [[1.0, -1.0]]


@pytest.mark.filterwarnings("ignore:invalid value encountered")
def test_cross_entropy_with_every_target_ignored():
    logits = torch.zeros(2, 3, requires_grad=True)
    targets = torch.tensor([-100, -100])
    assert math.isnan(nn.CrossEntropyLoss()(logits, targets).item())
    assert nn.CrossEntropyLoss(reduction="sum")(logits, targets).item() == 0.0
    assert nn.CrossEntropyLoss(reduction="none")(logits, targets).tolist() == [0.0, 0.0]


def test_cross_entropy_with_weights_and_smoothing():
    logits = torch.tensor([[1.0, 2.0, 0.5], [0.1, -1.0, 3.0]], requires_grad=True)
    loss = nn.CrossEntropyLoss(torch.tensor([0.2, 1.0, 3.0]), label_smoothing=0.1)
    value = loss(logits, torch.tensor([1, 2]))
    assert value.item() == pytest.approx(0.24831892549991608, rel=1e-6)
    value.backward()
    flat = [x for row in logits.grad.tolist() for x in row]
    assert flat == pytest.approx(
        [0.05845154, -0.0699151, 0.01146354, 0.03473048, 0.00378223, -0.03851273], rel=1e-5
    )


def test_batch_norm_of_one_value_in_training():
    m = nn.BatchNorm1d(3)
    with pytest.raises(ValueError, match="Expected more than 1 value per channel when training"):
        m(torch.ones(1, 3))
    assert m.eval()(torch.ones(1, 3)).shape == (1, 3)


def test_a_copy_of_a_model_learns_alone():
    model = nn.Linear(1, 1)
    model(torch.ones(1, 1)).backward()
    other = copy.deepcopy(model)
    assert other.weight.grad is None
    (2 * other(torch.ones(1, 1))).backward()
    assert other.weight.grad.item() == 2.0
    assert model.weight.grad.item() == 1.0


def test_evaluation_leaves_running_averages():
    m = nn.BatchNorm1d(2)
    m(torch.tensor([[1.0, 2.0], [3.0, 6.0]]))
    mean, var = m.running_mean.tolist(), m.running_var.tolist()
    assert mean == pytest.approx([0.2, 0.4])
    assert var == pytest.approx([0.9 + 0.1 * 2, 0.9 + 0.1 * 8])
    m.eval()
    m(torch.ones(4, 2))
    assert m.running_mean.tolist() == mean
    assert m.num_batches_tracked.item() == 1


def test_dropout_in_evaluation_is_the_identity():
    x = torch.ones(100)
    m = nn.Dropout(0.5)
    torch.manual_seed(0)
    kept = m(x)
    assert {*kept.tolist()} == {0.0, 2.0}
    assert m.eval()(x) is x
