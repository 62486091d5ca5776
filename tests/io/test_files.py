"""Checkpoints: round trips, interrupted writers, and files that were tampered with."""

import io
import json
import math
import os
import random
import resource
import signal
import threading
import time
from collections import OrderedDict

import numpy as np
import pytest
import safetensors.numpy

import tapegrad
import tapegrad.torch as torch
from tapegrad.io import load, load_metadata, save
from tapegrad.torch.errors import DamagedFileError


def saved(obj, metadata=None):
    file = io.BytesIO()
    save(obj, file, metadata)
    return file.getvalue()


def loaded(data):
    return load(io.BytesIO(data))


def test_at_the_top():
    assert tapegrad.save is save
    assert tapegrad.load is load


@pytest.mark.parametrize("dtype", [d for d in torch.dtypes.ALL if d.name != "bool"] + [torch.bool])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3)])
def test_tensors_come_back(dtype, shape):
    x = torch.arange(math.prod(shape)).reshape(shape).to(dtype)
    back = loaded(saved({"x": x}))["x"]
    assert type(back) is torch.Tensor
    assert (back.dtype, back.shape) == (x.dtype, x.shape)
    assert torch.equal(back, x)
    back.fill_(0)  # is writable


def test_strides_do_not_matter():
    x = torch.arange(6).reshape(2, 3)
    assert loaded(saved({"t": x.T, "s": x[:, ::2], "f": x.flip(1)}))["t"].tolist() == x.T.tolist()
    assert loaded(saved(x[:, ::2])).tolist() == [[0, 2], [3, 5]]


def test_containers_come_back():
    obj = {
        "numbers": [1, -2.5, True, None, 1 + 2j, 10**30, math.inf, -math.inf],
        "arrays": (np.arange(3, dtype=np.int8), np.float32(2.5), np.bool_(True)),
        "torch": [torch.float32, torch.Size([2, 3]), torch.device("cpu")],
        3: {0: OrderedDict(a="text", b=b"\x00bytes"), 1.5: (), None: []},
    }
    back = loaded(saved(obj))
    assert list(back) == list(obj)
    assert back["numbers"] == obj["numbers"]
    assert [type(x) for x in back["numbers"]] == [type(x) for x in obj["numbers"]]
    assert back["arrays"][0].tolist() == [0, 1, 2]
    assert [type(x) for x in back["arrays"]] == [np.ndarray, np.float32, np.bool_]
    assert back["torch"] == obj["torch"]
    assert back[3] == obj[3]
    assert type(back[3][0]) is OrderedDict
    assert math.isnan(loaded(saved(math.nan)))


def test_names_are_the_keys():
    state = OrderedDict([("layer.weight", torch.ones(2, 3)), ("layer.bias", torch.zeros(2))])
    data = saved(state)
    arrays = safetensors.numpy.load(data)
    assert arrays.keys() == state.keys()
    assert arrays["layer.weight"].tolist() == [[1] * 3] * 2
    assert list(loaded(data)) == list(state)
    nested = safetensors.numpy.load(saved({"model": state, "step": 1}))
    assert nested.keys() == {"model.layer.weight", "model.layer.bias"}


def test_files_of_other_programs():
    data = safetensors.numpy.save({"a": np.ones(2, np.float32)}, {"by": "another"})
    back = loaded(data)
    assert type(back) is dict
    assert type(back["a"]) is torch.Tensor
    assert load_metadata(io.BytesIO(data)) == {"by": "another"}


def test_names_that_meet():
    obj = {"a": {"b": torch.ones(1)}, "a.b": torch.zeros(1), "__metadata__": torch.ones(2)}
    back = loaded(saved(obj))
    assert back["a"]["b"].item() == 1
    assert back["a.b"].item() == 0
    assert back["__metadata__"].tolist() == [1, 1]


