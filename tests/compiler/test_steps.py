"""Steps as in PyTorch: compiled, they do what they do without the compiler."""

import threading
import types

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.torch as torch
from tapegrad import nn
from tapegrad.core.backward import backward
from tapegrad.core.leaf import requires_grad
from tapegrad.nn.functional import mse_loss

BACKENDS = ["numpy", "auto"]


def difference(a, b):
    """The largest difference of numbers in two trees that are otherwise the same."""
    assert type(a) is type(b)
    if isinstance(a, dict):
        assert list(a) == list(b)
        return max([difference(a[k], b[k]) for k in a], default=0.0)
    if isinstance(a, list | tuple):
        return max([difference(x, y) for x, y in zip(a, b, strict=True)], default=0.0)
    if isinstance(a, torch.Tensor):
        assert (a.dtype, a.shape, a.requires_grad) == (b.dtype, b.shape, b.requires_grad)
        a, b = a.detach().numpy(), b.detach().numpy()
        return float(np.max(np.abs(a.astype(complex) - b.astype(complex)), initial=0.0))
    if isinstance(a, float):
        return abs(a - b)
    assert a == b
    return 0.0


def trained(prepare, make, calls=6, change=None):
    """The losses, gradients, parameters and states after some calls; and the compiled step."""
    torch.manual_seed(0)
    model, optimiser, step = make()
    step = prepare(step)
    losses = []
    for i in range(calls):
        if change is not None:
            change(i, model, optimiser)
        x, y = torch.randn(4, 6), torch.randn(4, 3)
        losses.append(step(x, y))
    grads = [p.grad for p in model.parameters()]
    return [losses, grads, model.state_dict(), optimiser.state_dict()], step


def as_it_is(step):
    return step


def check(make, compiled=True, tolerance=5e-6, **options):
    expected, _ = trained(as_it_is, make, **options)
    for backend in BACKENDS:
        actual, step = trained(lambda s, b=backend: tg.compile(s, backend=b), make, **options)
        assert difference(actual, expected) <= tolerance
        assert ("not compiled" not in str(step.report())) == compiled
    return step


def network(*layers):
    return nn.Sequential(nn.Linear(6, 5), *layers, nn.Linear(5, 3))


def stepping(model, optimiser):
    def step(x, y):
        optimiser.zero_grad()
        loss = mse_loss(model(x), y)
        loss.backward()
        optimiser.step()
        return loss

    return model, optimiser, step


OPTIMISERS = {
    "SGD": lambda p: torch.optim.SGD(p, lr=0.1),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, dampening=0.1),
    "Nesterov": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "Adam": lambda p: torch.optim.Adam(p, lr=0.01, weight_decay=0.1),
    "AMSGrad": lambda p: torch.optim.Adam(p, lr=0.01, amsgrad=True),
    "AdamW": lambda p: torch.optim.AdamW(p, lr=0.01),
    "RMSprop": lambda p: torch.optim.RMSprop(p, lr=0.01, momentum=0.5, centered=True),
    "Adagrad": lambda p: torch.optim.Adagrad(p, lr=0.1),
    "Adadelta": lambda p: torch.optim.Adadelta(p),
    "Adamax": lambda p: torch.optim.Adamax(p),
    "NAdam": lambda p: torch.optim.NAdam(p),
    "RAdam": lambda p: torch.optim.RAdam(p),
    "ASGD": lambda p: torch.optim.ASGD(p),
    "Rprop": lambda p: torch.optim.Rprop(p),
}


@pytest.mark.parametrize("name", OPTIMISERS)
def test_optimisers(name):
    def make():
        model = network(nn.Tanh())
        return stepping(model, OPTIMISERS[name](model.parameters()))

    check(make, calls=8, tolerance=2e-5)


