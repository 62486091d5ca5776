"""Every dtype goes through `compile`: halves, bfloat16, complex numbers, integers, truth values."""

import ml_dtypes
import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
import tapegrad.torch as torch
from tapegrad.compiler.llvm.host import unavailable
from tapegrad.nn.functional import cross_entropy
from tapegrad.scipy import special

rng = np.random.default_rng(0)
X = rng.standard_normal((4, 5))

DTYPES = {
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float32": np.float32,
    "float64": np.float64,
    "longdouble": np.longdouble,
    "complex64": np.complex64,
    "complex128": np.complex128,
}

FUNCTIONS = {
    "arithmetic": lambda x: (x * 2 + np.exp(x), x - 1, x / (2 + x * x)),
    "product": lambda x: x @ x.T,
    "gradient": lambda x: tg.grad(lambda x: (tnp.tanh(x) * x).real.sum())(x),
    "moves": lambda x: (x.T, x[::-1, 1:], np.concatenate([x, x]), x.reshape(-1)),
    "casts": lambda x: (x.astype(np.complex128), (x != 0).astype(x.dtype)),
}

BOUNDS = {
    "relu6": torch.nn.functional.relu6,
    "clamp": lambda x: torch.clamp(x, -1, 2),
    "threshold": lambda x: torch.nn.functional.threshold(x, 0.1, 20.0),
    "where": lambda x: torch.where(x > 1, x, 2.0),
}


def numbers(x):
    return np.asarray(getattr(x, "raw", x))


def assert_close(actual, expected):
    a, e = numbers(actual), numbers(expected)
    assert (a.dtype, a.shape) == (e.dtype, e.shape)
    if a.dtype.kind in "biu":
        np.testing.assert_array_equal(a, e)
        return
    real = e.dtype if e.dtype.kind == "V" else e.real.dtype
    rtol = 8 * float(ml_dtypes.finfo(real).eps)
    scale = float(np.max(np.abs(e.astype(complex)), initial=1.0))
    np.testing.assert_allclose(a.astype(complex), e.astype(complex), rtol=0, atol=rtol * scale)


def check(function, *inputs, backend):
    compiled = tg.compile(function, backend=backend)
    expected = tg.tree.leaves(function(*inputs))
    for _ in range(3):
        for a, e in zip(tg.tree.leaves(compiled(*inputs)), expected, strict=True):
            assert_close(a, e)
    assert "not compiled" not in str(compiled.report())
    return compiled


@pytest.mark.parametrize("backend", ["numpy", "auto"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, dtype, backend):
    check(FUNCTIONS[name], X.astype(DTYPES[dtype]), backend=backend)


OTHERS = {
    "order": lambda x: (np.argmax(x, 1), np.argsort(x, 1), np.sort(x, 0), np.median(x, 0)),
    "places": lambda x: (np.searchsorted(np.sort(x[0]), x[1]), np.partition(x, 2)),
    "truth": lambda x: (x > 0, (x > 0).any(1), np.count_nonzero(x > 0, axis=0)),
    "decompositions": lambda x: (np.linalg.svd(x)[1], np.linalg.inv(x @ x.T)),
    "transforms": lambda x: (np.fft.fft(x), np.fft.irfft(np.fft.rfft(x))),
    "sums": lambda x: (np.cumsum(x, 1), np.quantile(x, 0.3, axis=1), np.trace(x)),
    "integers": lambda x: ((x * 9).astype(int) // 2, (x * 9).astype(int) % 3, np.round(x)),
}


@pytest.mark.parametrize("backend", ["numpy", "auto"])
@pytest.mark.parametrize("name", OTHERS)
def test_what_has_no_machine_code_is_run_by_numpy(name, backend):
    check(OTHERS[name], X, backend=backend)


@pytest.mark.parametrize("backend", ["numpy", "auto"])
def test_tensors_of_other_dtypes(backend):
    half = check(lambda x: (x.bfloat16() * 2).exp().float().sum(), torch.tensor(X), backend=backend)
    check(lambda x: (x.topk(2).indices, x.softmax(-1)), torch.tensor(X).half(), backend=backend)
    check(lambda x: (torch.view_as_real(x), x.abs()), torch.tensor(X * 1j), backend=backend)
    names = {}
    exec(half.source(), names)
    (value,) = names["program"](X)
    expected = (torch.tensor(X).bfloat16() * 2).exp().float().sum()
    np.testing.assert_allclose(value, expected.item(), rtol=1e-6)


@pytest.mark.parametrize("backend", ["numpy"] if unavailable() else ["numpy", "llvm"])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1), (0, 2)])
@pytest.mark.parametrize("dtype", [bool, np.int8, np.int32, np.float32])
def test_sums_and_products_in_a_wider_dtype(dtype, axis, keepdims, backend):
    x = np.random.default_rng(0).integers(0, 2, (3, 6, 33)).astype(dtype)

    def program(x):
        flipped = np.where(x > 0, x, x * 2)
        wide = {"dtype": np.float64} if dtype is np.float32 else {}
        return [f(flipped, axis=axis, keepdims=keepdims, **wide) for f in (np.sum, np.prod)]

    compiled = tg.compile(program, backend=backend)
    compiled(x)
    for result, expected in zip(compiled(x), program(x), strict=True):
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)


ADDED_UP = {
    "sum": np.sum,
    "mean": np.mean,
    "var": np.var,
    "std": np.std,
    "norm": np.linalg.norm,
    "length of rows": lambda x: np.linalg.norm(x, axis=1),
    "logsumexp": lambda x: special.logsumexp(x, axis=1),
    "softmax": lambda x: special.softmax(x, axis=1),
    "log_softmax": lambda x: special.log_softmax(x, axis=1),
    "cross entropy": lambda x: cross_entropy(torch.tensor(x), torch.tensor([1, 2])),
}


@pytest.mark.parametrize("backend", ["recorded", "numpy", *([] if unavailable() else ["llvm"])])
@pytest.mark.parametrize("name", ADDED_UP)
def test_many_numbers_of_bfloat16_are_added_up_in_single_precision(name, backend):
    function = ADDED_UP[name]
    x = (1 + rng.standard_normal((2, 3000))).astype(ml_dtypes.bfloat16)
    expected = np.asarray(numbers(function(x.astype(np.float64))))
    if backend == "recorded":
        results = [tg.vjp(function, x)[0]]
    else:
        compiled = tg.compile(function, backend=backend)
        results = [compiled(x) for _ in range(3)]
    for result in map(numbers, results):
        assert result.dtype == x.dtype
        np.testing.assert_allclose(result.astype(float), expected, rtol=2**-7)


@pytest.mark.parametrize("backend", ["numpy", "auto"])
@pytest.mark.parametrize("name", BOUNDS)
def test_numbers_beside_bfloat16_do_not_change_it(name, backend):
    check(BOUNDS[name], torch.tensor(3 * X).bfloat16(), backend=backend)
