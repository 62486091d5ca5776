"""`compile` as users see it: pytrees, statics, branches, composition, reports, threads, errors."""

import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.compiler.errors import ImpureWarning, RecompilationWarning
from tapegrad.compiler.llvm.host import unavailable

BACKENDS = [
    "numpy",
    pytest.param("llvm", marks=pytest.mark.skipif(unavailable(), reason="needs llvmlite")),
]

ROOT = Path(__file__).parents[2]

rng = np.random.default_rng(0)


def counted(function):
    """The function, and the list of its runs."""
    runs = []

    def wrapper(*args, **kwargs):
        runs.append(args)
        return function(*args, **kwargs)

    return wrapper, runs


def loss(params, x):
    return ((np.tanh(x @ params["w"] + params["b"]) - 0.5) ** 2).mean()


PARAMS = {"w": rng.standard_normal((3, 4)), "b": rng.standard_normal(4)}
X = rng.standard_normal((5, 3))


@pytest.mark.parametrize("backend", BACKENDS)
def test_trees_in_and_out(backend):
    function, runs = counted(lambda p, x: {"loss": loss(p, x), "parts": [x * 2, (p["b"] + 1,)]})
    compiled = tg.compile(function, backend=backend, check=False)
    for _ in range(3):
        result = compiled(PARAMS, X)
        np.testing.assert_allclose(result["loss"], loss(PARAMS, X), rtol=1e-14)
        np.testing.assert_array_equal(result["parts"][0], X * 2)
        np.testing.assert_array_equal(result["parts"][1][0], PARAMS["b"] + 1)
        assert isinstance(result["parts"][1], tuple)
    assert len(runs) == 1


def test_signatures_are_told_apart():
    function, runs = counted(lambda x, n=2: x * n)
    compiled = tg.compile(function, check=False)
    assert compiled(np.ones(3)).dtype == "float64"
    assert compiled(np.ones(3, "float32")).dtype == "float32"
    assert compiled(np.ones((3, 1))).shape == (3, 1)
    assert compiled(np.ones(3), n=3)[0] == 3
    assert compiled(np.ones(3), 4)[0] == 4
    assert compiled(np.float64(2.0)) == 4
    assert len(runs) == 6
    compiled(np.ones(3)), compiled(np.ones(3), 4)
    assert len(runs) == 6


def test_static_arguments():
    compiled = tg.compile(lambda x, kind: x + 1 if kind == "more" else x - 1, static_argnums=1)
    assert compiled(np.zeros(2), "more")[0] == 1
    assert compiled(np.zeros(2), "less")[0] == -1
    with pytest.raises(
        TypeError, match=r"argument 1 is static and must be hashable, but is a list"
    ):
        compiled(np.zeros(2), ["more"])
    with pytest.raises(IndexError, match="static_argnums names argument 1, but the call has 1"):
        compiled(np.zeros(2))


def test_bad_options():
    with pytest.raises(ValueError, match="backend must be one of auto, numpy, llvm, but is 'gcc'"):
        tg.compile(np.sin, backend="gcc")
    with pytest.raises(TypeError, match="compile"):
        tg.compile(3)


@pytest.mark.parametrize("backend", BACKENDS)
def test_branches_are_checked_and_taken_anew(backend):
    def function(x):
        count = 0
        while np.sum(x) > 1:
            x = x / 2
            count += 1
        return x + count if x[0] > 0 else x - count

    function, runs = counted(function)
    compiled = tg.compile(function, backend=backend, check=False)
    for scale in (1.0, 8.0, 1.0, -3.0, 8.0, 0.1):
        x = scale * np.array([0.5, 0.75])
        np.testing.assert_array_equal(compiled(x), function(x))
    assert len(runs) == 6 + 4  # the calls here, and the paths
    assert compiled.report().signatures[0].programs[0].guards != ()


def test_too_many_paths_run_uncompiled():
    compiled = tg.compile(lambda x: x * int(x.astype(int)))
    for i in range(40):
        assert compiled(np.float64(i)) == i * i
    assert "more than 16 paths" in str(compiled.report())


def test_shapes_that_depend_on_values_run_uncompiled():
    compiled = tg.compile(lambda x: x[x > 0])
    np.testing.assert_array_equal(compiled(np.array([1.0, -1.0, 2.0])), [1, 2])
    np.testing.assert_array_equal(compiled(np.array([-1.0, -1.0, 2.0])), [2])
    assert "not compiled" in str(compiled.report())