LAYERS = {
    "batch norm": lambda: nn.BatchNorm1d(5),
    "layer norm": lambda: nn.LayerNorm(5),
    "GELU": nn.GELU,
    "ReLU": nn.ReLU,
    "several": lambda: nn.Sequential(nn.Unflatten(1, (5, 1)), nn.Conv1d(5, 5, 1), nn.Flatten()),
    "dropout": lambda: nn.Dropout(0.4),
    "alpha dropout": lambda: nn.AlphaDropout(0.4),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name):
    def make():
        model = network(LAYERS[name]())
        return stepping(model, torch.optim.SGD(model.parameters(), lr=0.1))

    check(make)


class Settings:
    scale = 1.0


RATES = types.ModuleType("rates")
RATES.rate = 1.0


def test_numbers_of_classes_and_modules_are_guarded():
    w = torch.ones(3, requires_grad=True)
    compiled = tg.compile(lambda x: (w * x).sum() * Settings.scale * RATES.rate)
    for scale, rate in ((1, 1), (1, 1), (2, 1), (2, 3), (1, 1)):
        Settings.scale, RATES.rate = float(scale), float(rate)
        assert compiled(torch.ones(3)).item() == 3 * scale * rate


class Network(nn.Module):
    """Labels in, images and sequences between, several kinds of layers."""

    def __init__(self):
        super().__init__()
        self.rows = nn.Embedding(7, 12)
        self.images = nn.Sequential(nn.Conv2d(1, 3, 3, padding=1), nn.BatchNorm2d(3), nn.ReLU())
        self.pool = nn.Sequential(nn.MaxPool2d(2), nn.InstanceNorm2d(3, track_running_stats=True))
        self.steps = nn.LSTM(12, 5, batch_first=True)
        self.attention = nn.TransformerEncoderLayer(5, 1, 8, dropout=0.1, batch_first=True)
        self.out = nn.Linear(5, 4)

    def forward(self, labels):
        x = self.rows(labels)
        x = self.pool(self.images(x.reshape(-1, 1, 4, 12)))
        x, _ = self.steps(x.flatten(2))
        return self.out(self.attention(x)).mean(1)


def test_a_network_of_many_layers():
    def make():
        model = Network()
        optimiser = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.5)
        criterion = nn.CrossEntropyLoss()

        def step(x, y):
            labels = (x.abs() * 3).long() % 7
            optimiser.zero_grad()
            loss = criterion(model(labels[:, :4]), labels[:, 5] % 4)
            loss.backward()
            optimiser.step()
            return loss

        return model, optimiser, step

    check(make, tolerance=1e-5)


def test_halves_are_updated_in_single_precision():
    def make():
        model = network(nn.Tanh()).bfloat16()
        optimiser = torch.optim.Adam(model.parameters(), lr=0.01)

        def step(x, y):
            optimiser.zero_grad()
            loss = mse_loss(model(x.bfloat16()), y.bfloat16())
            loss.backward()
            optimiser.step()
            return loss

        return model, optimiser, step

    check(make, tolerance=0.01)


def losses_kept(model, optimiser):
    kept = []

    def step(x, y):
        loss = mse_loss(model(x), y)
        kept.append(loss.detach())
        return loss

    return step


def counted(model, optimiser):
    def step(x, y):
        model.calls = getattr(model, "calls", 0) + 1
        return mse_loss(model(x), y) * model.calls

    return step


def read(model, optimiser):
    def step(x, y):
        loss = mse_loss(model(x), y)
        return loss * 2 if loss.item() > 0.5 else loss

    return step


def thawed_and_frozen(model, optimiser):
    def step(x, y):
        for p in model[0].parameters():
            p.requires_grad_(not p.requires_grad)
        optimiser.zero_grad()
        loss = mse_loss(model(x), y)
        loss.backward()
        optimiser.step()
        return loss

    return step


IMPURE = {
    "losses in a list": (losses_kept, "it changes kept"),
    "an attribute": (counted, "it changes model"),
    "a number that is read": (read, "reads numbers"),
    "what requires a gradient": (thawed_and_frozen, "requires_grad flags"),
}


