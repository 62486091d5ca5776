"""Recurrent networks: shapes, packed sequences, errors, derivatives under transforms."""

import numpy
import pytest

import tapegrad as tg
import tapegrad.torch as torch
from tapegrad import nn
from tapegrad.nn.utils import rnn


def sequences():
    rng = numpy.random.default_rng(0)
    return [torch.from_numpy(rng.normal(size=(n, 3))) for n in (2, 5, 3)]


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_packed_sequences_run_each_alone(kind, bidirectional):
    torch.manual_seed(0)
    m = kind(3, 4, 2, bidirectional=bidirectional).double()
    packed = rnn.pack_sequence(sequences(), enforce_sorted=False)
    out, hidden = m(packed)
    h = hidden[0] if kind is nn.LSTM else hidden
    for i, (x, y) in enumerate(zip(sequences(), rnn.unpack_sequence(out), strict=True)):
        alone, last = m(x)
        last = last[0] if kind is nn.LSTM else last
        assert torch.allclose(y, alone)
        assert torch.allclose(h[:, i], last)


def test_batch_first_and_first_states():
    torch.manual_seed(0)
    m = nn.LSTM(3, 4, batch_first=True).double()
    x = torch.randn(2, 5, 3, dtype=torch.float64)
    whole, (h, c) = m(x)
    first, state = m(x[:, :2])
    second, (h2, c2) = m(x[:, 2:], state)
    assert torch.allclose(torch.cat([first, second], 1), whole)
    assert torch.allclose(h, h2)
    assert torch.allclose(c, c2)