COMPOSED = {
    "grad of compiled": lambda f, c: tg.grad(c),
    "compiled grad": lambda f, c: tg.compile(tg.grad(f)),
    "grad of compiled grad": lambda f, c: tg.grad(lambda x: tg.compile(tg.grad(f))(x).sum()),
    "hessian of compiled": lambda f, c: tg.hessian(c),
    "compiled hessian": lambda f, c: tg.compile(tg.hessian(f)),
    "jvp of compiled": lambda f, c: lambda x: tg.jvp(c, (x,), (x,)),
    "vmap of compiled": lambda f, c: lambda x: tg.vmap(c)(np.stack([x, -x])),
    "compiled vmap": lambda f, c: lambda x: tg.compile(tg.vmap(f))(np.stack([x, -x])),
    "vmap of grad of compiled": lambda f, c: lambda x: tg.vmap(tg.grad(c))(np.stack([x, -x])),
    "grad of vmap of compiled": lambda f, c: tg.grad(
        lambda x: tg.vmap(c)(tnp.stack([x, 2 * x])).sum()
    ),
    "compiled compiled": lambda f, c: tg.compile(c),
    "hvp of compiled": lambda f, c: lambda x: tg.hvp(c, x, x),
    "checkpoint of compiled": lambda f, c: tg.grad(tg.checkpoint(c)),
    "compiled checkpoint": lambda f, c: tg.compile(tg.grad(tg.checkpoint(f))),
}


def function_to_compose(x):
    y = np.sin(x[1:]) * x[:-1] ** 2
    return np.sum(y * np.exp(-y)) / (1 + np.max(np.abs(x)))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", COMPOSED)
def test_composes(name, backend):
    f = function_to_compose
    x = np.linspace(-1.0, 2.0, 6)
    composed = COMPOSED[name](f, tg.compile(f, backend=backend))
    expected = COMPOSED[name](f, f)
    for _ in range(2):
        for actual, wanted in zip(
            tg.tree.leaves(composed(x)), tg.tree.leaves(expected(x)), strict=True
        ):
            np.testing.assert_allclose(actual, wanted, rtol=1e-11, atol=1e-13)


