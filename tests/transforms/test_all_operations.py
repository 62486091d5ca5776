"""Jacobians and Hessians of every operation, in one walk, against one direction at a time."""

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp

from ..ops.check import active, cases, function_of


def is_complex(x):
    return x.dtype.kind == "c"


def real_function(op, inputs, params):
    """The operation as a function of real arrays giving real arrays, and where to evaluate it.

    Complex inputs and results are taken apart. None if there is nothing to differentiate.
    """
    chosen = active(op, inputs)
    f = function_of(op, inputs, params, chosen)
    values = [inputs[i] for i in chosen]
    if not chosen or not f(*values):
        return None
    parts = [part for x in values for part in ([x.real, x.imag] if is_complex(x) else [x])]

    def g(*parts):
        rest = iter(parts)
        xs = [next(rest) + 1j * next(rest) if is_complex(x) else next(rest) for x in values]
        results = []
        for y in f(*xs):
            results += [tnp.real(y), tnp.imag(y)] if is_complex(y) else [y]
        return tuple(results)

    return g, [np.array(part)[()] for part in parts]


with np.errstate(all="ignore"):
    CASES = {
        name: case
        for name, op, inputs, params in cases()
        if (case := real_function(op, inputs, params)) is not None
    }
SMALL = {name: (f, xs) for name, (f, xs) in CASES.items() if sum(x.size for x in xs) <= 12}

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def test_there_are_cases_of_all_kinds():
    assert len(CASES) > 600
    assert len(SMALL) > 400


def by_pullbacks(f, xs):
    """The blocks of the Jacobian, a row at a time."""
    outs, pullback = tg.vjp(f, *xs)
    blocks = []
    for k, y in enumerate(outs):
        rows = []
        for index in np.ndindex(y.shape):
            gs = [np.zeros(o.shape, o.dtype) for o in outs]
            gs[k][index] = 1
            rows.append(pullback(tuple(g[()] for g in gs)))
        blocks.append(
            [np.reshape([row[i] for row in rows], y.shape + x.shape) for i, x in enumerate(xs)]
        )
    return blocks


@pytest.mark.parametrize("name", CASES)
def test_jacobians_are_pullbacks_one_by_one(name):
    f, xs = CASES[name]
    expected = by_pullbacks(f, xs)
    argnums = tuple(range(len(xs)))
    for transform in (tg.jacrev, tg.jacfwd):
        for chunk_size in (None, 2):
            actual = transform(f, argnums, chunk_size=chunk_size)(*xs)
            for row, expected_row in zip(actual, expected, strict=True):
                for block, expected_block in zip(row, expected_row, strict=True):
                    assert block.shape == expected_block.shape
                    np.testing.assert_allclose(block, expected_block, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", SMALL)
def test_hessians_agree_in_both_orders_of_modes(name):
    f, xs = SMALL[name]

    def squares(*xs):
        return sum((tnp.sum(y * y) for y in f(*xs)), 0.0)

    argnums = tuple(range(len(xs)))
    expected = tg.jacrev(tg.jacrev(squares, argnums), argnums)(*xs)
    actual = tg.hessian(squares, argnums)(*xs)
    for row, expected_row in zip(actual, expected, strict=True):
        for block, expected_block in zip(row, expected_row, strict=True):
            scale = max(1.0, float(np.max(np.abs(expected_block), initial=0.0)))
            np.testing.assert_allclose(block, expected_block, rtol=1e-7, atol=1e-8 * scale)
