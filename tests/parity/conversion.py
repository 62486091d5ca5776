"""Between PyTorch's samples and ours: arguments, results, and its test code run with ours."""

from __future__ import annotations

import types

import ml_dtypes
import torch

import tapegrad.torch as ours


class Aten:
    """`torch.ops.aten`, of our functions."""

    def __getattr__(self, name):
        return types.SimpleNamespace(default=getattr(ours, name))


class Stand:
    """Our module in the place of `torch`, with `torch.ops.aten.<name>.default` too."""

    ops = types.SimpleNamespace(aten=Aten())

    def __getattr__(self, name):
        return getattr(ours, name)


def rebound(function):
    """A function of PyTorch's test code, with our module in the place of `torch`."""
    scope = dict(function.__globals__)
    scope["torch"] = Stand() if "aten" in function.__code__.co_names else ours
    cells = function.__closure__
    if cells:
        cells = tuple(
            types.CellType(ours if c.cell_contents is torch else c.cell_contents) for c in cells
        )
    made = types.FunctionType(function.__code__, scope, None, function.__defaults__, cells)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def to_ours(x):
    """An argument, as ours."""
    if isinstance(x, torch.Tensor):
        made = ours.from_numpy(to_numpy(x.detach()))
        return made.requires_grad_() if x.requires_grad else made
    if isinstance(x, torch.Size):
        return ours.Size(x)
    if isinstance(x, torch.dtype):
        return getattr(ours, str(x).removeprefix("torch."))
    if isinstance(x, torch.device):
        return ours.device(str(x))
    if isinstance(x, torch.memory_format | torch.layout):
        return getattr(ours, str(x).removeprefix("torch."))
    if isinstance(x, torch.Generator):
        return ours.Generator().manual_seed(x.initial_seed())
    if isinstance(x, torch.nn.PairwiseDistance):
        return ours.nn.functional.pairwise_distance
    if isinstance(x, tuple | list):
        return type(x)(map(to_ours, x)) if not hasattr(x, "_fields") else type(x)(*map(to_ours, x))
    if isinstance(x, dict):
        return {k: to_ours(v) for k, v in x.items()}
    return x


def to_numpy(x):
    """A tensor of PyTorch's as an array, with its strides."""
    x = x.resolve_conj().resolve_neg()
    if x.dtype is torch.bfloat16:
        return x.float().numpy().astype(ml_dtypes.bfloat16)
    return x.numpy(force=True).copy(order="K")


def tensors(result):
    """The tensors in a result, flat."""
    if isinstance(result, torch.Tensor | ours.Tensor):
        return [result]
    if isinstance(result, tuple | list):
        return [t for part in result for t in tensors(part)]
    return []


def structure(result):
    """What a result is made of, beside its tensors."""
    if isinstance(result, torch.Tensor | ours.Tensor):
        return "tensor"
    if isinstance(result, tuple | list):
        return [structure(part) for part in result]
    if isinstance(result, torch.Size):
        return list(result)
    if isinstance(result, torch.dtype | ours.dtype):
        return str(result)
    return result


def describe(sample):
    def short(x):
        if isinstance(x, torch.Tensor):
            return f"{str(x.dtype).removeprefix('torch.')}{list(x.shape)}"
        if isinstance(x, tuple | list):
            return f"[{', '.join(map(short, x))}]"
        return repr(x)

    parts = [short(sample.input), *map(short, sample.args)]
    parts += [f"{k}={short(v)}" for k, v in sample.kwargs.items()]
    return f"({', '.join(parts)})"[:300]