def test_values_of_a_transform_around_are_not_kept():
    def outer(w):
        return compiled(w, np.ones(3)) + tg.compile(lambda x: (w * x).sum())(np.ones(3))

    compiled = tg.compile(lambda w, x: (w * w * x).sum())
    for w in (2.0, 3.0):
        assert tg.grad(outer)(np.float64(w)) == 6 * w + 3


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_zero_cotangent_stays_zero(backend):
    gradient = tg.grad(lambda x: np.where(x > 0, np.sqrt(np.abs(x)), 0.0).sum())
    compiled = tg.compile(gradient, backend=backend)
    for x in (np.array([4.0, 1.0]), np.array([4.0, 1.0]), np.array([4.0, 0.0])):
        np.testing.assert_array_equal(compiled(x), gradient(x))
    np.testing.assert_array_equal(compiled(np.array([4.0, 0.0])), [0.25, 0.0])
    assert np.isnan(compiled(np.array([np.nan, 1.0]))[0]) == np.isnan(
        gradient(np.array([np.nan, 1.0]))[0]
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_zero_cotangent_stays_zero_where_a_nan_would_not_be_seen(backend):
    def function(x):
        g = tg.grad(lambda x: np.where(x > 0, np.sqrt(np.abs(x)), 0.0).sum())(x)
        return np.where(g > 0.1, 1.0, 2.0), np.isnan(g)

    compiled = tg.compile(function, backend=backend)
    for x in (np.array([4.0, 1.0]), np.array([4.0, 0.0]), np.array([4.0, 0.0])):
        for actual, expected in zip(compiled(x), function(x), strict=True):
            np.testing.assert_array_equal(actual, expected)


def test_random_numbers_are_drawn_anew():
    compiled = tg.compile(lambda x: x + tnp.random.normal(size=3))
    results = np.stack([compiled(np.zeros(3)) for _ in range(4)])
    assert len(np.unique(results)) == 12


@pytest.mark.parametrize("backend", BACKENDS)
def test_single_random_numbers_are_drawn_anew(backend):
    def noisy(x):
        return x * 2 + tnp.random.normal(), tnp.random.uniform(3.0, 4.0)

    compiled = tg.compile(noisy, backend=backend)
    x = np.array([1.0, 2.0])
    tnp.random.seed(7)
    results = [compiled(x) for _ in range(4)]
    tnp.random.seed(7)
    for (y, u), (expected, wanted) in zip(results, [noisy(x) for _ in range(4)], strict=True):
        np.testing.assert_array_equal(y, expected)
        assert u == wanted
        assert 3 <= u <= 4
    assert len({u for _, u in results}) == 4
    tnp.random.seed(8)
    gradient = tg.grad(lambda x: np.sum(compiled(x)[0] ** 2))
    first = gradient(x)
    tnp.random.seed(8)
    np.testing.assert_allclose(first, tg.grad(lambda x: np.sum(noisy(x)[0] ** 2))(x), rtol=1e-14)
    assert not np.array_equal(first, gradient(x))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_call_without_arrays_runs_the_function_as_it_is(backend):
    function, runs = counted(lambda n, x=2.0: (n * x, [tnp.ones(n), "text"]))
    compiled = tg.compile(function, backend=backend)
    for n, x in ((2, 0.5), (2, 0.5), (3, 0.5), (3, np.pi)):
        product, (ones, text) = compiled(n, x)
        assert (product, type(product), text) == (n * x, float, "text")
        np.testing.assert_array_equal(ones, np.ones(n))
    assert compiled(4)[0] == 8.0
    assert compiled(n=4)[0] == 8.0
    assert len(runs) == 6
    assert compiled.report().signatures == ()
    nothing, runs = counted(lambda: 3)
    compiled = tg.compile(nothing, backend=backend)
    assert [compiled(), compiled()] == [3, 3]
    assert len(runs) == 2


@pytest.mark.parametrize("backend", BACKENDS)
def test_results_are_the_callers_own(backend):
    x = np.arange(6.0).reshape(2, 3)
    c = np.ones(3)
    compiled = tg.compile(lambda x: (x, x, x.T, x[0], c, c + x), backend=backend)
    for _ in range(2):
        results = compiled(x)
        for y in results:
            assert y.base is None
            y += 1
        np.testing.assert_array_equal(x, np.arange(6.0).reshape(2, 3))
        np.testing.assert_array_equal(c, np.ones(3))
        np.testing.assert_array_equal(results[2], x.T + 1)


@pytest.mark.parametrize("backend", BACKENDS)
def test_large_results_are_not_used_again_while_alive(backend):
    compiled = tg.compile(lambda x: x * 2, backend=backend)
    kept = [compiled(np.full(50_000, float(i))) for i in range(6)]
    views = [compiled(np.full(50_000, float(i)))[1:3] for i in range(6)]
    for i in range(6):
        assert np.all(kept[i] == 2 * i)
        assert np.all(views[i] == 2 * i)


def strided(x):
    return np.stack([x, x], axis=-1)[..., 0]


def unaligned(x):
    buffer = np.empty(x.nbytes + 1, np.uint8)
    y = np.ndarray(x.shape, x.dtype, buffer.data, 1)
    y[...] = x
    return y


def read_only(x):
    y = x.copy()
    y.flags.writeable = False
    return y


LAYOUTS = {
    "plain": lambda x: x,
    "strided": strided,
    "reversed": lambda x: x[::-1].copy()[::-1],
    "Fortran": np.asfortranarray,
    "unaligned": unaligned,
    "read-only": read_only,
    "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "repeated": lambda x: np.broadcast_to(x[:1], x.shape),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_of_inputs(name, backend):
    x = LAYOUTS[name](rng.standard_normal((7, 5)))
    function = tg.value_and_grad(lambda x: np.sum(np.exp(x) * x.T.sum(0)[:, None]))
    compiled = tg.compile(function, backend=backend)
    for data in (rng.standard_normal((7, 5)), x, x):
        for actual, expected in zip(compiled(data), function(data), strict=True):
            np.testing.assert_allclose(actual, expected, rtol=1e-13)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (0, 3), (1,), (1, 1)])
def test_small_and_empty_shapes(shape, backend):
    x = rng.standard_normal(shape)
    function = tg.value_and_grad(lambda x: np.sum(np.sin(x) * x) + np.sum(x, axis=None))
    compiled = tg.compile(function, backend=backend)
    for _ in range(2):
        for actual, expected in zip(compiled(x), function(x), strict=True):
            np.testing.assert_allclose(actual, expected, rtol=1e-13)
            assert np.shape(actual) == np.shape(expected)


