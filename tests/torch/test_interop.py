"""Tensors beside NumPy and other libraries: shared memory, recorded functions, copies."""

import copy
import pickle

import numpy as np
import pytest

import tapegrad.torch as torch


def leaf(values):
    return torch.tensor(values, requires_grad=True)


def test_memory_is_shared_with_numpy():
    array = np.arange(3.0)
    x = torch.from_numpy(array)
    x[0] = 5.0
    x.mul_(2)
    np.testing.assert_array_equal(array, [10.0, 2.0, 4.0])
    x.numpy()[1] = 7.0
    assert x[1].item() == 7.0
    assert np.asarray(x) is array or np.shares_memory(np.asarray(x), array)


def test_a_tensor_without_axes_shares_memory_too():
    x = torch.tensor(1.0)
    x.numpy()[...] = 3.0
    assert x.item() == 3.0
    y = x.detach()
    y.add_(1)
    assert x.item() == 4.0


@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (lambda x: np.float64(2) * x, 2.0),
        (lambda x: x * np.float64(2), 2.0),
        (lambda x: np.array([2.0], np.float32) * x, 2.0),
        (lambda x: x + np.array([1.0], np.float32), 1.0),
        (lambda x: np.sin(x), np.cos(0.5)),
        (lambda x: np.exp(x), np.exp(0.5)),
        (lambda x: np.array([1.0], np.float32) - x, -1.0),
        (lambda x: 1 / x, -4.0),
    ],
)
def test_numpy_functions_record(f, slope):
    x = leaf([0.5])
    y = f(x)
    assert isinstance(y, torch.Tensor)
    assert y.dtype is torch.float32
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [slope], rtol=1e-6)


def test_other_numpy_functions_give_tensors():
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    y = np.concatenate([x, x]).sum()
    assert isinstance(y, torch.Tensor)
    y.backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.full((2, 2), 2.0))
    assert isinstance(np.mean(x), torch.Tensor)


def test_numpy_of_what_requires_grad_raises():
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        leaf([1.0]).numpy()
    with pytest.raises(RuntimeError, match=r"Use tensor.detach\(\).numpy\(\) instead"):
        np.asarray(leaf([1.0]))


def test_numpy_does_not_write_into_tensors():
    with pytest.raises(TypeError, match="out=tensor"):
        np.sin(np.ones(2), out=torch.tensor([1.0, 2.0]))


def test_dlpack_shares_memory():
    x = torch.tensor([1.0, 2.0])
    array = np.from_dlpack(x)
    x[0] = 9.0
    assert array[0] == 9.0
    source = np.arange(2.0)
    y = torch.from_dlpack(source)
    source[1] = 5.0
    assert y.tolist() == [0.0, 5.0]
    with pytest.raises(BufferError, match="require gradient"):
        np.from_dlpack(leaf([1.0]))


def test_deepcopy():
    x = leaf([1.0, 2.0])
    (x * x).sum().backward()
    y = copy.deepcopy(x)
    assert y.requires_grad
    assert y.is_leaf
    assert y.grad.tolist() == [2.0, 4.0]
    with torch.no_grad():
        y.add_(1)
    y.grad.zero_()
    assert (x.tolist(), x.grad.tolist()) == ([1.0, 2.0], [2.0, 4.0])
    pair = [x, x]
    first, second = copy.deepcopy(pair)
    assert first is second
    with pytest.raises(RuntimeError, match=r"graph leaves\) support the deepcopy protocol"):
        copy.deepcopy(x * 2)


def test_pickling():
    x = leaf([1.0, 2.0])
    x.note = "kept"
    y = pickle.loads(pickle.dumps(x))
    assert (y.tolist(), y.requires_grad, y.note) == ([1.0, 2.0], True, "kept")
    assert not pickle.loads(pickle.dumps(torch.tensor([1]))).requires_grad


def test_what_was_computed_is_pickled_as_a_leaf():
    y = pickle.loads(pickle.dumps(leaf([1.0, 2.0]) * 2))
    assert (y.tolist(), y.requires_grad, y.is_leaf) == ([2.0, 4.0], True, True)
