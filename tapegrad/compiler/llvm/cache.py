"""Compiled objects on disk: found again by any process of the same user on the same processor.

`Cache.get(key)` gives the bytes that `Cache.put(key, value)` once kept, or None. `key(...)` makes a
key of a program, its processor and the versions of everything that had a hand in the code.

Entries are machine code, so an entry is taken only from a directory and a file that this user
alone may write, and only if its checksum and its key are right; all others are as if they were
not there. An entry gets its name when it is complete, so a writer that is killed leaves at most
a temporary file, which a later writer removes. Where nothing can be written, nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
import time
from pathlib import Path

import numpy

from ...folders import cache_directory
from .host import Host, versions

FORMAT = b"tapegrad object 1\n"
DIGEST = hashlib.sha256().digest_size
SUFFIX, UNFINISHED = ".o", ".part"
STALE = 3600.0  # seconds after which a temporary file has lost its writer
BOUND = 256 << 20  # bytes


def directory() -> Path:
    """Where this user's compiled objects are kept; the variable TAPEGRAD_CACHE moves it."""
    chosen = os.environ.get("TAPEGRAD_CACHE")
    return Path(chosen) if chosen else cache_directory() / "compiled"


def key(program: bytes, host: Host, version: str) -> str:
    """What an object is found by: the program, the processor, and `version` of the compiler."""
    parts = (
        program,
        f"{host.triple} {host.cpu} {host.features}".encode(),
        f"{version}, {versions()}, NumPy {numpy.__version__}".encode(),
        f"{sys.implementation.cache_tag} {sys.maxsize}".encode(),
    )
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


class Cache:
    """Objects in one directory, of about `bound` bytes; those unused for longest go first."""

    def __init__(self, folder: Path | None = None, bound: int = BOUND) -> None:
        self.folder = directory() if folder is None else Path(folder)
        self.bound = bound

    def get(self, key: str) -> bytes | None:
        """What was kept under a key, or None where there is no sound entry."""
        path = self._path(key)
        try:
            with open(path, "rb") as file:
                if not (_private(os.stat(self.folder)) and _private(os.fstat(file.fileno()))):
                    return None
                content = file.read()
        except OSError:
            return None
        value = _unpacked(key, content)
        if value is not None:
            with contextlib.suppress(OSError):  # a read-only directory keeps no order of use
                os.utime(path)
        return value

    def put(self, key: str, value: bytes) -> None:
        """Keep a value under a key, if the disk lets us."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, part = tempfile.mkstemp(suffix=UNFINISHED, dir=self.folder)
        except OSError:
            return
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_packed(key, value))
            os.replace(part, self._path(key))
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(part)
        else:
            if key.startswith("0"):  # one in sixteen: to look through many files takes long
                self.trim()

    def trim(self) -> None:
        """Remove what is beyond the bound, and what killed writers left."""
        now, entries = time.time(), []
        with contextlib.suppress(OSError), os.scandir(self.folder) as files:
            for file in files:
                if not file.name.endswith((SUFFIX, UNFINISHED)):
                    continue
                with contextlib.suppress(OSError):  # another process was faster
                    status = file.stat(follow_symlinks=False)
                    if file.name.endswith(SUFFIX):
                        entries.append((status.st_mtime, status.st_size, file.path))
                    elif now - status.st_mtime > STALE:
                        os.unlink(file.path)
        excess = sum(size for _, size, _ in entries) - self.bound
        for _, size, path in sorted(entries):
            if excess <= 0:
                return
            excess -= size
            with contextlib.suppress(OSError):
                os.unlink(path)

    def _path(self, key: str) -> Path:
        return self.folder / (key + SUFFIX)


def _private(status: os.stat_result) -> bool:
    """Whether only this user could have written it."""
    if not hasattr(os, "getuid"):
        return True  # Windows keeps others out of a user's own folders
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _packed(key: str, value: bytes) -> bytes:
    content = key.encode() + b"\n" + value
    return FORMAT + hashlib.sha256(content).digest() + content


def _unpacked(key: str, content: bytes) -> bytes | None:
    start = len(FORMAT) + DIGEST
    head = key.encode() + b"\n"
    if not content.startswith(FORMAT) or content[start : start + len(head)] != head:
        return None
    if hashlib.sha256(content[start:]).digest() != content[len(FORMAT) : start]:
        return None
    return content[start + len(head) :]
