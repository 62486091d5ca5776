"""Flattening, optimizers, fixed points, recorded functions, graphs, vector spaces, checks."""

import numpy as onp
import pytest

import tapegrad as tg
import tapegrad.compat.autograd as ag
import tapegrad.compat.autograd.numpy as np
from tapegrad.compat.autograd import core, tracer, util
from tapegrad.compat.autograd.extend import defvjp, primitive
from tapegrad.compat.autograd.misc import const_graph
from tapegrad.compat.autograd.misc.fixed_points import fixed_point
from tapegrad.compat.autograd.misc.flatten import flatten, flatten_func
from tapegrad.compat.autograd.misc.optimizers import adam, rmsprop, sgd
from tapegrad.compat.autograd.test_util import check_equivalent, check_grads, combo_check

PARAMS = {"b": [1.0, onp.array([[2.0, 3.0]])], "a": (), "c": 4.0}


# Flattening


def test_flatten():
    vector, unflatten = flatten(PARAMS)
    assert vector.tolist() == [1.0, 2.0, 3.0, 4.0]
    back = unflatten(2 * vector)
    assert back["a"] == ()
    assert back["c"] == 8.0
    assert back["b"][1].tolist() == [[4.0, 6.0]]
    assert flatten(())[0].shape == (0,)
    assert flatten(())[1](onp.zeros(0)) == ()


def test_flatten_keeps_complex_numbers_where_they_were():
    vector, unflatten = flatten([1.0, 2.0 + 3.0j])
    assert vector.dtype == complex
    assert unflatten(vector * 1j) == [0.0, -3.0 + 2.0j]


def test_flatten_has_derivatives_both_ways():
    check_grads(lambda p: flatten(p)[0])([1.0, (onp.ones(2),)])
    _, unflatten = flatten(PARAMS)
    check_grads(unflatten)(onp.arange(4.0))


def test_flatten_func():
    f, unflatten, start = flatten_func(lambda p, s: [p["c"] * s, p["b"][1]], PARAMS)
    assert f(start, 10.0).tolist() == [40.0, 2.0, 3.0]
    assert unflatten(start)["c"] == 4.0


# Optimizers, against the numbers of HIPS autograd 1.9.1


@pytest.mark.parametrize(
    ("optimize", "expected"),
    [
        (sgd, [1.6018252426, -0.3071197611]),
        (rmsprop, [1.6935055200, -0.1413735029]),
        (adam, [2.9899936646, -0.9900032473]),
    ],
)
def test_optimizers(optimize, expected):
    def loss(p, i):
        return (p["x"] - 1) ** 2 + np.sum(p["y"] ** 2) + 0.01 * i * p["x"]

    steps = []
    start = {"x": 3.0, "y": onp.array([-1.0])}
    end = optimize(
        ag.grad(loss), start, callback=lambda p, i, g: steps.append((i, g["x"])), num_iters=10
    )
    onp.testing.assert_allclose([end["x"], end["y"][0]], expected, rtol=1e-9)
    assert steps[0] == (0, 4.0)
    assert len(steps) == 10
    assert start["x"] == 3.0
    assert optimize(ag.grad(loss), start, num_iters=0)["x"] == 3.0


# Fixed points


def test_fixed_point():
    def root(a):
        return fixed_point(
            lambda a: lambda x: 0.5 * (x + a / x), a, 10.0, lambda x, y: abs(x - y), 1e-12
        )

    assert root(2.0) == pytest.approx(2**0.5)
    assert ag.grad(root)(2.0) == pytest.approx(0.5 / 2**0.5)
    assert ag.grad(ag.grad(root))(2.0) == pytest.approx(-0.25 * 2**-1.5)


# Recorded functions, and graphs


def test_const_graph_runs_python_once():
    seen = []

    @primitive
    def note(x, name):
        seen.append(name)
        return x

    def f(x, y, z):
        return note(x, "x") + 2 * note(y, "y") + 3 * note(z, "z")

    again = const_graph(f, 1.0, z=3.0)
    assert again(2.0) == 14.0
    assert seen == ["x", "y", "z"]
    assert again(5.0) == 20.0
    assert seen == ["x", "y", "z", "y"]


def test_const_graph_is_differentiable():
    f = const_graph(lambda x, y: [np.sin(x) * y, y])
    assert f(1.0, 2.0) == [onp.sin(1.0) * 2.0, 2.0]
    assert ag.grad(lambda x: f(x, 3.0)[0])(0.5) == pytest.approx(3 * onp.cos(0.5))
    with pytest.raises(ValueError, match="Output is independent of input"):
        const_graph(lambda x: 1.0)(2.0)


class Step(tracer.Node):
    def __init__(self, value, fun, args, kwargs, parent_argnums, parents):
        self.name = fun.__name__
        self.value = value
        self.parents = parents
        assert [args[i] for i in parent_argnums] == [p.value for p in parents]
        assert fun(*args, **kwargs) == value

    def initialize_root(self, x):
        self.name, self.value, self.parents = "input", x, ()