@pytest.mark.parametrize("backend", BACKENDS)
def test_arguments_are_not_kept(backend):
    compiled = tg.compile(lambda p: {"a": p["a"] * 2, "b": [p["b"][0] + 1]}, backend=backend)
    params = {"a": np.ones(3), "b": [np.ones(2)]}
    for _ in range(3):
        compiled(params)
    before = [sys.getrefcount(x) for x in tg.tree.leaves(params)]
    for _ in range(100):
        compiled(params)
    assert [sys.getrefcount(x) for x in tg.tree.leaves(params)] == before


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_compiled_function_goes_with_its_programs(backend):
    compiled = tg.compile(lambda x: x * 2, backend=backend)
    for _ in range(4):
        compiled(X)
    alive = weakref.ref(compiled)
    del compiled
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [7, 100_000])
def test_threads(backend, size):
    function = tg.value_and_grad(lambda x: np.sum(np.exp(-x * x) * np.cumsum(x)) * 0.5)
    compiled = tg.compile(function, backend=backend)
    failures = []

    def work(seed):
        x = np.random.default_rng(seed).standard_normal(size)
        expected = function(x)
        for _ in range(30 if size < 100 else 5):
            value, gradient = compiled(x)
            if not (np.isclose(value, expected[0]) and np.allclose(gradient, expected[1])):
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_storms_of_shapes_name_the_argument():
    compiled = tg.compile(loss)
    for n in range(1, 8):
        compiled(PARAMS, np.ones((n, 3)))
    text = r"x is float64\[8, 3\] now, and was float64\[7"
    with pytest.warns(RecompilationWarning, match=text) as warned:
        compiled(PARAMS, np.ones((8, 3)))
    assert warned[0].filename == __file__


def test_storms_of_static_values_name_them():
    compiled = tg.compile(lambda x, rate: x * rate)
    for rate in range(7):
        compiled(np.ones(3), float(rate))
    with pytest.warns(RecompilationWarning, match=r"rate is 7\.0 now, and was 6\.0") as warned:
        compiled(np.ones(3), 7.0)
    assert warned[0].filename == __file__
    compiled = tg.compile(lambda x, options: x * 2)
    for i in range(7):
        compiled(np.ones(3), {"a": 1, "mode": str(i)})
    with pytest.warns(RecompilationWarning, match=r"options\['mode'\] is '7' now, and was '6'"):
        compiled(np.ones(3), {"a": 1, "mode": "7"})
    compiled = tg.compile(lambda x, kind: x * 2, static_argnums=1)
    for i in range(7):
        compiled(np.ones(3), i)
    with pytest.warns(RecompilationWarning, match="argument 1 is 7 now, and was 6 before"):
        compiled(np.ones(3), 7)


def test_few_signatures_do_not_warn():
    compiled = tg.compile(loss)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(1, 7):
            compiled(PARAMS, np.ones((n, 3)))


def test_report_graph_and_source():
    compiled = tg.compile(tg.grad(loss))
    with pytest.raises(RuntimeError, match="has no program yet"):
        compiled.graph()
    for _ in range(3):
        compiled(PARAMS, X)
    report = compiled.report()
    assert report.signatures[0].programs[0].hits == 3
    assert "params['w']: float64[3, 4]" in str(report)
    assert "tanh(" in str(compiled.graph())
    names = {}
    exec(compiled.source(PARAMS, X), names)
    expected = tg.grad(loss)(PARAMS, X)
    b, w = names["program"](PARAMS["b"], PARAMS["w"], X)
    np.testing.assert_allclose(b, expected["b"], rtol=1e-13)
    np.testing.assert_allclose(w, expected["w"], rtol=1e-13)


@pytest.mark.skipif(unavailable(), reason="needs machine code")
def test_the_report_says_how_long_each_step_takes():
    compiled = tg.compile(tg.grad(loss), backend="llvm")
    (program,) = compiled.report(PARAMS, X).signatures[0].programs
    assert len(program.times) == len(program.steps)
    assert all(0 < seconds < 1 for seconds in program.times)
    assert " us  matmul" in str(compiled.report())
    for actual, expected in zip(
        tg.tree.leaves(compiled(PARAMS, X)), tg.tree.leaves(tg.grad(loss)(PARAMS, X)), strict=True
    ):
        np.testing.assert_allclose(actual, expected, rtol=1e-12)


