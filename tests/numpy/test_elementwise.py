"""NumPy's elementwise functions on recorded arrays: what NumPy gives, in value, dtype and shape."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.array import Array, untracked

from .agreement import OLDER, latest

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's own, at edges

UNARY = [
    *[
        "absolute",
        "arccos",
        "arccosh",
        "arcsin",
        "arcsinh",
        "arctan",
        "arctanh",
        "bitwise_count",
        "cbrt",
        "ceil",
        "conjugate",
    ],
    *[
        "cos",
        "cosh",
        "deg2rad",
        "degrees",
        "exp",
        "exp2",
        "expm1",
        "fabs",
        "floor",
        "frexp",
        "invert",
        "isfinite",
        "isinf",
        "isnan",
    ],
    *[
        "log",
        "log10",
        "log1p",
        "log2",
        "logical_not",
        "modf",
        "negative",
        "positive",
        "rad2deg",
        "radians",
        "reciprocal",
    ],
    *[
        "rint",
        "sign",
        "signbit",
        "sin",
        "sinh",
        "spacing",
        "sqrt",
        "square",
        "tan",
        "tanh",
        "trunc",
    ],
]
BINARY = [
    *[
        "add",
        "arctan2",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "copysign",
        "divide",
        "divmod",
        "equal",
    ],
    *[
        "float_power",
        "floor_divide",
        "fmax",
        "fmin",
        "fmod",
        "gcd",
        "greater",
        "greater_equal",
        "heaviside",
        "hypot",
    ],
    *[
        "lcm",
        "ldexp",
        "left_shift",
        "less",
        "less_equal",
        "logaddexp",
        "logaddexp2",
        "logical_and",
        "logical_or",
    ],
    *[
        "logical_xor",
        "maximum",
        "minimum",
        "multiply",
        "nextafter",
        "not_equal",
        "power",
        "remainder",
    ],
    *["right_shift", "subtract"],
]
OTHERS = {
    "angle": lambda np, x: np.angle(x),
    "angle in degrees": lambda np, x: np.angle(x, deg=True),
    "around": lambda np, x: np.around(x, 1),
    "clip": lambda np, x: np.clip(x, 1, 3),
    "clip above": lambda np, x: np.clip(x, None, 3),
    "clip below": lambda np, x: np.clip(x, 1, max=None) if False else np.clip(x, min=1),
    "clip nothing": lambda np, x: np.clip(x),
    "clip broadcast": lambda np, x: np.clip(x, np.zeros((2, 1), np.float16), 3),
    "fix": lambda np, x: np.fix(x),
    "i0": lambda np, x: np.i0(x),
    "imag": lambda np, x: np.imag(x),
    "isclose": lambda np, x: np.isclose(x, 2, atol=0.5),
    "isclose with nan": lambda np, x: np.isclose(x, x, equal_nan=True),
    "iscomplex": lambda np, x: np.iscomplex(x),
    "isneginf": lambda np, x: np.isneginf(x),
    "isposinf": lambda np, x: np.isposinf(x),
    "isreal": lambda np, x: np.isreal(x),
    "nan_to_num": lambda np, x: np.nan_to_num(x),
    "nan_to_num with": lambda np, x: np.nan_to_num(x, nan=1, posinf=2.5, neginf=np.float64(3)),
    "real": lambda np, x: np.real(x),
    "real_if_close": lambda np, x: np.real_if_close(x),
    "round": lambda np, x: np.round(x),
    "round to tens": lambda np, x: np.round(x, -1),
    "sinc": lambda np, x: np.sinc(x),
    "where": lambda np, x: np.where(x, x, 2),
    "where nonzero": lambda np, x: np.where(x > 1)[0],
}

INPUTS = {
    "bool": np.array([True, False]),
    "int8": np.array([0, 3, 7], np.int8),
    "int64": np.array([[0, 1], [2, 5]]),
    "float16": np.array([-1.5, 0.0, 0.5, 2.25], np.float16),
    "float32": np.array([-0.0, np.inf, -np.inf, np.nan, 0.5], np.float32),
    "float64": np.array([[-2.5, -0.5, 0.0], [1.5, 2.5, 30.5]]),
    "complex64": np.array([1 + 2j, -1.5 + 0j, 0j], np.complex64),
    "complex128": np.array([[1e-3 - 2j, 3 + 1e-30j]]),
    "scalar": np.float32(1.25),
    "empty": np.zeros((0, 2), np.float32),
}


def outcome(function, *args):
    """What a function gives, or the type of error it raises."""
    try:
        return function(*args)
    except (TypeError, ValueError) as error:
        return type(error)


def data(x):
    return tuple(map(data, x)) if isinstance(x, tuple) else x.data if isinstance(x, Array) else x


def same(actual, expected):
    """Equal in kind, dtype, shape and elements (to rounding, with NaN equal)."""
    if isinstance(expected, tuple):
        assert isinstance(actual, tuple)
        for a, e in zip(actual, expected, strict=True):
            same(a, e)
    elif isinstance(expected, type):
        assert actual is expected
    else:
        assert isinstance(actual, Array)
        actual = actual.data
        assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
        assert isinstance(actual, np.ndarray | np.generic)
        np.testing.assert_allclose(actual, expected, rtol=1e-6 if actual.itemsize < 8 else 1e-14)


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_array(name, kind):
    x = INPUTS[kind]
    expected = outcome(getattr(np, name), x)
    same(outcome(getattr(tnp, name), untracked(x)), expected)
    same(outcome(getattr(np, name), untracked(x)), expected)


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_arrays(name, kind):
    x = INPUTS[kind]
    for y in (x, 2, 1.5, np.int8(2), np.float64(0.5), np.array([[2]])):
        if name == "float_power" and kind == "float32" and isinstance(y, np.float64):
            continue  # NumPy's power takes a short way for 0.5, where -inf gives NaN
        expected = outcome(getattr(np, name), x, y)
        same(outcome(getattr(tnp, name), untracked(x), y), expected)
        same(outcome(getattr(np, name), untracked(x), y), expected)
        same(outcome(getattr(tnp, name), y, untracked(x)), outcome(getattr(np, name), y, x))


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("name", OTHERS)
def test_other_functions(name, kind):
    x = INPUTS[kind]
    function = OTHERS[name]
    expected = outcome(function, np, x)
    same(outcome(function, tnp, untracked(x)), expected)
    same(outcome(function, np, untracked(x)), expected)


@pytest.mark.parametrize("kind", ["int8", "int64", "bool", "float64", "complex128"])
@pytest.mark.parametrize(
    "name", [*UNARY, *(n for n in OTHERS if n not in ("where nonzero", "real_if_close"))]
)
def test_lanes_are_a_loop(name, kind):
    x = INPUTS[kind]
    if name in OTHERS:

        def function(x):
            return OTHERS[name](tnp, x)
    else:
        function = getattr(tnp, name)
    expected = outcome(lambda: [function(row) for row in x])
    actual = outcome(tg.vmap(function), x)
    if isinstance(expected, type):
        assert actual is expected
        return
    columns = (
        [np.stack(c) for c in zip(*expected, strict=True)]
        if isinstance(actual, tuple)
        else [np.stack(expected)]
    )
    for a, e in zip(actual if isinstance(actual, tuple) else (actual,), columns, strict=True):
        if OLDER and e.dtype == np.float16:
            pytest.skip("older versions of NumPy round elements of arrays otherwise than numbers")
        assert (a.dtype, a.shape) == (e.dtype, e.shape)
        np.testing.assert_allclose(a, e, rtol=1e-14)


@pytest.mark.parametrize("name", BINARY)
def test_lanes_of_two_arrays_are_a_loop(name):
    function = getattr(tnp, name)
    for x in (INPUTS["int64"], INPUTS["float64"][:, :2]):
        y = np.array([[1, 2], [3, 1]])
        rows = list(zip(x, y, strict=True))
        expected = outcome(lambda rows: [getattr(np, name)(*row) for row in rows], rows)
        actual = outcome(tg.vmap(function), x, y)
        if isinstance(expected, type):
            assert actual is expected
        elif isinstance(actual, tuple):
            for a, e in zip(actual, zip(*expected, strict=True), strict=True):
                np.testing.assert_array_equal(a, np.stack(e))
        else:
            np.testing.assert_allclose(actual, np.stack(expected))
            assert actual.dtype == expected[0].dtype


OPERATORS = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
    "divmod": divmod,
    "**": lambda x, y: x**y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
    "&": lambda x, y: x & y,
    "|": lambda x, y: x | y,
    "^": lambda x, y: x ^ y,
    "<<": lambda x, y: x << y,
    ">>": lambda x, y: x >> y,
    "@": lambda x, y: x @ y,
}


@pytest.mark.parametrize(
    "symbol", [pytest.param(s, marks=latest) if s == "**" else s for s in OPERATORS]
)
def test_operators_from_both_sides(symbol):
    function = OPERATORS[symbol]
    integers = np.array([1, 2, 3])
    for x in (integers, integers.astype(np.float32), integers.astype(complex), integers > 1):
        for y in (x, np.array([2, 1, 2]), 2, 2.0, True, np.int8(2), np.float64(2))[
            : 2 if symbol == "@" else None
        ]:
            same(outcome(function, untracked(x), y), outcome(function, x, y))
            same(outcome(function, y, untracked(x)), outcome(function, y, x))
            y = np.asarray(y)[()]
            same(outcome(function, untracked(x), untracked(y)), outcome(function, x, y))


def test_operators_of_one_array():
    for x in INPUTS.values():
        for function in (lambda x: -x, lambda x: +x, abs, lambda x: ~x):
            same(outcome(function, untracked(x)), outcome(function, x))


def test_complex_numbers_before_scalars():
    """Python's own complex arithmetic, for a NumPy double is a Python float."""
    for f, expected in (
        (lambda x: 1j - x, 1j - 2),
        (lambda x: 1j + x, 1j + 2),
        (lambda x: 3j / x, 1.5j),
        (lambda x: 1j**x, 1j**2),
    ):
        same(f(untracked(np.float64(2))), np.complex128(expected))
    same(tnp.equal(2j, untracked(np.float64(2))), np.bool_(False))
    assert tg.grad(lambda x: tnp.imag(1j / x))(2.0) == -0.25
    assert tg.grad(lambda x: tnp.real((1j - x) * x))(2.0) == -4.0


