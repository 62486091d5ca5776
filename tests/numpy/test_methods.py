"""Methods and properties of recorded arrays, and what conversions may lose."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.array import Array, untracked
from tapegrad.core.tape import shared

X = np.array([0.5, -1.5, 2.0])
M = np.arange(1.0, 7.0).reshape(2, 3) ** 1.5
Z = M + 1j * M[::-1]

CALLS = {
    "T": lambda x: x.T,
    "all": lambda x: x.all(),
    "any": lambda x: x.any(axis=0),
    "argmax": lambda x: x.argmax(axis=1),
    "argmin": lambda x: x.argmin(),
    "argpartition": lambda x: x.argpartition(1, axis=1)[:, 1],
    "argsort": lambda x: x.argsort(axis=0),
    "astype": lambda x: x.astype(np.complex64),
    "choose": lambda x: (x > 3).astype(int).choose([10.0, 20.0]),
    "clip": lambda x: x.clip(2.5, 7.5),
    "compress": lambda x: x.compress([True, False, True], axis=1),
    "conj": lambda x: x.conj(),
    "conjugate": lambda x: x.conjugate(),
    "copy": lambda x: x.copy(),
    "cumprod": lambda x: x.cumprod(axis=1),
    "cumsum": lambda x: x.cumsum(),
    "diagonal": lambda x: x.diagonal(1),
    "dot": lambda x: x.dot(x.T),
    "flat": lambda x: x.flat[2:5],
    "flatten": lambda x: x.flatten(),
    "imag": lambda x: x.imag,
    "mT": lambda x: x.mT,
    "max": lambda x: x.max(axis=0),
    "mean": lambda x: x.mean(),
    "min": lambda x: x.min(axis=1, keepdims=True),
    "nonzero": lambda x: x.nonzero()[1],
    "prod": lambda x: x.prod(axis=0),
    "ravel": lambda x: x.ravel(),
    "real": lambda x: x.real,
    "repeat": lambda x: x.repeat(2, axis=0),
    "reshape": lambda x: x.reshape(3, -1),
    "round": lambda x: x.round(1),
    "searchsorted": lambda x: x.ravel().searchsorted(4.0),
    "squeeze": lambda x: x[:, :1].squeeze(axis=1),
    "std": lambda x: x.std(axis=1, ddof=1),
    "sum": lambda x: x.sum(axis=(0, 1)),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "take": lambda x: x.take([0, 3, 3]),
    "to_device": lambda x: x.to_device("cpu"),
    "trace": lambda x: x.trace(),
    "transpose": lambda x: x.transpose(1, 0),
    "var": lambda x: x.var(axis=0),
    "view": lambda x: x.view(),
}
"""Methods that give a new array."""

IN_PLACE = {
    "fill": lambda x: x.fill(3.5),
    "partition": lambda x: x.partition(1, axis=1),
    "put": lambda x: x.put([0, 4], [7.0, 8.0]),
    "sort": lambda x: x.sort(axis=0),
}

READING = {"dump", "dumps", "item", "tobytes", "tofile", "tolist"}
STRUCTURE = {
    "base",
    "data",
    "device",
    "dtype",
    "flags",
    "itemsize",
    "nbytes",
    "ndim",
    "shape",
    "size",
}
REFUSED = {"byteswap", "getfield", "resize", "setfield", "setflags"}
ABSENT = {"ctypes"}  # of the memory, which recorded arrays do not promise


def test_every_method_of_ndarray_is_accounted_for():
    names = {name for name in dir(np.ndarray) if not name.startswith("_")}
    names = {name for name in names if hasattr(M, name)}  # some of NumPy 2.3's raise only
    known = CALLS.keys() | IN_PLACE.keys() | READING | STRUCTURE | REFUSED | ABSENT | {"strides"}
    assert names - known == set()
    for name in known - ABSENT:
        assert hasattr(Array, name), name


def check(f, x):
    """`f` on a recorded array is `f` on an ndarray; with the right tangent and vmap."""
    expected = f(x)
    out, tangent = tg.jvp(f, (x,), (np.ones_like(x),))
    np.testing.assert_array_equal(out, expected)
    assert out.dtype == expected.dtype
    if expected.dtype in (np.float64, np.complex128):
        difference = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
        np.testing.assert_allclose(tangent, difference, rtol=1e-6, atol=1e-7)
    return expected


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("x", [M, Z], ids=["real", "complex"])
def test_method(name, x):
    if x is Z and name in ("choose", "clip", "partition"):
        pytest.skip("real numbers only")
    expected = check(CALLS[name], x)
    if name != "nonzero":
        lanes = tg.vmap(CALLS[name])(np.stack([x, x]))
        np.testing.assert_allclose(lanes, np.stack([expected, expected]), rtol=1e-12)


@pytest.mark.parametrize("name", IN_PLACE)
def test_method_in_place(name):
    def changed(x):
        x = x.copy()
        assert IN_PLACE[name](x) is None
        return x

    expected = check(changed, M)
    lanes = tg.vmap(changed)(np.stack([M, M]))
    np.testing.assert_array_equal(lanes, np.stack([expected, expected]))


def test_methods_take_what_ndarrays_take():
    def f(x):
        assert x.reshape((3, 2)).shape == x.reshape([3, 2]).shape == x.reshape(3, 2).shape == (3, 2)
        assert x.reshape(6).shape == x.reshape(-1).shape == (6,)
        assert x.transpose().shape == x.transpose((1, 0)).shape == x.transpose(None).shape == (3, 2)
        assert x.clip(min=2.0).shape == x.clip(max=2.0).shape == (2, 3)
        assert x.astype("float32", copy=False).dtype == np.float32
        assert x.astype(float, copy=False) is x
        assert x.sum(0, np.float32).dtype == np.float32
        assert x.strides == M.strides
        assert x.flags.c_contiguous
        assert x.device == "cpu"
        return x.sum()

    tg.grad(f)(M)


def test_astype_checks_casting():
    with pytest.raises(
        TypeError, match=r"Cannot cast array data from .* according to the rule 'safe'"
    ):
        tg.grad(lambda x: x.astype(np.float32, casting="safe").sum())(M)


def test_matrix_transpose_of_a_vector():
    with pytest.raises(ValueError, match="at least 2-dimensional, but it is 1"):
        tg.grad(lambda x: x.mT.sum())(X)


def test_real_and_imaginary_parts_can_be_set():
    def f(x):
        z = x.astype(complex)
        z.imag = 2 * x
        z.real = z.real * 3
        return tnp.sum(tnp.abs(z) ** 2)

    np.testing.assert_allclose(tg.grad(f)(X), 2 * 13 * X)

    def g(x):
        x.real = 2 * x
        return tnp.sum(x * x)

    np.testing.assert_allclose(tg.grad(g)(X), 8 * X)
    with pytest.raises(TypeError, match="does not have imaginary part"):
        tg.grad(lambda x: setattr(x, "imag", 1.0))(X)


def test_flat():
    def f(x):
        assert len(x.flat) == 6
        assert [float(v.item()) for v in x.flat] == M.ravel().tolist()
        assert x.flat.copy().shape == (6,)
        x.flat[1:3] = x.flat[0]
        y = tnp.zeros((2, 3))
        y.flat = x[0, 0]
        return tnp.sum(x) + tnp.sum(y)

    assert tg.grad(f)(M).tolist() == [[9.0, 0.0, 0.0], [1.0, 1.0, 1.0]]


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_method_that_recorded_arrays_cannot_have(name):
    match = "cannot be viewed" if name == "byteswap" else rf"no method {name}\(\)"
    with pytest.raises(TypeError, match=match):
        tg.grad(lambda x: getattr(x, name)())(X)


def test_view_as_another_type():
    with pytest.raises(TypeError, match=r"cannot be viewed as another type.*Use x\.astype"):
        tg.grad(lambda x: x.view(np.int64).sum())(X)


# reading values

ALLOWED = {
    "bool": lambda x: bool(x),
    "not": lambda x: not x,
    "item": lambda x: x.item(),
    "tolist": lambda x: x.tolist(),
    "str": lambda x: str(x),
    "format": lambda x: f"{x:.3f}",
    "plain format": lambda x: f"{x}",
}

LOSING = {
    "float": lambda x: float(x),
    "int": lambda x: int(x),
    "complex": lambda x: complex(x),
    "math": lambda x: math.sin(x),
    "asarray": lambda x: np.asarray(x),
    "array": lambda x: np.array([x, x]),
    "tobytes": lambda x: x.tobytes(),
    "dlpack": lambda x: np.from_dlpack(x),
}


@pytest.mark.parametrize("read", ALLOWED.values(), ids=ALLOWED)
def test_values_may_be_read_where_no_derivative_gets_lost(read):
    def f(x):
        assert read(x) == read(np.float64(1.5))
        return x * x

    assert tg.grad(f)(1.5) == 3.0


@pytest.mark.parametrize("read", LOSING.values(), ids=LOSING)
def test_conversions_that_lose_a_derivative_raise(read):
    def f(x):
        read(x)
        return x

    with pytest.raises(TypeError, match="would take a traced value off the tape"):
        tg.grad(f)(1.5)


@pytest.mark.parametrize("read", [*ALLOWED.values(), *LOSING.values()], ids=[*ALLOWED, *LOSING])
def test_values_of_many_lanes_cannot_be_read(read, request):
    if "str" in request.node.name or "plain format" in request.node.name:
        assert tg.vmap(lambda x: (str(x), x)[1])(X).tolist() == X.tolist()
        return
    with pytest.raises(tg.errors.ConcretizationError, match="differs between the lanes of vmap"):
        tg.vmap(lambda x: read(x))(X)


@pytest.mark.parametrize("read", [*ALLOWED.values(), *LOSING.values()], ids=[*ALLOWED, *LOSING])
def test_values_that_all_lanes_share_can_be_read(read):
    def f(x, shared):
        if read in ALLOWED.values():
            read(shared)
        return x

    assert tg.vmap(f, in_axes=(0, None))(X, np.float64(2.0)).tolist() == X.tolist()


@pytest.mark.parametrize(
    "read",
    [
        lambda x: bool(x),
        lambda x: float(x),
        lambda x: x.item(),
        lambda x: x.tolist(),
        lambda x: np.asarray(x),
        lambda x: f"{x:.2f}",
    ],
)
def test_escaped_values_cannot_be_read(read, monkeypatch):
    monkeypatch.setattr(shared, "imperative", False)  # else it may be one that backward() freed
    kept = []

    def f(x):
        kept.append(x)
        return x * x

    for transform in (tg.grad(f), tg.vmap(f)):
        transform(1.5 if transform is not None and len(kept) == 0 else np.ones(1))
        with pytest.raises(
            tg.errors.EscapedValueError, match="after the transform that made it had ended"
        ):
            read(kept[-1])
        assert "of a transform that has ended" in repr(kept[-1]) or "vmap" in repr(kept[-1])


def test_untracked_arrays_convert_freely():
    x = untracked(np.float64(1.5))
    assert float(x) == 1.5
    assert int(x) == 1
    assert complex(x) == 1.5
    assert math.floor(np.asarray(x)) == 1
    assert np.asarray(untracked(X)) is X
    assert np.asarray(untracked(X), dtype=np.float32).dtype == np.float32
    assert np.from_dlpack(untracked(X)).tolist() == X.tolist()
    assert untracked(X).__dlpack_device__() == X.__dlpack_device__()


def test_integers_serve_as_indices():
    def f(x):
        i = tnp.argmax(x)
        assert int(i) == 2
        assert list(range(5))[i] == 2
        assert len(range(i)) == 2
        return x[i]

    assert tg.grad(f)(X).tolist() == [0.0, 0.0, 1.0]
    with pytest.raises(TypeError, match="integer"):
        tg.grad(lambda x: range(x))(1.5)


def test_branches_and_loops():
    def f(x):
        while x < 10:
            x = x * x if x > 1.2 else x + 1
        return x

    assert tg.grad(f)(2.0) == 4 * 8.0


def test_several_elements_have_no_truth():
    with pytest.raises(ValueError, match="truth value of an array with more than one element"):
        tg.grad(lambda x: bool(x))(X)


def test_contains():
    def f(x):
        assert 2.0 in x
        assert 3.0 not in x
        return x.sum()

    tg.grad(f)(X)


def test_representation():
    seen = []

    def f(x):
        seen.append(repr(x))
        return x.sum()

    tg.grad(f)(np.array([1.0, 2.0]))
    tg.grad(f)(np.array([1.0, 2.0], dtype=np.float32))
    tg.vmap(f)(np.ones((3, 2, 4)))
    assert seen == [
        "Array([1., 2.], tracked)",
        "Array([1., 2.], float32, tracked)",
        "Traced(float64[2, 4], vmap)",
    ]
    assert repr(untracked(np.arange(2))) == "Array([0, 1])"


def test_pickled_arrays_are_untracked():
    def f(x):
        y = pickle.loads(pickle.dumps(x))
        assert y.slot == 0
        assert y.tolist() == x.tolist()
        return x.sum()

    tg.grad(f)(X)


def test_array_namespace():
    def f(x):
        assert x.__array_namespace__() is tnp
        assert x.__array_namespace__(api_version="2024.12") is tnp
        with pytest.raises(ValueError, match=r"implements the array API standard 2024\.12"):
            x.__array_namespace__(api_version="2030.12")
        return x.sum()

    tg.grad(f)(X)