@pytest.mark.parametrize("name", IMPURE)
def test_steps_that_cannot_be_compiled_run_as_they_are(name):
    make_step, reason = IMPURE[name]

    def make():
        model, optimiser, _ = make_sgd(network())
        return model, optimiser, make_step(model, optimiser)

    step = check(make, compiled=False)
    assert reason in str(step.report())


def test_a_step_may_compute_nothing():
    w = torch.ones(3, requires_grad=True)
    step = tg.compile(lambda x: (torch.tensor(2.0), w))
    for _ in range(3):
        two, same = step(torch.ones(3))
        assert (two.item(), two.requires_grad) == (2.0, False)
        assert same is w
    assert "not compiled" not in str(step.report())
    constant = tg.compile(lambda x: np.ones(2))
    for _ in range(3):
        np.testing.assert_array_equal(tg.jacobian(constant)(np.ones(3)), np.zeros((2, 3)))


def test_errors_come_from_the_line_that_makes_them():
    model = network()

    def step(x):
        return model(x)

    compiled = tg.compile(step)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="shapes") as info:
            compiled(torch.randn(4, 7))
        assert any(entry.name == "step" for entry in info.traceback)
    assert type(model[0].weight) is torch.Tensor or isinstance(model[0].weight, nn.Parameter)
    assert model[0].weight.requires_grad


def test_arrays_that_share_memory_are_left_alone():
    w = torch.ones(4, requires_grad=True)
    part = w.detach()[1:]
    compiled = tg.compile(lambda x: (w * x).sum() + part.sum())
    for _ in range(3):
        assert compiled(torch.ones(4)).item() == 7
    assert "shares memory" in str(compiled.report())


def test_changes_of_tensors_that_are_not_looked_for():
    w, many = torch.ones(3, requires_grad=True), [[torch.ones(1)] for _ in range(60_000)]
    compiled = tg.compile(lambda x: (w * x).sum() + many[3][0])
    for _ in range(3):
        assert compiled(torch.ones(3)).item() == 4
    many[3][0].add_(1)  # a long list is not looked through: a change of a constant is noticed
    for _ in range(3):
        assert compiled(torch.ones(3)).item() == 5


def test_tensors_that_are_arguments_are_changed_in_place():
    def step(x, w):
        w.grad = None
        (w * x).square().sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            x.mul_(2)

    compiled = tg.compile(step)
    pairs = [(torch.ones(3), torch.ones(3, requires_grad=True)) for _ in range(2)]
    for _ in range(4):
        for f, (x, w) in zip((step, compiled), pairs, strict=True):
            f(x, w)
        assert difference(*map(list, pairs)) == 0
        assert difference(*([w.grad] for _, w in pairs)) == 0
    assert "not compiled" not in str(compiled.report())


def test_models_and_optimisers_are_arguments_too():
    def step(model, optimiser, x, y):
        optimiser.zero_grad()
        loss = mse_loss(model(x), y)
        loss.backward()
        optimiser.step()
        return loss

    compiled = tg.compile(step)
    results = []
    for f in (step, compiled):
        torch.manual_seed(0)
        model = network(nn.BatchNorm1d(5), nn.Dropout(0.2))
        optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
        losses = []
        for i in range(6):
            optimiser.param_groups[0]["lr"] = 0.01 * (i + 1)
            losses.append(f(model, optimiser, torch.randn(4, 6), torch.randn(4, 3)))
        results.append([losses, model.state_dict(), optimiser.state_dict()])
    assert difference(*results) < 1e-5
    assert "model.0.weight: float32[5, 6]" in str(compiled.report())
    assert len(compiled.report().signatures) == 1