def test_lists_are_arrays():
    x = untracked(np.array([1.0, 2.0]))
    assert (x - [1, 2]).data.tolist() == [0.0, 0.0]
    assert ([1, 2] * x).data.tolist() == [1.0, 4.0]
    assert tnp.maximum(x, [3, 0]).data.tolist() == [3.0, 2.0]
    assert np.where([True, False], x, [7, 8]).data.tolist() == [1.0, 8.0]


def test_arrays_cannot_be_hashed():
    with pytest.raises(TypeError, match="unhashable"):
        hash(untracked(np.ones(2)))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * 2.0,
        lambda x: 2 - x,
        lambda x: x / 3,
        lambda x: 1.5 / x,
        lambda x: x**2,
        lambda x: x**3,
        lambda x: x**2.5,
        lambda x: x**4,
        lambda x: 2.0**x,
        lambda x: x % 0.3,
        lambda x: tnp.hypot(x, 2.0),
        lambda x: tnp.arctan2(1.0, x),
        lambda x: tnp.logaddexp(x, 0.0),
        lambda x: tnp.logaddexp2(0.0, x),
        lambda x: tnp.maximum(x, 0),
        lambda x: tnp.where(x > 1, x, 0.0),
        lambda x: tnp.clip(x, 0.5, None),
        lambda x: tnp.nan_to_num(x),
        lambda x: tnp.sinc(x),
        lambda x: tnp.i0(x),
        lambda x: tnp.angle(x + 1j).astype(x.dtype),
        lambda x: tnp.abs(x * 1j).astype(x.dtype),
    ],
)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_numbers_are_weak(f, dtype):
    for x in (np.array([0.75, 1.25, 2.0], dtype), dtype(1.25)):
        y, pullback = tg.vjp(f, x)
        assert y.dtype == dtype
        (g,) = pullback(np.ones(x.shape, dtype)[()])
        assert g.dtype == dtype
        assert g.shape == x.shape
        t = tg.jvp(f, (x,), (np.ones(x.shape, dtype)[()],))[1]
        assert t.dtype == dtype
        np.testing.assert_allclose(t, g, rtol=1e-2)
    empty = np.zeros((0, 3), dtype)
    assert tg.grad(lambda x: f(x).sum())(empty).shape == (0, 3)


