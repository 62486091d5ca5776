"""`no_grad` and its like: what is recorded, where, and what is restored."""

import threading

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.backward import backward
from tapegrad.core.leaf import requires_grad
from tapegrad.core.modes import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from tapegrad.core.tape import Paused, local


def test_nothing_is_recorded_under_no_grad():
    w = requires_grad(2.0)
    with no_grad():
        y = w * 3.0
        z = tnp.sum(w + np.ones(2)) ** w
    assert y.slot == z.slot == 0
    assert len(local.root) == 0
    assert (w * 3.0).slot > 0


def test_part_of_a_function_is_a_constant():
    def f(x):
        with no_grad():
            c = x * x
        return c * x

    assert tg.grad(f)(3.0) == 9.0
    assert tg.jvp(f, (3.0,), (1.0,)) == (27.0, 9.0)
    assert tg.grad(tg.grad(f))(3.0) == 0.0
    np.testing.assert_array_equal(tg.vmap(tg.grad(f))(np.array([1.0, 3.0])), [1.0, 9.0])
    lanes = tg.grad(lambda x: tnp.sum(tg.vmap(f)(x)))
    np.testing.assert_array_equal(lanes(np.array([1.0, 3.0])), [1.0, 9.0])


def test_part_of_a_vmapped_function_is_still_mapped():
    def f(x):
        with no_grad():
            return tnp.floor(x) + x * tnp.argmax(x + np.zeros(2))

    np.testing.assert_array_equal(tg.vmap(f)(np.array([1.5, 2.5])), [1.0, 2.0])


def test_a_transform_inside_no_grad_differentiates():
    with no_grad():
        assert tg.grad(lambda x: x * x)(3.0) == 6.0
        assert tg.grad(tg.grad(lambda x: x**3))(2.0) == 12.0
        assert tg.vjp(lambda x: x * x, 3.0)[1](np.float64(1.0)) == (6.0,)
        np.testing.assert_array_equal(tg.vmap(tg.grad(lambda x: x * x))(np.ones(2)), [2.0, 2.0])
        assert not is_grad_enabled()


def test_a_transform_inside_no_grad_inside_a_transform():
    def f(x):
        with no_grad():
            slope = tg.grad(lambda y: y * y * x)(3.0)  # 6 x, a constant out here
        return slope * x

    assert tg.grad(f)(2.0) == 12.0


def test_enable_grad_inside_no_grad():
    w = requires_grad(2.0)
    with no_grad():
        with enable_grad():
            y = w * 3.0
            with no_grad():
                assert (w * 3.0).slot == 0
            assert is_grad_enabled()
        assert not is_grad_enabled()
    backward(y)
    assert w.grad.raw == 3.0


def test_set_grad_enabled_at_once_and_as_a_context():
    assert is_grad_enabled()
    with set_grad_enabled(False):
        assert not is_grad_enabled()
        with set_grad_enabled(True):
            assert is_grad_enabled()
        assert not is_grad_enabled()
    assert is_grad_enabled()
    set_grad_enabled(False)
    assert not is_grad_enabled()
    set_grad_enabled(True)
    assert is_grad_enabled()


@pytest.mark.parametrize("mode", [lambda: no_grad, no_grad, lambda: set_grad_enabled(False)])
def test_decorators(mode):
    @mode()
    def f(x, *, times):
        """Multiply."""
        assert not is_grad_enabled()
        return x * times

    assert f.__name__ == "f"
    assert f.__doc__ == "Multiply."
    w = requires_grad(2.0)
    assert is_grad_enabled()
    assert f(w, times=3.0).raw == 6.0
    assert f(w, times=3.0).slot == 0
    assert is_grad_enabled()


def test_a_decorated_function_may_call_itself():
    @no_grad()
    def f(n):
        assert not is_grad_enabled()
        return n if n == 0 else f(n - 1)

    assert f(5) == 0
    assert is_grad_enabled()


def test_one_context_may_be_entered_many_times():
    mode = no_grad()
    with mode:
        with enable_grad(), mode:
            assert not is_grad_enabled()
        assert not is_grad_enabled()
    assert is_grad_enabled()


def test_modes_are_restored_when_something_raises():
    with pytest.raises(KeyError), no_grad(), enable_grad():
        raise KeyError
    assert is_grad_enabled()

    @no_grad
    def f():
        raise KeyError

    with pytest.raises(KeyError):
        f()
    assert is_grad_enabled()

    def g(x):
        with no_grad():
            raise KeyError

    for transform in (tg.grad(g), tg.vmap(g)):
        with pytest.raises(KeyError):
            transform(np.ones(2))
        assert local.tape is local.root


def test_generators_are_paused_step_by_step():
    events = []

    @no_grad
    def generator(n):
        try:
            for i in range(n):
                assert not is_grad_enabled()
                try:
                    events.append((yield i))
                except ValueError:
                    assert not is_grad_enabled()
                    events.append("caught")
        finally:
            events.append(is_grad_enabled())
        return "done"

    steps = generator(3)
    assert next(steps) == 0
    assert is_grad_enabled()
    assert steps.send("sent") == 1
    assert is_grad_enabled()
    assert steps.throw(ValueError) == 2
    with pytest.raises(StopIteration, match="done"):
        next(steps)
    assert events == ["sent", "caught", None, False]
    assert is_grad_enabled()
    events.clear()
    early = generator(3)
    next(early)
    early.close()
    assert events == [False]
    assert is_grad_enabled()
    other = generator(1)
    next(other)
    with pytest.raises(KeyError):
        other.throw(KeyError)
    assert is_grad_enabled()


def test_a_suspended_generator_restores_no_tape():
    """What a generator leaves behind when resumed elsewhere is a mode, never a tape that ended."""

    def generator():
        with no_grad():
            yield

    steps = generator()
    tg.vmap(lambda x: (next(steps), set_grad_enabled(True), x)[2])(np.ones(2))
    list(steps)
    assert local.tape is local.root or type(local.tape) is Paused
    set_grad_enabled(True)
    assert local.tape is local.root


def test_modes_are_of_a_thread():
    seen = []
    inside, leave = threading.Event(), threading.Event()

    def work():
        with no_grad():
            inside.set()
            leave.wait(10)
            seen.append(is_grad_enabled())

    thread = threading.Thread(target=work)
    thread.start()
    inside.wait(10)
    assert is_grad_enabled()
    assert (requires_grad(1.0) * 2.0).slot > 0
    leave.set()
    thread.join()
    assert seen == [False]


def test_backward_works_under_no_grad():
    w = requires_grad(3.0)
    y = w * w
    with no_grad():
        backward(y)
        assert not is_grad_enabled()
    assert w.grad.raw == 6.0
