"""Runs an entry of PyTorch's operator list (`op_db`) here and there, and compares.

`python -m tests.parity.opinfo NAME...` prints what differs for the entries whose name begins so.
"""

from __future__ import annotations

import sys
import types
import warnings
from collections import Counter

import torch
from torch.testing._internal.common_methods_invocations import op_db

import tapegrad.torch as ours

from .comparison import compare, compare_gradients
from .conversion import describe, rebound, structure, tensors, to_ours
from .scope import INACCURATE, LEFT_OUT, RANDOM, REFUSED, TIES, WRONG_GRADIENTS

DTYPES = (torch.float64, torch.float32, torch.complex128, torch.int64, torch.bool)
SAMPLES = 24
"""How many of an entry's samples are run for a dtype, at most, spread evenly over all."""

FEW_SAMPLES = 5
"""How many by default in tests."""

ALIASES = {"_segment_reduce": "segment_reduce", "slice": "slice_copy"}
"""Names of our functions for entries that PyTorch names otherwise than its functions."""


class MissingError(Exception):
    """We have no function of the name."""


def full_name(op):
    return f"{op.name}:{op.variant_test_name}" if op.variant_test_name else op.name


def entries(*beginnings):
    """The entries whose full name begins with one of `beginnings`."""
    return [
        op for op in op_db if any(f"{full_name(op)}:".startswith(b) for b in beginnings or ("",))
    ]


def in_scope():
    """The entries that are not left out."""
    return [op for op in op_db if full_name(op) not in LEFT_OUT]


def counterpart(op):
    """Our function for an entry's."""
    function = op.op
    if isinstance(function, types.FunctionType) and "common_methods" in function.__module__:
        return rebound(function)
    if isinstance(function, types.FunctionType) and "opinfo" in function.__module__:
        return rebound(function)
    found = ours
    for part in op.name.removeprefix("torch.ops.aten.").removesuffix(".default").split("."):
        found = getattr(found, part, None)
    if isinstance(found, ours.dtype) or getattr(torch.Tensor, op.name, None) is op.op:
        found = getattr(ours.Tensor, op.name, None)
    if found is None:
        found = getattr(ours, ALIASES.get(op.name, ""), None)
    if found is None and (op.name.startswith("__") or op.method_variant is not None):
        found = getattr(ours.Tensor, op.name, None)
    if found is None:
        raise MissingError(op.name)
    return found


def wrapped(op, function, rebind):
    """A function of what an entry differentiates in: the Hermitian part of a matrix, say."""
    wrapper = op.gradcheck_wrapper
    if wrapper is type(op).__dataclass_fields__["gradcheck_wrapper"].default:  # only calls it
        return function
    if "masked" in wrapper.__name__:  # hides what masks hide, which agrees too
        return function
    wrapper = rebound(wrapper) if rebind else wrapper
    return lambda *args, **kwargs: wrapper(function, *args, **kwargs)


def draws(op, sample):
    """Whether an entry, or a sample of an attention, draws random numbers."""
    if op.name == "nn.functional.multi_head_attention_forward":
        return sample.args[9] > 0 and sample.kwargs.get("training", True)
    return op.name in RANDOM or sample.kwargs.get("dropout_p", 0) > 0


def chosen(samples, count):
    """Some of the samples, spread evenly over all; all if `count` is None."""
    samples = list(samples)
    if count is None or len(samples) <= count:
        return samples
    return [samples[round(i * (len(samples) - 1) / (count - 1))] for i in range(count)]


def run(op, dtype, count=SAMPLES):
    """The number of samples that agree; raises with what differs."""
    function = wrapped(op, counterpart(op), True)
    grad = op.supports_autograd and (dtype.is_floating_point or dtype.is_complex)
    torch.manual_seed(0)
    samples = chosen(op.sample_inputs("cpu", dtype, requires_grad=grad), count)
    skipped = REFUSED.get(op.name, lambda sample: False)
    return sum(
        run_sample(op, function, sample, f"sample {i}")
        for i, sample in enumerate(samples)
        if not skipped(sample)
    )


def run_sample(op, function, sample, what):
    """1 if a sample agrees, 0 if PyTorch itself refuses it."""
    first, args, kwargs = to_ours((sample.input, sample.args, sample.kwargs))
    try:
        theirs = sample.output_process_fn_grad(
            wrapped(op, op.op, False)(sample.input, *sample.args, **sample.kwargs)
        )
    except Exception:  # on this build
        return 0
    described = f"{what} {describe(sample)}"
    try:
        own = processed(sample)(function(first, *args, **kwargs))
    except Exception as error:
        raise AssertionError(f"{described}: {type(error).__name__}: {error}") from error
    assert structure(theirs) == structure(own), f"{described}: {structure(own)}"
    given = tensors((sample.input, sample.args, list(sample.kwargs.values())))
    single = any(t.dtype in (torch.float32, torch.complex64) for t in given)
    error = INACCURATE.get(op.name, (0.0, 0.0))[single]
    values = not draws(op, sample)
    ties = op.name in TIES and given[0].dtype in (torch.int64, torch.bool)
    pairs = list(zip(tensors(theirs), tensors(own), strict=True))
    for x, y in pairs:
        free = ties and x.dtype is torch.int64 and x is pairs[-1][0]
        compare(x, y, described, values and not free, single, error)
        assert x.requires_grad == y.requires_grad, f"{described}: requires_grad {y.requires_grad}"
    tracked = [(x, y) for x, y in pairs if x.requires_grad]
    leaves = [x for x in given if x.requires_grad]
    wrong = WRONG_GRADIENTS.get(op.name, lambda sample: False)(sample)
    if tracked and leaves and values and not wrong:
        mine = [x for x in tensors((first, args, list(kwargs.values()))) if x.requires_grad]
        compare_gradients(tracked, leaves, mine, described, single, error)
    return 1


def processed(sample):
    """What a sample does with a result before it is compared."""
    function = sample.output_process_fn_grad
    return rebound(function) if isinstance(function, types.FunctionType) else function


def outcome(op, dtype, count=SAMPLES):
    """`"passed"`, or what went wrong."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            agreed = run(op, dtype, count)
        except MissingError:
            return "missing"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return "passed" if agreed else "PyTorch refuses all samples"


def dtypes_of(op):
    """The dtypes of ours that an entry is tested with."""
    return [d for d in DTYPES if d in op.dtypes]


def main(beginnings):
    """Print what differs, and how many entries do."""
    counts = Counter()
    for op in entries(*beginnings):
        results = {d: outcome(op, d) for d in dtypes_of(op)}
        bad = {d: r for d, r in results.items() if r != "passed"}
        kind = "passed" if not bad else "missing" if set(bad.values()) == {"missing"} else "failed"
        counts[kind] += 1
        if kind == "missing":
            print(f"missing  {full_name(op)}")
        for d, r in bad.items():
            if r != "missing":
                print(f"FAILED   {full_name(op)} {d}: {' '.join(r.split())[:600]}")
    print(dict(counts))


if __name__ == "__main__":
    main(sys.argv[1:])
