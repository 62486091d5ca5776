"""Fetching MNIST: resumed where it was interrupted, and verified before it is used."""

from __future__ import annotations

import hashlib
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from .. import errors
from ..folders import cache_directory

MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
)

SHA256 = {  # of the compressed files, without their ending .gz
    "train-images-idx3-ubyte": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    "train-labels-idx1-ubyte": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    "t10k-images-idx3-ubyte": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    "t10k-labels-idx1-ubyte": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
}

TIMEOUT = 30.0  # seconds without a byte
BLOCK = 1 << 16


def download_mnist(
    directory: str | Path | None = None, *, mirrors: Sequence[str] = MIRRORS
) -> Path:
    """Fetch MNIST's four files into `directory` (the user's cache), as far as they are not there.

    Gives the directory. Each file is compared with its SHA-256 checksum before it gets its name;
    one that was interrupted goes on where it stopped.

    Raises ConnectionError where no mirror gave a good file.
    """
    directory = cache_directory() / "mnist" if directory is None else Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    for name, checksum in SHA256.items():
        target = directory / f"{name}.gz"
        if not target.exists():
            fetch(target, [mirror + target.name for mirror in mirrors], checksum)
    return directory


def digest(path: Path, algorithm: str) -> str:
    """A checksum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def fetch(
    target: Path, addresses: Sequence[str], checksum: str | None, algorithm: str = "sha256"
) -> None:
    """Fetch one file from the first address that gives what the checksum stands for.

    Without a checksum, from the first that gives a file.
    """
    part = target.with_name(target.name + ".part")
    reasons = []
    for address in addresses:
        try:
            receive(address, part)
        except OSError as error:  # those of urllib among them
            reasons.append(f"{address}: {error}")
            continue
        if checksum is None or digest(part, algorithm) == checksum:
            part.replace(target)
            return
        part.unlink()
        name = {"sha256": "SHA-256", "md5": "MD5"}[algorithm]
        reasons.append(f"{address}: the file has another {name} checksum than {checksum}")
    raise errors.download_failed(target, reasons)


def receive(address: str, part: Path) -> None:
    """Append to the file `part` what it lacks of the file at `address`."""
    from tqdm import tqdm

    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(address, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # there is nothing after what is here
            return
        raise
    with response:
        resumed = response.status == 206
        length = response.headers.get("Content-Length")
        total = int(length) + (have if resumed else 0) if length else None
        bar = tqdm(
            desc=part.stem,
            total=total,
            initial=have if resumed else 0,
            unit="B",
            unit_scale=True,
            leave=False,
        )
        with part.open("ab" if resumed else "wb") as file, bar:
            while block := response.read(BLOCK):
                file.write(block)
                bar.update(len(block))
        if total is not None and part.stat().st_size < total:
            raise ConnectionError(f"ended after {part.stat().st_size} of {total} bytes")
