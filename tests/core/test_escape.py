"""Values that outlive the transform that made them raise when they are used again."""

import weakref

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.array import check_alive
from tapegrad.core.backward import backward
from tapegrad.core.leaf import requires_grad
from tapegrad.core.tape import local
from tapegrad.errors import EscapedValueError, TapegradError


def escape(transform, use=lambda x: x):
    """A value of a transform, stored outside."""
    stored = []

    def f(x):
        stored.append(use(x))
        return x * x

    transform(f)
    return stored[0]


DIFFERENTIATING = {
    "grad": lambda f: tg.grad(f)(2.0),
    "vjp": lambda f: tg.vjp(f, 2.0),
    "jvp": lambda f: tg.jvp(f, (2.0,), (1.0,)),
    "linearize": lambda f: tg.linearize(f, 2.0),
}
MAPPING = {
    "vmap": lambda f: tg.vmap(f)(np.arange(3.0)),
    "vmap(grad)": lambda f: tg.vmap(tg.grad(f))(np.arange(3.0)),
}
USES = {"the leaf": lambda x: x, "a result": lambda x: x * 3.0}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("transform", MAPPING)
def test_a_mapped_value_raises_at_the_operation(transform, use):
    x = escape(MAPPING[transform], USES[use])
    for operation in (
        lambda x: x * 2.0,
        tnp.sin,
        tnp.sum,
        lambda x: x > 0,
        lambda x: np.ones(2) + x,
    ):
        with pytest.raises(
            EscapedValueError, match="used after the transform that made it had ended"
        ):
            operation(x)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("transform", DIFFERENTIATING)
def test_a_differentiated_value_raises_in_the_sweep_at_the_latest(transform, use):
    x = escape(DIFFERENTIATING[transform], USES[use])
    with pytest.raises(
        TapegradError, match=r"neither an entry nor a leaf|transform that .* had ended"
    ):
        tg.grad(lambda y: x * y)(3.0)
    w = requires_grad(3.0)
    with pytest.raises(TapegradError, match="neither an entry nor a leaf"):
        backward(w * x)
    assert w.grad is None


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("transform", [*DIFFERENTIATING, *MAPPING])
def test_reading_an_escaped_value_raises(transform, use):
    x = escape((DIFFERENTIATING | MAPPING)[transform], USES[use])
    for read in (np.asarray, float, bool, lambda x: x.item(), lambda x: x.tolist()):
        with pytest.raises(EscapedValueError, match="Return it from the function"):
            read(x)
    with pytest.raises(EscapedValueError):
        check_alive(x)


def test_values_are_alive_inside():
    def f(x):
        y = x * x
        check_alive(x)
        check_alive(y)
        assert y.item() == 4.0

        def g(z):
            check_alive(x)
            check_alive(y)
            return z * y

        return tg.grad(g)(3.0) * x

    assert tg.grad(f)(2.0) == 12.0


def test_values_of_an_outer_level_survive_an_inner_one():
    stored = []

    def f(x):
        def g(y):
            stored.append(x * y)
            stored.append(x * 2.0)
            return y * y

        tg.grad(g)(3.0)
        return stored[1] * x + stored[0] * x

    # 2 x^2 + 3 x^2: the second is known to the outer level although y is gone
    assert tg.grad(f)(2.0) == 20.0
    with pytest.raises(EscapedValueError):
        stored[0].item()


def test_a_result_is_no_tracked_value():
    value, pullback = tg.vjp(lambda x: x * 2.0, 3.0)
    assert type(value) is np.float64
    assert type(pullback(np.float64(1.0))[0]) is np.float64
    mapped = tg.vmap(lambda x: x * 2)(np.arange(3.0))
    assert type(mapped) is np.ndarray


RETURNING = {
    "grad": lambda f: tg.grad(f)(3.0),
    "value_and_grad": lambda f: tg.value_and_grad(f)(3.0),
    "vjp": lambda f: tg.vjp(f, 3.0),
    "jvp": lambda f: tg.jvp(f, (3.0,), (1.0,)),
    "jacobian": lambda f: tg.jacobian(f)(3.0),
    "grad(grad)": lambda f: tg.grad(lambda z: z * tg.grad(f)(3.0))(1.0),
    "grad(jvp)": lambda f: tg.grad(lambda z: z * tg.jvp(f, (3.0,), (1.0,))[1])(1.0),
}


@pytest.mark.parametrize("transform", RETURNING)
def test_returning_an_escaped_value_raises(monkeypatch, transform):
    none = weakref.WeakValueDictionary()  # whatever other tests have left
    monkeypatch.setattr("tapegrad.core.level.leaves", none)
    monkeypatch.setattr("tapegrad.core.tape.shared.imperative", False)
    x = escape(DIFFERENTIATING["grad"])
    with pytest.raises(EscapedValueError, match="after the transform that made it had ended"):
        RETURNING[transform](lambda y: x)


def test_a_closed_value_does_not_spoil_the_next_transform():
    x = escape(MAPPING["vmap"])
    with pytest.raises(EscapedValueError):
        tg.vmap(lambda y: y * x)(np.arange(3.0))
    np.testing.assert_array_equal(tg.vmap(lambda y: y * 2)(np.arange(3.0)), [0.0, 2.0, 4.0])
    assert len(local.root) == 0


def test_what_is_said_of_values_that_are_gone(monkeypatch):
    used = r"Trying to backward .* has used it up: call that one with retain_graph=True"
    ended = r"was computed in a transform that has ended, or has raised: return values"
    x = escape(DIFFERENTIATING["grad"], USES["a result"])
    none = weakref.WeakValueDictionary()  # as if there never had been a leaf
    monkeypatch.setattr("tapegrad.core.level.leaves", none)
    monkeypatch.setattr("tapegrad.core.tape.shared.imperative", False)
    with pytest.raises(EscapedValueError, match=f"the result depends on .*It {ended}"):
        tg.grad(lambda y: x * y)(3.0)
    w = requires_grad(3.0)
    y = w * w
    backward(y)
    with pytest.raises(EscapedValueError, match=f"{used}.*Or it {ended}"):
        backward(y * 2.0)
    local.root.clear()
