"""Samples put together: what becomes of each kind, and errors that name the key and the index."""

import re
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import tapegrad.torch as torch
from tapegrad.data import default_collate, default_convert

Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("batch", "dtype", "values"),
    [
        ([1, 2], torch.int64, [1, 2]),
        ([1.5, 2.0], torch.float64, [1.5, 2.0]),
        ([True, False], torch.bool, [True, False]),
        ([np.float32(1), np.float32(2)], torch.float32, [1, 2]),
        ([np.ones(2, np.int16)] * 2, torch.int16, [[1, 1], [1, 1]]),
        ([torch.tensor(1), torch.tensor(2)], torch.int64, [1, 2]),
        ([torch.ones(1, 2)] * 2, torch.float32, [[[1, 1]], [[1, 1]]]),
        ([torch.ones(0)] * 2, torch.float32, [[], []]),
    ],
)
def test_kinds(batch, dtype, values):
    whole = default_collate(batch)
    assert whole.dtype is dtype
    assert whole.tolist() == values


def test_containers():
    whole = default_collate([(1, "a"), (2, "b")])
    assert type(whole) is list
    assert whole[0].tolist() == [1, 2]
    assert whole[1] == ("a", "b")
    point = default_collate([Point(0, 0), Point(1, 2)])
    assert type(point) is Point
    assert point.y.tolist() == [0, 2]
    mapping = default_collate([OrderedDict(a=[1, 2]), OrderedDict(a=[3, 4])])
    assert type(mapping) is OrderedDict
    assert [x.tolist() for x in mapping["a"]] == [[1, 3], [2, 4]]
    assert default_collate(["a", "b"]) == ["a", "b"]


@pytest.mark.parametrize(
    ("batch", "text"),
    [
        (
            [{"image": [torch.ones(2)]}, {"image": [torch.ones(3)]}],
            "expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1, "
            "in sample['image'][0]",
        ),
        ([np.ones(2), np.ones((2, 1))], "got [2] at entry 0 and [2, 1] at entry 1, in sample."),
        ([torch.ones(6, 1), torch.ones(3, 2)], "got [6, 1] at entry 0 and [3, 2] at entry 1"),
        ([torch.tensor(1), torch.ones(1)], "got [] at entry 0 and [1] at entry 1"),
        ([[1, 2], [1]], "each element in list of batch should be of equal size, but there are 2"),
        ([{"a": 1}, {"b": 1}], "entry 1 of the batch has no key 'a', which entry 0 has"),
        ([{"a": (1, None)}] * 2, "found <class 'NoneType'> at entry 0, in sample['a'][1]"),
        ([1, "a"], "found <class 'int'> at entry 0 but <class 'str'> at entry 1"),
        ([torch.ones(1), 1], "at entry 0 but <class 'int'> at entry 1"),
        ([np.ones(1), 1], "at entry 0 but <class 'int'> at entry 1"),
        ([(1,), 1], "found <class 'tuple'> at entry 0 but <class 'int'> at entry 1"),
        ([np.array(["a"])], "found an array of <U1, in sample"),
    ],
)
def test_errors_name_the_place(batch, text):
    with pytest.raises(RuntimeError, match=re.escape(text)):
        default_collate(batch)
    with pytest.raises(TypeError, match=re.escape(text)):  # PyTorch raises one or the other
        default_collate(batch)


def test_convert():
    given = {"a": np.ones(2), "b": ["s", 1], "c": Point(np.float32(1), None), "d": np.array(["x"])}
    got = default_convert(given)
    assert torch.is_tensor(got["a"])
    assert got["b"] == ["s", 1]
    assert got["c"].x.dtype is torch.float32
    assert got["c"].y is None
    assert got["d"] is given["d"]
