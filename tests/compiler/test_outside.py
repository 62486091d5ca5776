"""What compiled functions read beside their arguments: it may change between calls."""

import argparse
import types
import warnings
from collections import deque
from dataclasses import dataclass

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.compiler.errors import ImpureWarning
from tapegrad.compiler.llvm.host import unavailable

BACKENDS = [
    "numpy",
    pytest.param("llvm", marks=pytest.mark.skipif(unavailable(), reason="needs llvmlite")),
]

rate = 2.0
weights = np.array([1.0, 2.0, 3.0])
X = np.array([0.5, -1.0, 2.0])


def scaled(x):
    return x * rate


def helped(x):
    return scaled(x) + weights


@pytest.fixture(autouse=True)
def restored():
    global rate, weights
    yield
    rate, weights = 2.0, np.array([1.0, 2.0, 3.0])


def called(compiled, function, times=3, x=X):
    """Compare some calls."""
    for _ in range(times):
        np.testing.assert_array_equal(compiled(x), function(x))


@pytest.mark.parametrize("backend", BACKENDS)
def test_globals_that_are_rebound(backend):
    global rate, weights
    compiled = tg.compile(helped, backend=backend)
    called(compiled, helped)
    rate = 3.0
    called(compiled, helped)
    weights = np.array([7.0, 8.0, 9.0])
    called(compiled, helped)
    weights = np.ones((2, 3))
    called(compiled, helped)
    rate = 4  # another dtype, for integers
    called(compiled, helped, x=np.arange(3))


@pytest.mark.parametrize("backend", BACKENDS)
def test_arrays_that_are_written_to(backend):
    table = np.arange(12.0).reshape(3, 4)
    index, other = np.array([0, 2]), np.arange(6.0).reshape(3, 2)
    big = np.arange(40.0).reshape(20, 2)

    def function(x):
        return x[index] @ other[index], table.T @ x, x * weights, big[::10, 1] * x[:2], x[2:] * rate

    compiled = tg.compile(function, backend=backend)
    for i in range(5):
        for actual, expected in zip(compiled(X), function(X), strict=True):
            np.testing.assert_allclose(actual, expected, rtol=1e-15)
        table[1, i % 4] = -5.0 * i
        weights[i % 3] = 10.0 + i
        index[0] = i % 3
        big[10, 1] = i
        other[0, 1] = -i
    assert len(compiled.report().signatures[0].programs) == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_derivatives_read_arrays_anew(backend):
    scale = np.ones(3)
    compiled = tg.compile(lambda x: np.sum(np.sin(x) * scale), backend=backend)
    for i in range(4):
        np.testing.assert_allclose(tg.grad(compiled)(X), np.cos(X) * scale, rtol=1e-14)
        np.testing.assert_allclose(
            tg.hessian(compiled)(X), np.diag(-np.sin(X) * scale), rtol=1e-13, atol=1e-16
        )
        mapped = tg.vmap(compiled)(np.stack([X, 2 * X]))
        np.testing.assert_allclose(mapped, np.sin(np.stack([X, 2 * X])) @ scale, rtol=1e-14)
        scale[1] = 3.0 + i


def test_equal_values_are_no_change():
    global rate
    runs = []

    def function(x):
        runs.append(1) if x is None else None
        return x * rate

    compiled = tg.compile(function)
    called(compiled, function)
    rate = float("2.0")  # another object
    called(compiled, function)
    rate = -0.0
    np.testing.assert_array_equal(np.signbit(compiled(X)), np.signbit(X * -0.0))
    assert len(compiled.report().signatures[0].programs) == 1


class Model:
    def __init__(self):
        self.scale = 2.0
        self.parts = {"bias": 1.0}
        self.unread = 0

    def __call__(self, x):
        return x * self.scale + self.parts["bias"]


SETTINGS = types.ModuleType("settings")
SETTINGS.factor = 2.0


def test_attributes_containers_and_variables_closed_over():
    model, config, items, power = Model(), {"a.b": 1.0, "more": [2.0]}, [1.0, 2.0], 2

    def function(x):
        y = model(x) * config["a.b"] * config["more"][0] * SETTINGS.factor
        return y**power + sum(items)

    compiled = tg.compile(function)
    called(compiled, function)
    model.scale = 5.0
    called(compiled, function)
    model.parts["bias"] = -1.0
    called(compiled, function)
    config["a.b"] = 0.5
    called(compiled, function)
    config["more"][0] = 4.0
    called(compiled, function)
    items.append(3.0)
    called(compiled, function)
    power = 3
    called(compiled, function)
    SETTINGS.factor = 3.0
    called(compiled, function)
    method = tg.compile(model.__call__)
    called(method, model)
    model.scale = 7.0
    called(method, model)
    taken = tg.compile(lambda model, x: model(x))
    for scale in (7.0, 7.0, 8.0):
        model.scale = scale
        np.testing.assert_array_equal(taken(model, X), model(X))


@dataclass(slots=True)
class Slotted:
    value: float = 2.0


class Classed:
    value = 2.0


class Derived(Classed):
    @staticmethod
    def twice(x):
        return 2 * x

    @property
    def changed(self):
        return self.twice(self.value) + self.through


class Through(Model):
    def through(self, x):
        return super().__call__(x)  # the only one to name it


HOLDERS = {
    "slots": Slotted,
    "class": lambda: type("Own", (Classed,), {}),
    "class of an object": Derived,
    "namespace": lambda: types.SimpleNamespace(value=2.0),
    "arguments": lambda: argparse.Namespace(value=2.0),
}