TRANSFORMED = {
    "grad": lambda f: tg.grad(lambda x: f(x).sum()),
    "grad of grad": lambda f: tg.grad(lambda x: tg.grad(lambda x: f(x).sum())(x).sum()),
    "vmap": tg.vmap,
    "vmap of grad": lambda f: tg.vmap(tg.grad(lambda x: f(x).sum())),
    "jvp": lambda f: lambda x: tg.jvp(f, (x,), (x,)),
    "compiled": tg.compile,
    "compiled grad": lambda f: tg.compile(tg.grad(lambda x: f(x).sum())),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_functions_that_close_over_tensors_are_transformed(name):
    torch.manual_seed(0)
    model = network(nn.Tanh())
    x = torch.randn(4, 6)
    compiled = tg.compile(model)
    expected = TRANSFORMED[name](model)(x)
    actual = TRANSFORMED[name](compiled)
    for _ in range(3):
        found = actual(x)
        for a, e in zip(tg.tree.leaves(found), tg.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(a.detach().numpy(), e.detach().numpy(), atol=1e-6)


def test_backward_into_a_graph_that_begins_outside():
    w, v = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)

    @tg.compile
    def step(y):
        (y * w).sum().backward()

    for i in range(1, 5):
        step(v * 2)
        assert v.grad.tolist() == [2 * i] * 3
        assert w.grad.tolist() == [2 * i] * 3
    assert "begins outside" in str(step.report())


def test_settings_of_tensors_have_programs_of_their_own():
    w = torch.ones(3, 3, requires_grad=True)
    functions = [tg.compile(lambda x: x @ w), tg.compile(lambda x: x @ x)]
    for function in functions:
        for _ in range(3):
            assert function(torch.ones(3, 3)).dtype is torch.float32
            with torch.autocast("cpu"):
                assert function(torch.ones(3, 3)).dtype is torch.bfloat16
    made = tg.compile(lambda x: torch.zeros(2) + 0 * w.sum())
    for dtype in (torch.float64, torch.float32, torch.float64):
        torch.set_default_dtype(dtype)
        assert made(torch.ones(1)).dtype is dtype
    torch.set_default_dtype(torch.float32)


def test_threads_take_turns():
    total = torch.zeros(3)

    @tg.compile
    def add(x):
        total.add_(x)

    def work():
        for _ in range(25):
            add(torch.ones(3))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total.tolist() == [100] * 3
    assert "not compiled" not in str(add.report())


def test_numpy_arrays_and_numbers_are_arguments_too():
    w = torch.ones(3, requires_grad=True)

    def step(x, factor=2.0):
        return (w * torch.as_tensor(x)).sum() * factor

    compiled = tg.compile(step)
    for factor in (2.0, 2.0, 2.0, 3.0, 3.0):
        x = np.arange(3.0, dtype="float32") * factor
        assert compiled(x, factor=factor).item() == step(x, factor=factor).item()


def test_leaves_without_a_face():
    w = requires_grad(np.array([1.0, 2.0]))

    def step(x):
        w.grad = None
        loss = ((w * x) ** 2).sum()
        backward(loss)
        return loss

    compiled = tg.compile(step)
    for scale in (1.0, 1.0, 2.0, 3.0):
        assert compiled(np.ones(2) * scale).raw == 5.0 * scale**2
        np.testing.assert_array_equal(w.grad.raw, np.array([2, 4]) * scale**2)
    assert "not compiled" not in str(compiled.report())


def make_sgd(model, lr=0.1):
    return stepping(model, torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9))


def test_a_changed_rate_takes_effect():
    def change(i, model, optimiser):
        optimiser.param_groups[0]["lr"] = 0.1 / (i + 1)

    step = check(lambda: make_sgd(network()), change=change)
    assert len(step.report().signatures) == 1


def test_schedulers_outside_take_effect():
    inner = []

    def make():
        model, optimiser, step = make_sgd(network())
        scheduler = torch.optim.lr_scheduler.ExponentialLR(optimiser, 0.5)

        def outer(x, y):
            loss = inner[-1](x, y)
            scheduler.step()
            return loss

        inner.append(prepare(step))
        return model, optimiser, outer

    prepare = tg.compile
    actual, _ = trained(as_it_is, make)
    prepare = as_it_is
    expected, _ = trained(as_it_is, make)
    assert difference(actual, expected) < 1e-6
    assert len(inner[0].report().signatures) == 1


