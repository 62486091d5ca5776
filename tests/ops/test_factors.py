"""Systems, inverses and determinants by LU factors that are kept: each matrix is factored once."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.scipy.linalg as sl
from tapegrad.core.versions import stamp
from tapegrad.ops import lapack
from tapegrad.ops.determinant import cofactors, det, slogdet
from tapegrad.ops.factorise import lu
from tapegrad.ops.linalg import factors, inv, solve

from . import check
from .test_decompositions import operation, spd

rng = np.random.default_rng(7)
N = lapack.FEW_ROWS
REAL = rng.standard_normal((N, N)) / N + np.eye(N)
COMPLEX = REAL + 1j * rng.standard_normal((N, N)) / N
SIDES = rng.standard_normal((N, 2))
STACK = np.stack([REAL, REAL.T + np.eye(N)[::-1]])  # with other pivots

HERE = {
    "inv": (inv, 0),
    "solve": (lambda x: solve(x, SIDES.astype(x.dtype)), 0),
    "solve_transposed": (lambda x: solve(x, SIDES.astype(x.dtype), transposed=True), 0),
    "solve_both": (lambda x: solve(x, x * x), 0),
    "det": (det, 0),
    "slogdet": (slogdet, 2),
    "cofactors": (lambda x: cofactors(x, *factors(x)), 0),
}


@pytest.fixture
def counted(monkeypatch):
    """How many matrices were factored."""
    counts = []
    factor = lapack.factor

    def counting(a):
        counts.append(a.shape)
        return factor(a)

    monkeypatch.setattr(lapack, "factor", counting)
    return counts


@pytest.mark.parametrize("x", [REAL, COMPLEX], ids=["d", "D"])
@pytest.mark.parametrize("name", HERE)
def test_derivatives_and_lanes(name, x):
    function, outputs = HERE[name]
    op = operation(name, function, outputs)
    check.check_derivatives(op, (x,), {})
    check.check_batch(op, (x,), {})
    check.check_float32(op, (x,), {})


@pytest.mark.parametrize("f", [inv, lambda x: solve(x, x * x), det, slogdet])
def test_stacks_are_loops(f):
    out, pull = tg.vjp(f, STACK)
    (g,) = pull(out)
    for i, x in enumerate(STACK):
        one, pull_one = tg.vjp(f, x)
        np.testing.assert_allclose(g[i], pull_one(one)[0], atol=1e-12)


def test_stacks_are_numpys():
    for ours, theirs in ((inv, np.linalg.inv), (det, np.linalg.det), (slogdet, np.linalg.slogdet)):
        for a, b in zip(np.atleast_1d(ours(STACK)), np.atleast_1d(theirs(STACK)), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-13)
    np.testing.assert_allclose(solve(STACK, STACK), [np.eye(N)] * 2, atol=1e-13)


def test_a_system_of_mixed_dtypes():
    single = REAL.astype(np.float32)
    out = solve(single, SIDES)
    assert out.dtype == np.float64
    np.testing.assert_allclose(single @ out, SIDES, atol=1e-13)
    np.testing.assert_allclose(solve(REAL, SIDES * 1j), np.linalg.solve(REAL, SIDES) * 1j)
    g = tg.grad(lambda x: abs(solve(x, SIDES)[0, 0]))(single)
    assert g.dtype == np.float32


def test_the_sweep_factors_nothing(counted):
    for f in (
        lambda x: solve(x, SIDES)[0, 0],
        lambda x: inv(x)[0, 0],
        det,
        lambda x: slogdet(x)[1],
    ):
        counted.clear()
        gradient = tg.grad(f)
        gradient(REAL)
        assert len(counted) == 1
    counted.clear()
    tg.grad(lambda x: tg.grad(lambda x: solve(x, SIDES)[0, 0])(x)[0, 0])(REAL)
    tg.jvp(lambda x: solve(x, SIDES), (REAL,), (REAL,))
    assert len(counted) == 2


@pytest.mark.parametrize("n", [3, N])
def test_no_sweep_inverts_or_factors_what_has_factors(n, monkeypatch):
    x = spd(REAL[:n, :n])
    functions = {
        "solve": lambda x: np.linalg.solve(x, SIDES[:n]),
        "cholesky": np.linalg.cholesky,
        "qr": np.linalg.qr,
        "lu": lambda x: sl.lu_factor(x)[0],
        "lu_solve": lambda x: sl.lu_solve(sl.lu_factor(x), SIDES[:n]),
        "cho_solve": lambda x: sl.cho_solve(sl.cho_factor(x), SIDES[:n]),
        "solve_triangular": lambda x: sl.solve_triangular(x, SIDES[:n]),
        "solve_banded": lambda x: sl.solve_banded((1, 1), x[:3] + 9, SIDES[:n]),
        "expm": sl.expm,
        "eigh": np.linalg.eigh,
        "svd": np.linalg.svd,
    }
    pulled = {}
    for name, f in functions.items():
        out, pull = tg.vjp(f, x)
        pulled[name] = partial(pull, out)

    def forbidden(*_args, **_kwargs):
        raise AssertionError("a sweep does over what the forward did")

    for name in ("inv", "cholesky", "qr", "eigh", "svd", "slogdet", "det"):
        monkeypatch.setattr(np.linalg, name, forbidden)
    monkeypatch.setattr(lapack, "factor", forbidden)
    for pull in pulled.values():
        assert np.isfinite(pull()[0]).all()


def test_a_computed_matrix_is_factored_once(counted):
    def likelihood(x):
        kernel = x @ x.T
        return np.sum(np.linalg.solve(kernel, SIDES)) + np.linalg.slogdet(kernel)[1]

    g = tg.grad(likelihood)(REAL)
    assert len(counted) == 1
    np.testing.assert_allclose(
        np.sum(g * COMPLEX.imag),
        check.difference(lambda x: [likelihood(x)], [REAL], [COMPLEX.imag])[0],
        rtol=1e-6,
    )


def test_a_matrix_that_changed_is_factored_again(counted):
    def f(x):
        kernel = x * 2
        first = np.linalg.slogdet(kernel)[1]
        kernel[0, 0] = 7.0
        return first, np.linalg.slogdet(kernel)[1]

    changed = REAL * 2
    changed[0, 0] = 7.0
    (first, second), _ = tg.vjp(f, REAL)
    assert first == pytest.approx(np.linalg.slogdet(REAL * 2)[1], rel=1e-13)
    assert second == pytest.approx(np.linalg.slogdet(changed)[1], rel=1e-13)
    assert len(counted) == 2


def test_a_matrix_that_is_written_in_its_memory_is_factored_again():
    def f(x):
        kernel = x * 2
        first = np.linalg.slogdet(kernel)[1]
        kernel.raw[:] *= 2  # as tensors do
        stamp(kernel.raw, "mul_")
        return first, np.linalg.slogdet(kernel)[1]

    (first, second), _ = tg.vjp(f, REAL)
    assert second - first == pytest.approx(N * np.log(2))


@pytest.mark.parametrize("view", [lambda x: x, np.transpose])
def test_a_callers_matrix_may_change_at_any_time(view):
    x = REAL.copy()
    seen = []

    def f(y):
        seen.append(np.linalg.slogdet(view(y))[1])
        x[:] = 2 * REAL
        seen.append(np.linalg.slogdet(view(y))[1])
        return seen[0] + seen[1]

    tg.grad(f)(x)
    assert seen[1].raw - seen[0].raw == pytest.approx(N * np.log(2))


def test_singular_matrices():
    x = REAL.copy()
    x[:, 3] = 0
    for f in (inv, lambda x: solve(x, SIDES)):
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix") as caught:
            tg.vjp(f, x)
        assert f"float64[{N}, {N}]" in caught.value.__notes__[0]
    assert det(x) == 0
    assert slogdet(x)[0] == 0
    assert slogdet(x)[1] == -np.inf
    value, g = tg.value_and_grad(det)(x)
    assert value == 0
    expected = np.array(
        [np.linalg.det(np.where(np.arange(N) == 3, row, x)) for row in np.eye(N)[:, :, None]]
    )
    np.testing.assert_allclose(g[:, 3], expected, rtol=1e-12)
    assert np.abs(np.delete(g, 3, axis=1)).max() < 1e-14


def test_without_scipy_systems_are_solved_anew(monkeypatch):
    expected = tg.grad(lambda x: solve(x, SIDES)[0, 0])(REAL)
    monkeypatch.setattr(lapack, "routine", lambda name, char: None)
    assert factors(REAL) == ()
    np.testing.assert_allclose(tg.grad(lambda x: solve(x, SIDES)[0, 0])(REAL), expected)
    with pytest.raises(ModuleNotFoundError, match="LU factorisation needs SciPy"):
        lu(REAL)
