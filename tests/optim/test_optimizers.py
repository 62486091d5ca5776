"""Every optimiser: PyTorch's numbers, in place, resumed to the bit, by NumPy as by machine code."""

import copy
import io

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.torch as torch
from tapegrad import optim
from tapegrad.optim import updating

from .runs import CASES, advance, made, parameters, values

RECORDED = {
    "SGD": [
        -0.042760894,
        -0.110482501,
        -0.077455731,
        0.0265072388,
        0.106375817,
        0.0892716852,
        -0.0405074422,
        -0.11003181,
    ],
    "SGD momentum": [
        -0.00316485252,
        -0.0825714053,
        -0.107543161,
        -0.0408005539,
        0.0706142178,
        0.138587575,
        0.05524574,
        -0.0708892868,
    ],
    "SGD nesterov": [
        -5301364.6,
        -2207959.01,
        -611523.253,
        371491.775,
        2188611.37,
        5520488.93,
        4289060.83,
        -289873.923,
    ],
    "ASGD": [
        -0.04174209,
        -0.107408791,
        -0.0748735116,
        0.0263170737,
        0.103494918,
        0.0860691788,
        -0.0402488083,
        -0.107110135,
    ],
    "Adadelta": [
        -0.913641136,
        -0.51419539,
        -0.171598268,
        0.165812973,
        0.517990578,
        0.899849099,
        0.440635628,
        -0.253275534,
    ],
    "Adafactor": [
        -0.162577552,
        -0.0907189204,
        -0.033038969,
        0.0555309187,
        0.101145747,
        0.140426317,
        0.0866380595,
        -0.084023627,
    ],
    "Adagrad": [
        -0.309664218,
        -0.13666895,
        -0.047880165,
        0.042954483,
        0.133512638,
        0.300062358,
        0.0798030748,
        -0.0847679553,
    ],
    "Adam": [
        -0.019567068,
        -0.0443023932,
        -0.0433152237,
        0.00166098711,
        0.0425356009,
        0.0359798665,
        0.0488905418,
        -0.0345580832,
    ],
    "Adam amsgrad": [
        -5.39287723,
        -4.36829383,
        -2.95911745,
        3.67687849,
        4.88334005,
        5.37013923,
        4.85699468,
        -2.11303014,
    ],
    "AdamW": [
        0.00760240555,
        -0.0185293416,
        -0.0356170906,
        -0.0196155112,
        0.0135128407,
        0.0426948413,
        0.0218534587,
        -0.018836061,
    ],
    "Adamax": [
        0.0880075387,
        0.0425473065,
        0.00715260624,
        -0.0247188752,
        -0.0434762716,
        -0.0721984065,
        0.00181183407,
        0.0494717597,
    ],
    "Muon": [
        -0.0107570964,
        -0.0112326052,
        0.0548293448,
        -0.158510464,
        -0.203909332,
        0.0148809638,
        -0.0502227613,
        -0.0636045851,
    ],
    "NAdam": [
        0.00689334867,
        -0.0723311452,
        -0.0623697673,
        0.00949670034,
        0.0690809196,
        0.0364184818,
        -0.024846701,
        -0.0749725792,
    ],
    "NAdam decoupled": [
        -2.64506371e-05,
        -0.0735404109,
        -0.0628088159,
        0.0100275789,
        0.0704231717,
        0.0441965549,
        -0.025471579,
        -0.0764589713,
    ],
    "RAdam": [
        0.110631085,
        0.0709797871,
        0.00202770714,
        -0.044226156,
        -0.0739717475,
        -0.0777668412,
        0.0159953868,
        0.0472837305,
    ],
    "RMSprop": [
        -0.0604467321,
        -0.145660212,
        -0.0946752773,
        0.041622698,
        0.14088894,
        0.109847093,
        -0.0605288962,
        -0.14568175,
    ],
    "RMSprop centered": [
        0.0221128725,
        -0.216176631,
        -0.244887907,
        -0.059436062,
        0.190252228,
        0.273882428,
        0.0214380591,
        -0.215408597,
    ],
    "Rprop": [
        0.06204004,
        -0.191132401,
        -0.149270084,
        0.156225298,
        0.213167301,
        0.164339278,
        0.0737719526,
        -0.258492401,
    ],
}
"""The parameters after 40 steps, by PyTorch 2.13."""


