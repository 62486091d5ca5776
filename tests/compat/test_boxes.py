"""Classes of one's own with a `Box` and a `VSpace`."""

import pytest

import tapegrad as tg
import tapegrad.compat.autograd as ag
import tapegrad.compat.autograd.numpy as np
from tapegrad.compat.autograd.core import make_jvp, make_vjp, vspace
from tapegrad.compat.autograd.extend import (
    Box,
    VSpace,
    defjvp,
    defvjp,
    notrace_primitive,
    primitive,
)
from tapegrad.compat.autograd.tracer import getval, isbox


class Sparse:
    """A vector of any length, by the places of what is not zero."""

    def __init__(self, entries):
        self.entries = entries


class SparseSpace(VSpace):
    def zeros(self):
        return Sparse({})

    def _add(self, x, y):
        places = x.entries.keys() | y.entries.keys()
        return Sparse({i: x.entries.get(i, 0.0) + y.entries.get(i, 0.0) for i in places})

    def _scalar_mul(self, x, a):
        return Sparse({i: a * v for i, v in x.entries.items()})

    def _inner_prod(self, x, y):
        return sum(v * y.entries.get(i, 0.0) for i, v in x.entries.items())


class SparseBox(Box, Sparse):
    """What stands for a traced `Sparse`."""


SparseBox.register(Sparse)
SparseSpace.register(Sparse)


@primitive
def pick(x, i):
    return x.entries.get(i, 0.0)


@primitive
def unit(a, i):
    return Sparse({i: a})


defvjp(pick, lambda ans, x, i: lambda g: unit(g, i))
defvjp(unit, lambda ans, a, i: lambda g: pick(g, i))
defjvp(pick, lambda g, ans, x, i: pick(g, i))


@primitive
def scaled(x, a):
    return Sparse({i: a * v for i, v in x.entries.items()})


defvjp(
    scaled,
    lambda ans, x, a: lambda g: scaled(g, a),
    lambda ans, x, a: lambda g: vspace(x).inner_prod(g, x),
)
defjvp(scaled, lambda g, ans, x, a: scaled(g, a), lambda g, ans, x, a: scaled(x, g))


X = Sparse({0: 2.0, 5: 3.0})


def loss(x):
    return pick(x, 0) ** 2 * pick(x, 5) + np.sin(pick(x, 7))


def test_gradient_is_a_value_of_the_class():
    g = ag.grad(loss)(X)
    assert type(g) is Sparse
    assert g.entries == {0: 12.0, 5: 4.0, 7: 1.0}
    assert X.entries == {0: 2.0, 5: 3.0}
    value, g = ag.value_and_grad(loss)(X)
    assert value == 12.0
    assert g.entries[0] == 12.0


def test_operations_that_give_values_of_the_class():
    g = ag.grad(lambda x, a: loss(scaled(scaled(x, a), a)))(X, 0.5)
    assert g.entries == {0: 12 / 64, 5: 4 / 64, 7: 0.25}
    assert ag.grad(lambda x, a: loss(scaled(x, a)), 1)(X, 0.5) == pytest.approx(3 * 12 * 0.25)
    both = ag.grad(lambda x, a: loss(scaled(x, a)), (0, 1))(X, 0.5)
    assert both[0].entries == {0: 12 / 8, 5: 4 / 8, 7: 0.5}
    assert both[1] == 9.0


def test_operations_of_the_space():
    space = vspace(X)

    def f(x, y):
        total = space.add(space.scalar_mul(x, 3.0), space.mut_add(None, x))
        return space.inner_prod(space.covector(total), y)

    assert ag.grad(f)(X, Sparse({5: 1.0})).entries == {5: 4.0}
    assert ag.grad(f, 1)(Sparse({5: 1.0}), X).entries == {5: 4.0}
    assert ag.grad(lambda a: f(space.scalar_mul(X, a), X))(2.0) == 4 * 13


def test_forward_mode_and_pullbacks_of_values():
    value, tangent = make_jvp(loss, X)(Sparse({0: 1.0, 7: 1.0}))
    assert (value, tangent) == (12.0, 13.0)
    y, tangent = make_jvp(lambda x: scaled(x, 2.0), X)(Sparse({0: 1.0}))
    assert y.entries == {0: 4.0, 5: 6.0}
    assert tangent.entries == {0: 2.0}
    pull, y = make_vjp(lambda x: scaled(x, 2.0), X)
    assert y.entries == {0: 4.0, 5: 6.0}
    assert pull(Sparse({5: 1.0})).entries == {5: 2.0}
    assert pull(Sparse({0: 1.0})).entries == {0: 2.0}


def test_second_order():
    def inner(a):
        g = ag.grad(lambda x: loss(scaled(x, a)))(X)  # the loss at 0 and 5 is 12 a ** 3
        return pick(g, 5)

    assert inner(0.5) == 4 / 8
    assert ag.grad(inner)(0.5) == pytest.approx(4 * 3 * 0.25)
    twice = ag.grad(lambda x: pick(ag.grad(loss)(x), 0))(X)  # of 2 x0 x5
    assert twice.entries == {0: 6.0, 5: 4.0, 7: 0.0}


def test_no_dependence_gives_zeros():
    with pytest.warns(UserWarning, match="independent of input"):
        assert ag.grad(lambda x: 1.0)(X).entries == {}


def test_boxes_of_a_class():
    seen = []

    @notrace_primitive
    def note(x):
        seen.append(x)
        return 0.0

    def f(x):
        assert isbox(x)
        assert isinstance(x, SparseBox)
        assert isinstance(x, Sparse)
        assert x
        assert str(x) == f"Autograd SparseBox with value {X}"
        assert getval(x) is X
        assert vspace(x) == vspace(X)
        return pick(x, 0) + note(x)

    assert ag.grad(f)(X).entries == {0: 1.0}
    assert seen == [X]


def test_arithmetic_on_what_stands_for_a_value_raises():
    @primitive
    def wrong(x):
        return 1.0

    defvjp(wrong, lambda ans, x: lambda g: g)
    with pytest.raises(TypeError, match=r"structures differ. Expected .*Sparse"):
        ag.grad(wrong)(X)
    with pytest.raises(tg.errors.TapegradError, match="pick closes over a traced value"):
        ag.grad(lambda a: pick(Sparse({0: a}), 0) + pick(scaled(Sparse({0: a}), a), 0))(1.0)
    with pytest.raises(TypeError, match="number that stands for an element of SparseSpace"):
        ag.grad(lambda x: pick(x, 0) * x.array * x.array)(X)
