"""`check_grads` passes what is right, and names what is wrong."""

import re

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp

X = np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lambda x: tnp.sin(x) * x, (X,)),
        (lambda x: tnp.sin(x) * x, (2.0,)),
        (lambda x, y: tnp.tanh(x @ y), (np.ones((2, 3)) / 3, X / 3)),
        (lambda d: {"y": d["a"] * d["b"][0], "none": None}, ({"a": X, "b": [2.0, 7]},)),
        (lambda x, n: x**n, (X, 3)),
        (lambda x: (tnp.argmax(x), x * x), (X,)),
        (lambda z: z * z / 10, (X + 1j,)),
        (lambda z: tnp.abs(z) ** 2 / 10, (X + 1j,)),
        (lambda x: tnp.exp(x / 3), (X.astype(np.float32),)),
        (lambda x: x[:0], (X,)),
        (lambda x: 3.0, (X,)),
        (tg.checkpoint(lambda x: tnp.cumsum(x * x)), (X,)),
        (tg.vmap(lambda x: x**3), (X,)),
    ],
)
def test_right_derivatives_pass(f, args):
    tg.check_grads(f, args)


def test_higher_orders():
    tg.check_grads(lambda x: tnp.sin(x), (X,), order=3)


def test_a_function_with_reverse_mode_only():
    f = tg.custom_vjp(lambda x: x * x)
    f.defvjp(lambda x: (x * x, x), lambda x, g: (2 * x * g,))
    tg.check_grads(f, (X,), modes=("rev",))
    with pytest.raises(TypeError, match="has no forward-mode rule"):
        tg.check_grads(f, (X,), modes=("fwd",))


def wrong_at_one_element(x, y):
    @tg.custom_vjp
    def cube(x):
        return x**3

    factors = np.array([3.0, 2.9, 3.0])
    cube.defvjp(lambda x: (x**3, x), lambda x, g: (factors * x * x * g,))
    return tnp.sum(cube(x["a"])) * y


def test_the_operation_the_argument_and_the_element_are_named():
    with pytest.raises(AssertionError) as caught:
        tg.check_grads(wrong_at_one_element, ({"a": X}, 2.0), modes=["rev"])
    text = str(caught.value)
    assert "order 1 in reverse mode is wrong at argument 0['a'], element (1,)" in text
    assert re.search(r"disagrees is 'custom_vjp' \(called at .*test_testing.py:\d+\)", text)
    assert "wrong at its input 0, element (1,)" in text


def test_the_numbers_are_those_of_that_element():
    with pytest.raises(AssertionError) as caught:
        tg.check_grads(wrong_at_one_element, ({"a": X}, 2.0), modes=["rev"])
    got, expected = map(
        float, re.findall(r"gives ([-\d.e]+), but .*? is ([-\d.e]+)\. ", str(caught.value))[0]
    )
    assert got / expected == pytest.approx(2.9 / 3, rel=1e-4)


def test_the_wrong_argument_is_named_in_forward_mode():
    f = tg.custom_jvp(lambda x, y: x * y)
    f.defjvps(lambda t, _, _x, y: t * y, lambda t, _, x, _y: 1.1 * t * x)
    with pytest.raises(
        AssertionError, match=r"forward mode is wrong at argument 1, element \(0,\)"
    ):
        tg.check_grads(f, (X, X), modes=("fwd",))


def test_an_error_of_second_order_only():
    f = tg.custom_jvp(lambda x: x**3)
    f.defjvps(lambda t, _, x: 3 * tg.stop_gradient(x) * x * t)
    tg.check_grads(f, (X,), order=1)
    with pytest.raises(AssertionError, match=r"order 2 .* disagrees is 'custom_jvp'"):
        tg.check_grads(f, (X,), order=2)


def test_what_no_operation_is_to_blame_for():
    with pytest.raises(AssertionError, match=r"agrees with differences by itself: .*stop_gradient"):
        tg.check_grads(lambda x: x * tg.stop_gradient(x), (3.0,))


def test_float32_errors_are_found():
    f = tg.custom_jvp(lambda x: x * x)
    f.defjvps(lambda t, _, x: 1.8 * x * t)
    with pytest.raises(AssertionError, match="is wrong at argument 0"):
        tg.check_grads(f, (X.astype(np.float32),), order=1)


def test_unknown_modes():
    with pytest.raises(ValueError, match="modes must be 'fwd' or 'rev', not 'both'"):
        tg.check_grads(tnp.sin, (X,), modes=["both"])


def test_arguments_that_cannot_be_checked():
    with pytest.raises(TypeError, match=r"args must be a tuple with one entry an argument"):
        tg.check_grads(tnp.sin, X)
    with pytest.raises(TypeError, match=r"needs an argument with numbers of floating point"):
        tg.check_grads(tnp.sin, (3,))
