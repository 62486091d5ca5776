"""Steps in parts: the same results whatever the number of threads, and right ones."""

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.compiler.llvm import runs
from tapegrad.compiler.llvm.host import unavailable
from tapegrad.ops.neural.convolution import convolve
from tapegrad.ops.neural.pooling import max_pool
from tapegrad.ops.selection import relu

pytestmark = pytest.mark.skipif(unavailable(), reason="needs llvmlite")

rng = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def parts_of_small_steps(monkeypatch, tmp_path, allow_threads):
    allow_threads(3)
    monkeypatch.setattr(runs, "LARGE", 1 << 10)
    monkeypatch.setattr(runs, "ROWS", 5)
    monkeypatch.setattr(runs, "CACHE", 1 << 12)
    monkeypatch.setenv("TAPEGRAD_CACHE", str(tmp_path))


def rows_and_columns(x, w):
    y = np.exp(x - x.max(axis=1, keepdims=True)) * (1 + w * w)  # sums that do not cancel
    z = y / y.sum(axis=1, keepdims=True)
    return z, z.sum(), (z * w).sum(axis=0), z.max(axis=0), (z - 1).min()


def flat(x, w):
    y = np.sin(x) * np.tanh(x * w) + x / (1 + w * w) - np.abs(x) * w
    return y, y.sum(), y.max(), (y * y).mean(), np.exp(-y)


def mixed(x, w):
    y = np.sqrt(np.abs(x * w)) + np.sin(x) * np.cos(w) + x * x * w - np.tanh(x + w)
    return y.sum(axis=(0, 2)), y.sum(axis=1), y.sum(axis=0), y.prod(axis=(0, 1)) * 0, y.sum()


def layers(x, w):
    """Images through two convolutions, and a product of matrices."""
    plain = {"stride": (1, 1), "padding": (1, 1), "dilation": (1, 1), "groups": 1}
    pooled = {"kernel": (2, 2), "stride": (2, 2), "dilation": (1, 1), "padding": (0, 0)}
    weights = np.tanh(w).reshape(-1)
    first, second = weights[:216].reshape(8, 3, 3, 3), weights[216:936].reshape(10, 8, 3, 3)
    y = max_pool(relu(convolve(x, first, w[0, :8], **plain)), to=(6, 5), **pooled)
    z = relu(convolve(y, second, w[0, 8:18], **plain)).reshape(x.shape[0], -1)
    return np.tanh(z @ w[:, :7] + w[0, 18:25])


def attention(x, w):
    """Stacks of products, and a softmax between."""
    q = np.tanh(x) @ w
    scores = q @ np.swapaxes(x, 1, 2)
    e = np.exp(scores - scores.max(axis=2, keepdims=True))
    return (e / e.sum(axis=2, keepdims=True)) @ x


def total(function):
    return tg.value_and_grad(lambda x, w: np.sum(np.sin(function(x, w))), argnums=(0, 1))


CASES = {
    "rows and columns": (rows_and_columns, (301, 100), (301, 100)),
    "flat": (flat, (40_237,), (40_237,)),
    "mixed": (mixed, (37, 41, 22), (37, 41, 22)),
    "elements": (total(lambda x, w: np.tanh(x * w)), (100, 50), (100, 50)),
    "product": (lambda x, w: np.tanh(x @ w + w[0]), (101, 30), (30, 31)),
    "product by columns": (lambda x, w: np.maximum(x.T @ w, 0), (30, 101), (30, 1)),
    "products": (total(lambda x, w: np.tanh(x @ w + w[0]) @ w.T), (53, 20), (20, 31)),
    "layers": (layers, (11, 3, 12, 10), (300, 26)),
    "gradients of layers": (total(layers), (11, 3, 12, 10), (300, 26)),
    "attention": (total(attention), (7, 13, 9), (9, 9)),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CASES)
def test_results_do_not_depend_on_the_number_of_threads(name, dtype, monkeypatch):
    function, *shapes = CASES[name]
    x, w = (rng.standard_normal(shape).astype(dtype) for shape in shapes)
    results = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        for _ in range(2):  # the second is found on disk
            compiled = tg.compile(function, backend="llvm")
            compiled(x, w)  # runs the function as it is
            results += [tg.tree.leaves(compiled(x, w)) for _ in range(2)]
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(a, b)
    rtol = 2e-4 if dtype == "float32" else 1e-10
    for actual, expected in zip(results[0], tg.tree.leaves(function(x, w)), strict=True):
        scale = np.max(np.abs(expected))
        np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol * scale)


