"""What `tapegrad.save` and `tapegrad.load` say."""

from __future__ import annotations

from typing import Any

from ..torch.errors import DamagedFileError


def damaged(why: Any) -> DamagedFileError:
    return DamagedFileError(
        f"the file is damaged, or no safetensors file: {why}. Nothing in it was executed. Fetch or "
        "write it again."
    )


def file_of_pytorch() -> DamagedFileError:
    return DamagedFileError(
        "this is a zip file, as torch.save writes it, and no safetensors file. Read it with "
        "tapegrad.torch.load, which executes nothing either."
    )


def cannot_save(where: str, value: Any) -> TypeError:
    kind = type(value)
    return TypeError(
        f"cannot save {where}, a {kind.__module__}.{kind.__qualname__}: a file holds tensors, "
        "arrays, numbers, strings and bytes, in dicts, lists and tuples. Save a state_dict() of it."
    )


def cannot_save_dtype(where: str, dtype: Any) -> TypeError:
    return TypeError(
        f"cannot save {where}: an array of {dtype} has no numbers, and nothing else is written. "
        "Convert it first."
    )


def cannot_save_key(where: str, key: Any) -> TypeError:
    return TypeError(
        f"cannot save {where}: its key {key!r} is a {type(key).__name__}. Use strings or numbers."
    )


def too_deep() -> ValueError:
    return ValueError(
        "cannot save this: it is nested too deeply, or holds itself. Save tensors and numbers in a "
        "few levels of dicts and lists."
    )


def traced_value(where: str) -> TypeError:
    return TypeError(
        f"cannot save {where} inside of a transform: it has no value of its own there. Return it "
        "from the function and save it outside."
    )


def bad_metadata(key: Any, value: Any) -> TypeError:
    return TypeError(
        f"metadata is text by text, but has {key!r}: {value!r}. Write str(...), or put the value "
        "into what is saved."
    )


def reserved_metadata(key: str) -> ValueError:
    return ValueError(f"the metadata key {key!r} is taken: it says how the file is put together.")


def not_written(file: Any, error: Exception) -> OSError:
    return OSError(f"{file} could not be written, and is as it was before: {error}")
