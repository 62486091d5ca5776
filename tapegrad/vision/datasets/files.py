"""Files of data sets: checked, fetched, and taken out of archives that may be hostile."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import Any

from ..download import digest, fetch
from . import errors

__all__ = ["check_md5", "download_file", "extract_archive"]

PLAIN = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
"""What opens a file that is compressed alone."""

TARS = (".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2")


def check_md5(fpath: Any, md5: str) -> bool:
    """Whether a file has an MD5 checksum."""
    return digest(Path(fpath), "md5") == md5


def is_sound(path: Any, md5: str | None = None) -> bool:
    """Whether a file is there, and has the checksum if there is one."""
    return os.path.isfile(path) and (md5 is None or check_md5(path, md5))


def download_file(url: str, root: Any, filename: str | None = None, md5: str | None = None) -> Path:
    """Fetch a file into a folder, unless it is there; gives its path.

    It goes on where it was interrupted, and is compared with its checksum before it gets its name.
    """
    target = Path(root).expanduser() / (filename or os.path.basename(url))
    target.parent.mkdir(parents=True, exist_ok=True)
    if not is_sound(target, md5):
        fetch(target, [url], md5, "md5")
    return target


def download_and_extract(url: str, root: Any, md5: str | None) -> None:
    """Fetch an archive into a folder and take out what it holds."""
    extract_archive(download_file(url, root, md5=md5), root)


def extract_archive(from_path: Any, to_path: Any = None, remove_finished: bool = False) -> str:
    """Take out what an archive or a compressed file holds, into a folder (its own by default).

    Raises before anything is written if a member would lie outside of the folder. Gives the folder,
    or the path of the file that was compressed.
    """
    source = Path(from_path)
    folder = source.parent if to_path is None else Path(to_path)
    name = source.name.lower()
    result = folder
    if name.endswith(".zip"):
        with zipfile.ZipFile(source) as archive:
            for member in archive.namelist():
                check_member(source, folder, member)
            archive.extractall(folder)
    elif name.endswith(TARS):
        with tarfile.open(source) as archive:
            for info in archive.getmembers():
                if not (info.isfile() or info.isdir()):
                    raise errors.unsafe_member(source, info.name)
                check_member(source, folder, info.name)
            archive.extractall(folder, filter="data")
    elif source.suffix.lower() in PLAIN:
        result = folder / source.stem
        decompress(source, result)
    else:
        raise errors.unknown_archive(source)
    if remove_finished:
        source.unlink()
    return str(result)


def check_member(archive: Path, folder: Path, member: str) -> None:
    """Raise if a member of an archive would lie outside of the folder it is extracted to."""
    parts = member.replace("\\", "/").split("/")
    inside = (folder / member).resolve().is_relative_to(folder.resolve())
    if ".." in parts or os.path.isabs(member) or ":" in parts[0] or not inside:
        raise errors.unsafe_member(archive, member)


def decompress(source: Path, target: Path) -> None:
    """Write what a compressed file holds; the file appears when it is whole."""
    part = target.with_name(target.name + ".part")
    target.parent.mkdir(parents=True, exist_ok=True)
    open_compressed: Any = PLAIN[source.suffix.lower()]
    with open_compressed(source, "rb") as packed, part.open("wb") as file:
        shutil.copyfileobj(packed, file)
    part.replace(target)