def test_a_nan_in_a_part_is_seen(monkeypatch):
    gradient = tg.grad(lambda x: np.sum(np.where(x > 0, np.sqrt(np.abs(x)) * np.tanh(x), 0.0)))
    x = rng.standard_normal((2000, 600))
    x[1234, 567] = 0.0
    for threads in ("1", "2"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        compiled = tg.compile(gradient, backend="llvm")
        for _ in range(2):
            np.testing.assert_allclose(compiled(x), gradient(x), rtol=1e-12)


@pytest.mark.parametrize("name", ["flat", "products", "gradients of layers"])
def test_several_calls_at_once(name, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    function, *shapes = CASES[name]
    compiled = tg.compile(function, backend="llvm")
    arrays = [[rng.standard_normal(shape) for shape in shapes] for _ in range(4)]
    compiled(*arrays[0])
    expected = [tg.tree.leaves(compiled(*a)) for a in arrays]

    def call(a):
        return [tg.tree.leaves(compiled(*a)) for _ in range(30)]

    with ThreadPoolExecutor(4) as pool:
        for found, wanted in zip(pool.map(call, arrays), expected, strict=True):
            for results in found:
                for x, y in zip(results, wanted, strict=True):
                    np.testing.assert_array_equal(x, y)


def report(compiled):
    (signature,) = compiled.report().signatures
    (program,) = signature.programs
    return program


def test_a_large_product_and_what_follows_are_done_by_rows(monkeypatch):
    """Not by the BLAS, whose results depend on the number of threads."""
    monkeypatch.undo()  # parts are as large as usual
    x, w, b = (rng.standard_normal(s).astype("f4") for s in ((1200, 256), (256, 512), (512,)))
    results = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        compiled = tg.compile(lambda x, w, b: np.maximum(x @ w + b, 0), backend="llvm")
        results += [compiled(x, w, b) for _ in range(3)]
        (step,) = report(compiled).steps
        assert re.fullmatch(r"matmul: .*; loop over 1200 x 512: .*; in \d+ parts", step)
        assert report(compiled).memory < x.shape[0] * w.shape[1] * x.itemsize  # not all at once
    np.testing.assert_allclose(results[0], np.maximum(x @ w + b, 0), rtol=1e-4, atol=1e-4)
    for other in results[2:]:
        np.testing.assert_array_equal(other, results[1])


@pytest.mark.parametrize(
    ("function", "together"),
    [
        (lambda y: np.tanh(y) + y[0], ["matmul"]),  # every part reads the first row
        (lambda y: np.tanh(y) + y[::-1], ["matmul"]),
        (lambda y: np.tanh(y).sum(axis=0), ["matmul"]),  # a sum over the rows
        (lambda y: np.tanh(y).sum(axis=1), ["matmul", "loop"]),
        (lambda y: np.tanh(y).T * 2, ["matmul"]),  # rows of the other kind
    ],
)
def test_only_what_reads_its_own_part_is_done_with_it(function, together, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    x, w = rng.standard_normal((60, 30)), rng.standard_normal((30, 40))
    compiled = tg.compile(lambda x, w: function(x @ w), backend="llvm")
    compiled(x, w)
    np.testing.assert_allclose(compiled(x, w), function(x @ w), rtol=1e-9, atol=1e-9)
    first = report(compiled).steps[0]
    assert [word.split()[0].rstrip(":") for word in first.split("; ")[:-1]] == together


def test_a_large_gradient_of_weights_of_few_places_is_not_summed_in_parts(monkeypatch):
    monkeypatch.setattr(runs, "SMALL", 1 << 8)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    plain = {"stride": (1, 1), "padding": (1, 1), "dilation": (1, 1), "groups": 1}
    x, w = rng.standard_normal((4, 5, 6, 6)), rng.standard_normal((7, 5, 3, 3))
    function = total(lambda x, w: convolve(x, w, **plain))
    compiled = tg.compile(function, backend="llvm")
    compiled(x, w)
    for a, b in zip(*(tg.tree.leaves(f(x, w)) for f in (compiled, function)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
    words = {step.split(":")[0]: step.split("; ")[-1] for step in report(compiled).steps}
    assert words["convolve"] == "in 4 parts"
    assert "parts" not in words["convolve_kernel"]


def test_steps_that_a_convolution_follows_are_done_image_by_image():
    x, w = rng.standard_normal((16, 3, 12, 10)), rng.standard_normal((300, 26))
    compiled = tg.compile(layers, backend="llvm")
    compiled(x, w)
    compiled(x, w)
    (step,) = [step for step in report(compiled).steps if "convolve" in step]
    words = [word.split()[0].rstrip(":") for word in step.split("; ")]
    assert words == ["convolve", "loop", "max_pool", "convolve", "loop", "in"]
    assert step.endswith("in 16 parts")
