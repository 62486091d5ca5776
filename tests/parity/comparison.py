"""Whether results and gradients agree."""

from __future__ import annotations

import numpy as np
import torch

import tapegrad.torch as ours

from .conversion import to_numpy, to_ours


def compare(theirs, own, what, values=True, single=False, error=0.0):
    """Raise if tensors differ in shape, dtype or value.

    `single` if an input is of that precision; `error` is that of PyTorch itself.
    """
    mine = own.raw
    if tuple(theirs.shape) != tuple(np.shape(mine)):
        raise AssertionError(f"{what}: shape {tuple(np.shape(mine))} is not {tuple(theirs.shape)}")
    if str(theirs.dtype) != str(own.dtype):
        raise AssertionError(f"{what}: dtype {own.dtype} is not {theirs.dtype}")
    if not values:
        return
    single = single or theirs.dtype in (torch.float32, torch.complex64)
    half = theirs.dtype in (torch.float16, torch.bfloat16)
    rtol = max(error, 2e-2 if half else 2e-4 if single else 1e-7)
    expected = to_numpy(theirs.detach())
    scale = (
        np.max(np.abs(expected[np.isfinite(expected)]), initial=0)
        if expected.dtype.kind in "fc"
        else 0
    )
    np.testing.assert_allclose(
        np.asarray(mine), expected, rtol=rtol, atol=rtol * (1 + scale), err_msg=what
    )


def compare_gradients(pairs, leaves, mine, described, single, error):
    """Raise if the gradients of results in leaves differ, for random cotangents."""
    rng = np.random.default_rng(0)
    seeds = []
    for x, _ in pairs:
        seed = rng.normal(size=tuple(x.shape))
        if x.dtype.is_complex:
            seed = seed + 1j * rng.normal(size=tuple(x.shape))
        seeds.append(torch.from_numpy(np.asarray(seed)).to(x.dtype))
    theirs = torch.autograd.grad(
        [x for x, _ in pairs],
        leaves,
        seeds,
        allow_unused=True,
    )
    try:
        own = ours.autograd.grad(
            [y for _, y in pairs],
            mine,
            to_ours(seeds),
            allow_unused=True,
        )
    except Exception as failure:
        raise AssertionError(f"{described}: backward: {failure!r}") from failure
    for x, y in zip(theirs, own, strict=True):
        if x is None or y is None:
            for g in (x, y):
                if g is not None and np.any(to_numpy(g) if g is x else g.raw):
                    raise AssertionError(f"{described}: one gradient is missing")
            continue
        compare(x, y, f"{described}: gradient", True, single, error)
