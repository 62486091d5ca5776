"""Errors of functions of masked elements."""

from __future__ import annotations

from typing import Any


def mask_axes(mask: int, own: int) -> IndexError:
    return IndexError(
        "_input_mask expected broadcastable mask (got mask dimensionality higher than of the "
        f"input: {mask} and {own})"
    )


def masked_mean_of_integers(d: Any) -> ValueError:
    return ValueError(
        "mean(): Could not infer output dtype. Input dtype must be either a floating point or "
        f"complex dtype. Got: {d}\nPass dtype=, for example torch.float32."
    )


def masked_median() -> ValueError:
    return ValueError(
        "masked median expects no fully masked out rows if dtype is not floating point"
    )
