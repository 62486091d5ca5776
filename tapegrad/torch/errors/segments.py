"""Errors about segments and hashes."""

from __future__ import annotations


def no_segments() -> RuntimeError:
    return RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")


def segments_do_not_fit() -> RuntimeError:
    return RuntimeError(
        "segment_reduce(): Expected all rows of lengths along axis to sum to "
        "data.size(lengths.dim()-1) when !unsafe.\nSegments must cover the axis from its start."
    )


def no_such_hash(mode: int) -> RuntimeError:
    return RuntimeError(f"hash_tensor: Only mode=0 is supported, got {mode}")