def test_float_power_is_double():
    y, pullback = tg.vjp(lambda x: tnp.float_power(x, 2), np.array([1.0, 3.0], np.float32))
    assert y.dtype == np.float64
    (g,) = pullback(np.ones(2))
    assert g.dtype == np.float32
    assert g.tolist() == [2.0, 6.0]


def test_names_of_the_standard():
    for name, old in {
        "acos": "arccos",
        "acosh": "arccosh",
        "asin": "arcsin",
        "asinh": "arcsinh",
        "atan": "arctan",
        "atan2": "arctan2",
        "atanh": "arctanh",
        "bitwise_invert": "invert",
        "bitwise_left_shift": "left_shift",
        "bitwise_right_shift": "right_shift",
        "conj": "conjugate",
        "pow": "power",
        "abs": "absolute",
    }.items():
        assert getattr(tnp, name) is getattr(tnp, old)


# Arguments


def test_out():
    x = untracked(np.array([1.26, -2.5]))
    for function in (tnp.round, tnp.fix, tnp.isposinf, tnp.isneginf):
        out = untracked(np.zeros(2))
        assert function(x, out=out) is out
        assert out.data.tolist() == getattr(np, function.__name__)(x.data).tolist()
    out = untracked(np.zeros(2))
    assert tnp.clip(x, 0, 1, out=out) is out
    assert out.data.tolist() == [1.0, 0.0]