def test_what_is_guarded():
    """Modes, frozen parameters, other options: each has a program of its own."""

    def change(i, model, optimiser):
        model.train(i not in (3, 4))
        model[0].weight.requires_grad_(i not in (5, 6))
        optimiser.param_groups[0]["momentum"] = 0.9 if i < 7 else 0.5

    step = check(lambda: make_sgd(network(nn.Dropout(0.3))), change=change, calls=10)
    assert len(step.steps.all()) >= 4


def test_gradients_are_accumulated_without_zero_grad():
    def make():
        model, optimiser, _ = make_sgd(network(nn.ReLU()))

        def step(x, y):
            loss = mse_loss(model(x), y)
            loss.backward()
            return loss

        return model, optimiser, step

    check(make)


def test_zero_grad_to_zero_and_clipping():
    def make():
        model, optimiser, _ = make_sgd(network(nn.ReLU()))

        def step(x, y):
            optimiser.zero_grad(set_to_none=False)
            loss = mse_loss(model(x), y)
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimiser.step()
            return loss, norm

        return model, optimiser, step

    check(make)


def test_two_optimisers_and_two_backwards():
    def make():
        model = network(nn.Tanh())
        first = torch.optim.SGD(model[0].parameters(), lr=0.1)
        second = torch.optim.Adam(model[2].parameters(), lr=0.1)

        def step(x, y):
            for optimiser in (first, second):
                first.zero_grad()
                second.zero_grad()
                loss = mse_loss(model(x), y)
                loss.backward()
                optimiser.step()
            return loss

        return model, second, step

    check(make)


def test_a_model_is_differentiated_outside():
    torch.manual_seed(0)
    model = network(nn.BatchNorm1d(5), nn.Tanh())
    compiled = tg.compile(model)
    other = network(nn.BatchNorm1d(5), nn.Tanh())
    other.load_state_dict(model.state_dict())
    for _ in range(4):
        x = torch.randn(4, 6)
        for f in (compiled, other):
            f(x).square().sum().backward()
        assert difference(model.state_dict(), other.state_dict()) < 1e-6
        grads = [p.grad for p in model.parameters()], [p.grad for p in other.parameters()]
        assert difference(*grads) < 1e-4
        with torch.no_grad():
            assert not compiled(x).requires_grad
            other(x)
    assert "not compiled" not in str(compiled.report())


def test_results_require_grad_as_they_do():
    w = torch.tensor([1.0, 2.0], requires_grad=True)

    def function(x):
        return w * x, (w * x).detach(), x * 2, w

    compiled = tg.compile(function)
    for _ in range(4):
        a, b, c, d = compiled(torch.ones(2))
        assert (a.requires_grad, b.requires_grad, c.requires_grad) == (True, False, False)
        assert d is w
        w.grad = None
        a.sum().backward()
        assert w.grad.tolist() == [1, 1]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_step_that_fails_fails_as_it_does_without_the_compiler(backend):
    weight = torch.ones(3, requires_grad=True)
    optimiser = torch.optim.SGD([weight], lr=0.5)

    def train(x, i):
        optimiser.zero_grad()
        loss = (weight[i] * x).sum()
        loss.backward()
        optimiser.step()
        return loss

    compiled = tg.compile(train, backend=backend)
    x, i = torch.ones(2), torch.tensor([0, 2])
    for _ in range(3):
        compiled(x, i)
        before = weight.detach().clone()
        with pytest.raises(IndexError, match="out of") as info:
            compiled(x, torch.tensor([0, 7]))
        assert any(entry.name == "train" for entry in info.traceback)
        assert torch.equal(weight, before)
    assert weight.tolist() == [-0.5, 1.0, -0.5]
