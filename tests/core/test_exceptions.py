"""A raise anywhere leaves tapes, modes and gradients as they were."""

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core import reverse
from tapegrad.core.backward import backward, gradients
from tapegrad.core.leaf import add_hook, add_hook_after, requires_grad
from tapegrad.core.modes import is_grad_enabled, no_grad
from tapegrad.core.op import codes, table
from tapegrad.core.record import apply
from tapegrad.core.tape import current_tape, local
from tapegrad.errors import EscapedValueError
from tests.ops.check import active, cases


class RaisedError(Exception):
    """What the tests raise."""


@pytest.fixture
def state():
    """Checks that nothing has changed since: a live graph below, a leaf's gradient, the modes."""
    local.root.old_bytes = 0  # else the sweep may be one that frees entries as it goes
    local.root.renew()
    w = requires_grad(np.array([1.0, 2.0]))
    backward(tnp.sum(w * w))
    live = tnp.sum(tnp.exp(w) * w)
    entries, grad = list(local.root), w.grad.data.copy()

    def check():
        assert local.root == entries
        assert local.tape is local.root
        assert not local.root.marks
        assert is_grad_enabled()
        np.testing.assert_array_equal(w.grad.data, grad)

    yield check
    local.root.compact()  # what the test itself has recorded
    check()
    backward(live)
    np.testing.assert_allclose(w.grad.data - grad, np.exp(w.data) * (w.data + 1))


def one_of_each():
    """The first sample of every operation that has a derivative."""
    seen = set()
    for case in cases():
        if case[1].name not in seen and active(case[1], case[2]):
            seen.add(case[1].name)
            yield case


