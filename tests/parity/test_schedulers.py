"""Schedulers beside PyTorch's: alone, chained, in sequence, resumed."""

import numpy as np
import pytest

import tapegrad.torch as ours
from tests.optim.schedules import MAKERS, STEPS, advance, optimizer_of

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.filterwarnings("ignore:Detected call of:UserWarning")
"""Which a sequence that begins with a chain makes PyTorch say while it is made."""


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
@pytest.mark.parametrize("name", MAKERS)
def test_rates(name, kind):
    runs = []
    for lib in (torch, ours):
        optimizer = optimizer_of(lib, kind)
        scheduler = MAKERS[name](lib.optim.lr_scheduler, optimizer)
        runs.append(advance(lib, optimizer, scheduler, 0, STEPS))
    np.testing.assert_allclose(runs[1], runs[0], rtol=1e-12)
    assert len(np.unique(runs[0][:, 0])) > 1


@pytest.mark.parametrize("name", MAKERS)
def test_rates_in_tensors(name):
    runs = []
    for lib in (torch, ours):
        optimizer = optimizer_of(lib, "SGD", tensor_rate=True)
        scheduler = MAKERS[name](lib.optim.lr_scheduler, optimizer)
        runs.append(advance(lib, optimizer, scheduler, 0, STEPS))
    np.testing.assert_allclose(runs[1], runs[0], rtol=1e-6)


@pytest.mark.parametrize("name", MAKERS)
def test_states_have_the_same_entries(name):
    states = []
    for lib in (torch, ours):
        optimizer = optimizer_of(lib, "SGD")
        scheduler = MAKERS[name](lib.optim.lr_scheduler, optimizer)
        advance(lib, optimizer, scheduler, 0, 5)
        states.append(scheduler.state_dict())
    missing = states[0].keys() - states[1].keys() - {"anneal_func"}
    assert not missing


@pytest.mark.parametrize("name", MAKERS)
def test_a_state_of_theirs_is_gone_on_from(name):
    theirs = optimizer_of(torch, "SGD")
    scheduler = MAKERS[name](torch.optim.lr_scheduler, theirs)
    advance(torch, theirs, scheduler, 0, 20)
    own = optimizer_of(ours, "SGD")
    resumed = MAKERS[name](ours.optim.lr_scheduler, own)
    own.load_state_dict(theirs.state_dict())
    resumed.load_state_dict(scheduler.state_dict())
    expected = advance(torch, theirs, scheduler, 20, STEPS)
    np.testing.assert_allclose(advance(ours, own, resumed, 20, STEPS), expected, rtol=1e-12)


@pytest.mark.parametrize("epoch", [0, 3, 17, 40])
@pytest.mark.parametrize(
    "name", [n for n in MAKERS if "Plateau" not in n and "Seq" not in n and "Chain" not in n]
)
def test_rates_of_a_given_epoch(name, epoch):
    rates = []
    for lib in (torch, ours):
        optimizer = optimizer_of(lib, "SGD")
        scheduler = MAKERS[name](lib.optim.lr_scheduler, optimizer)
        optimizer.step()
        if "Restarts" in name:
            scheduler.step(epoch + 0.5)
        else:
            with pytest.warns(UserWarning, match="epoch parameter"):
                scheduler.step(epoch)
        rates.append(scheduler.get_last_lr())
    np.testing.assert_allclose(rates[1], rates[0], rtol=1e-12)
