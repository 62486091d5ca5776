"""Differentiable is not traced: on a replay tape everything that depends on a lane is an entry."""

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.op import Op
from tapegrad.core.record import apply
from tapegrad.core.tape import local
from tapegrad.errors import ConcretizationError
from tapegrad.ops.linear import stop_gradient

INTEGERS = np.array([[3, 1, 2], [0, 5, 4], [7, 7, 6]])
FLOATS = np.array([[0.5, -1.5, 2.0], [-0.5, 0.0, 1.5], [3.0, 2.0, -2.5]])
TABLE = np.arange(10.0) ** 2

PROGRAMS = {
    "integer arithmetic": (INTEGERS, lambda i: (i * 2 + 1) // 3 - i % 2),
    "integer power": (INTEGERS, lambda i: i**2),
    "bits": (INTEGERS, lambda i: (i & 6) | (i << 1) ^ 1),
    "inversion": (INTEGERS, lambda i: ~i),
    "comparison": (INTEGERS, lambda i: i > 2),
    "comparison of floats": (FLOATS, lambda x: (x > 0) & (x < 2)),
    "equality": (INTEGERS, lambda i: i == i[0]),
    "not": (FLOATS, lambda x: tnp.logical_not(x > 0)),
    "take of rows": (INTEGERS, lambda i: tnp.take(TABLE.reshape(5, 2), i % 5, axis=0)),
    "index of a traced array": (INTEGERS, lambda i: (i * 1.5)[i % 3]),
    "take": (INTEGERS, lambda i: tnp.take(TABLE, i)),
    "argmax": (FLOATS, lambda x: tnp.argmax(x)),
    "argsort": (FLOATS, lambda x: tnp.argsort(x)),
    "argmax as an index": (FLOATS, lambda x: x[tnp.argmax(x)]),
    "searchsorted": (FLOATS, lambda x: tnp.searchsorted(np.array([-1.0, 0.0, 1.0]), x)),
    "floor": (FLOATS, lambda x: tnp.floor(x) * x),
    "sign": (FLOATS, lambda x: tnp.sign(x)),
    "rounding": (FLOATS, lambda x: tnp.round(x)),
    "to integers": (FLOATS, lambda x: x.astype(int) + 1),
    "to floats and back": (INTEGERS, lambda i: (i.astype(float) / 2).astype(int)),
    "any": (FLOATS, lambda x: tnp.any(x > 2)),
    "all": (FLOATS, lambda x: tnp.all(x > -2)),
    "count": (FLOATS, lambda x: tnp.count_nonzero(x)),
    "a mask for where": (FLOATS, lambda x: tnp.where(x > 0, x, -1)),
    "integer sum": (INTEGERS, lambda i: tnp.sum(i)),
    "integer cumulative sum": (INTEGERS, lambda i: tnp.cumsum(i)),
    "integer maximum": (INTEGERS, lambda i: tnp.maximum(i, 3)),
    "isnan": (FLOATS, lambda x: tnp.isnan(tnp.log(x))),
    "one hot": (INTEGERS, lambda i: i[:, None] == np.arange(8)),
    "detached": (FLOATS, lambda x: x * stop_gradient(x)),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore:invalid value encountered in log", "ignore:divide by zero")
def test_vmap_is_a_loop_where_nothing_is_differentiable(name):
    rows, function = PROGRAMS[name]
    expected = np.stack([np.asarray(function(row)) for row in rows])
    mapped = tg.vmap(function)(rows)
    assert mapped.dtype == expected.dtype
    np.testing.assert_array_equal(mapped, expected)


@pytest.mark.parametrize(
    "name", ["argmax as an index", "index of a traced array", "a mask for where"]
)
def test_integers_between_floats_keep_the_gradient_of_each_lane(name):
    rows, function = PROGRAMS[name]
    rows = rows.astype(float)

    def scalar(x):
        if name == "index of a traced array":
            return tnp.sum((x * 1.5)[x.astype(int) % 3] * np.arange(1.0, 4.0))
        return tnp.sum(function(x))

    expected = np.stack([tg.grad(scalar)(row) for row in rows])
    np.testing.assert_array_equal(tg.vmap(tg.grad(scalar))(rows), expected)


def test_nested_lanes_of_integers():
    product = tg.vmap(lambda a: tg.vmap(lambda b: a * b % 7 > 3)(np.arange(5)))(np.arange(4))
    expected = np.outer(np.arange(4), np.arange(5)) % 7 > 3
    np.testing.assert_array_equal(product, expected)


@pytest.mark.parametrize("differentiable", [True, False])
def test_without_a_batch_rule_an_operation_raises(differentiable):
    rule = (lambda g, _out, _x: g,) if differentiable else None
    op = Op("fixture", lambda _xp, x: x + 1, rule, "linear" if differentiable else None)
    op.function = lambda x: apply(op, x)
    with pytest.raises(TypeError, match="'fixture' has no rule for vmap"):
        tg.vmap(op.function)(FLOATS)
    assert tg.vmap(lambda x, y: (op.function(y), x)[0], in_axes=(0, None))(FLOATS, 1.0)[0] == 2.0


READS = {
    "bool": lambda x: 1.0 if x[0] > 0 else x[1],
    "float": lambda x: float(x[0]),
    "int": lambda x: int(x[0]),
    "item": lambda x: x[0].item(),
    "asarray": lambda x: np.asarray(x),
    "a mask": lambda x: x[x > 0],
    "nonzero": lambda x: tnp.nonzero(x),
    "iteration count": lambda x: list(range(x[0].astype(int))),
}


@pytest.mark.parametrize("name", READS)
def test_reading_a_lane_raises_and_says_what_to_do(name):
    with pytest.raises(
        (ConcretizationError, TypeError), match=r"lanes of vmap.*where|tapegrad\.numpy"
    ):
        tg.vmap(READS[name])(FLOATS)
    assert local.tape is local.root


def test_shared_values_can_be_read_inside_vmap():
    def function(x, n):
        return x if n > 1 else -x

    mapped = tg.vmap(function, in_axes=(0, None))
    np.testing.assert_array_equal(mapped(FLOATS, 2.0), FLOATS)
    np.testing.assert_array_equal(mapped(FLOATS, 0.0), -FLOATS)


def test_reading_is_fine_on_a_differentiation_tape():
    def absolute(x):
        return x if x > 0 else -x

    assert tg.grad(absolute)(-2.0) == -1.0
    assert tg.grad(lambda x: x * float(tg.numpy.floor(x)))(2.5) == 2.0


def test_no_lanes_trace_on_ones():
    calls = []

    def function(x):
        calls.append(x.data)
        return 1 / x

    out = tg.vmap(function)(np.zeros((0, 3)))
    assert out.shape == (0, 3)
    np.testing.assert_array_equal(calls, [[1.0, 1.0, 1.0]])


def test_warnings_are_off_while_lanes_are_traced():
    with np.errstate(all="raise"):
        out = tg.vmap(lambda x: tnp.where(x > 0, x, 1.0) * 2)(np.array([0.0, 1.0]))
        np.testing.assert_array_equal(out, [2.0, 2.0])
        seen = []
        tg.vmap(lambda x: (seen.append(np.geterr()["divide"]), x)[1])(np.ones(2))
        assert seen == ["ignore"]