def test_as_a_method_and_as_a_decorator():
    class Model:
        scale = 3.0

        @tg.compile
        def __call__(self, x):
            """Scaled."""
            return x * self.scale

    assert Model()(np.ones(2))[0] == 3
    assert Model.__call__.__doc__ == "Scaled."


def test_copies_and_pickles_have_programs_of_their_own():
    compiled = tg.compile(np.sin, fast=True)
    compiled(np.ones(2))
    for copied in (copy.deepcopy(compiled), pickle.loads(pickle.dumps(compiled))):
        assert copied.options == compiled.options
        assert copied.report().signatures == ()
        np.testing.assert_array_equal(copied(np.ones(2)), np.sin(np.ones(2)))


def test_recorded_constants_stay_arrays():
    compiled = tg.compile(lambda x: x * 2)
    assert type(tg.grad(lambda x: compiled(x).sum())(np.ones(2))) is np.ndarray


def test_an_error_in_the_function_points_at_it():
    def function(x):
        return x @ np.ones((7, 7))

    with pytest.raises(ValueError, match="matmul") as info:
        tg.compile(function)(np.ones(3))
    assert any(entry.name == "function" for entry in info.traceback)


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_error_in_a_program_points_at_the_function(backend):
    def inverted(x):
        return np.linalg.inv(x).sum()

    def picked(x, i):
        return x[i] * 2

    compiled, picking = tg.compile(inverted, backend=backend), tg.compile(picked, backend=backend)
    for i in range(3):
        assert compiled(np.eye(2) * 2.0) == 1.0
        np.testing.assert_array_equal(picking(X, np.array([i])), 2 * X[[i]])
        with pytest.raises(np.linalg.LinAlgError, match="Singular") as info:
            compiled(np.zeros((2, 2)))
        assert any(entry.name == "inverted" for entry in info.traceback)
        with pytest.raises(IndexError, match="out of bounds") as info:
            picking(X, np.array([9]))
        assert any(entry.name == "picked" for entry in info.traceback)


def test_an_error_after_a_donation_is_that_of_the_program():
    runs = []

    def function(x, y):
        runs.append(1)
        return x + 1, np.linalg.inv(y)

    compiled = tg.compile(function, donate_argnums=0, check=False)
    compiled(np.zeros(2), np.eye(2))
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        compiled(np.zeros(2), np.zeros((2, 2)))
    assert runs == [1]


