"""Data sets in torchvision's folders, downloads, hostile files; grids of pictures."""

import gzip
import hashlib
import io
import os
import pickle
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tapegrad.torch as torch
from tapegrad.data import DataLoader
from tapegrad.vision import datasets, transforms
from tapegrad.vision.datasets import UnsafeArchiveError, extract_archive
from tapegrad.vision.datasets.pickles import read_pickle
from tapegrad.vision.utils import make_grid, save_image

from .test_idx import encode, write_mnist


def raw_folder(root, name="MNIST"):
    folder = root / name / "raw"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("name", ["MNIST", "FashionMNIST", "KMNIST"])
def test_mnist(tmp_path, name, suffix):
    compress = gzip.compress if suffix else bytes
    images, labels, *tests = write_mnist(raw_folder(tmp_path, name), 5, 3, compress, suffix)
    data = getattr(datasets, name)(str(tmp_path))
    assert len(data) == 5
    assert len(data.classes) == 10
    assert (data.data.dtype, data.targets.dtype) == (torch.uint8, torch.int64)
    image, label = data[3]
    assert (image.mode, image.size) == ("L", (28, 28))
    assert np.array_equal(np.asarray(image), images[3])
    assert (label, type(label)) == (labels[3], int)
    test = getattr(datasets, name)(tmp_path, train=False, target_transform=lambda x: -x)
    assert len(test) == 3
    assert test[1][1] == -int(tests[1][1])


def test_mnist_in_a_loader(tmp_path):
    images, labels, *_ = write_mnist(raw_folder(tmp_path), 5, 3)
    chain = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,), (0.25,))])
    (x, y), _ = DataLoader(datasets.MNIST(tmp_path, transform=chain), 4)
    np.testing.assert_allclose(x.numpy()[:, 0], (images[:4] / 255 - 0.5) / 0.25, atol=1e-6)
    assert y.tolist() == labels[:4].tolist()


def test_parts_may_be_replaced(tmp_path):
    write_mnist(raw_folder(tmp_path))
    data = datasets.MNIST(tmp_path)
    data.targets = [7, 8]
    data.data = data.data[2:4].numpy()
    assert [label for _, label in (data[0], data[1])] == [7, 8]
    assert len(data) == 2


def test_easy_mnist(tmp_path):
    images, *_ = write_mnist(raw_folder(tmp_path))
    x, _ = datasets.EasyMNIST(tmp_path)[0]
    np.testing.assert_allclose(x.numpy()[0], images[0] / 255, rtol=1e-6)


def test_emnist(tmp_path):
    folder = raw_folder(tmp_path, "EMNIST")
    for part, n in (("train", 4), ("test", 2)):
        for kind, shape in (("images-idx3", (n, 28, 28)), ("labels-idx1", (n,))):
            array = np.full(shape, n, np.uint8)
            (folder / f"emnist-letters-{part}-{kind}-ubyte").write_bytes(encode(array))
    data = datasets.EMNIST(tmp_path, "letters", train=False)
    assert len(data) == 2
    assert data[0][1] == 2
    assert data.classes[data[0][1]] == "b"
    assert len(datasets.EMNIST(tmp_path, split="letters")) == 4
    with pytest.raises(
        ValueError, match=r"Unknown value 'x' for argument split\. Valid values are"
    ):
        datasets.EMNIST(tmp_path, "x")
    assert [len(c) for c in datasets.EMNIST.classes_split_dict.values()] == [62, 47, 47, 27, 10, 10]


