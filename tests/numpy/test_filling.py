"""Plain ndarrays that are to hold traced values: what the errors say, under each transform."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.tape import local


def set_item(a, x):
    a[0] = x


def add_to_item(a, x):
    a[0] += x


def set_slice(a, x):
    a[:] = x


def set_by_mask(a, x):
    a[np.array([True, False, True])] = x


def set_field(a, x):
    np.zeros(3, dtype=[("b", float)])["b"] = x


def add_in_place(a, x):
    a += x


FILLING = {
    "item": (set_item, r"\(by a\[i\] = x, .*Make the array with tapegrad.numpy"),
    "item += x": (add_to_item, r"\(by a\[i\] = x, .*Make the array with tapegrad.numpy"),
    "fill": (lambda a, x: a.fill(x), r"a.fill\(x\) or .*Make the array with tapegrad.numpy"),
    "fromiter": (lambda a, x: np.fromiter(iter([x]), float), "numpy.fromiter.*array or stack"),
    "slice": (set_slice, r"a\[i:j\] = x or .* make an array that is to be filled"),
    "mask": (set_by_mask, r"a\[mask\] = x where a is an ndarray"),
    "field": (set_field, "make an array that is to be filled with tapegrad.numpy"),
    "array": (lambda a, x: np.array([x, x]), "numpy.array, full, .*same name in tapegrad.numpy"),
    "full": (lambda a, x: np.full(3, x), "numpy.array, full, .*same name in tapegrad.numpy"),
    "vectorize": (lambda a, x: np.vectorize(lambda t: t * x)(a), "full, vectorize and functions"),
    "frompyfunc": (
        lambda a, x: np.frompyfunc(abs, 1, 1)(x),
        "tapegrad.numpy.vectorize in place of numpy.frompyfunc",
    ),
    "+=": (add_in_place, r"numpy.add was .*Write a = a \+ x instead"),
    "out": (lambda a, x: np.multiply(x, 2, out=a), "numpy.multiply was to write .*leave out out="),
    "add.at": (lambda a, x: np.add.at(a, [0], x), "numpy.add.at was to write a traced value"),
    "put": (lambda a, x: np.put(a, [0], x), "numpy.put was to write a traced value"),
    "copyto": (lambda a, x: np.copyto(a, x), "numpy.copyto was to write a traced value"),
    "math": (lambda a, x: math.sin(x), r"Functions of math .*same name in tapegrad.numpy"),
}
IN_LANES = (
    r"in place of those of math, and its arrays \(zeros, array, ...\) to be filled"
    r"|plain ndarray|tapegrad.numpy.vectorize"
)
NESTINGS = {
    "grad": tg.grad,
    "jvp": lambda f: lambda x: tg.jvp(f, (x,), (x,)),
    "checkpoint": lambda f: tg.grad(tg.checkpoint(f)),
    "grad of grad": lambda f: tg.grad(lambda x: tg.grad(f)(x)),
    "vmap": lambda f: lambda x: tg.vmap(f)(x[None]),
    "vmap of grad": lambda f: lambda x: tg.vmap(tg.grad(f))(x[None]),
    "grad of vmap": lambda f: tg.grad(lambda x: tg.vmap(f)(x[None])[0]),
}


@pytest.mark.parametrize("nesting", NESTINGS)
@pytest.mark.parametrize("name", FILLING)
def test_ndarrays_that_are_filled_with_traced_values(name, nesting):
    fill, text = FILLING[name]

    def f(x):
        a = np.zeros(3)
        fill(a, x)
        return tnp.sum(x + a)

    with pytest.raises(TypeError, match=IN_LANES if "vmap" in nesting else text):
        NESTINGS[nesting](f)(np.asarray(1.5))
    assert not local.root


def test_arrays_of_this_namespace_can_be_filled():
    def f(x):
        a = tnp.zeros(3)
        a[0] = x
        a[1:] += x * x
        return tnp.sum(a)

    assert tg.grad(f)(1.5) == 7.0
    assert_allclose(tg.vmap(tg.grad(f))(np.array([1.5, 2.0])), [7.0, 9.0])


def test_other_errors_of_values_stay():
    def f(x):
        raise ValueError("mine") from KeyError("other")

    for transform in (tg.grad(f), tg.vmap(f)):
        with pytest.raises(ValueError, match="mine"):
            transform(np.ones(2))


def test_compiled_functions_that_fill_ndarrays_run_as_they_are():
    def f(x):
        a = np.zeros(3)
        a[0] = x[0]
        return tnp.sum(a)

    compiled = tg.compile(f)
    for first in (1.5, 2.5, 3.5):
        assert compiled(np.array([first, 2.0])) == first