def test_shared_tensors():
    x = torch.ones(1000)
    assert len(saved([x, x])) < 6000
    first, second = loaded(saved([x, x]))
    assert first is second
    # but every name of a state dict is there for other programs
    assert safetensors.numpy.load(saved({"tied": x, "other": x})).keys() == {"tied", "other"}


def test_parameters_and_gradients():
    w = torch.ones(2, requires_grad=True)
    (w * 3).sum().backward()
    back = loaded(saved({"w": w, "computed": w * 2}))
    assert not back["w"].requires_grad
    assert back["computed"].tolist() == [2, 2]


def test_metadata(tmp_path):
    path = tmp_path / "a.safetensors"
    save({"x": torch.ones(1)}, path, {"run": "7"})
    assert load_metadata(path) == {"format": "pt", "run": "7"}
    with pytest.raises(TypeError, match="metadata is text by text, but has 'epoch': 3"):
        save({}, path, {"epoch": 3})
    with pytest.raises(ValueError, match="the metadata key 'tapegrad' is taken"):
        save({}, path, {"tapegrad": "x"})


@pytest.mark.parametrize(
    ("obj", "text"),
    [
        ({"f": [print]}, r"cannot save obj\['f'\]\[0\], a builtins.builtin_function"),
        ({(1, 2): 3}, r"its key \(1, 2\) is a tuple"),
        ({"a": np.array(["x"])}, r"cannot save obj\['a'\]: an array of <U1 has no numbers"),
        ({"a": np.array([None])}, "an array of object has no numbers"),
        ({1, 2}, "cannot save obj, a builtins.set"),
    ],
)
def test_what_cannot_be_saved(obj, text, tmp_path):
    path = tmp_path / "a"
    with pytest.raises(TypeError, match=text):
        save(obj, path)
    assert not list(tmp_path.iterdir())


def test_what_holds_itself():
    obj = []
    obj.append(obj)
    with pytest.raises(ValueError, match="nested too deeply, or holds itself"):
        saved(obj)


def test_a_value_under_a_transform():
    with pytest.raises(TypeError, match="inside of a transform"):
        tapegrad.vmap(lambda x: saved([x]) and x)(np.ones(2))


def test_a_file_of_pytorch():
    file = io.BytesIO()
    torch.save(torch.ones(1), file)
    with pytest.raises(DamagedFileError, match=r"Read it with tapegrad\.torch\.load"):
        loaded(file.getvalue())


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none")


EXAMPLE = {"a": torch.ones(3), "n": [1, 2.0, None, {"k": np.arange(2)}], "c": torch.ones(1) * 1j}


def test_every_cut_is_found():
    data = saved(EXAMPLE)
    for n in range(len(data)):
        with pytest.raises(DamagedFileError, match="Nothing in it was executed"):
            loaded(data[:n])


def with_structure(structure, arrays=None):
    arrays = {"x": np.ones(2, np.float32)} if arrays is None else arrays
    return safetensors.numpy.save(arrays, {"tapegrad": structure})


@pytest.mark.parametrize(
    "structure",
    [
        "",
        "{}",
        '{"a": 1}',
        "[]",
        '["tensor"]',
        '["tensor", "y"]',
        '["tensor", []]',
        '["tensor", "x", "complex128", [5]]',
        '["tensor", "x", "complex128", [-7]]',
        '["size", [{}]]',
        '["dtype", "object"]',
        '["device", "x"]',
        '["float", "1e5"]',
        '["dict", [[["list", []], 1]]]',
        '["dict", [1]]',
        '["eval", "1"]',
        '["complex", "a"]',
        "[" * 100_000,
        '["list",[' * 50_000,
    ],
)
def test_structures_that_make_no_sense(structure):
    with pytest.raises(DamagedFileError, match="structure"):
        loaded(with_structure(structure))