def test_clip_arguments():
    x = untracked(np.array([1.0]))
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a_max'"):
        tnp.clip(x, 1)
    with pytest.raises(ValueError, match="`min` or `max` keyword argument when `a_min`"):
        tnp.clip(x, 1, 2, min=3)
    with pytest.raises(TypeError, match=r"numpy\.clip of traced arrays does not take dtype="):
        tnp.clip(x, 1, 2, dtype=float)


def test_where_arguments():
    x = untracked(np.array([1.0]))
    with pytest.raises(ValueError, match="either both or neither of x and y should be given"):
        tnp.where(x, x)


def test_nan_to_num_in_place():
    x = untracked(np.array([np.nan, 1.0]))
    assert tnp.nan_to_num(x, copy=False) is x
    assert x.data.tolist() == [0.0, 1.0]
    g = tg.grad(lambda x: tnp.nan_to_num(x, nan=5.0).sum())(np.array([np.nan, 1.0, np.inf]))
    assert g.tolist() == [0.0, 1.0, 0.0]


def test_real_if_close_reads_the_values():
    f = tg.grad(lambda x: tnp.real_if_close(x * (1 + 1e-20j)).sum())
    assert f(np.array([1.0, 2.0])).tolist() == [1.0, 1.0]
    with pytest.raises(tg.errors.ConcretizationError, match="imaginary parts are small"):
        tg.vmap(lambda x: tnp.real_if_close(x * 1j))(np.ones(3))


# Complex derivatives, in the convention of HIPS autograd and JAX


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda z: tnp.abs(z) ** 2, 2 - 4j),
        (lambda z: tnp.abs(z), (1 - 2j) / math.sqrt(5)),
        (lambda z: tnp.real(z), 1),
        (lambda z: tnp.imag(z), -1j),
        (lambda z: tnp.angle(z), -0.4 - 0.2j),
        (lambda z: tnp.real(tnp.conj(z) * 3j), 3j * -1),
        (lambda z: tnp.real(z * tnp.conj(z)), 2 - 4j),
        (lambda z: tnp.real(tnp.sign(z)), (4 + 2j) / (5 * math.sqrt(5)) * 1),
        (lambda z: tnp.real(z**2), 2 + 4j),
        (lambda z: tnp.imag(z**3), -1j * 3 * (1 + 2j) ** 2),
        (lambda z: tnp.real(tnp.exp(z)), np.exp(1 + 2j)),
        (lambda z: tnp.real(tnp.nan_to_num(z)), 1),
    ],
)
def test_complex_gradients(f, expected):
    g = tg.grad(f)(1 + 2j)
    assert g.dtype == np.complex128
    np.testing.assert_allclose(g, expected, rtol=1e-14, atol=1e-15)
    g = tg.grad(lambda z: f(z).sum())(np.array([1 + 2j], np.complex64))
    assert g.dtype == np.complex64
    np.testing.assert_allclose(g, [expected], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("f", [tnp.abs, tnp.angle, lambda z: tnp.real(tnp.sign(z))])
def test_complex_kinks_at_zero(f):
    assert tg.grad(f)(0j) == 0
    assert tg.jvp(f, (0j,), (1 + 1j,))[1] == 0


def test_parts_of_real_numbers():
    x = np.array([1.0, -2.0])
    assert tg.grad(lambda x: tnp.real(x).sum())(x).tolist() == [1.0, 1.0]
    assert tg.grad(lambda x: tnp.imag(x).sum())(x).tolist() == [0.0, 0.0]
    assert tg.grad(lambda x: tnp.conj(x).sum())(x).tolist() == [1.0, 1.0]
    assert tg.grad(lambda x: tnp.angle(x).sum())(x).tolist() == [0.0, 0.0]
