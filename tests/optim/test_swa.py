"""Averages of models' parameters, and the statistics of batch normalisation for them."""

import copy

import numpy as np
import pytest

import tapegrad.torch as torch
from tapegrad import nn
from tapegrad.optim import SGD, swa_utils


def model_with(value):
    model = nn.Linear(2, 1)
    with torch.no_grad():
        for p in model.parameters():
            p.fill_(value)
    return model


def averaged(values, **options):
    average = swa_utils.AveragedModel(model_with(9.0), **options)
    for value in values:
        average.update_parameters(model_with(value))
    return average.module.weight.tolist()[0]


def test_the_mean_of_all_values():
    assert averaged([1.0, 2.0, 6.0]) == [3.0, 3.0]


def test_exponential_averages():
    expected = (1.0 * 0.5 + 2.0 * 0.5) * 0.5 + 6.0 * 0.5
    assert averaged([1.0, 2.0, 6.0], avg_fn=swa_utils.get_ema_avg_fn(0.5)) == [expected] * 2
    many = swa_utils.get_ema_multi_avg_fn(0.5)
    assert averaged([1.0, 2.0, 6.0], multi_avg_fn=many) == [expected] * 2
    assert averaged([1.0, 3.0], multi_avg_fn=swa_utils.get_swa_multi_avg_fn()) == [2.0, 2.0]


def test_the_model_itself_stays_and_states_resume():
    model = model_with(1.0)
    average = swa_utils.AveragedModel(model)
    average.update_parameters(model_with(3.0))
    assert model.weight.tolist() == [[1.0, 1.0]]
    other = swa_utils.AveragedModel(model_with(0.0))
    other.load_state_dict(copy.deepcopy(average.state_dict()))
    for x in (average, other):
        x.update_parameters(model_with(5.0))
    assert other.module.weight.tolist() == average.module.weight.tolist() == [[4.0, 4.0]]
    assert other.n_averaged.item() == 2
    assert average(torch.ones(1, 2)).tolist() == [[12.0]]


@pytest.mark.parametrize(("use_buffers", "expected"), [(False, 4.0), (True, 3.0)])
def test_buffers_are_copied_or_averaged(use_buffers, expected):
    model = nn.BatchNorm1d(1)
    average = swa_utils.AveragedModel(model, use_buffers=use_buffers)
    for value in (2.0, 4.0):
        model.running_mean.fill_(value)
        average.update_parameters(model)
    assert average.module.running_mean.item() == expected


def test_statistics_are_the_means_over_batches():
    model = nn.Sequential(nn.BatchNorm1d(1, momentum=0.3))
    model.eval()
    batches = [torch.tensor([[0.0], [2.0]]), (torch.tensor([[4.0], [6.0]]), "labels")]
    swa_utils.update_bn(batches, model)
    assert model[0].running_mean.item() == pytest.approx(3.0)
    assert model[0].momentum == 0.3
    assert not model.training
    swa_utils.update_bn(batches, nn.Linear(1, 1))


def test_training_an_average():
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    optimizer = SGD(model.parameters(), lr=0.1)
    scheduler = swa_utils.SWALR(optimizer, swa_lr=0.02, anneal_epochs=4)
    average = swa_utils.AveragedModel(model)
    x = torch.from_numpy(np.random.default_rng(0).normal(size=(32, 3)).astype("float32"))
    y = x @ torch.tensor([[1.0], [-2.0], [0.5]])
    for _ in range(60):
        optimizer.zero_grad()
        ((model(x) - y) ** 2).mean().backward()
        optimizer.step()
        scheduler.step()
        average.update_parameters(model)
    assert optimizer.param_groups[0]["lr"] == 0.02
    assert ((average(x) - y) ** 2).mean().item() < 1.0


def test_mistakes():
    with pytest.raises(ValueError, match="Invalid decay value 2 provided"):
        swa_utils.get_ema_avg_fn(2)
    with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn"):
        swa_utils.AveragedModel(model_with(1.0), avg_fn=lambda *_: 0, multi_avg_fn=lambda *_: None)
    optimizer = SGD(model_with(1.0).parameters())
    with pytest.raises(ValueError, match="anneal_strategy must be one of"):
        swa_utils.SWALR(optimizer, 0.1, anneal_strategy="poly")
    with pytest.raises(ValueError, match="anneal_epochs must be equal or greater than 0, got -1"):
        swa_utils.SWALR(optimizer, 0.1, anneal_epochs=-1)
