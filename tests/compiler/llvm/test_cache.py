"""Objects on disk: found again, and not trusted where they may be another's or damaged."""

import os
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("llvmlite", reason="keys hold its version")

from tapegrad.compiler.llvm import cache as module
from tapegrad.compiler.llvm.cache import Cache, directory, key
from tapegrad.compiler.llvm.host import Host, host

KEY = "a" * 64
POSIX = pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners' bits")


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "compiled")


def entry(cache):
    (path,) = cache.folder.glob("*.o")
    return path


def test_what_is_kept_is_found(cache):
    assert cache.get(KEY) is None
    cache.put(KEY, b"code")
    assert cache.get(KEY) == b"code"
    assert Cache(cache.folder).get(KEY) == b"code"
    assert cache.get("b" * 64) is None
    cache.put(KEY, b"")
    assert cache.get(KEY) == b""


def test_damaged_entries_are_as_none(cache):
    cache.put(KEY, b"code" * 100)
    path = entry(cache)
    good = path.read_bytes()
    for bad in (b"", good[:30], good[:-1], good + b"x", good[:99] + b"?" + good[100:], b"x" * 999):
        path.write_bytes(bad)
        assert cache.get(KEY) is None
    cache.put(KEY, b"new")
    assert cache.get(KEY) == b"new"


def test_an_entry_under_another_name_is_as_none(cache):
    cache.put(KEY, b"code")
    entry(cache).rename(cache.folder / ("b" * 64 + ".o"))
    assert cache.get("b" * 64) is None


@POSIX
def test_what_others_may_write_is_as_none(cache):
    cache.put(KEY, b"code")
    entry(cache).chmod(0o666)
    assert cache.get(KEY) is None
    entry(cache).chmod(0o600)
    assert cache.get(KEY) == b"code"
    cache.folder.chmod(0o777)
    assert cache.get(KEY) is None


@POSIX
def test_what_another_wrote_is_as_none(cache, monkeypatch):
    cache.put(KEY, b"code")
    monkeypatch.setattr(module.os, "getuid", lambda: os.stat(cache.folder).st_uid + 1)
    assert cache.get(KEY) is None


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    cache = Cache(tmp_path / "file" / "compiled")
    cache.put(KEY, b"code")
    assert cache.get(KEY) is None


def test_a_full_disk_leaves_no_part(cache, monkeypatch):
    def refuse(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.os, "replace", refuse)
    cache.put(KEY, b"code")
    assert not list(cache.folder.iterdir())


def test_the_bound_holds_and_used_entries_stay(tmp_path):
    cache = Cache(tmp_path, bound=3500)
    keys = [f"{i + 1}".ljust(64, "0") for i in range(5)]
    for i, name in enumerate(keys[:3]):
        cache.put(name, b"x" * 1000)
        os.utime(tmp_path / f"{name}.o", (i, i))
    assert cache.get(keys[0])  # now the one used last
    cache.put(keys[3], b"x" * 1000)
    assert len(list(tmp_path.iterdir())) == 4
    cache.put("0" * 64, b"")  # one of those at which it is looked after
    assert [cache.get(name) is not None for name in keys] == [True, False, True, True, False]


def test_parts_of_killed_writers_go_in_the_end(cache):
    cache.put(KEY, b"code")
    old, new = cache.folder / "old.part", cache.folder / "new.part"
    for path in (old, new):
        path.write_bytes(b"half")
    past = time.time() - 2 * module.STALE
    os.utime(old, (past, past))
    cache.trim()
    assert not old.exists()
    assert new.exists()
    assert cache.get(KEY) == b"code"


WRITER = """
import sys
from tapegrad.compiler.llvm.cache import Cache
cache = Cache(sys.argv[1])
print("ready", flush=True)
number = 0
while True:
    cache.put("a" * 64, bytes([number % 256]) * 1_000_000)
    number += 1
"""


@pytest.mark.skipif(os.name == "nt", reason="kills as POSIX does")
def test_killed_and_concurrent_writers_do_no_harm(cache):
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(cache.folder)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    found = 0
    end = time.monotonic() + 0.5
    while time.monotonic() < end or not found:
        value = cache.get(KEY)
        if value is not None:
            assert len(value) == 1_000_000
            assert value == value[:1] * len(value)
            found += 1
    for writer in writers:
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
    value = cache.get(KEY)
    assert value == value[:1] * 1_000_000


def test_keys_depend_on_all_that_matters():
    other = Host("aarch64-unknown-linux-gnu", "generic", "+neon")
    keys = {key(b"p", host(), "1"), key(b"q", host(), "1"), key(b"p", other, "1")}
    keys |= {key(b"p", host(), "2")}
    assert len(keys) == 4
    assert key(b"p", host(), "1") in keys


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/tapegrad/compiled"),
        ("linux", {"TAPEGRAD_CACHE": "/y"}, "/y"),
        ("linux", {"HOME": "/h"}, "/h/.cache/tapegrad/compiled"),
        ("darwin", {"HOME": "/h"}, "/h/Library/Caches/tapegrad/compiled"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/tapegrad/compiled"),
    ],
)
def test_the_directory_is_the_users(monkeypatch, platform, variables, expected):
    for name in ("XDG_CACHE_HOME", "TAPEGRAD_CACHE", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert directory().as_posix() == expected