@pytest.fixture(params=["machine code", "NumPy"])
def means(request, monkeypatch):
    """By what steps are done."""
    if request.param == "NumPy":
        monkeypatch.setattr(updating, "unavailable", lambda: "this is a test")
    return request.param


@pytest.mark.parametrize("name", CASES)
def test_numbers(name, means):
    params = parameters()
    advance(made(name, params), params, 0, 40)
    np.testing.assert_allclose(values(params), RECORDED[name], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", CASES)
def test_state_resumes_to_the_bit(name, means):
    params = parameters()
    optimizer = made(name, params)
    advance(optimizer, params, 0, 7)
    saved = copy.deepcopy(optimizer.state_dict())
    others = [p.detach().clone().requires_grad_() for p in params]
    resumed = made(name, others)
    resumed.load_state_dict(saved)
    advance(optimizer, params, 7, 20)
    advance(resumed, others, 7, 20)
    np.testing.assert_array_equal(values(others), values(params))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", CASES)
def test_single_and_half_precision(name, dtype, means):
    params = parameters(dtype=dtype)
    optimizer = made(name, params)
    advance(optimizer, params, 0, 7)
    assert all(p.numpy(force=True).dtype == dtype for p in params)
    others = [p.detach().clone().requires_grad_() for p in params]
    resumed = made(name, others)
    resumed.load_state_dict(optimizer.state_dict())
    advance(optimizer, params, 7, 12)
    advance(resumed, others, 7, 12)
    np.testing.assert_array_equal(values(others), values(params))
    exact = parameters()
    advance(made(name, exact), exact, 0, 12)
    tolerance = 1e-4 if dtype == "float32" else 0.05
    if name not in ("Muon", "Rprop"):  # where roundings and signs decide
        np.testing.assert_allclose(values(params), values(exact), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", [name for name in CASES if name not in ("Muon", "Adafactor")])
def test_any_layout_of_memory(name, means):
    params = parameters()
    advance(made(name, params), params, 0, 9)
    plain = parameters()[0].detach().numpy()
    wide = np.zeros((4, 6))
    wide[::2, ::2] = plain
    for array in (np.asfortranarray(plain), wide[::2, ::2]):
        p = torch.from_numpy(array).requires_grad_()
        advance(made(name, [p]), [p], 0, 9)
        np.testing.assert_array_equal(p.detach().numpy(), params[0].detach().numpy())
        np.testing.assert_array_equal(array, params[0].detach().numpy())


@pytest.mark.parametrize("name", [name for name in CASES if name not in ("Muon", "Adafactor")])
def test_large_and_small_arrays(name, means):
    rng = np.random.default_rng(0)
    start = rng.normal(size=40_000)
    large = torch.from_numpy(start.copy()).requires_grad_()
    small = torch.from_numpy(start[-5:].copy()).requires_grad_()
    scalar = torch.from_numpy(start[7:8].reshape(()).copy()).requires_grad_()
    optimizer = made(name, [large, small, scalar])
    for _ in range(3):
        for p in (large, small, scalar):
            p.grad = p.detach() * 2
        optimizer.step()
    np.testing.assert_array_equal(small.detach().numpy(), large.detach().numpy()[-5:])
    assert scalar.item() == large[7].item()
    assert scalar.item() != start[7]


@pytest.mark.parametrize("name", CASES)
def test_steps_are_in_place(name):
    params = parameters()
    before = [p.numpy(force=True) for p in params]
    versions = [p._version for p in params]
    advance(made(name, params), params, 0, 2)
    for p, array, version in zip(params, before, versions, strict=True):
        assert np.shares_memory(p.numpy(force=True), array)
        assert p._version == version + 2


@pytest.mark.parametrize("name", CASES)
def test_steps_follow_parameters_and_states_to_other_memory(name):
    params = parameters()
    optimizer = made(name, params)
    others = [p.detach().clone().requires_grad_() for p in params]
    plain = made(name, others)
    for start in range(0, 9, 3):
        advance(optimizer, params, start, start + 3)
        advance(plain, others, start, start + 3)
        optimizer.load_state_dict(optimizer.state_dict())
        for p in params:
            p.data = p.detach().clone()
    np.testing.assert_array_equal(values(params), values(others))


def test_a_read_only_parameter_is_copied_not_written():
    memory = np.ones(3, np.float32)
    memory.flags.writeable = False
    w = torch.from_numpy(memory).requires_grad_()
    w.grad = torch.ones(3)
    optim.SGD([w], lr=0.5).step()
    assert w.tolist() == [0.5] * 3
    assert memory.tolist() == [1.0] * 3


def test_a_step_between_forward_and_backward_raises():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    optimizer = optim.SGD([w], lr=0.1)
    loss = (w * w).sum()
    w.grad = torch.ones(2)
    optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


@pytest.mark.parametrize("name", CASES)
def test_deepcopy_goes_on_alike(name):
    params = parameters()
    optimizer = made(name, params)
    advance(optimizer, params, 0, 3)
    others, copied = copy.deepcopy((params, optimizer))
    assert copied.param_groups[0]["params"][0] is others[0]
    advance(optimizer, params, 3, 6)
    advance(copied, others, 3, 6)
    np.testing.assert_array_equal(values(others), values(params))


def test_a_saved_file_resumes():
    params = parameters()
    optimizer = made("Adam", params)
    advance(optimizer, params, 0, 3)
    file = io.BytesIO()
    torch.save(optimizer.state_dict(), file)
    file.seek(0)
    others = [p.detach().clone().requires_grad_() for p in params]
    resumed = made("Adam", others)
    resumed.load_state_dict(torch.load(file))
    advance(optimizer, params, 3, 6)
    advance(resumed, others, 3, 6)
    np.testing.assert_array_equal(values(others), values(params))


@pytest.mark.parametrize("name", ["SGD momentum", "Adam", "Adagrad", "Rprop", "Adadelta"])
def test_complex_parameters_are_pairs_of_real_ones(name, means):
    z = torch.from_numpy(np.array([1.0 + 2.0j, -0.5 + 0.1j])).requires_grad_()
    pair = torch.from_numpy(np.array([[1.0, 2.0], [-0.5, 0.1]])).requires_grad_()
    for_z, for_pair = made(name, [z]), made(name, [pair])
    for step in range(5):
        pair.grad = torch.from_numpy(np.cos(step + np.arange(4.0)).reshape(2, 2))
        z.grad = torch.from_numpy(pair.grad.numpy().copy().view(complex)[:, 0])
        for_z.step()
        for_pair.step()
    np.testing.assert_array_equal(
        z.detach().numpy().view(float).reshape(2, 2), pair.detach().numpy()
    )


@pytest.mark.parametrize("name", ["Muon", "Adafactor"])
def test_complex_parameters_raise(name):
    z = torch.from_numpy(np.ones((2, 2), complex)).requires_grad_()
    optimizer = made(name, [z])
    z.grad = z.detach()
    with pytest.raises(RuntimeError, match=f"{name} does not support complex parameters"):
        optimizer.step()


SMOOTH = [name for name in CASES if name not in ("Muon", "Adafactor", "Rprop")]


@pytest.mark.parametrize("name", SMOOTH)
def test_differentiable_steps(name):
    """The derivative of the parameters with respect to the gradients, by finite differences."""
    options = {**CASES[name], "differentiable": True}
    kind = getattr(optim, name.partition(" ")[0])
    rng = np.random.default_rng(0)
    start, grads = rng.normal(size=3), rng.normal(size=(3, 3))

    def run(scale):
        p = torch.from_numpy(start.copy()).clone()
        optimizer = kind([p], **options)
        for g in grads:
            p.grad = torch.from_numpy(g) * scale
            optimizer.step()
        return (p * p).sum()

    scale = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    run(scale).backward()
    h = 1e-6
    ends = [run(torch.tensor(1.0 + s * h, dtype=torch.float64)).item() for s in (1, -1)]
    assert scale.grad.item() == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-5, abs=1e-8)


def test_differentiable_rate():
    lr = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
    w = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
    p = w.clone()
    optimizer = optim.SGD([p], lr=lr, differentiable=True)
    p.grad = 2 * w
    optimizer.step()
    (p * p).sum().backward()
    assert lr.grad.item() == pytest.approx(2 * (2 - 0.1 * 4) * -4)
    assert w.grad.item() == pytest.approx(2 * (2 - 0.1 * 4) * (1 - 0.2))


def test_differentiable_steps_of_leaves_raise():
    w = torch.tensor([1.0], requires_grad=True)
    optimizer = optim.SGD([w], differentiable=True)
    w.grad = torch.ones(1)
    with pytest.raises(RuntimeError, match="leaf Variable"):
        optimizer.step()


def test_capturable_raises():
    w = torch.tensor([1.0], requires_grad=True)
    optimizer = optim.Adam([w], capturable=True)
    w.grad = torch.ones(1)
    with pytest.raises(AssertionError, match="on supported devices"):
        optimizer.step()


def test_sparse_adam():
    w = torch.tensor([1.0], requires_grad=True)
    optimizer = optim.SparseAdam([w])
    assert optimizer.step(lambda: 3.0) == 3.0
    w.grad = torch.ones(1)
    with pytest.raises(
        RuntimeError, match="does not support dense gradients, please consider Adam"
    ):
        optimizer.step()
    with pytest.raises(ValueError, match=r"Complex params at indices \[\[0, 0\]\]"):
        optim.SparseAdam([torch.from_numpy(np.ones(1, complex))])


def test_momentum_that_is_turned_on_later():
    p = torch.zeros(1, requires_grad=True)
    optimizer = optim.SGD([p], lr=1.0)
    p.grad = torch.ones(1)
    optimizer.step()
    assert optimizer.state_dict()["state"] == {}
    optimizer.param_groups[0]["momentum"] = 0.5
    optimizer.step()
    optimizer.step()
    assert p.item() == -(1 + 1 + 1.5)


def test_rates_as_tensors():
    params, others = parameters(), parameters()
    advance(optim.Adam(params, lr=torch.tensor([0.1])), params, 0, 4)
    advance(optim.Adam(others, lr=float(np.float32(0.1))), others, 0, 4)
    np.testing.assert_array_equal(values(params), values(others))


def quartic(params, target):
    return ((params[0] - target) ** 4).sum() + (params[1] ** 2).sum()


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_finds_the_minimum_and_resumes(search):
    target = torch.from_numpy(np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 0.5]]))

    def run(optimizer, params, count):
        def closure():
            optimizer.zero_grad()
            loss = quartic(params, target)
            loss.backward()
            return loss

        return [optimizer.step(closure).item() for _ in range(count)]

    options = {"max_iter": 5, "line_search_fn": search, "lr": 0.5}
    params = parameters()
    optimizer = optim.LBFGS(params, **options)
    losses = run(optimizer, params, 3)
    others = [p.detach().clone().requires_grad_() for p in params]
    resumed = optim.LBFGS(others, **options)
    resumed.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    losses += run(optimizer, params, 17)
    run(resumed, others, 17)
    np.testing.assert_array_equal(values(others), values(params))
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 1e-6


def test_lbfgs_of_complex_parameters():
    z = torch.from_numpy(np.array([1.0 + 2.0j])).requires_grad_()
    optimizer = optim.LBFGS([z], line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = (z - (3 - 1j)).abs().pow(2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    np.testing.assert_allclose(z.detach().numpy(), [3 - 1j], atol=1e-6)


def test_mistakes_with_lbfgs():
    w = torch.ones(1, requires_grad=True)
    with pytest.raises(ValueError, match="doesn't support per-parameter options"):
        optim.LBFGS([{"params": [w]}, {"params": [torch.ones(1, requires_grad=True)]}])
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'closure'"):
        optim.LBFGS([w]).step()
    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        optim.LBFGS([w], line_search_fn="armijo").step(lambda: w.sum())


def test_training_under_a_transform_sees_the_values():
    w = torch.tensor([3.0], requires_grad=True)
    optimizer = optim.SGD([w], lr=0.5)
    w.grad = torch.ones(1)
    optimizer.step()
    assert tg.grad(lambda x: (x * 2.0).sum())(w.detach()).item() == 2.0
    assert w.item() == 2.5
