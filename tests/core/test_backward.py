"""Imperative leaves: `backward`, `gradients`, `.grad`, hooks; alone and inside transforms."""

import gc
import weakref

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core import reverse
from tapegrad.core.array import Array, untracked
from tapegrad.core.backward import backward, gradients
from tapegrad.core.leaf import (
    add_hook,
    add_hook_after,
    detach,
    freeze,
    is_leaf,
    make_leaf,
    requires_grad,
    retain_grad,
)
from tapegrad.core.modes import no_grad
from tapegrad.core.op import codes
from tapegrad.core.tape import hooks, leaves, local
from tapegrad.errors import EscapedValueError, NotDifferentiableError, TapegradError


def value(x):
    """The gradient of a leaf as plain numbers."""
    return x.grad.raw


def test_a_gradient_that_nobody_else_has_is_not_copied(monkeypatch):
    places = []

    def step(entry, g, cotangents):
        d = np.full(3, 2.0)
        places.append(d.ctypes.data)
        cotangents[entry[2]] = d

    reverse.extend_steps()
    steps = [
        (reverse.OTHER, step, None) if codes[i][0].name == "exp" else own
        for i, own in enumerate(reverse.steps)
    ]
    monkeypatch.setattr(reverse, "steps", steps)
    w = requires_grad(np.ones(3))
    backward(tnp.sum(tnp.exp(w)))
    assert value(w).ctypes.data == places[0]


# Leaves


def test_a_leaf_begins_without_gradient_and_owns_its_data():
    data = np.array([1.0, 2.0])
    w = requires_grad(data)
    assert w.grad is None
    data[0] = 100.0
    np.testing.assert_array_equal(w.raw, [1.0, 2.0])
    assert is_leaf(w)
    assert not is_leaf(w * 2)
    assert is_leaf(untracked(data))


def test_a_leaf_is_found_by_its_slot_while_it_lives():
    w = requires_grad(1.0)
    slot = w.slot
    assert leaves[slot] is w
    del w
    assert slot not in leaves


@pytest.mark.parametrize("data", [3, np.array([1, 2]), True])
def test_integers_have_no_gradient(data):
    with pytest.raises(TypeError, match="requires_grad needs inputs of floating point"):
        requires_grad(data)


def test_only_leaves_can_be_made_to_require_gradients_or_not():
    w = requires_grad(1.0)
    y = w * 2
    for change in (make_leaf, freeze):
        with pytest.raises(ValueError, match=r"only a leaf .* Use detach"):
            change(y)
    freeze(w)
    assert (w * 2).slot == 0
    make_leaf(w)
    backward(w * 2)
    assert value(w) == 2.0
    assert make_leaf(w) is w
    assert (detach(y).slot, detach(y).raw) == (0, 2.0)


# The sweep


def test_gradients_accumulate():
    w = requires_grad(np.array([1.0, 2.0]))
    backward(tnp.sum(w * w))
    backward(tnp.sum(3.0 * w))
    np.testing.assert_array_equal(value(w), [5.0, 7.0])
    w.grad = None
    backward(tnp.sum(w))
    np.testing.assert_array_equal(value(w), [1.0, 1.0])


def test_two_leaves_share_no_gradient():
    a, b, g = requires_grad(np.ones(3)), requires_grad(np.ones(3)), np.ones(3)
    backward(a + b, g)
    a.grad.raw *= 2.0
    np.testing.assert_array_equal(value(b), np.ones(3))
    np.testing.assert_array_equal(g, np.ones(3))


def test_a_gradient_shares_no_memory_with_what_is_saved():
    x, w = np.ones(3), requires_grad(np.ones(3))
    y = w * x
    backward(y, np.ones(3), retain_graph=True)
    value(w)[:] = 7.0
    np.testing.assert_array_equal(x, np.ones(3))
    w.grad = None
    backward(tnp.sum(w))  # a broadcast scalar
    value(w)[0] = 5.0
    np.testing.assert_array_equal(value(w), [5.0, 1.0, 1.0])
    w.grad = None
    backward(w, g := np.ones(3))
    value(w)[:] = 2.0
    np.testing.assert_array_equal(g, np.ones(3))