def test_qmnist(tmp_path):
    folder = raw_folder(tmp_path, "QMNIST")
    images = np.arange(3 * 4, dtype=np.uint8).reshape(3, 2, 2)
    labels = np.arange(24, dtype=">i4").reshape(3, 8)
    (folder / "qmnist-test-images-idx3-ubyte.gz").write_bytes(gzip.compress(encode(images)))
    header = bytes((0, 0, 12, 2)) + b"".join(n.to_bytes(4, "big") for n in labels.shape)
    (folder / "qmnist-test-labels-idx2-int").write_bytes(header + labels.tobytes())
    data = datasets.QMNIST(tmp_path, train=False)
    assert data[2][1] == 16
    assert datasets.QMNIST(tmp_path, "test", compat=False)[1][1].tolist() == labels[1].tolist()
    assert len(datasets.QMNIST(tmp_path, "test10k")) == 3
    assert len(datasets.QMNIST(tmp_path, "test50k")) == 0


def test_missing_files(tmp_path):
    for make in (datasets.MNIST, datasets.CIFAR10, datasets.SVHN, datasets.Flowers102):
        with pytest.raises(RuntimeError, match="You can use download=True to download it"):
            make(tmp_path)
    assert not list(tmp_path.iterdir())


def md5(content):
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def test_download(tmp_path, server, monkeypatch):
    source = tmp_path / "source"
    source.mkdir()
    images, *_ = write_mnist(source)
    files = {path.name: path.read_bytes() for path in source.iterdir()}
    server.files.update({f"/mnist/{name}": content for name, content in files.items()})
    sums = [(name, md5(files[name])) for name, _ in datasets.MNIST.resources]
    monkeypatch.setattr(datasets.MNIST, "resources", sums)
    monkeypatch.setattr(
        datasets.MNIST, "mirrors", [f"{server.address}/gone/", f"{server.address}/mnist/"]
    )
    data = datasets.MNIST(tmp_path, download=True)
    assert np.array_equal(data.data.numpy(), images)
    plain = sorted(name.removesuffix(".gz") for name in files)
    assert sorted(os.listdir(data.raw_folder)) == sorted([*files, *plain])
    count = len(server.requests)
    datasets.MNIST(tmp_path, download=True)
    assert len(server.requests) == count


def test_a_wrong_checksum_is_refused(tmp_path, server):
    server.files["/a.tar.gz"] = b"something else"
    with pytest.raises(ConnectionError, match="another MD5 checksum"):
        datasets.download_file(f"{server.address}/a.tar.gz", tmp_path, md5=md5(b"content"))
    assert not list(tmp_path.iterdir())
    path = datasets.download_file(f"{server.address}/a.tar.gz", tmp_path)
    assert path.read_bytes() == b"something else"
    assert datasets.check_md5(path, md5(b"something else"))


def tar_of(path, members, mode="w:gz"):
    with tarfile.open(path, mode) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            if content is None:
                info.type, info.linkname = tarfile.SYMTYPE, "/etc"
            else:
                info.size = len(content)
            archive.addfile(info, io.BytesIO(content or b""))


def zip_of(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    "member", ["../evil", "a/../../evil", "/evil", "a/../b", "..\\evil", "c:/evil"]
)
@pytest.mark.parametrize("kind", ["a.tar.gz", "a.zip"])
def test_a_member_outside_of_the_folder_is_refused(tmp_path, kind, member):
    make = zip_of if kind == "a.zip" else tar_of
    make(tmp_path / kind, {"good": b"1", member: b"2"})
    with pytest.raises(UnsafeArchiveError, match="Nothing was extracted"):
        extract_archive(tmp_path / kind, tmp_path / "inner" / "folder")
    assert sorted(os.listdir(tmp_path)) == [kind]


def test_a_link_is_refused(tmp_path):
    tar_of(tmp_path / "a.tar", {"link": None, "link/x": b"1"}, "w")
    with pytest.raises(UnsafeArchiveError, match="'link'"):
        extract_archive(tmp_path / "a.tar", tmp_path / "inner")
    assert sorted(os.listdir(tmp_path)) == ["a.tar"]


