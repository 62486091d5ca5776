"""Downloads against a server in this process: resumed, verified, mirrored."""

import hashlib
import http.server
import threading

import pytest

from tapegrad.vision import download as module
from tapegrad.vision import download_mnist
from tapegrad.vision.download import fetch

CONTENT = bytes(range(256)) * 700
CHECKSUM = hashlib.sha256(CONTENT).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves `server.files`; notes the ranges asked for; breaks off where the server says so."""

    def do_GET(self):
        content = self.server.files.get(self.path)
        asked = self.headers.get("Range")
        self.server.requests.append((self.path, asked))
        if content is None:
            self.send_error(404)
            return
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        if start >= len(content):
            self.send_error(416)
            return
        if not self.server.ranges:
            start = 0
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self.wfile.write(content[start : self.server.breaks_at])

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.files, server.requests, server.ranges, server.breaks_at = {}, [], True, None
        server.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


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
