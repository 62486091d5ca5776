"""Runs an entry of PyTorch's operator list (`op_db`) here and there, and compares.

`python -m tests.parity.opinfo NAME...` prints what differs for the entries whose name begins so.
"""

import builtins
import sys
import types
import warnings
from collections import Counter

import numpy as np
import torch
from torch.testing._internal.common_methods_invocations import op_db

import tapegrad.torch as ours

DTYPES = (torch.float64, torch.float32, torch.complex128, torch.int64, torch.bool)
SAMPLES = 24
"""How many of an entry's samples are run for a dtype, spread evenly over all of them."""


ALIASES = {"_segment_reduce": "segment_reduce", "slice": "slice_copy"}
"""Names of our functions for entries that PyTorch names otherwise than its functions."""


class Missing(Exception):
    """We have no function of the name."""


def entries(*beginnings):
    """The entries whose full name begins with one of `beginnings`."""
    return [
        op for op in op_db if any(f"{full_name(op)}:".startswith(b) for b in beginnings or ("",))
    ]


def full_name(op):
    return f"{op.name}:{op.variant_test_name}" if op.variant_test_name else op.name


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
    if found is None and op.name.startswith("__"):
        found = getattr(ours.Tensor, op.name, None)
    if found is None and op.method_variant is not None:
        found = getattr(ours.Tensor, op.name, None)
    if found is None:
        raise Missing(op.name)
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
        import ml_dtypes

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


def compare(theirs, own, what, values=True, single=False, error=0.0):
    """Raise if tensors differ in shape, dtype or value; `single` if an input is of that precision."""
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


RANDOM = {
    *("bernoulli", "cauchy", "exponential", "geometric", "log_normal", "multinomial", "normal"),
    *("rand_like", "randint", "randint_like", "randn", "randn_like", "svd_lowrank", "uniform"),
    *("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"),
    *(
        f"nn.functional.{kind}dropout{n}"
        for kind in ("", "alpha_", "feature_alpha_")
        for n in ("", "2d", "3d")
    ),
    *("nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d"),
    "nn.functional.rrelu",
}
"""What draws random numbers or leaves memory as it is: all but the values is compared."""


INACCURATE = {"special.bessel_y1": 2e-6}
"""Where PyTorch itself is off in double precision, by how much of the largest value.

Its Bessel function Y1 misses 0.1137364419775 at 5.5 by 7e-7.
"""

TIES = ("sort", "argsort", "topk", "kthvalue", "mode", "median", "nanmedian", "msort")
"""What gives places of elements, of which PyTorch does not say which of several equal ones."""


def is_random(op):
    return op.name in RANDOM


def drops(op, sample):
    """Whether a sample of an attention drops weights at random."""
    if op.name == "nn.functional.multi_head_attention_forward":
        return sample.args[9] > 0 and sample.kwargs.get("training", True)
    return sample.kwargs.get("dropout_p", 0) > 0


def chosen(samples):
    samples = list(samples)
    if len(samples) <= SAMPLES:
        return samples
    return [samples[round(i * (len(samples) - 1) / (SAMPLES - 1))] for i in range(SAMPLES)]


def run(op, dtype):
    """The number of samples that agree; raises with what differs."""
    function = wrapped(op, counterpart(op), True)
    grad = op.supports_autograd and (dtype.is_floating_point or dtype.is_complex)
    count = 0
    torch.manual_seed(0)
    for i, sample in enumerate(chosen(op.sample_inputs("cpu", dtype, requires_grad=grad))):
        count += run_sample(op, function, sample, f"sample {i}")
    return count


def run_sample(op, function, sample, what):
    arguments = to_ours((sample.input, sample.args, sample.kwargs))
    try:
        theirs = sample.output_process_fn_grad(
            wrapped(op, op.op, False)(sample.input, *sample.args, **sample.kwargs)
        )
    except Exception:  # PyTorch refuses its own sample on this build
        return 0
    described = f"{what} {describe(sample)}"
    try:
        first, args, kwargs = arguments
        own = rebound_process(sample)(function(first, *args, **kwargs))
    except Exception as error:
        raise AssertionError(f"{described}: {type(error).__name__}: {error}") from error
    values = not is_random(op) and not drops(op, sample)
    a, b = tensors(theirs), tensors(own)
    if len(a) != len(b):
        raise AssertionError(f"{described}: {len(b)} tensors in place of {len(a)}")
    if structure(theirs) != structure(own):
        raise AssertionError(f"{described}: {structure(own)} in place of {structure(theirs)}")
    ties = op.name in TIES and tensors(sample.input)[0].dtype in (torch.int64, torch.bool)
    given = tensors((sample.input, sample.args, list(sample.kwargs.values())))
    single = any(t.dtype in (torch.float32, torch.complex64) for t in given)
    for x, y in zip(a, b, strict=True):
        free = ties and x.dtype is torch.int64 and x is a[-1]
        compare(x, y, described, values and not free, single, INACCURATE.get(op.name, 0.0))
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x.requires_grad]
    for x, y in zip(a, b, strict=True):
        if x.requires_grad != y.requires_grad:
            raise AssertionError(f"{described}: requires_grad is {y.requires_grad}")
    leaves = [
        x
        for x in tensors((sample.input, sample.args, list(sample.kwargs.values())))
        if x.requires_grad
    ]
    mine = [x for x in tensors((first, args, list(kwargs.values()))) if x.requires_grad]
    if pairs and leaves and values:
        compare_gradients(pairs, leaves, mine, described, single)
    return 1


def rebound_process(sample):
    function = sample.output_process_fn_grad
    return rebound(function) if isinstance(function, types.FunctionType) else function


def compare_gradients(pairs, leaves, mine, described, single):
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
    except Exception as error:
        raise AssertionError(f"{described}: backward: {type(error).__name__}: {error}") from error
    for x, y in zip(theirs, own, strict=True):
        if x is None or y is None:
            for g in (x, y):
                if g is not None and np.any(to_numpy(g) if g is x else g.raw):
                    raise AssertionError(f"{described}: one gradient is missing")
            continue
        compare(x, y, f"{described}: gradient", True, single)


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


def outcome(op, dtype):
    """`"passed"`, or what went wrong."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            run(op, dtype)
        except Missing:
            return "missing"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return "passed"


def dtypes_of(op):
    return [d for d in DTYPES if d in op.dtypes]


def main(beginnings):
    counts = Counter()
    for op in entries(*beginnings):
        results = {d: outcome(op, d) for d in dtypes_of(op)}
        bad = {d: r for d, r in results.items() if r != "passed"}
        kind = "passed" if not bad else "missing" if set(bad.values()) == {"missing"} else "failed"
        counts[kind] += 1
        if kind == "missing":
            builtins.print(f"missing  {full_name(op)}")
        for d, r in bad.items():
            if r != "missing":
                builtins.print(f"FAILED   {full_name(op)} {d}: {' '.join(r.split())[:600]}")
    builtins.print(dict(counts))


if __name__ == "__main__":
    main(sys.argv[1:])
