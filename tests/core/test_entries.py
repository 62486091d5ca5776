"""One layout of entries; what is saved on a differentiation tape, and on a replay tape."""

import tracemalloc
import types

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.leaf import requires_grad
from tapegrad.core.op import NOTHING, codes
from tapegrad.core.program import trace
from tapegrad.core.record import apply
from tapegrad.core.tape import ReplayTape, local
from tests.ops.check import active, cases

X = np.array([1.0, 2.0, 3.0])
Y = np.array([4.0, 5.0, 6.0])


def last_saved():
    """What the youngest entry saved: its inputs and its output."""
    entry = local.root[-1]
    op, arity = codes[entry[0]]
    assert len(entry) == 2 + arity + 1 + arity + 1
    return op.name, entry[3 + arity : -1], entry[-1]


def test_operations_save_what_their_rules_read():
    x, y = requires_grad(X), requires_grad(Y)
    results = [x + y]
    assert last_saved() == ("add", (None, None), None)
    results.append(x * y)
    assert last_saved() == ("multiply", (x.data, y.data), None)
    results.append(tnp.exp(x))
    name, (saved,), out = last_saved()
    assert (name, saved) == ("exp", None)
    assert out is results[-1].data
    results.append(tnp.log(x))
    assert last_saved() == ("log", (x.data,), None)
    results.append(tnp.sum(x))
    assert last_saved() == ("sum", ((3,),), None)
    results.append(-x)
    assert last_saved() == ("negative", (None,), None)


def test_nothing_is_saved_for_the_rules_of_constants():
    x = requires_grad(X)
    results = [x * Y]
    name, (saved_x, saved_y), out = last_saved()
    assert (name, saved_x, out) == ("multiply", None, None)  # x is what the rule of Y would read
    assert saved_y is Y
    results.append(x / Y)
    name, (saved_x, saved_y), out = last_saved()
    assert (name, saved_x, out) == ("divide", None, None)
    assert saved_y is Y
    results.append(Y / x)
    name, (saved_y, saved_x), out = last_saved()
    assert saved_y is Y
    assert saved_x is x.data
    assert out is None  # so that the result may be changed in place


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case[0])
def test_saved_values_are_those_that_some_rule_reads(case):
    _, op, inputs, params = case
    chosen = active(op, inputs)
    if not chosen:
        return
    for single in [*([i] for i in chosen), chosen]:
        leaves = [requires_grad(x) if i in single else x for i, x in enumerate(inputs)]
        before = len(local.root)
        results = op.function(*leaves, **params)  # kept alive until all is looked at
        for entry in local.root[before:]:
            recorded, arity = codes[entry[0]]
            rows = [recorded.reads[entry[0]][i] for i in range(arity) if entry[2 + i]]
            amounts = [max(column) for column in zip(*rows, strict=True)]
            for value, amount in zip(entry[3 + arity :], amounts, strict=True):
                if amount == NOTHING and recorded.name != "pick":
                    assert value is None, f"{recorded.name} saves what no rule reads"
        del results


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case[0])
def test_replay_entries_are_complete(case):
    """A program traced with constants beside one input gives the operation's result anywhere."""
    _, op, inputs, params = case
    if op.name in ("pick", "guard"):
        return
    arrays = [i for i, x in enumerate(inputs) if hasattr(x, "shape")]
    for i in arrays:

        def function(x, i=i):
            filled = [*inputs[:i], x, *inputs[i + 1 :]]
            out = op.function(*filled, **params)
            return list(out) if op.outputs else [out]

        program = trace(function, [inputs[i]], [False], ReplayTape("a test"))
        for entry in program.entries:
            _, arity = codes[entry[0]]
            for slot, saved in zip(entry[2 : 2 + arity], entry[3 + arity : -1], strict=True):
                assert slot or saved is not None, f"{op.name}: an input is missing"
        expected = function(inputs[i])
        for a, b in zip(program.run(inputs[i]), expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_a_chain_of_additions_holds_no_arrays():
    n, count = 100_000, 200
    x = requires_grad(np.zeros(n))
    tracemalloc.start()
    y = x
    for _ in range(count):
        y = y + 1.0
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(local.root) == count
    assert held < 3 * 8 * n  # the result, not the 200 on the way


def test_a_value_used_twice_is_saved_by_reference():
    x = requires_grad(X)
    y = x * x
    _, (first, second), _ = last_saved()
    assert first is second is x.data
    del y


def test_entries_hold_no_frames_and_no_source_lines():
    def function(x):
        return tnp.sum(tnp.exp(x) * x / (1 + x))

    x = requires_grad(X)
    y = function(x)
    allowed = (int, tuple, dict, type(None), float, bool, np.ndarray, np.generic, np.dtype, str)
    for entry in local.root:
        for value in entry:
            assert isinstance(value, allowed)
            assert not isinstance(value, types.FrameType | types.CodeType)
            if isinstance(value, str):
                assert __file__ not in value
    del y


def test_rules_are_data_not_closures_over_values():
    x = requires_grad(X)
    y = tnp.sum(x * Y)
    for entry in local.root:
        assert not any(callable(value) for value in entry[2:])
    del y


def test_apply_saves_as_the_fast_functions_do():
    x, y = requires_grad(X), requires_grad(Y)
    for name in ("add", "multiply", "divide", "maximum", "exp", "log", "sqrt"):
        op = tg.core.op.table[name]
        inputs = (x, y)[: len(op.vjp)]
        for chosen in (inputs, (x, Y)[: len(inputs)], (X, y)[: len(inputs)]):
            if not any(hasattr(a, "slot") for a in chosen):
                continue
            fast = op.function(*chosen)
            a = local.root[-1]
            slow = apply(op, *chosen)
            b = local.root[-1]
            assert a[0] == b[0]
            assert a[2:-1] == b[2:-1] or all(
                p is q or p == q for p, q in zip(a[2:-1], b[2:-1], strict=True)
            )
            assert (a[-1] is None) == (b[-1] is None)
            del fast, slow