def test_a_cell_is_a_step():
    torch.manual_seed(0)
    m = nn.GRU(3, 4).double()
    cell = nn.GRUCell(3, 4).double()
    cell.load_state_dict({k.removesuffix("_l0"): v for k, v in m.state_dict().items()})
    x = torch.randn(5, 2, 3, dtype=torch.float64)
    out, _ = m(x)
    h = None
    for t in range(5):
        h = cell(x[t], h)
        assert torch.allclose(h, out[t])


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_derivatives(kind):
    torch.manual_seed(0)
    m = kind(2, 3).double()
    params, buffers = nn.state(m)
    x = numpy.random.default_rng(0).normal(size=(3, 2, 2))

    def f(params, x):
        return (nn.functional_call(m, (params, buffers), x)[0] ** 2).sum()

    tg.check_grads(f, (params, x), order=2)
    each = tg.vmap(tg.grad(f, 1), in_axes=(None, 1), out_axes=1)(params, x[:, :, None])
    numpy.testing.assert_allclose(each[:, :, 0], tg.grad(f, 1)(params, x), rtol=1e-10)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_all_steps_at_once_are_as_step_by_step(kind, bidirectional):
    torch.manual_seed(0)
    m = kind(3, 4, 2, bidirectional=bidirectional).double()
    x = torch.randn(5, 2, 3, dtype=torch.float64, requires_grad=True)

    def loss(params, x):
        out, hidden = nn.functional_call(m, params, x)
        last = hidden[1] if kind is nn.LSTM else hidden
        return (out**3).sum() + last.sin().sum()

    params = dict(m.named_parameters())
    loss(params, x).backward()
    by_step = tg.grad(loss, (0, 1))({k: p.detach() for k, p in params.items()}, x.detach())
    for name, p in params.items():
        assert torch.allclose(p.grad, by_step[0][name]), name
    assert torch.allclose(x.grad, by_step[1])


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_second_derivatives_of_all_steps_at_once(kind):
    torch.manual_seed(0)
    m = kind(2, 3).double()
    x = torch.randn(3, 1, 2, dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad((m(x)[0] ** 2).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad((g * torch.ones_like(g)).sum(), x)
    detached = x.detach()
    product = tg.hvp(lambda x: (m(x)[0] ** 2).sum(), detached, torch.ones_like(detached))
    assert torch.allclose(second, product)


def test_no_gradients_no_record():
    m = nn.LSTM(2, 3)
    with torch.no_grad():
        out, _ = m(torch.ones(4, 1, 2))
    assert not out.requires_grad


def test_dropout_between_layers():
    torch.manual_seed(0)
    m = nn.LSTM(3, 8, 2, dropout=0.5)
    x = torch.randn(4, 2, 3)
    assert not torch.equal(m(x)[0], m(x)[0])
    m.eval()
    assert torch.equal(m(x)[0], m(x)[0])
    with pytest.warns(UserWarning, match="dropout option adds dropout after all but last"):
        nn.LSTM(3, 8, dropout=0.5)


def test_errors():
    m = nn.LSTM(3, 4)
    with pytest.raises(RuntimeError, match=r"must be equal to input_size. Expected 3, got 2"):
        m(torch.ones(5, 1, 2))
    with pytest.raises(RuntimeError, match="Expected sequence length to be larger than 0 in RNN"):
        m(torch.ones(0, 1, 3))
    with pytest.raises(ValueError, match="LSTM: Expected input to be 2D or 3D, got 1D instead"):
        m(torch.ones(3))
    with pytest.raises(ValueError, match=r"RNN input dtype .* does not match weight dtype"):
        m(torch.ones(5, 1, 3, dtype=torch.float64))
    state = torch.zeros(1, 2, 4), torch.zeros(1, 2, 4)
    with pytest.raises(
        RuntimeError, match=r"Expected hidden\[0\] size \(1, 1, 4\), got \[1, 2, 4\]"
    ):
        m(torch.ones(5, 1, 3), state)
    with pytest.raises(RuntimeError, match="For unbatched 2-D input, hx and cx should also be 2-D"):
        m(torch.ones(5, 3), state)
    with pytest.raises(RuntimeError, match="For batched 3-D input, hx should also be 3-D"):
        nn.GRU(3, 4)(torch.ones(5, 1, 3), torch.zeros(1, 4))
    with pytest.raises(ValueError, match="proj_size has to be smaller than hidden_size"):
        nn.LSTM(3, 4, proj_size=4)
    with pytest.raises(ValueError, match="proj_size argument is only supported for LSTM"):
        nn.GRU(3, 4, proj_size=2)
    with pytest.raises(ValueError, match="Unknown nonlinearity 'sin'"):
        nn.RNN(3, 4, nonlinearity="sin")
    with pytest.raises(ValueError, match="hidden_size must be greater than zero"):
        nn.GRU(3, 0)
    with pytest.raises(RuntimeError, match="input has inconsistent input_size: got 2 expected 3"):
        nn.LSTMCell(3, 4)(torch.ones(2))


def test_weights():
    m = nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2)
    assert [len(ws) for ws in m.all_weights] == [5] * 4
    assert m.weight_ih_l1_reverse.shape == (16, 4)
    assert m.weight_hr_l0.shape == (2, 4)
    assert "bias_hh_l1_reverse" in m.state_dict()
    m.flatten_parameters()


def test_no_sequences():
    x = torch.ones(5, 0, 3, requires_grad=True)
    out, (h, c) = nn.LSTM(3, 4)(x)
    assert (out.shape, h.shape, c.shape) == ((5, 0, 4), (1, 0, 4), (1, 0, 4))
    out.sum().backward()
    assert x.grad.shape == (5, 0, 3)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_transforms_go_through_all_steps_at_once(kind):
    torch.manual_seed(0)
    m = kind(2, 3, 2, bidirectional=True).double()
    params, _ = nn.state(m)
    x = numpy.random.default_rng(0).normal(size=(4, 2, 2))

    def loss(params, x):
        return (nn.functional_call(m, params, x)[0] ** 2).sum()

    forward = tg.jvp(lambda p: loss(p, x), (params,), (params,))[1]
    gradient = tg.grad(loss)(params, x)
    backward = sum((gradient[name] * params[name]).sum() for name in params)
    assert float(forward) == pytest.approx(float(backward), rel=1e-10)
    each = tg.vmap(tg.grad(loss), in_axes=(None, 1))(params, x[:, :, None])
    for name, g in gradient.items():
        numpy.testing.assert_allclose(each[name].sum(0), g, rtol=1e-9, atol=1e-12)
    many = {name: numpy.stack([p, 2 * p]) for name, p in params.items()}
    both = tg.vmap(loss, in_axes=(0, None))(many, x)
    expected = [float(loss({n: p[i] for n, p in many.items()}, x)) for i in range(2)]
    numpy.testing.assert_allclose(both, expected, rtol=1e-10)