def test_an_accumulated_gradient_leaves_earlier_buffers_alone():
    w = requires_grad(np.ones(2))
    backward(tnp.sum(w))
    first, buffer = w.grad, w.grad.raw
    loss = tnp.sum(w.grad * w)  # saves the gradient
    backward(tnp.sum(w))
    assert w.grad is first
    np.testing.assert_array_equal(buffer, [1.0, 1.0])
    np.testing.assert_array_equal(value(w), [2.0, 2.0])
    backward(loss)
    np.testing.assert_array_equal(value(w), [3.0, 3.0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
def test_gradients_keep_the_dtype_and_shape(dtype):
    w = requires_grad(np.ones((2, 3), dtype))
    backward(tnp.sum(tnp.real(w * np.float64(2.0))))
    assert value(w).dtype == dtype
    assert value(w).shape == (2, 3)


def test_a_scalar_of_one_element_needs_no_cotangent_and_others_do():
    w = requires_grad(np.ones(3))
    backward(w[:1] * 2.0)
    np.testing.assert_array_equal(value(w), [2.0, 0.0, 0.0])
    with pytest.raises(
        TypeError, match=r"backward of a result of shape \(3,\) needs its cotangent"
    ):
        backward(w * 2.0)
    with pytest.raises(ValueError, match=r"backward: the argument gradient must have shape \(3,\)"):
        backward(w * 2.0, np.ones(2))
    with pytest.raises(TypeError, match="needs a real result"):
        backward(w[0] * 1j)


def test_the_cotangent_may_be_of_another_dtype():
    w = requires_grad(np.ones(2, np.float32))
    backward(w * 2, np.array([1, 2]))
    np.testing.assert_array_equal(value(w), [2.0, 4.0])
    assert value(w).dtype == np.float32


def test_several_outputs():
    w = requires_grad(2.0)
    a, b = w * 3.0, w * w
    backward([a, b], [np.float64(10.0), np.float64(1.0)])
    assert value(w) == 34.0
    with pytest.raises(TypeError, match=r"Expected 2 of them, but got 1"):
        gradients([w * 1.0, w * 2.0], [w], [np.float64(1.0)])
    y = w * 3.0
    assert gradients([y, y, w], [w])[0].raw == 7.0


def test_a_leaf_is_an_output_too():
    w = requires_grad(2.0)
    backward(w)
    backward(w, np.float64(4.0))
    assert value(w) == 5.0


@pytest.mark.parametrize("x", [untracked(np.float64(1.0)), tnp.asarray(2.0)])
def test_constants_have_no_backward(x):
    x = x if isinstance(x, Array) else untracked(x)
    with pytest.raises(
        NotDifferentiableError, match="backward needs a value that depends on an imp"
    ):
        backward(x)
    with pytest.raises(NotDifferentiableError, match="does not require grad"):
        gradients(requires_grad(1.0) * 2, [x])


def test_shared_subgraphs_cost_what_they_are():
    y = w = requires_grad(1.0)
    for _ in range(60):
        y = y + y
    backward(y)
    assert value(w) == 2.0**60


def test_a_graph_is_freed_as_it_is_used():
    w = requires_grad(np.ones(3))
    kept = w * 5.0
    hidden = tnp.exp(w)
    saved = weakref.ref(hidden.raw)
    loss = tnp.sum(hidden * 2.0)
    del hidden
    assert saved() is not None
    backward(loss)
    assert saved() is None
    assert [entry[1] for entry in local.root] == [kept.slot]
    with pytest.raises(
        EscapedValueError, match=r"backward through the graph a second time.*retain_g"
    ):
        backward(loss)


def test_a_retained_graph_is_there_again():
    w = requires_grad(3.0)
    y = w * w
    backward(y, retain_graph=True)
    backward(y)
    assert value(w) == 12.0
    with pytest.raises(EscapedValueError, match="second time"):
        backward(y)


def test_a_part_freed_by_another_sweep_raises_before_anything_happens():
    w, v = requires_grad(3.0), requires_grad(1.0)
    shared = w * w
    first, second = shared * 2.0, shared * v
    backward(first)
    length = len(local.root)
    with pytest.raises(EscapedValueError, match="second time"):
        backward(second)
    assert v.grad is None
    assert value(w) == 12.0
    assert len(local.root) == length


def test_additions_alone_are_freed_too():
    w = requires_grad(3.0)
    y = w + w
    backward(y)
    with pytest.raises(EscapedValueError, match="second time"):
        backward(y)


def test_values_of_a_freed_graph_can_still_be_read():
    w = requires_grad(np.ones(2))
    hidden = w * 2.0
    loss = tnp.sum(hidden)
    backward(loss)
    assert loss.item() == 4.0
    assert hidden.tolist() == [2.0, 2.0]


def test_a_sweep_that_meets_dead_leaves():
    w = requires_grad(2.0)

    def branch():
        return requires_grad(5.0) * w

    backward(branch())
    assert value(w) == 5.0


# Derivatives of derivatives


def test_gradients_of_gradients():
    w = requires_grad(3.0)
    (first,) = gradients(w**4, [w], create_graph=True)
    (second,) = gradients(first, [w], create_graph=True)
    (third,) = gradients(second, [w])
    assert [first.raw, second.raw, third.raw] == [108.0, 108.0, 72.0]
    assert third.slot == 0
    assert w.grad is None


def test_a_gradient_penalty():
    x, w = requires_grad(np.array([1.0, 2.0])), requires_grad(np.array([3.0, 4.0]))
    (g,) = gradients(tnp.sum(w * x * x), [x], create_graph=True)  # 2 w x
    backward(tnp.sum(g * g))  # 4 w^2 x^2
    np.testing.assert_array_equal(value(w), 8 * np.array([3.0, 4.0]) * np.array([1.0, 4.0]))
    np.testing.assert_array_equal(value(x), 8 * np.array([9.0, 16.0]) * np.array([1.0, 2.0]))


def test_backward_can_be_recorded():
    w = requires_grad(2.0)
    backward(w**3, create_graph=True)
    g = w.grad
    assert g.slot > 0
    w.grad = None
    backward(g)
    assert value(w) == 12.0
    assert w.grad.slot == 0


def test_recorded_sweeps_record_under_no_grad():
    w = requires_grad(2.0)
    y = w**3
    with no_grad():
        (g,) = gradients(y, [w], create_graph=True)
        assert (w * 2).slot == 0
    backward(g)
    assert value(w) == 12.0


def test_a_cotangent_that_is_tracked():
    w, v = requires_grad(3.0), requires_grad(5.0)
    y = w * w
    (g,) = gradients(y, [w], v * 2.0, create_graph=True)
    backward(g)
    assert value(v) == 12.0  # of 2 v * 2 w
    assert value(w) == 20.0
    z = w * w
    (g,) = gradients(z, [w], v * 2.0)
    assert (g.slot, g.raw) == (0, 60.0)


def test_many_cotangents_at_once():
    w = requires_grad(np.array([1.0, 2.0, 3.0]))
    y = tnp.sin(w) * w
    rows = tg.vmap(lambda g: gradients(y, [w], g, retain_graph=True)[0])(np.eye(3))
    np.testing.assert_allclose(rows, np.diag(np.cos(w.raw) * w.raw + np.sin(w.raw)))


# Chosen inputs


def test_only_the_chosen_inputs_are_added_to():
    a, b, c = (requires_grad(x) for x in (2.0, 3.0, 5.0))
    y = a * b * c
    backward(y, inputs=[a, c])
    assert (value(a), b.grad, value(c)) == (15.0, None, 6.0)


def test_computed_values_are_inputs_too():
    w = requires_grad(2.0)
    hidden = w * 3.0
    loss = hidden * hidden
    retain_grad(hidden)
    backward(loss, inputs=[hidden], retain_graph=True)
    assert (hidden.grad.raw, w.grad) == (12.0, None)
    a, b = gradients(loss, [hidden, w], retain_graph=True)
    assert (a.raw, b.raw) == (12.0, 36.0)
    assert gradients(loss, [loss])[0].raw == 1.0


def test_an_input_may_lie_above_what_was_freed():
    w = requires_grad(2.0)
    hidden = w * 3.0
    above = hidden + 1.0
    backward(hidden)  # frees what is below
    loss = above * above
    assert gradients(loss, [above], retain_graph=True)[0].raw == 14.0
    assert gradients(loss, [hidden], retain_graph=True)[0].raw == 14.0
    with pytest.raises(EscapedValueError, match="second time"):
        gradients(loss, [w])


def test_an_input_that_does_not_matter_gives_none():
    a, b = requires_grad(2.0), requires_grad(3.0)
    later = b * 2.0
    g, none, also_none = gradients(a * a, [a, b, later])
    assert (g.raw, none, also_none) == (4.0, None, None)


def test_rules_of_other_inputs_do_not_run(monkeypatch):
    a, b = requires_grad(np.ones(2)), requires_grad(np.ones(2))
    y = tnp.sum(a * tnp.exp(tnp.exp(b)))
    steps = count_rules(monkeypatch, tg.core.op.table["exp"])
    gradients(y, [a])
    assert steps == []


def count_rules(monkeypatch, op):
    """A list that grows whenever a sweep comes to an entry of `op`, and does nothing there."""
    reverse.extend_steps()
    ran, steps = [], list(reverse.steps)
    for code in op.codes.values():
        steps[code] = reverse.OTHER, lambda *_args: ran.append(op.name), None
    monkeypatch.setattr(reverse, "steps", steps)
    return ran


# Hooks and retained gradients


def test_a_retained_gradient():
    w = requires_grad(2.0)
    hidden = w * 3.0
    retain_grad(hidden)
    backward(hidden * hidden, retain_graph=True)
    assert hidden.grad.raw == 12.0
    backward(hidden * 1.0)
    assert hidden.grad.raw == 13.0
    with pytest.raises(NotDifferentiableError, match="retain_grad needs a value"):
        retain_grad(untracked(np.float64(1.0)))


def test_hooks_see_and_replace_cotangents():
    w, seen = requires_grad(2.0), []
    hidden = w * 3.0
    remove = add_hook(hidden, lambda g: seen.append(("hidden", g.raw)))
    add_hook(hidden, lambda g: g * 10.0)
    add_hook(hidden, lambda g: seen.append(("after", g.raw)))
    add_hook(w, lambda g: seen.append(("leaf", g.raw)))
    add_hook(w, lambda g: g + 1.0)
    backward(hidden * hidden, retain_graph=True)
    assert seen == [("hidden", 12.0), ("after", 120.0), ("leaf", 360.0)]
    assert value(w) == 361.0
    remove()
    remove()
    seen.clear()
    backward(hidden * 1.0)
    assert seen == [("after", 10.0), ("leaf", 30.0)]


def test_hooks_run_for_inputs_of_gradients():
    w = requires_grad(2.0)
    hidden = w * 3.0
    add_hook(hidden, lambda g: g * 10.0)
    assert [g.raw for g in gradients(hidden * hidden, [hidden, w])] == [120.0, 360.0]


def test_a_hook_must_keep_the_shape():
    w = requires_grad(np.ones(3))
    add_hook(w, lambda g: g[:1])
    with pytest.raises(TapegradError, match=r"has changed the size of value: from \[3\]"):
        backward(tnp.sum(w))
    assert w.grad is None


def test_hooks_run_once_where_a_sweep_meets_nan():
    w, seen = requires_grad(0.0), []
    root = tnp.sqrt(w)
    add_hook(root, lambda g: seen.append(float(g.raw)))
    backward(tnp.where(w.raw > 0, root, 0.0) + w)
    assert seen == [0.0]
    assert value(w) == 1.0


def test_hooks_run_after_accumulation():
    w, seen = requires_grad(2.0), []
    remove = add_hook_after(w, lambda leaf: seen.append(leaf.grad.raw))
    backward(w * 3.0)
    backward(w * 3.0)
    remove()
    backward(w * 3.0)
    assert seen == [3.0, 6.0]
    with pytest.raises(NotDifferentiableError, match="a hook on the accumulated gradient"):
        add_hook_after(w * 2.0, print)


def test_hooks_record_where_the_sweep_does():
    w = requires_grad(2.0)
    y = w * w
    add_hook(w, lambda g: g * g)
    (g,) = gradients(y, [w], create_graph=True)  # 4 w^2
    add_hook(y, lambda g: (g * w).slot and None)
    before = len(local.root)
    backward(w * w * 1.0)
    assert len(local.root) <= before
    w.grad = None
    assert gradients(g, [w])[0].raw == (8 * 2.0) ** 2


def test_hooks_go_with_their_values():
    w = requires_grad(2.0)
    y = w * w
    add_hook(y, lambda g: None)
    assert len(hooks) == 1
    backward(y * 1.0)
    assert not hooks
    y = w * w
    add_hook(y, lambda g: None)
    del y
    local.root.compact()
    assert len(local.root) == 0
    assert not hooks


def test_a_hook_that_refers_to_its_leaf_is_collected_with_it():
    def make():
        w = requires_grad(2.0)
        add_hook(w, lambda g: g * w)
        return weakref.ref(w)

    died = make()
    gc.collect()
    assert died() is None


def test_a_hook_does_not_keep_an_entry_alive():
    w = requires_grad(np.ones(3))
    y = w * 2.0
    add_hook(y, lambda g: None)
    assert len(local.root) == 1
    del y
    local.root.compact()
    assert len(local.root) == 0


# Under a transform


def test_a_transform_over_a_leaf_stays_on_the_tape():
    w = requires_grad(5.0)
    g = tg.grad(lambda x: x * x * w)(2.0)
    assert isinstance(g, Array)
    assert g.raw == 20.0
    backward(g)
    assert value(w) == 4.0


def test_a_transform_over_a_computed_value_stays_on_the_tape():
    def make():
        return requires_grad(5.0) * 1.0

    y = make()  # its leaf is gone
    g = tg.grad(lambda x: x * x * y)(2.0)
    assert gradients(g, [y])[0].raw == 4.0


@pytest.mark.parametrize("transform", ["grad", "jvp", "vjp", "vmap", "nested"])
def test_every_transform_is_recorded_for_a_leaf(transform):
    w = requires_grad(5.0)

    def f(x):
        return x * x * w

    y = {
        "grad": lambda: tg.grad(f)(2.0),
        "jvp": lambda: tg.jvp(f, (2.0,), (1.0,))[1],
        "vjp": lambda: tg.vjp(f, 2.0)[1](np.float64(1.0))[0],
        "vmap": lambda: tnp.sum(tg.vmap(tg.grad(f))(np.array([2.0]))),
        "nested": lambda: tg.grad(lambda x: tg.grad(f)(x) * x)(1.0),
    }[transform]()
    backward(y)
    assert value(w) == 4.0


@pytest.mark.parametrize("product", [tg.jvp, lambda f, xs, ts: tg.vjp(f, *xs)[1](ts[0])])
def test_what_rules_record_of_a_derivative_that_is_put_in_survives_a_transform(product):
    w = requires_grad(5.0)
    t = product(lambda x: tnp.tanh(x) + x, (0.5,), (w,))[-1]
    backward(t * w)
    np.testing.assert_allclose(value(w), 2 * 5.0 * (2 - np.tanh(0.5) ** 2))
    assert len(local.root) == 0


def test_results_of_a_transform_that_are_outside_values_come_back_tracked():
    w = requires_grad(5.0)
    y = w * 2.0
    for result, slope in ((w, 1.0), (y, 2.0)):
        seen, g = tg.value_and_grad(lambda x, v=result: v)(2.0)
        assert g == 0.0
        assert gradients(seen, [w], retain_graph=True)[0].raw == slope
        for at in (2.0, np.array([2.0])):
            g, seen = tg.grad(lambda x, v=result: (tnp.sum(x * x), v), has_aux=True)(at)
            assert g == 4.0
            assert gradients(seen, [w], retain_graph=True)[0].raw == slope


def test_what_a_custom_rule_closes_over_is_a_constant():
    w, x = requires_grad([2.0, 3.0]), requires_grad([1.0, 1.0])
    f = tg.custom_vjp(lambda x: x * 1.0)
    for rule in (lambda _, g: (g * w,), lambda _, g: (w,)):
        f.defvjp(lambda x: (x * 1.0, None), rule)
        for run in (lambda: backward(tnp.sum(f(x))), lambda: backward(f(x), np.ones(2))):
            x.grad = None
            run()
            assert type(x.grad.raw) is np.ndarray
            assert x.grad.slot == 0
            assert not np.shares_memory(x.grad.raw, w.raw)
            assert x.grad.raw.tolist() == [2.0, 3.0]
        (g,) = gradients(tnp.sum(f(x)), [x])
        assert (g.slot, g.raw.tolist()) == (0, [2.0, 3.0])
    assert len(local.root) == 0


def test_entries_that_only_use_the_outside_survive_a_transform():
    w, outside = requires_grad(5.0), []

    def f(x):
        outside.append(w * 3.0)
        inner = tnp.exp(x)
        return inner * x

    before = len(local.root)
    tg.grad(f)(2.0)
    assert len(local.root) == before + 1
    backward(outside[0])
    assert value(w) == 3.0


def test_survivors_forget_what_is_gone():
    w, kept = requires_grad(5.0), []

    def f(x):
        y = x * w
        kept.append(y)
        return y * y

    tg.grad(f)(2.0)
    (y,) = kept
    backward(y)
    assert value(w) == 2.0


def test_a_leaf_of_a_leaf_is_linked():
    """A transform that takes an imperative leaf as its argument differentiates through."""
    w = requires_grad(3.0)
    g = tg.grad(lambda x: x**3)(w)
    backward(g)
    assert value(w) == 18.0


def test_backward_inside_a_transform_is_differentiated():
    w = requires_grad(3.0)

    def f(x):
        w.grad = None
        backward(x * x * w)
        return w.grad * x  # x^3

    assert tg.grad(f)(2.0) == 12.0
    assert (value(w), w.grad.slot) == (4.0, 0)
    assert tg.grad(tg.grad(f))(2.0) == 12.0
    assert (value(w), w.grad.slot) == (4.0, 0)
    assert tg.jvp(f, (2.0,), (1.0,))[1] == 12.0
    assert tg.jvp(tg.grad(f), (2.0,), (1.0,))[1] == 12.0


def test_a_leaf_made_inside_a_transform():
    def f(x):
        v = requires_grad(5.0)
        backward(x * x * v)
        return v.grad * x

    assert tg.grad(f)(2.0) == 12.0
    assert tg.grad(lambda x: x * requires_grad(4.0))(2.0).raw == 4.0


def test_backward_inside_a_transform_stops_at_its_leaves():
    w = requires_grad(3.0)

    def f(x):
        y = x * w
        backward(y)
        return y * 1.0

    g = tg.grad(lambda z: tg.grad(f)(z))(2.0)
    assert g == 0.0 or g.raw == 0.0
    assert value(w) == 2.0


def test_backward_inside_a_transform_frees_nothing_of_it():
    w = requires_grad(3.0)
    before = w * 2.0

    def f(x):
        y = x * x * w
        backward(y)
        backward(y)  # is still there
        backward(before * 1.0)  # is older: freed
        assert all(entry[1] != before.slot for entry in local.root)
        return y

    assert tg.grad(f)(2.0).raw == 12.0
    assert value(w) == 4.0 + 4.0 + 2.0
    with pytest.raises(EscapedValueError, match="second time"):
        backward(before)


def test_gradients_written_inside_are_detached_when_the_transform_ends():
    w = requires_grad(3.0)

    def f(x):
        backward(x * x * w)
        assert w.grad.slot
        return x

    tg.grad(f)(2.0)
    assert w.grad.slot == 0
    backward(w * w)
    assert (value(w), w.grad.slot) == (10.0, 0)
    local.root.compact()
    assert len(local.root) == 0


def test_gradients_written_inside_stay_on_outer_levels():
    w = requires_grad(3.0)

    def outer(x):
        def inner(y):
            w.grad = None
            backward(x * x * y * w)
            return y

        tg.grad(inner)(5.0)
        return w.grad * 1.0  # 5 x^2

    assert tg.grad(outer)(2.0) == 20.0
    assert w.grad.slot == 0


def test_a_created_graph_outlives_the_transform():
    w = requires_grad(3.0)

    def f(x):
        backward(x * w * w, create_graph=True)
        return x

    tg.grad(f)(2.0)
    g = w.grad
    assert g.raw == 12.0
    w.grad = None
    backward(g)
    assert value(w) == 4.0  # x, known as 2, times 2


def test_a_raise_after_backward_inside_detaches_as_well():
    w = requires_grad(3.0)

    def f(x):
        backward(x * x * w)
        raise KeyError

    with pytest.raises(KeyError):
        tg.grad(f)(2.0)
    assert (value(w), w.grad.slot) == (4.0, 0)


def test_backward_of_lanes_raises():
    w = requires_grad(3.0)

    def f(x):
        backward(x * w)
        return x

    with pytest.raises(
        TapegradError, match=r"backward\(\) inside vmap would give a leaf one gradient"
    ):
        tg.vmap(f)(np.arange(3.0))
    y = w * 2.0
    with pytest.raises(TapegradError, match=r"backward\(\) inside vmap"):
        tg.vmap(lambda g: (backward(y, g, retain_graph=True), g)[1])(np.arange(3.0))
    assert w.grad is None


def test_backward_of_what_all_lanes_share():
    w = requires_grad(3.0)

    def f(x):
        backward(w * w)
        return x

    tg.vmap(f)(np.arange(3.0))
    assert value(w) == 6.0


def test_backward_through_vmap():
    w = requires_grad(3.0)
    backward(tnp.sum(tg.vmap(lambda x: x * x * w)(np.arange(3.0))))
    assert value(w) == 5.0


def test_hvp_through_backward():
    """A functional derivative of what `backward` fills."""
    w = requires_grad(np.array([1.0, 2.0]))

    def slope(v):
        u = make_leaf(untracked(w.raw.copy()))
        backward(tnp.sum(u**3 * v))
        return u.grad

    _, t = tg.jvp(slope, (np.ones(2),), (np.array([1.0, 10.0]),))
    np.testing.assert_array_equal(t.raw, 3 * w.raw**2 * [1.0, 10.0])


# An imperative training loop


def test_training_converges_and_leaves_nothing_behind(rng):
    x = rng.standard_normal((50, 3))
    truth = np.array([1.0, -2.0, 0.5])
    y = x @ truth
    w = requires_grad(np.zeros(3))
    for _ in range(200):
        w.grad = None
        error = tnp.matmul(x, w) - y
        loss = tnp.mean(error * error)
        backward(loss)
        w.raw = w.raw - 0.1 * value(w)
        del error, loss
    np.testing.assert_allclose(w.raw, truth, atol=1e-6)
    local.root.compact()
    assert len(local.root) == 0
