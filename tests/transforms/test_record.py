"""`record`: a tape to read."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.tape import local

X = np.array([1.0, 2.0, 3.0])


def program(x, w):
    h = tnp.tanh(w @ x)
    return (h * 2.0).sum(), h[0]


FIRST_LINE = inspect.getsourcelines(program)[1]


def test_what_is_printed():
    out, tape = tg.record(program)(X, np.full((2, 3), 0.1))
    assert_allclose(out[0], 4 * np.tanh(0.6))
    first, second = (f"test_record.py:{FIRST_LINE + i}" for i in (1, 2))
    assert (
        str(tape)
        == f"""\
program(x0: float64[3], x1: float64[2, 3]):
    v0 = matmul(x1, x0)                      float64[2]  {first}
    v1 = tanh(v0)                            float64[2]  {first}
    v2 = multiply(v1, 2.0)                   float64[2]  {second}
    v3 = sum(v2, axis=(0,), keepdims=False)  float64     {second}
    v4 = getitem(v1, key=[0])                float64     {second}
    return v3, v4"""
    )
    assert repr(tape) == "<Tape of program: 5 entries>"


def test_entries_are_data():
    _, tape = tg.record(program)(X, np.full((2, 3), 0.1, np.float32))
    assert len(tape) == len(tape.entries) == 6
    assert [entry.op for entry in tape] == [
        "astype",
        "matmul",
        "tanh",
        "multiply",
        "sum",
        "getitem",
    ]
    total = tape.entries[4]
    assert total.params == {"axis": (0,), "keepdims": False}
    assert (total.name, total.shape, total.dtype) == ("v4", (), np.float64)
    assert total.inputs == ("v3",)
    assert total.source == (__file__, FIRST_LINE + 2)
    assert tape.entries[3].inputs == ("v2", 2.0)


def test_unmodified_numpy_is_not_the_users_line():
    _, tape = tg.record(lambda x: np.sum(np.sin(x)))(X)
    assert all(entry.source[0] == __file__ for entry in tape)


def test_constants_several_results_and_entries_that_hold_programs():
    def f(x):
        a, b = tg.checkpoint(lambda x: (x * X, x + 1))(x)
        return a.sum() + b[np.array([0, 2])].sum()

    _, tape = tg.record(f)(X)
    computed = [line.split("  ")[2] for line in str(tape).splitlines()[1:-1]]
    assert computed == [
        "v0, v1 = checkpoint(x0, program=<2 entries>)",
        "v2 = sum(v0, axis=(0,), keepdims=False)",
        "v3 = getitem(v1, <int64[2]>, key=[ARRAY])",
        "v4 = sum(v3, axis=(0,), keepdims=False)",
        "v5 = add(v2, v4)",
    ]
    assert [output.shape for output in tape.entries[0].outputs] == [(3,), (3,)]


def test_indices_are_printed_as_they_are_written():
    _, tape = tg.record(lambda x: (x[1:, None], x[..., ::-1], x[-1]))(X)
    assert [line.split("  ")[2] for line in str(tape).splitlines()[1:-1]] == [
        "v0 = getitem(x0, key=[1:, None])",
        "v1 = getitem(x0, key=[..., ::-1])",
        "v2 = getitem(x0, key=[-1])",
    ]


def test_data():
    _, tape = tg.record(lambda x: tnp.sum(x * x))(X)
    assert_allclose(tape.inputs[0].data, X)
    assert_allclose(tape.entries[0].data, X * X)
    assert tape.entries[1].data == 14.0
    tapes = []
    tg.vmap(lambda x: tapes.append(tg.record(lambda y: (x * y, y * 2.0))(3.0)[1]) or x)(X)
    assert [entry.data for entry in tapes[0]] == [None, 6.0]


def test_inside_transforms():
    def f(x):
        out, tape = tg.record(lambda y: y * y * x)(x)
        assert len(tape) == 2
        return out

    assert tg.grad(f)(3.0) == 27.0
    assert_allclose(tg.vmap(f)(X), X**3)
    (entry,) = tg.record(tg.grad(lambda x: x * x))(3.0)[1].entries[-1:]
    assert entry.shape == ()


def test_trees_and_options():
    def f(p, kind, n):
        return p["a"] * n if kind == "times" else p["a"], kind

    out, tape = tg.record(f)({"a": X}, "times", 2)
    assert_allclose(out[0], 2 * X)
    assert out[1] == "times"
    assert tape.outputs == ["v0", "times"]
    assert str(tape).splitlines()[-1] == "    return v0, 'times'"


def test_nothing_recorded():
    out, tape = tg.record(lambda x: 3.0)(X)
    assert (out, len(tape)) == (3.0, 0)
    assert str(tape).splitlines()[-1] == "    return 3.0"


def test_source_lines_are_looked_for_only_here(monkeypatch):
    def looked(frame):
        raise AssertionError("a frame was inspected")

    monkeypatch.setattr("tapegrad.inspect.record.user_line", looked)
    for transform in (tg.grad, tg.hessian, tg.checkpoint, lambda f: tg.vmap(f, None, axis_size=2)):
        transform(lambda x: tnp.sum(tnp.sin(x) * x))(X)
    with pytest.raises(AssertionError, match="a frame was inspected"):
        tg.record(tnp.sin)(X)


def test_a_raise_leaves_the_tape():
    def f(x):
        raise RuntimeError("inside")

    before, tape = len(local.root), local.tape
    with pytest.raises(RuntimeError, match="inside"):
        tg.record(f)(X)
    assert (len(local.root), local.tape) == (before, tape)