@pytest.mark.parametrize("made", HOLDERS.values(), ids=HOLDERS)
def test_attributes_wherever_they_are_kept(made):
    holder = made()

    def function(x):
        return x * holder.value

    compiled = tg.compile(function)
    called(compiled, function)
    holder.value = 5.0
    called(compiled, function)
    holder.value = np.array([1.0, 2.0, 3.0])
    called(compiled, function)
    holder.value[0] = 7.0
    called(compiled, function)
    assert compiled.report().signatures[0].refused is None


def test_attributes_of_classes_change_for_their_objects(monkeypatch):
    derived = Derived()
    derived.through = 1.0
    compiled = tg.compile(lambda x: x * derived.changed)
    called(compiled, lambda x: x * 5.0)
    monkeypatch.setattr(Classed, "value", 3.0)
    called(compiled, lambda x: x * 7.0)
    derived.through = 2.0
    called(compiled, lambda x: x * 8.0)
    derived.value = 4.0  # its own, in front of the class's
    called(compiled, lambda x: x * 10.0)
    del derived.value
    called(compiled, lambda x: x * 8.0)


def test_attributes_that_methods_of_a_base_class_read():
    model = Through()
    compiled = tg.compile(model.through)
    called(compiled, model.through)
    model.scale = 5.0
    called(compiled, model.through)


def test_queues_and_bodies_of_classes():
    global rate
    queue = deque([1.0, 2.0], maxlen=2)

    def function(x):
        class Settings:
            factor = rate

        return x * Settings.factor + queue[0]

    compiled = tg.compile(function)
    called(compiled, function)
    queue.append(3.0)
    called(compiled, function)
    rate = 4.0
    called(compiled, function)


def test_what_is_not_read_does_not_count():
    model, log = Model(), []
    compiled = tg.compile(model)
    for i in range(30):
        np.testing.assert_array_equal(compiled(X), model(X))
        model.unread = i
        log.append(i)
    (signature,) = compiled.report().signatures
    assert signature.refused is None
    assert signature.programs[0].hits == 30


def change():
    global rate
    rate += 1


def test_what_is_another_in_every_call():
    global rate
    compiled = tg.compile(scaled, backend="numpy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(15):
            rate = float(i)
            np.testing.assert_array_equal(compiled(X), X * i)
    text = "rate, which it reads from outside, was another one in 16 calls"
    rate = 20.0
    with pytest.warns(ImpureWarning, match=text):
        compiled(X), change(), compiled(X)
    for i in range(5):
        rate = 30.0 + i
        np.testing.assert_array_equal(compiled(X), X * rate)
    assert text in str(compiled.report())


def test_a_function_that_writes_to_an_array_outside_is_not_compiled():
    state = np.ones(3)

    def counting(x):
        state[0] += 1
        return x * state

    compiled = tg.compile(counting)
    expected = np.ones(3)
    for i in range(4):
        expected[0] += 1
        if i == 1:
            with pytest.warns(
                ImpureWarning, match="counting is not compiled: it writes to the arr"
            ):
                result = compiled(X)
        else:
            result = compiled(X)
        np.testing.assert_array_equal(result, X * expected)
    np.testing.assert_array_equal(state, expected)


def test_masks_are_constants():
    mask = np.array([True, False, True])
    compiled = tg.compile(lambda x: (x[mask], np.where(mask, x, 0.0)))
    for _ in range(3):
        chosen, kept = compiled(X)
        np.testing.assert_array_equal(chosen, X[[0, 2]])
        np.testing.assert_array_equal(kept, np.where(mask, X, 0.0))
    mask[1] = True
    chosen, kept = compiled(X)
    np.testing.assert_array_equal(chosen, X[[0, 2]])  # its shape is that of the program
    np.testing.assert_array_equal(kept, X)


def test_results_that_are_arrays_from_outside():
    compiled = tg.compile(lambda x: (weights, x + 1))
    for i in range(4):
        weights[0] = i
        same, _ = compiled(X)
        np.testing.assert_array_equal(same, weights)
        assert same is not weights


def test_a_deleted_global():
    space = {"np": np}
    exec("k = 2.0\ndef f(x):\n    return x * k\n", space)
    compiled = tg.compile(space["f"])
    called(compiled, lambda x: x * 2)
    del space["k"]
    with pytest.raises(NameError, match="k"):
        compiled(X)
    space["k"] = 5.0
    called(compiled, lambda x: x * 5)


def test_random_numbers_beside_arrays_from_outside():
    def noisy(x):
        return x * weights + tnp.random.normal(size=3)

    compiled = tg.compile(noisy)
    tnp.random.seed(1)
    results = [compiled(X) for _ in range(3)]
    tnp.random.seed(1)
    for result in results:
        np.testing.assert_allclose(result, noisy(X), rtol=1e-14)


def test_what_the_function_changes_itself():
    global weights

    def rebinding(x):
        global weights
        weights = weights * 2
        return x * weights

    def appending(x):
        log.append(len(log))
        return x * 2

    compiled = tg.compile(rebinding)
    for i in range(4):
        if i == 1:
            with pytest.warns(ImpureWarning, match="other constants"):
                result = compiled(X)
        else:
            result = compiled(X)
        np.testing.assert_array_equal(result, X * np.array([1.0, 2.0, 3.0]) * 2 ** (i + 1))
    log = []
    compiled = tg.compile(appending, check=False)
    for i in range(4):
        called(compiled, appending)
        log.append(i)
    assert compiled.report().signatures[0].programs[0].hits == 12