@pytest.mark.parametrize(("kind", "make"), [("a.tgz", tar_of), ("a.zip", zip_of)])
def test_extract(tmp_path, kind, make):
    make(tmp_path / kind, {"x/y": b"1", "z": b"2"})
    assert extract_archive(tmp_path / kind, tmp_path / "b", True) == str(tmp_path / "b")
    assert (tmp_path / "b" / "x" / "y").read_bytes() == b"1"
    assert not (tmp_path / kind).exists()
    (tmp_path / "c.gz").write_bytes(gzip.compress(b"3"))
    assert Path(extract_archive(tmp_path / "c.gz")).read_bytes() == b"3"
    with pytest.raises(ValueError, match="is no archive that is known here"):
        extract_archive(tmp_path / "c")


def write_cifar(folder, names, key, meta):
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    pixels = []
    for name in names:
        data = rng.integers(0, 256, (3, 3072), dtype=np.uint8)
        pixels.append(data)
        for protocol in (2,):
            content = {b"data": data, key: [1, 0, 2]}
            (folder / name).write_bytes(pickle.dumps(content, protocol))
    (folder / meta[0]).write_bytes(pickle.dumps({meta[1]: ["a", "b", "c"]}, 2))
    return np.concatenate(pixels)


@pytest.fixture
def _no_checksums(monkeypatch):
    for kind in (datasets.CIFAR10, datasets.CIFAR100):
        for name in ("train_list", "test_list"):
            monkeypatch.setattr(kind, name, [[file, None] for file, _ in getattr(kind, name)])
        monkeypatch.setattr(kind, "meta", {**kind.meta, "md5": None})


@pytest.mark.usefixtures("_no_checksums")
def test_cifar(tmp_path):
    names = [*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]
    folder = tmp_path / "cifar-10-batches-py"
    pixels = write_cifar(folder, names, "labels", ("batches.meta", "label_names"))
    data = datasets.CIFAR10(tmp_path)
    assert len(data) == 15
    assert data.data.shape == (15, 32, 32, 3)
    assert data.classes == ["a", "b", "c"]
    image, label = data[4]
    assert label == 0
    assert np.array_equal(np.asarray(image).transpose(2, 0, 1).reshape(-1), pixels[4])
    test = datasets.CIFAR10(str(tmp_path), train=False, transform=transforms.ToTensor())
    np.testing.assert_allclose(test[1][0].numpy().reshape(-1), pixels[16] / 255, rtol=1e-6)
    assert repr(test) == (
        "Dataset CIFAR10\n    Number of datapoints: 3\n"
        f"    Root location: {tmp_path}\n    Split: Test\n    StandardTransform\n"
        "    Transform: ToTensor()"
    )
    folder = tmp_path / "cifar-100-python"
    write_cifar(folder, ["train", "test"], "fine_labels", ("meta", "fine_label_names"))
    assert datasets.CIFAR100(tmp_path)[2][1] == 2


class Evil:
    def __reduce__(self):
        return os.system, ("touch evil",)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (pickle.dumps({"data": Evil()}, 2), r"refers to (posix|nt)\.system"),
        (pickle.dumps(np.array([Evil()], object), 2), r"refers to (posix|nt)\.system"),
        (pickle.dumps({"data": np.ones(3)}, 2), "an array of 'f8' instead of bytes"),
        (pickle.dumps([1]), "it holds no dict"),
        (pickle.dumps({"data": np.ones(99, np.uint8)}, 2)[:-40], "is damaged"),
        (b"", "is damaged"),
        (b"\x80\x02r\xff\xff\xff\x7f.", "is damaged"),
    ],
)
def test_hostile_pickles(tmp_path, monkeypatch, content, text):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=text):
        read_pickle(path)
    assert os.listdir(tmp_path) == ["file"]


def test_svhn(tmp_path, monkeypatch):
    scipy_io = pytest.importorskip("scipy.io")
    pixels = np.random.default_rng(0).integers(0, 256, (32, 32, 3, 4), dtype=np.uint8)
    content = {"X": pixels, "y": np.array([[1], [10], [3], [9]], np.uint8)}
    scipy_io.savemat(tmp_path / "test_32x32.mat", content)
    monkeypatch.setattr(datasets.SVHN, "split_list", {"test": ("test_32x32.mat", None)})
    data = datasets.SVHN(tmp_path, "test")
    assert [label for _, label in (data[i] for i in range(4))] == [1, 0, 3, 9]
    assert np.array_equal(np.asarray(data[2][0]), pixels[..., 2])
    assert data.data.shape == (4, 3, 32, 32)


