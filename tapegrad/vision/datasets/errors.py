"""What data sets say where their files are missing, damaged or hostile."""

from __future__ import annotations

from typing import Any


class UnsafeArchiveError(ValueError):
    """A member of an archive would be written outside of its folder."""


class RefusedFileError(ValueError):
    """A file is damaged, or refers to what it has no use for."""


def not_found(name: str, folder: Any) -> RuntimeError:
    return RuntimeError(
        f"Dataset not found or corrupted: {name} in {folder}. You can use download=True to "
        "download it, or put its files there."
    )


def unsafe_member(archive: Any, member: str) -> UnsafeArchiveError:
    return UnsafeArchiveError(
        f"{archive} has the member {member!r}, which would be written outside of its folder or is "
        "no plain file. Nothing was extracted. Do not trust where it came from."
    )


def unknown_archive(path: Any) -> ValueError:
    return ValueError(
        f"{path} is no archive that is known here: .zip, .tar, .tgz, .gz, .xz, .bz2, or a .tar of "
        "these."
    )


def unknown_value(name: str, value: Any, known: Any) -> ValueError:
    return ValueError(
        f"Unknown value {value!r} for argument {name}. Valid values are {{{', '.join(known)}}}."
    )


def forbidden_global(module: str, name: str) -> RefusedFileError:
    return RefusedFileError(
        f"the file refers to {module}.{name}, which a file of images and labels has no use for. "
        "Nothing in it was executed. Do not trust where it came from."
    )


def damaged_pickle(path: Any, why: str) -> RefusedFileError:
    return RefusedFileError(f"{path} is damaged or not what it should be: {why}. Fetch it again.")


def both_transforms() -> ValueError:
    return ValueError("Only transforms or transform/target_transform can be passed as argument")


def no_classes(folder: Any) -> FileNotFoundError:
    return FileNotFoundError(
        f"Couldn't find any class folder in {folder}. It needs a folder of images for each class."
    )


def empty_classes(names: list[str], extensions: Any) -> FileNotFoundError:
    known = "" if extensions is None else f"Supported extensions are: {', '.join(extensions)}. "
    return FileNotFoundError(
        f"Found no valid file for the classes {', '.join(names)}. {known}Pass allow_empty=True to "
        "keep classes without files."
    )


def extensions_or_function() -> ValueError:
    return ValueError(
        "Both extensions and is_valid_file cannot be None or not None at the same time"
    )


def no_class_numbers() -> ValueError:
    return ValueError("'class_to_index' must have at least one entry to collect any samples.")


def only_by_hand(name: str, folder: Any) -> ValueError:
    return ValueError(
        f"{name} is no longer available for automatic download. Fetch it yourself and put it into "
        f"{folder}."
    )


def no_scipy(name: str) -> ImportError:
    return ImportError(f"{name} comes in MATLAB's files, which SciPy reads: pip install scipy")


def out_of_range(name: str) -> IndexError:
    return IndexError(f"{name} index out of range")