TRANSFORMS = {
    "grad": lambda f, x: tg.grad(f)(x),
    "vjp": lambda f, x: tg.vjp(f, x),
    "jvp": lambda f, x: tg.jvp(f, (x,), (x,)),
    "linearize": lambda f, x: tg.linearize(f, x),
    "grad(grad)": lambda f, x: tg.grad(lambda y: tg.grad(f)(x * y))(1.0),
    "vmap": lambda f, x: tg.vmap(f)(np.stack([x, x])),
    "vmap(grad)": lambda f, x: tg.vmap(tg.grad(f))(np.stack([x, x])),
    "grad(vmap)": lambda f, x: tg.grad(lambda y: tnp.sum(tg.vmap(f)(tnp.stack([y, y]))))(x),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("after", range(4))
def test_a_function_that_raises_half_way(state, transform, after):
    def f(x):
        y = x
        for _ in range(after):
            y = tnp.sin(y) * x
        with no_grad():
            raise RaisedError

    with pytest.raises(RaisedError):
        TRANSFORMS[transform](f, np.float64(0.5))
    state()


def test_an_argument_that_is_refused(state):
    """All arguments are looked at before the first one becomes a leaf."""

    def f(x, y):
        return x * y

    w = requires_grad(2.0)
    tracked = w * w
    before = list(local.root)
    for call in (
        lambda: tg.grad(f, (0, 1))(tracked, 3),
        lambda: tg.vjp(f, tracked, 3),
        lambda: tg.jvp(f, (tracked, 3), (1.0, 1.0)),
        lambda: tg.jacobian(lambda xs: f(*xs))([tracked, "3"]),
    ):
        with pytest.raises(TypeError):
            call()
        assert local.root == before


@pytest.mark.parametrize("case", list(one_of_each()), ids=lambda case: case[1].name)
def test_a_raise_in_the_forward_of_any_operation(state, case, monkeypatch):
    _, op, inputs, params = case
    chosen = active(op, inputs)
    leaves = [requires_grad(x) if i in chosen else x for i, x in enumerate(inputs)]
    before = len(local.root)

    def f(x):
        y = x * 2.0
        op.function(*leaves, **params)
        op.function(*leaves, **params)
        raise RaisedError
        return y

    for transform in ("grad", "jvp"):
        with pytest.raises(RaisedError):
            TRANSFORMS[transform](f, np.float64(0.5))
        assert len(local.root) == before

    def broken(*_args, **_kwargs):
        raise RaisedError

    with monkeypatch.context() as patch:
        patch.setattr(op, "forward", broken)
        patch.setattr(op, "operator", broken)
        with pytest.raises(RaisedError):
            tg.grad(lambda x: (x * 2.0, apply(op, *leaves, **params))[0])(0.5)
    assert len(local.root) == before


@pytest.mark.parametrize("case", list(one_of_each()), ids=lambda case: case[1].name)
def test_a_raise_in_the_rule_of_any_operation(state, case, monkeypatch):
    """`backward`, plain and recorded, and the functional sweeps of every operation."""
    _, op, inputs, params = case
    chosen = active(op, inputs)
    leaves = [requires_grad(x) if i in chosen else x for i, x in enumerate(inputs)]
    seen = requires_grad(np.float64(2.0))

    def total(xs, extra):
        filled = list(xs)
        out = op.function(*filled, **params)
        outs = out if op.outputs else (out,)
        parts = [tnp.sum(tnp.real(o * extra)) for o in outs if getattr(o, "slot", 0)]
        return sum(parts[1:], parts[0])

    loss = total(leaves, seen)
    before = list(local.root)
    with monkeypatch.context() as patch:
        break_rules(patch, op)
        for create_graph in (False, True):
            with pytest.raises(RaisedError):
                backward(loss, create_graph=create_graph)
            assert local.root == before
            assert all(getattr(x, "grad", None) is None for x in [*leaves, seen])
        with pytest.raises(RaisedError):
            gradients(loss, [seen, *(leaves[i] for i in chosen)])
        assert local.root == before

        def f(x):
            filled = list(inputs)
            filled[chosen[0]] = x
            return total(filled, 1.0)

        with pytest.raises(RaisedError):
            tg.grad(f)(inputs[chosen[0]])
        assert local.root == before
    del loss


def break_rules(monkeypatch, op):
    """Make every reverse step of an operation raise, whether plain or recorded."""
    reverse.extend_steps()

    def broken(*_args, **_kwargs):
        raise RaisedError

    steps = [
        (reverse.OTHER, broken, None) if codes[i][0] is op else step
        for i, step in enumerate(reverse.steps)
    ]
    monkeypatch.setattr(reverse, "steps", steps)
    through = reverse.pull_through

    def pull_through(entry, *args, **kwargs):
        if codes[entry[0]][0] is op:
            raise RaisedError
        return through(entry, *args, **kwargs)

    monkeypatch.setattr(reverse, "pull_through", pull_through)


def test_a_raise_in_a_pullback_leaves_it_usable(monkeypatch):
    _, pullback = tg.vjp(lambda x: tnp.exp(x) * x, 1.0)
    with monkeypatch.context() as patch:
        break_rules(patch, table["exp"])
        with pytest.raises(RaisedError):
            pullback(np.float64(1.0))
    np.testing.assert_allclose(pullback(np.float64(1.0)), 2 * np.e)


def test_a_raise_inside_inner_levels_keeps_the_outer_one():
    def f(x):
        y = x * x
        for transform in TRANSFORMS.values():
            with pytest.raises(RaisedError):
                transform(raising, np.float64(0.5))
        assert current_tape() is local.root
        assert len(local.root.marks) == 1
        return y * x

    def raising(z):
        tnp.exp(z)
        raise RaisedError

    assert tg.grad(f)(2.0) == 12.0


def test_bad_arguments_of_an_inner_transform_leave_no_entry():
    def f(x):
        before = len(local.root)
        with pytest.raises(TypeError, match="needs inputs of floating point"):
            tg.grad(lambda a, b: a * b, argnums=(0, 1))(x, 3)
        local.root.compact()
        assert len(local.root) == before
        return x

    tg.grad(f)(2.0)


# Hooks


def test_a_hook_that_raises_half_way(state):
    """Leaves that are finished have their gradient; everything else is untouched."""
    done, open_, below = (requires_grad(x) for x in (2.0, 3.0, 5.0))
    hidden = below * open_
    loss = hidden * done + open_ * 1.0
    entries = list(local.root)

    def hook(g):
        raise RaisedError

    remove = add_hook(hidden, hook)
    with pytest.raises(RaisedError):
        backward(loss)
    assert done.grad.data == 15.0
    assert open_.grad is None
    assert below.grad is None
    assert local.root == entries
    remove()
    backward(loss)
    assert (done.grad.data, open_.grad.data, below.grad.data) == (30.0, 11.0, 6.0)


def test_a_raise_in_a_large_sweep_keeps_what_was_not_used():
    w = requires_grad(np.ones(1 << 18))
    first = w * 2.0
    second = tnp.exp(first)
    third = tnp.sin(second)
    loss = tnp.sum(third)
    assert len(local.root) == 4
    with pytest.MonkeyPatch.context() as patch:
        break_rules(patch, table["exp"])
        with pytest.raises(RaisedError):
            backward(loss)
    assert [codes[entry[0]][0].name for entry in local.root] == ["multiply"]
    assert w.grad is None
    with pytest.raises(EscapedValueError, match="second time"):
        backward(loss)


@pytest.mark.parametrize("kind", [add_hook, add_hook_after])
def test_a_leafs_hook_that_raises(state, kind):
    a, b = requires_grad(2.0), requires_grad(3.0)
    loss = a * b
    entries = list(local.root)
    remove = kind(b, lambda g: raise_it())
    with pytest.raises(RaisedError):
        backward(loss)
    assert local.root == entries
    assert a.grad is None or a.grad.data == 3.0
    assert (b.grad is None) == (kind is add_hook)
    remove()
    a.grad = b.grad = None
    backward(loss)
    assert (a.grad.data, b.grad.data) == (3.0, 2.0)


def raise_it():
    raise RaisedError


def test_a_raise_in_a_recorded_sweep_leaves_no_link():
    a, b = requires_grad(2.0), requires_grad(3.0)
    loss = a * a * b
    entries = list(local.root)
    add_hook_after(a, lambda leaf: raise_it())
    with pytest.raises(RaisedError):
        backward(loss, create_graph=True)
    assert local.root == entries
    assert a.grad.data == 12.0
    assert a.grad.slot == 0


def test_a_hook_that_raises_under_a_transform():
    w = requires_grad(3.0)
    remove = add_hook(w, lambda g: raise_it())

    def f(x):
        with pytest.raises(RaisedError):
            backward(x * x * w)
        return x * x

    assert tg.grad(f)(2.0) == 4.0
    assert w.grad is None
    remove()


def test_errors_of_operations_name_them():
    w = requires_grad(np.ones((2, 3)))
    with pytest.raises(ValueError, match="shapes") as caught:
        w + np.ones(4)
    assert any("'add' on float64[2, 3], float64[4]" in note for note in caught.value.__notes__)
    assert len(local.root) == 0