def mutated(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        i = rng.randrange(len(data))
        how = rng.randrange(4)
        if how == 0:
            data[i] = rng.randrange(256)
        elif how == 1:
            data[i] ^= 1 << rng.randrange(8)
        elif how == 2:
            del data[i : i + rng.randrange(1, 9)]
        else:
            data[i:i] = rng.choice([b"9", b"[", b'"', b"\xff", data[i : i + 8]])
        if not data:
            break
    return bytes(data)


def fuzz(count):
    rng = random.Random(0)
    data = saved(EXAMPLE)
    refused = 0
    for _ in range(count):
        try:
            loaded(mutated(data, rng))
        except DamagedFileError:
            refused += 1
    return refused


def test_damaged_files_are_refused():
    assert fuzz(500) > 250


@pytest.mark.slow
def test_many_damaged_files_are_refused_in_little_memory():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert fuzz(10_000) > 5_000
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 50_000  # kilobytes


def test_a_size_that_the_file_does_not_have():
    header = b'{"x":{"dtype":"F32","shape":[1099511627776],"data_offsets":[0,4398046511104]}}'
    with pytest.raises(DamagedFileError, match="damaged"):
        loaded(len(header).to_bytes(8, "little") + header)
    with pytest.raises(DamagedFileError, match="damaged"):
        loaded((1 << 62).to_bytes(8, "little") + header)


def killed_after(path, obj, count):
    """Save in a process that the system kills when it has written `count` bytes to a file."""
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (count, count))
        save(obj, path)
        os._exit(0)
    return os.waitpid(pid, 0)[1]


def test_a_killed_writer_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.safetensors"
    save({"epoch": 1, "w": torch.ones(10)}, path)
    old = path.read_bytes()
    new = {"epoch": 2, "w": torch.zeros(10)}
    for count in range(0, len(old) - 1, 13):
        assert killed_after(path, new, count) != 0
        assert path.read_bytes() == old
    assert killed_after(path, new, len(old)) == 0
    assert load(path)["epoch"] == 2


def test_a_writer_killed_at_any_time_leaves_a_whole_file(tmp_path):
    path = tmp_path / "a.safetensors"
    save({"epoch": 0, "w": torch.zeros(50_000)}, path)
    rng = random.Random(1)
    for _ in range(5):
        pid = os.fork()
        if pid == 0:
            for epoch in range(1, 10**6):
                save({"epoch": epoch, "w": torch.zeros(50_000) + epoch}, path)
        time.sleep(rng.uniform(0.01, 0.04))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        found = load(path)
        assert (found["w"] == found["epoch"]).all()


def test_a_file_may_be_read_by_whom_other_files_may(tmp_path):
    (tmp_path / "other").touch()
    save({"x": torch.ones(1)}, tmp_path / "a")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_file_that_cannot_be_written(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError):
        save({"x": torch.ones(1)}, tmp_path / "none" / "a")

    def full(*_, **__):
        raise safetensors.SafetensorError("no space left")

    monkeypatch.setattr("tapegrad.io.files.serialize_file", full)
    with pytest.raises(OSError, match=r"a could not be written, and is as it was.*no space left"):
        save({"x": torch.ones(1)}, tmp_path / "a")
    assert os.listdir(tmp_path) == []


def test_threads_write_one_file(tmp_path):
    def write(k):
        for _ in range(10):
            save({"x": torch.ones(1000) * k, "k": k}, tmp_path / "a")

    threads = [threading.Thread(target=write, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = load(tmp_path / "a")
    assert (found["x"] == found["k"]).all()
    assert os.listdir(tmp_path) == ["a"]


def test_a_failed_writer_leaves_nothing(tmp_path, monkeypatch):
    path = tmp_path / "a.safetensors"
    save({"x": torch.ones(1)}, path)
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        save({"x": torch.zeros(1)}, path)
    assert os.listdir(tmp_path) == ["a.safetensors"]
    assert load(path)["x"].item() == 1


def test_the_header_is_json():
    data = saved({"x": torch.ones(1)})
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    assert header["x"]["dtype"] == "F32"
    assert header["__metadata__"]["format"] == "pt"
