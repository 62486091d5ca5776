"""Rewrites: what is left of small programs, and that nothing is rewritten that must not be."""

import itertools

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.nn
import tapegrad.numpy as tnp
import tapegrad.scipy.special
from tapegrad.compiler.passes import optimise
from tapegrad.compiler.passes.operations import of_result, passes_nan
from tapegrad.compiler.trace import Trace
from tapegrad.core.op import table

X = np.array([[1.5, -2.0, 0.25], [3.0, 0.5, -1.0]])
LEAVES = ("input", "constant", "number")


def left(function, *arrays, fast=False):
    """The operations that are left of a program, in order."""
    trace = Trace(lambda *xs: [function(*xs)], list(arrays) or [X])
    graph, _ = optimise(trace.graph, careful=False, fast=fast)
    return [node.op for node in graph.order() if node.op not in LEAVES]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x * 1, []),
        (lambda x: 1 * x + 0, []),
        (lambda x: x - 0.0, []),
        (lambda x: 0 - x, ["negative"]),
        (lambda x: x * -1, ["negative"]),
        (lambda x: np.negative(np.negative(x)), []),
        (lambda x: x + -np.exp(x), ["exp", "subtract"]),
        (lambda x: -(x - np.exp(x)), ["exp", "subtract"]),
        (lambda x: -x * np.exp(x), ["exp", "multiply", "negative"]),
        (lambda x: -(x * 3), ["multiply"]),
        (lambda x: x / 1, []),
        (lambda x: x / 4, ["multiply"]),
        (lambda x: x / 3, ["divide"]),
        (lambda x: x * 0, ["multiply"]),
        (lambda x: x - x, ["subtract"]),
        (lambda x: x / x, ["divide"]),
        (lambda x: x**2, ["multiply"]),
        (lambda x: x**0.5, ["sqrt"]),
        (lambda x: np.where(x > 0, x, x), []),
        (lambda x: np.where(~(x > 0), x, 1), ["greater", "where"]),
        (lambda x: x.reshape(6).reshape(3, 2), ["reshape"]),
        (lambda x: x.reshape(6).reshape(2, 3), []),
        (lambda x: x.T.T, []),
        (lambda x: x[None].transpose(1, 0, 2), ["getitem", "reshape"]),
        (lambda x: tnp.broadcast_to(x, (4, 2, 3)) * 2, ["multiply", "broadcast_to"]),
        (lambda x: tnp.sum(tnp.broadcast_to(x, (4, 2, 3)), axis=0), ["multiply"]),
        (lambda x: np.sum(x, axis=(), keepdims=True), []),
        (lambda x: x + np.exp(np.zeros(3)) * 2, ["add"]),
        (lambda x: np.exp(x) + np.exp(x), ["exp", "add"]),
        (lambda x: tg.grad(lambda y: np.sum(y * y))(x), ["add"]),
        (lambda x: tg.grad(lambda y: np.sum(np.sin(y)))(x), ["cos"]),
    ],
)
def test_what_is_left(function, expected):
    assert left(function) == expected


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x / 3, ["multiply"]),
        (lambda x: x / x[:1], ["getitem", "divide", "multiply"]),
        (lambda x: np.sum(x * 3), ["sum", "multiply"]),
        (lambda x: np.sum(-x), ["sum", "negative"]),
        (lambda x: 1 / x, ["divide"]),
    ],
)
def test_what_is_left_of_fast_programs(function, expected):
    assert left(function, fast=True) == expected
    plain = tg.compile(function)
    fast = tg.compile(function, fast=True)
    for _ in range(2):
        np.testing.assert_allclose(fast(X), plain(X), rtol=1e-14)


def test_single_precision_stays_single():
    x = X.astype("float32")
    graph, _ = optimise(Trace(lambda x: [np.tanh(x * 0.1) ** 2 / 3 + (x > 1)], [x]).graph)
    assert {str(n.dtype) for n in graph.order()} == {"float32", "bool"}


@pytest.mark.parametrize("value", [300, -1, 2**40])
def test_integers_that_do_not_fit_are_compared_exactly(value):
    x = np.array([0, 200, 255], np.uint8)
    function = tg.compile(lambda x: (x < value, x == value))
    for _ in range(2):
        for actual, expected in zip(function(x), (x < value, x == value), strict=True):
            np.testing.assert_array_equal(actual, expected)


def test_guards_go_where_a_nan_would_be_seen_and_stay_elsewhere():
    def derivative(x):
        return tg.grad(lambda y: np.sum(np.sqrt(y)))(x)

    assert "where" not in left(derivative)
    assert "where" in left(lambda x: derivative(x) > 0)
    assert "where" in left(lambda x: derivative(x).astype(int))


def test_operations_in_the_tables_exist():
    assert of_result | passes_nan <= {*table, "cast"}


CHOICES = {"where", "keep", "where_larger", "guard"}  # a result need not depend on a NaN
PARAMS = {"leaky_relu": {"slope": 0.01}}


@pytest.mark.parametrize(
    "name", sorted(x for x in passes_nan - CHOICES - {"cast"} if table[x].elementwise)
)
def test_nan_is_not_lost(name):
    op = table[name]
    values = list(map(np.float64, [-np.inf, -1.5, -0.0, 0.0, 0.5, 1.0, 2.0, np.inf, np.nan]))
    for arguments in itertools.product(values, repeat=len(op.vjp)):
        with np.errstate(all="ignore"):
            result = op.forward(np, *arguments, **PARAMS.get(name, {}))
        assert np.isnan(result) or not any(map(np.isnan, arguments)), arguments


@pytest.mark.parametrize("backend", ["numpy", "auto"])
def test_a_real_cotangent_guarded_by_a_complex_one_stays_real(backend):
    def function(x):
        gradient = tg.grad(lambda x: np.abs(np.sum(np.exp(1j * x) * np.sqrt(x))))(x)
        return gradient, np.where(gradient > 0.1, gradient, 0.5)

    compiled = tg.compile(function, backend=backend)
    for x in (np.array([1.0, 2.0]), np.array([0.5, 3.0]), np.array([2.0, 1.0])):
        for actual, expected in zip(compiled(x), function(x), strict=True):
            assert actual.dtype == expected.dtype == "float64"
            np.testing.assert_allclose(actual, expected, rtol=1e-12)