def test_trace():
    root = Step.new_root(2.0)
    value, node = tracer.trace(root, lambda x: np.sin(x) * x + 1.0, 2.0)
    assert value == onp.sin(2.0) * 2.0 + 1.0
    assert [n.name for n in util.toposort(node)] == ["add", "multiply", "sin", "input"]
    assert node.parents[0].parents[1] is root
    with pytest.warns(UserWarning, match="independent of input"):
        assert tracer.trace(root, lambda x: 3.0, 2.0) == (3.0, None)
    with pytest.raises(TypeError, match="trace needs a function of one floating point"):
        tracer.trace(root, lambda x: x, "text")


def test_trace_of_a_gradient():
    names = []

    class Note(Step):
        def __init__(self, value, fun, *rest):
            super().__init__(value, fun, *rest)
            names.append(fun.__name__)

    def f(x):
        y = np.sin(x + x)
        return (y + y) / 2

    value, _ = tracer.trace(Note.new_root(1.0), ag.grad(f), 1.0)
    assert value == 2 * onp.cos(2.0)
    assert names == ["add", "sin", "add", "divide", "cos", "multiply", "add"]


def test_toposort_puts_each_node_before_its_parents():
    graph = {"d": "bc", "c": "ab", "b": "a", "a": ""}
    assert list(util.toposort("d", graph.get)) == ["d", "c", "b", "a"]


def test_boxes():
    def f(x):
        assert tracer.isbox(x)
        assert isinstance(x, tracer.Box)
        assert isinstance(x, np.numpy_boxes.ArrayBox)
        assert x._value == tracer.getval(x) == 3.0
        return x

    ag.grad(f)(3.0)
    assert not tracer.isbox(3.0)
    assert tracer.getval("text") == "text"


def test_substitution():
    assert util.subval((1, 2), 1, 5) == (1, 5)
    assert util.subvals([1, 2, 3], [(0, 4), (2, 6)]) == (4, 2, 6)
    assert util.func(len) is len


# Vector spaces


@pytest.mark.parametrize(
    "value", [1.0, onp.ones((2, 3)), 1j * onp.ones(2), [1.0, (onp.ones(2), 2j)]]
)
def test_vector_spaces(value):
    space = core.vspace(value)
    basis = list(space.standard_basis())
    assert len(basis) == space.size
    total = space.mut_add(None, space.zeros())
    for vector in basis:
        assert core.vspace(vector) == space
        assert space.inner_prod(vector, vector) == 1.0
        total = space.add(total, vector)
    check_equivalent(total, space.ones())
    x = space.randn()
    assert space.inner_prod(space.scalar_mul(x, 2.0), x) == pytest.approx(
        2 * space.inner_prod(x, x)
    )
    check_equivalent(space.covector(space.covector(x)), x)
    check_grads(space.inner_prod, (0, 1))(x, space.randn())


def test_vector_space_of_a_class():
    class Point:
        pass

    class PointSpace(core.VSpace):
        size = 2

    with pytest.raises(TypeError, match="Can't find vector space for value"):
        core.vspace(Point())
    PointSpace.register(Point)
    assert core.vspace(Point()) == PointSpace(None)
    assert core.vspace(Point()) != core.vspace(1.0)
    assert repr(PointSpace(None)) == "PointSpace_{}"
    assert core.vspace({"a": onp.ones(3)}).shape["a"].shape == (3,)
    assert core.vspace(onp.ones((2, 3))).ndim == 2
    del core.VSpace.mappings[Point]


# Checks


def test_check_grads_finds_a_wrong_rule():
    @primitive
    def double(x):
        return x * 2.0

    defvjp(double, lambda ans, x: lambda g: g * 2.001)
    with pytest.raises(AssertionError, match=r"\(VJP\) check of double failed with arg 1.0"):
        check_grads(double, modes=["rev"])(1.0)
    with pytest.raises(AssertionError, match="Value mismatch"):
        check_grads(double, modes=["fwd"])(1.0)

    @primitive
    def wrong_later(x):
        return x

    defvjp(double, lambda ans, x: lambda g: wrong_later(g) * 2)
    defvjp(wrong_later, lambda ans, x: lambda g: g * 1.001)
    check_grads(double, modes=["rev"], order=1)(1.0)
    with pytest.raises(AssertionError, match=r"\(VJP\) check of vjp_double failed"):
        check_grads(double, modes=["rev"])(1.0)


def test_combo_check():
    combo_check(np.sum, [0])(
        [onp.ones(3), onp.ones((2, 2))], axis=[None, 0], keepdims=[True, False]
    )
    with pytest.warns(UserWarning, match="quick_grad_check is deprecated"):
        util.quick_grad_check(lambda x, y: x**2 * y, 1.0, (2.0,))


def test_grads_of_tapegrad_and_of_this_package_nest():
    assert ag.grad(tg.grad(np.sin))(1.0) == tg.grad(ag.grad(np.sin))(1.0) == -onp.sin(1.0)
