"""IDX files: what is read, and what is said of damaged ones."""

import gzip

import numpy as np
import pytest

from tapegrad.vision import load_mnist
from tapegrad.vision.idx import read_idx


def encode(array):
    header = bytes((0, 0, 8, array.ndim))
    return header + b"".join(n.to_bytes(4, "big") for n in array.shape) + array.tobytes()


def write_mnist(directory, train=5, test=3, compress=gzip.compress, suffix=".gz"):
    rng = np.random.default_rng(0)
    written = []
    for part, n in (("train", train), ("t10k", test)):
        images = rng.integers(0, 256, (n, 28, 28), dtype=np.uint8)
        labels = rng.integers(0, 10, n, dtype=np.uint8)
        for name, array in ((f"{part}-images-idx3", images), (f"{part}-labels-idx1", labels)):
            (directory / f"{name}-ubyte{suffix}").write_bytes(compress(encode(array)))
        written += [images, labels]
    return written


@pytest.mark.parametrize("compress", [gzip.compress, lambda content: content])
@pytest.mark.parametrize("shape", [(4,), (3, 2, 5), (0, 28, 28), ()])
def test_reads_what_was_written(tmp_path, compress, shape):
    array = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
    path = tmp_path / "file"
    path.write_bytes(compress(encode(array)))
    result = read_idx(path)
    assert result.shape == shape
    assert result.dtype == np.uint8
    np.testing.assert_array_equal(result, array)


WHOLE = encode(np.arange(12, dtype=np.uint8).reshape(3, 4))
COMPRESSED = gzip.compress(WHOLE, mtime=0)  # no time in it, for the tests' names have it


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "does not start like an IDX file"),
        (b"<html>not found</html>", "does not start like an IDX file"),
        (bytes((0, 0, 13)) + WHOLE[3:], "does not start like an IDX file of unsigned bytes"),
        (WHOLE[:-1], r"it has 23 bytes, where its shape \(3, 4\) asks for 24"),
        (WHOLE + b"\0", r"it has 25 bytes, where its shape \(3, 4\) asks for 24"),
        (WHOLE[:6], "it has 6 bytes"),
        (COMPRESSED[:-9], "it cannot be decompressed"),
        (COMPRESSED[:10] + b"\xff" * 30, "it cannot be decompressed"),
    ],
)
def test_damaged_file(tmp_path, content, message):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        read_idx(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(("compress", "suffix"), [(gzip.compress, ".gz"), (bytes, "")])
def test_loads_mnist(tmp_path, compress, suffix):
    written = write_mnist(tmp_path, compress=compress, suffix=suffix)
    digits = load_mnist(tmp_path)
    assert digits.name == "MNIST"
    for images, expected in ((digits.train_images, written[0]), (digits.test_images, written[2])):
        assert images.dtype == np.float32
        np.testing.assert_array_equal(np.rint(images * 255), expected)
    np.testing.assert_array_equal(digits.train_labels, written[1])
    np.testing.assert_array_equal(digits.test_labels, written[3])


def test_missing_file(tmp_path):
    write_mnist(tmp_path)
    (tmp_path / "t10k-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(FileNotFoundError, match=r"no file t10k-labels-idx1-ubyte or .*download"):
        load_mnist(tmp_path)


def test_images_and_labels_differ_in_number(tmp_path):
    write_mnist(tmp_path, train=5)
    labels = encode(np.zeros(4, np.uint8))
    (tmp_path / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(labels))
    with pytest.raises(ValueError, match="5 images in train but 4 labels"):
        load_mnist(tmp_path)


def test_labels_where_images_should_be(tmp_path):
    write_mnist(tmp_path)
    labels = (tmp_path / "train-labels-idx1-ubyte.gz").read_bytes()
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(labels)
    with pytest.raises(ValueError, match="it has 1 axes instead of 3"):
        load_mnist(tmp_path)
