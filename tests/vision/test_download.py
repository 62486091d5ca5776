"""Downloads against a server in this process: resumed, verified, mirrored."""

import hashlib

import pytest

from tapegrad.vision import download as module
from tapegrad.vision import download_mnist
from tapegrad.vision.download import fetch

CONTENT = bytes(range(256)) * 700
CHECKSUM = hashlib.sha256(CONTENT).hexdigest()


def test_fetches(server, tmp_path):
    server.files["/file"] = CONTENT
    fetch(tmp_path / "file", [f"{server.address}/file"], CHECKSUM)
    assert (tmp_path / "file").read_bytes() == CONTENT
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("ranges", [True, False])
def test_goes_on_where_it_stopped(server, tmp_path, ranges):
    server.files["/file"] = CONTENT
    server.breaks_at = 100_000
    server.ranges = ranges
    with pytest.raises(ConnectionError, match="could not fetch file"):
        fetch(tmp_path / "file", [f"{server.address}/file"], CHECKSUM)
    assert (tmp_path / "file.part").read_bytes() == CONTENT[:100_000]
    server.breaks_at = None
    fetch(tmp_path / "file", [f"{server.address}/file"], CHECKSUM)
    assert (tmp_path / "file").read_bytes() == CONTENT
    assert server.requests == [("/file", None), ("/file", "bytes=100000-")]


def test_complete_but_unnamed(server, tmp_path):
    server.files["/file"] = CONTENT
    (tmp_path / "file.part").write_bytes(CONTENT)
    fetch(tmp_path / "file", [f"{server.address}/file"], CHECKSUM)
    assert (tmp_path / "file").read_bytes() == CONTENT


def test_takes_the_next_mirror(server, tmp_path):
    server.files["/bad/file"] = b"something else"
    server.files["/good/file"] = CONTENT
    addresses = [f"{server.address}/{place}/file" for place in ("none", "bad", "good")]
    fetch(tmp_path / "file", addresses, CHECKSUM)
    assert (tmp_path / "file").read_bytes() == CONTENT


def test_wrong_content_is_never_kept(server, tmp_path):
    server.files["/bad/file"] = b"something else"
    addresses = [f"{server.address}/{place}/file" for place in ("bad", "none")]
    with pytest.raises(ConnectionError, match=r"(?s)another SHA-256 .*404.*yourself"):
        fetch(tmp_path / "file", addresses, CHECKSUM)
    assert list(tmp_path.iterdir()) == []


def test_fetches_only_what_is_missing(server, tmp_path, monkeypatch):
    files = {"a.gz": b"aaa", "b.gz": b"bbb"}
    checksums = {name[:-3]: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    monkeypatch.setattr(module, "SHA256", checksums)
    server.files = {f"/mnist/{name}": content for name, content in files.items()}
    directory = tmp_path / "new" / "mnist"
    mirrors = [f"{server.address}/mnist/"]
    assert download_mnist(directory, mirrors=mirrors) == directory
    assert {path.name: path.read_bytes() for path in directory.iterdir()} == files
    (directory / "b.gz").unlink()
    download_mnist(directory, mirrors=mirrors)
    assert [path for path, _ in server.requests] == ["/mnist/a.gz", "/mnist/b.gz", "/mnist/b.gz"]