def test_sources_run_on_their_own(tmp_path):
    scale = np.array([1.0, 2.0, 3.0])
    index = np.array([2, 0])

    def function(x, i):
        picked = x[:, i] @ np.array([[0.5, 2e300], [-0.0, 1.0]])
        return picked, np.sort(x * scale)[::-1] + tnp.random.normal(size=3) * 0, np.fft.fft(x)

    compiled = tg.compile(function)
    x = rng.standard_normal((2, 3))
    expected = compiled(x, index)
    source = compiled.source()
    assert "# x2: random numbers, drawn anew for each call\n" in source
    assert "# x3: an array that is read from outside\n" in source
    file = tmp_path / "alone.py"
    np.savez(tmp_path / "arrays.npz", x, index, np.zeros(3), scale, *expected)
    call = "\nwith np.load('arrays.npz') as f:\n    arrays = list(f.values())\n"
    call += "for a, e in zip(program(*arrays[:4]), arrays[4:], strict=True):\n"
    file.write_text(source + call + "    np.testing.assert_allclose(a, e, rtol=1e-12)\n")
    ended = subprocess.run(
        [sys.executable, file.name],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_sources_say_what_has_to_be_defined():
    @tg.custom_vjp
    def cube(x):
        return x**3

    cube.defvjp(lambda x: (x**3, x), lambda x, g: (g * 3 * x**2,))
    source = tg.compile(lambda x: 2 * cube(x)).source(np.ones(3))
    names = {}
    exec(source, names)
    assert "# custom_vjp: custom_vjp, a custom function's operation\n" in source
    with pytest.raises(NameError, match="custom_vjp"):
        names["program"](np.ones(3))


def test_arrays_that_there_are_no_operations_on_run_as_they_are():
    compiled = tg.compile(lambda x: x * 2)
    for x in (np.array([1, 2], object), np.array([1, 2], "m8[s]")):
        for _ in range(3):
            np.testing.assert_array_equal(compiled(x), x * 2)
    assert "not compiled: there are no operations on arrays of object" in str(compiled.report())
    records = np.array([(1.0, 2), (3.0, 4)], [("value", "f8"), ("count", "i4")])
    compiled = tg.compile(lambda records, x: records["value"] * records["count"] + x)
    for _ in range(3):
        np.testing.assert_array_equal(compiled(records, np.ones(2)), [3.0, 13.0])
    assert "no operations on arrays of [('value', '<f8'), ('count', '<i4')]" in str(
        compiled.report()
    )


INDEXED = {
    "rows": lambda x, i, j: x[i],
    "elements": lambda x, i, j: x[i, j],
    "of a transpose": lambda x, i, j: x.T[j],
    "gradient": lambda x, i, j: tg.grad(lambda x: (x[i] ** 2).sum() + (x[i, j] ** 3).sum())(x),
    "gradient of a transpose": lambda x, i, j: tg.grad(lambda x: (x.T[j] ** 2).sum())(x),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", INDEXED)
def test_index_arrays(name, backend):
    function = INDEXED[name]
    x = rng.standard_normal((9, 5))
    i, j = rng.integers(-9, 9, (4, 3)), rng.integers(-5, 5, (3,))
    compiled = tg.compile(function, backend=backend)
    for a, b in (
        (i, j),
        (i, j),
        (i.astype("i4"), j.astype("i1")),
        (i.astype("i4"), j.astype("i1")),
    ):
        np.testing.assert_allclose(compiled(x, a, b), function(x, a, b), rtol=1e-14)
    i[1, 1], j[0] = 9, -6
    with pytest.raises(IndexError, match="is out of bounds for axis"):
        compiled(x, i, j)


def momentum_step(state, x):
    """Two arrays that are updated from each other, and from a product that reads one of them."""
    w, v = state
    value, g = tg.value_and_grad(lambda w: ((x @ w) ** 2).mean())(w)
    v = 0.9 * v + g
    return (w - 0.1 * v, v), value


@pytest.mark.parametrize("backend", BACKENDS)
def test_donated_arrays(backend):
    x = rng.standard_normal((6, 5))
    start = rng.standard_normal((5, 4)), rng.standard_normal((5, 4))
    compiled = tg.compile(momentum_step, donate_argnums=0, backend=backend)
    state, expected = tuple(a.copy() for a in start), start
    for i in range(5):
        before = state
        state, value = compiled(state, x)
        expected, wanted = momentum_step(expected, x)
        np.testing.assert_allclose(value, wanted, rtol=1e-12)
        for a, e in zip(state, expected, strict=True):
            np.testing.assert_allclose(a, e, rtol=1e-12)
        if backend == "llvm" and i > 1:
            assert {id(a) for a in before} == {id(a) for a in state}


@pytest.mark.parametrize("backend", BACKENDS)
def test_donated_arrays_that_are_seen_elsewhere_are_kept(backend):
    compiled = tg.compile(lambda a, b: (a + 1, a * b), donate_argnums=0, backend=backend)
    plain, frozen = np.arange(4.0), read_only(np.arange(4.0))
    whole = np.arange(8.0)
    for a, b in ((plain.copy(), plain), (plain, plain), (whole[:4], whole[2:6]), (frozen, plain)):
        expected, other = a + 1, a * b
        kept = b.copy()
        for actual, wanted in zip(compiled(a, b), (expected, other), strict=True):
            np.testing.assert_array_equal(actual, wanted)
        np.testing.assert_array_equal(b, kept)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_donated_array_is_written_only_when_it_was_read(backend):
    def function(a):
        return a[::-1] + 1, a.sum() + a

    compiled = tg.compile(function, donate_argnums=0, backend=backend)
    for _ in range(3):
        for actual, wanted in zip(
            compiled(np.arange(50.0)), function(np.arange(50.0)), strict=True
        ):
            np.testing.assert_array_equal(actual, wanted)


def test_donate_argnums_are_checked():
    with pytest.raises(IndexError, match="donate_argnums names argument 2, but the call has 1"):
        tg.compile(lambda x: x, donate_argnums=2)(np.ones(1))


def test_a_function_that_reads_behind_the_tape_is_not_compiled():
    def leaky(x):
        return x * (x.raw > 0 if hasattr(x, "raw") else x > 0)

    def random(x):
        return x + np.random.default_rng().standard_normal()

    def counting(x):
        state["count"] += 1
        return x * state["count"]

    state = {"count": 0}
    for function in (leaky, random, counting):
        compiled = tg.compile(function)
        x = np.array([1.0, -2.0, 3.0])
        compiled(x)
        with pytest.warns(ImpureWarning) as warned:
            compiled(x)
        text = str(warned[-1].message)
        assert text.startswith(f"{function.__name__} is not compiled: it ran twice")
        assert all(warning.filename == __file__ for warning in warned)
        assert "other constants" in str(compiled.report())
    compiled = tg.compile(leaky)
    compiled(x)
    with pytest.warns(ImpureWarning):
        np.testing.assert_array_equal(compiled(-x), leaky(-x))
    np.testing.assert_array_equal(compiled(x), leaky(x))


def test_what_a_program_does_not_do_again_is_noticed():
    show = print

    def printing(x):
        show("here")
        return x * 2

    def keeping(x):
        kept.append(1)
        return x * 2

    kept = []
    for function, text in ((printing, r"prints \(line \d+\)"), (keeping, "changes kept")):
        compiled = tg.compile(function)
        compiled(np.ones(2))
        with pytest.warns(ImpureWarning, match=f"{function.__name__} {text}: it does so while"):
            compiled(np.ones(2))
        compiled(np.ones(2))
        assert "not compiled" not in str(compiled.report())
    assert kept == [1]


def test_the_check_itself_does_no_harm():
    compiled = tg.compile(lambda x: np.linalg.cholesky(x) + np.log(x[0, 0]))
    x = np.array([[2.0, 0.5], [0.5, 1.0]])
    for _ in range(3):
        np.testing.assert_allclose(compiled(x), np.linalg.cholesky(x) + np.log(2.0), rtol=1e-14)


def test_nothing_is_donated_on_a_tape():
    compiled = tg.compile(lambda x: x * x, donate_argnums=0)
    x = np.array([1.0, 2.0])
    for _ in range(3):
        y, pullback = tg.vjp(compiled, x)
        np.testing.assert_array_equal(y, [1, 4])
        np.testing.assert_array_equal(pullback(np.ones(2))[0], [2, 4])
        np.testing.assert_array_equal(x, [1, 2])


def test_static_values_are_told_apart_by_value():
    class Kind:
        pass

    first, second = Kind(), Kind()
    runs = []

    def function(x, kind, number):
        runs.append(kind)
        return x * number

    compiled = tg.compile(function, check=False)
    x = np.ones(2)
    for kind, number in ((first, 1), (second, 1), (first, 1.0), (first, np.nan), (first, True)):
        for _ in range(2):
            compiled(x, kind, number)
    assert len(runs) == 5


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [3, 16, 1000])
def test_sine_and_cosine_of_the_same(size, dtype):
    x = np.linspace(-20, 2000, size).astype(dtype)
    both = tg.compile(lambda x: (np.sin(x), np.cos(x) + np.sin(x)))
    sine, cosine = tg.compile(np.sin), tg.compile(np.cos)
    for _ in range(3):
        for compiled in (both, sine, cosine):
            compiled(x)
            compiled.report()  # waits for machine code
    np.testing.assert_array_equal(both(x)[0], sine(x))
    np.testing.assert_array_equal(both(x)[1], cosine(x) + sine(x))


@pytest.mark.filterwarnings("ignore::tapegrad.compiler.errors.RecompilationWarning")
def test_reports_while_other_threads_call():
    compiled = tg.compile(lambda x, k: x * k, backend="numpy")
    ended = threading.Event()

    def call():
        for n in range(1, 40):
            compiled(np.ones(n), float(n % 7))
        ended.set()

    compiled(X[0], 2.0)
    thread = threading.Thread(target=call)
    thread.start()
    lengths = []
    while not ended.is_set():
        lengths.append(len(compiled.report().signatures))
    thread.join()
    assert lengths == sorted(lengths)
    assert len(compiled.report().signatures) == 40


def test_options_are_given_to_the_decorator():
    @tg.compile(static_argnums=1, backend="numpy")
    def power(x, n):
        return x**n

    assert power(np.array([2.0, 3.0]), 3).tolist() == [8, 27]
    assert power.static_argnums == (1,)
    with pytest.raises(ValueError, match="backend"):
        tg.compile(backend="fast")
