"""Updates of many parameters in one kernel: on the stand-in, which compiles the kernel's text."""

from __future__ import annotations

import numpy as np
import pytest

from tapegrad.optim.functional import adam, sgd
from tapegrad.optim.together import CHUNK

from .standin import counts, to_device, to_host

RNG = np.random.default_rng(0)

SHAPES = {
    "none": (0, 3),
    "number": (),
    "line": (5,),
    "matrix": (3, 4),
    "long": (2 * CHUNK + 7,),
    "whole chunk": (CHUNK,),
}


def trees(dtype):
    """Parameters and two gradients."""

    def values():
        x = {name: RNG.standard_normal(shape) for name, shape in SHAPES.items()}
        if np.dtype(dtype).kind == "c":
            x = {name: v + 1j * RNG.standard_normal(v.shape) for name, v in x.items()}
        return {name: np.asarray(v, dtype) for name, v in x.items()}

    return values(), [values(), values()]


def after(rule, p, gradients):
    state = rule.init(p)
    for g in gradients:
        p, state = rule.update(g, state, p)
    return p, state["arrays"]


def same(actual, expected, tolerance):
    for name, value in expected.items():
        if isinstance(value, dict):
            same(actual[name], value, tolerance)
            continue
        found = to_host(actual[name])
        assert found.dtype == value.dtype
        assert found.shape == value.shape
        np.testing.assert_allclose(found, value, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("dtype", "tolerance"),
    [("f2", 2e-3), ("f4", 1e-6), ("f8", 1e-14), ("c8", 1e-6), ("c16", 1e-14)],
)
def test_types(dtype, tolerance):
    rule = adam(lr=0.1, weight_decay=0.1, amsgrad=True)
    p, gradients = trees(dtype)
    p_there, gradients_there = to_device(p), to_device(gradients)
    counts.clear()
    for actual, expected in zip(
        after(rule, p_there, gradients_there), after(rule, p, gradients), strict=True
    ):
        same(actual, expected, tolerance)
    assert not counts["waits"]


def test_a_gradient_of_another_type():
    p, gradients = trees("f4")
    wide = [{name: g.astype("f8") for name, g in gs.items()} for gs in gradients]
    rule = adam(lr=0.1)
    same(after(rule, to_device(p), to_device(wide))[0], after(rule, p, gradients)[0], 1e-6)


def test_layouts():
    """Transposed and repeated arrays are updated as others are."""
    p = {"w": RNG.standard_normal((3, 4)), "b": RNG.standard_normal((3, 4)).T}
    g = {"w": np.broadcast_to(np.float64(2), (3, 4)), "b": RNG.standard_normal((4, 3))}
    there = {"w": to_device(p["w"]), "b": to_device(np.ascontiguousarray(p["b"].T)).T}
    g_there = {"w": to_device(g["w"].copy()), "b": to_device(np.ascontiguousarray(g["b"].T)).T}
    rule = sgd(lr=0.1, momentum=0.9)
    same(after(rule, there, [g_there, g_there])[0], after(rule, p, [g, g])[0], 1e-14)


def test_not_a_number_stays_one():
    p = {"w": np.array([1.0, np.nan, 3.0])}
    g = {"w": np.array([np.nan, 1.0, np.inf])}
    for rule in (adam(lr=0.1, amsgrad=True), sgd(lr=0.1)):
        with np.errstate(invalid="ignore"):
            expected = after(rule, p, [g, g])[0]
        same(after(rule, to_device(p), to_device([g, g]))[0], expected, 1e-14)


def test_a_rate_on_the_device():
    p, gradients = trees("f4")
    expected = after(sgd(lr=0.5), p, gradients)[0]
    rule = sgd(lr=to_device(np.float32(0.5)))
    there, gradients = to_device(p), to_device(gradients)
    counts.clear()
    same(after(rule, there, gradients)[0], expected, 1e-6)
    assert not counts["waits"]


def test_a_gradient_of_another_shape_does_not_fit():
    with pytest.raises(ValueError, match="broadcast"):
        sgd().update(
            {"w": to_device(np.ones(3))},
            sgd().init({}) | {"arrays": {"w": {}}},
            {"w": to_device(np.ones(2))},
        )


def test_a_kernel_for_any_number_of_tensors():
    for count in (1, 3, 100):
        p = to_device({i: np.ones((i + 1,), np.float32) for i in range(count)})
        state = adam().init(p)
        counts.clear()
        adam().update(p, state, p)
        assert counts["launches"] == 1
        assert not counts["waits"]
