"""`torch.save` and `torch.load`: round trips, and files that were tampered with."""

import io
import os
import pickle
import random
import zipfile
from collections import OrderedDict

import numpy as np
import pytest

import tapegrad.torch as torch
from tapegrad.torch.errors import DamagedFileError


def saved(obj):
    file = io.BytesIO()
    torch.save(obj, file)
    return file.getvalue()


def loaded(data, **options):
    return torch.load(io.BytesIO(data), **options)


DTYPES = (
    torch.bool,
    torch.uint8,
    torch.uint16,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.complex128,
)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
def test_tensors_come_back(dtype, shape):
    x = torch.ones(shape, dtype=dtype)
    y = loaded(saved(x))
    assert (y.dtype, y.shape) == (x.dtype, x.shape)
    assert torch.equal(x, y)


def test_containers_come_back():
    obj = OrderedDict(
        a=[1, 2.5, "text", None, True, 1 + 2j, b"bytes"],
        b=(torch.float32, torch.Size([2, 3]), torch.device("cpu")),
        c={"x": torch.tensor([1.0]), 3: {1, 2}},
        d=np.float32(2.5),
    )
    back = loaded(saved(obj))
    assert type(back) is OrderedDict
    assert back["a"] == obj["a"]
    assert back["b"] == obj["b"]
    assert back["c"]["x"].tolist() == [1.0]
    assert back["c"][3] == {1, 2}
    assert back["d"] == obj["d"]
    assert type(back["d"]) is np.float32


def test_strides_and_shared_memory_come_back():
    x = torch.arange(6.0).reshape(2, 3)
    whole, turned, row = loaded(saved([x, x.t(), x[1]]))
    assert turned.tolist() == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
    whole[1, 0] = 9.0
    assert (turned[0, 1].item(), row[0].item()) == (9.0, 9.0)
    assert loaded(saved(torch.flip(x, (1,)))).tolist() == [[2.0, 1.0, 0.0], [5.0, 4.0, 3.0]]


def test_requires_grad_comes_back():
    x = loaded(saved(torch.tensor([1.0], requires_grad=True)))
    assert x.requires_grad
    assert x.is_leaf


def test_the_same_content_gives_the_same_bytes():
    assert saved({"x": torch.ones(3)}) == saved({"x": torch.ones(3)})


def test_paths(tmp_path):
    path = tmp_path / "x.pt"
    torch.save(torch.ones(2), path)
    torch.save(torch.zeros(2), str(path))
    assert torch.load(path).tolist() == [0.0, 0.0]
    assert os.listdir(tmp_path) == ["x.pt"]


def test_a_failed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "x.pt"
    torch.save(torch.ones(2), path)
    with pytest.raises(TypeError, match=r"cannot save this list: .*state_dict\(\)"):
        torch.save([lambda: 1], path)
    assert torch.load(path).tolist() == [1.0, 1.0]
    assert os.listdir(tmp_path) == ["x.pt"]


class Hostile:
    def __reduce__(self):
        return os.system, ("touch executed",)


def rewritten(data, **files):
    """An archive with other content in some of its files (None: without it)."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        for info in old.infolist():
            name = info.filename.removeprefix("archive/")
            content = files.get(name.replace("/", "_").replace(".", "_"), old.read(info))
            if content is not None:
                new.writestr(info.filename, content)
    return made.getvalue()


def test_nothing_is_executed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = rewritten(saved(torch.ones(2)), data_pkl=pickle.dumps(Hostile(), 2))
    with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL posix\.system .*weights_only=False"):
        loaded(data)
    assert not os.listdir(tmp_path)


def test_objects_need_consent():
    data = saved(pytest.approx)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        loaded(data)
    assert loaded(data, weights_only=False) is pytest.approx


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"data_pkl": None}, "has no data.pkl"),
        ({"data_0": None}, "data/0 is missing"),
        ({"data_0": b"123"}, "has 3 bytes in place of 8"),
        ({"data_0": b"1" * 100}, "has 100 bytes where 8 may be"),
        ({"data_pkl": b"\x80\x02"}, "damaged"),
        ({"data_pkl": b"\x80\x02r\xff\xff\xff\x7fN."}, "a place that is too far away"),
    ],
)
def test_damage_is_told(files, why):
    with pytest.raises(DamagedFileError, match=why):
        loaded(rewritten(saved(torch.ones(2)), **files))


def test_tensors_must_lie_in_their_storage():
    data = saved(torch.ones(2))
    pickled = zipfile.ZipFile(io.BytesIO(data)).read("archive/data.pkl")
    assert b"K\x02\x85" in pickled
    with pytest.raises(DamagedFileError, match="reaches beyond its storage"):
        loaded(rewritten(data, data_pkl=pickled.replace(b"K\x02\x85", b"K\x09\x85")))


def test_no_archive():
    with pytest.raises(DamagedFileError, match="not a zip file"):
        loaded(b"nothing of the kind")


def test_mutations_raise_and_nothing_else():
    """Whatever bytes are changed, the file is read or refused; nothing else happens."""
    data = saved({"a": torch.ones(2), "b": [1, "x", torch.zeros(2, 2)]})
    rng = random.Random(0)
    outcomes = set()
    for _ in range(400):
        changed = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        try:
            loaded(bytes(changed[: rng.randint(len(data) // 2, len(data))]))
            outcomes.add("read")
        except (DamagedFileError, pickle.UnpicklingError):
            outcomes.add("refused")
        try:
            loaded(bytes(changed))
            outcomes.add("read")
        except (DamagedFileError, pickle.UnpicklingError):
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


def test_map_location():
    data = saved(torch.ones(2))
    assert loaded(data, map_location="cpu").tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="Found no NVIDIA driver"):
        loaded(data, map_location="cuda")


def test_arrays_come_back():
    for array in (np.arange(6.0).reshape(2, 3), np.asfortranarray(np.ones((2, 3), np.int8))):
        back = loaded(saved({"x": array}))["x"]
        assert (back.dtype, back.shape) == (array.dtype, array.shape)
        assert np.array_equal(back, array)


def test_an_array_that_would_be_large_is_not_made():
    call = b"\x80\x02cnumpy\nndarray\n(J\xff\xff\xff\x7ftR."
    with pytest.raises(DamagedFileError, match="'str' object is not callable"):
        loaded(rewritten(saved(torch.ones(2)), data_pkl=call))


class Point:
    def __init__(self, x):
        self.x = x


def test_safe_globals():
    data = saved({"p": Point(torch.ones(2))})
    with pytest.raises(pickle.UnpicklingError, match=r"Unsupported global.*Point"):
        loaded(data)
    with torch.serialization.safe_globals([Point]):
        assert loaded(data)["p"].x.tolist() == [1, 1]
        assert torch.serialization.get_safe_globals() == [Point]
    with pytest.raises(pickle.UnpicklingError, match="Unsupported global"):
        loaded(data)
    torch.serialization.add_safe_globals([(Point, "other.Name")])
    with pytest.raises(pickle.UnpicklingError, match="Unsupported global"):
        loaded(data)
    torch.serialization.clear_safe_globals()
    assert torch.serialization.get_safe_globals() == []