def write_image(path, colour, size=(5, 4)):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, colour).save(path)


def test_image_folder(tmp_path):
    write_image(tmp_path / "cat" / "2.png", "red")
    write_image(tmp_path / "cat" / "inner" / "1.PNG", "blue")
    write_image(tmp_path / "ant" / "1.png", "white")
    (tmp_path / "ant" / "notes.txt").write_text("no image")
    data = datasets.ImageFolder(tmp_path, transform=np.asarray)
    assert data.classes == ["ant", "cat"]
    assert data.class_to_idx == {"ant": 0, "cat": 1}
    assert data.targets == [0, 1, 1]
    assert data.imgs is data.samples
    assert [Path(path).name for path, _ in data.samples] == ["1.png", "2.png", "1.PNG"]
    assert data[1][0][0, 0].tolist() == [255, 0, 0]
    (tmp_path / "bee").mkdir()
    with pytest.raises(FileNotFoundError, match=r"no valid file for the classes bee\. Supported"):
        datasets.ImageFolder(tmp_path)
    assert datasets.ImageFolder(tmp_path, allow_empty=True).targets == [0, 2, 2]


def text_of(path):
    return Path(path).read_text()


def test_dataset_folder(tmp_path):
    for name in ("a/1.txt", "b/2.txt", "b/3.log"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    data = datasets.DatasetFolder(tmp_path, text_of, (".txt",), target_transform=str)
    assert [data[i] for i in range(2)] == [("a/1.txt", "0"), ("b/2.txt", "1")]
    data = datasets.DatasetFolder(
        tmp_path, text_of, is_valid_file=lambda path: "1" not in path[-5:], allow_empty=True
    )
    assert len(data) == 2
    with pytest.raises(ValueError, match="Both extensions and is_valid_file"):
        datasets.DatasetFolder(tmp_path, text_of)
    with pytest.raises(FileNotFoundError, match="Couldn't find any class folder"):
        datasets.DatasetFolder(tmp_path / "a", text_of, ".txt")


def test_fake_data():
    data = datasets.FakeData(5, (3, 4, 6), 3, transforms.ToTensor())
    assert len(data) == 5
    assert torch.equal(data[2][0], data[2][0])
    assert not torch.equal(data[2][0], data[3][0])
    assert torch.equal(
        data[3][0], datasets.FakeData(5, (3, 4, 6), 3, transforms.ToTensor(), None, 1)[2][0]
    )
    assert data[0][0].shape == (3, 4, 6)
    assert {label for _, label in (data[i] for i in range(5))} <= {0, 1, 2}
    with pytest.raises(IndexError, match="FakeData index out of range"):
        data[5]


def test_digits():
    train, test = datasets.Digits(), datasets.Digits(train=False, transform=transforms.ToTensor())
    assert (len(train), len(test)) == (1437, 360)
    assert train[0][0].size == (8, 8)
    assert test[0][0].max().item() == 1
    assert 0 <= test[0][1] < 10


def test_flowers(tmp_path, monkeypatch):
    scipy_io = pytest.importorskip("scipy.io")
    folder = tmp_path / "flowers-102"
    for i in range(1, 4):
        write_image(folder / "jpg" / f"image_{i:05d}.jpg", (i * 20, 0, 0))
    scipy_io.savemat(folder / "imagelabels.mat", {"labels": np.array([[5, 6, 7]])})
    scipy_io.savemat(folder / "setid.mat", {"trnid": np.array([[3, 1]]), "valid": [[2, 2]]})
    lists = dict.fromkeys(datasets.Flowers102.lists)
    monkeypatch.setattr(datasets.Flowers102, "lists", lists)
    data = datasets.Flowers102(tmp_path)
    assert [label for _, label in (data[0], data[1])] == [6, 4]
    assert abs(int(np.asarray(data[0][0])[0, 0, 0]) - 60) < 3


def test_faces(tmp_path):
    folder = tmp_path / "lfw-py"
    write_image(folder / "lfw_funneled" / "B_C" / "B_C_0001.jpg", "red")
    (folder / "lfw-names.txt").write_text("A_B\t2\nB_C\t1\n")
    (folder / "people.txt").write_text("2\n1\nB_C\t1\n1\nA_B\t2\n")
    data = datasets.LFWPeople(tmp_path)
    assert data.targets == [1, 0, 0]
    assert data[0][0].size == (5, 4)
    assert data.data[2].endswith("A_B_0002.jpg")
    with pytest.raises(ValueError, match="no longer available for automatic download"):
        datasets.LFWPeople(tmp_path, download=True)


def test_pets(tmp_path):
    folder = tmp_path / "oxford-iiit-pet"
    for name in ("Maine_Coon_1", "pug_3"):
        write_image(folder / "images" / f"{name}.jpg", "red")
        write_image(folder / "annotations" / "trimaps" / f"{name}.png", (1, 2, 3))
    (folder / "annotations" / "trainval.txt").write_text("Maine_Coon_1 1 1 1\npug_3 2 2 1\n")
    data = datasets.OxfordIIITPet(tmp_path, target_types=["category", "binary-category"])
    assert data.classes == ["Maine Coon", "Pug"]
    assert data[1][1] == (1, 1)
    both = datasets.OxfordIIITPet(
        tmp_path, target_types="segmentation", transforms=lambda x, y: (x.size, y.size)
    )
    assert both[0] == ((5, 4), (5, 4))
    with pytest.raises(ValueError, match="Only transforms or transform/target_transform"):
        datasets.OxfordIIITPet(tmp_path, transforms=str, transform=str)


def test_grid():
    x = torch.arange(3 * 2 * 2, dtype=torch.float32).reshape(3, 1, 2, 2)
    grid = make_grid(x, nrow=2, padding=1, pad_value=-1.0)
    # recorded from torchvision 0.28.0
    assert grid.shape == (3, 7, 7)
    assert grid[1].tolist() == [
        [-1, -1, -1, -1, -1, -1, -1],
        [-1, 0, 1, -1, 4, 5, -1],
        [-1, 2, 3, -1, 6, 7, -1],
        [-1, -1, -1, -1, -1, -1, -1],
        [-1, 8, 9, -1, -1, -1, -1],
        [-1, 10, 11, -1, -1, -1, -1],
        [-1, -1, -1, -1, -1, -1, -1],
    ]
    assert make_grid(x[0]).shape == (3, 2, 2)
    assert make_grid(list(x)).shape == (3, 6, 14)
    assert make_grid(x, normalize=True).max().item() == 1
    each = make_grid(x, normalize=True, scale_each=True, padding=0)
    assert each[0, 1].tolist() == pytest.approx([2 / 3, 1] * 3)
    assert make_grid(x, normalize=True, value_range=(4, 6), padding=0)[0, 0].tolist() == (
        [0, 0, 0, 0.5, 1, 1]
    )
    with pytest.raises(TypeError, match="tensor or list of tensors expected"):
        make_grid([1])
    with pytest.raises(TypeError, match="value_range has to be a tuple"):
        make_grid(x, value_range=[0, 1])


def test_save_image(tmp_path):
    x = torch.tensor([0.0, 0.5, 1.0, 2.0], requires_grad=True).reshape(1, 1, 2, 2)
    save_image(x, tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image:
        assert np.asarray(image)[..., 0].tolist() == [[0, 128], [255, 255]]
    file = io.BytesIO()
    save_image(torch.rand(5, 3, 4, 4), file, format="png", nrow=2)
    with Image.open(file) as image:
        assert image.size == (14, 20)
