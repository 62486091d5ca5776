"""Runs PyTorch's module samples (`module_db`), and more, here and there, and compares.

`python -m tests.parity.modules NAME...` prints what differs for the modules whose name begins so.
"""

import inspect
import sys
import types
import warnings
from collections import Counter

import numpy as np
import torch
from torch.testing._internal.common_modules import FunctionInput, ModuleInput, module_db

import tapegrad.torch as ours

from .conversion import to_numpy, to_ours

RANDOM_IN_TRAINING = ("Dropout", "RReLU")

ROUNDED = {
    "CTCLoss": 1e-4,  # in float32, sums over 50 steps
    "CrossMapLRN2d": 1e-2,  # PyTorch's backward is not quite the derivative of its forward
    "Hardsigmoid": 1e-7,  # it takes 1/6 in float32
}
"""Where PyTorch's own gradients are less exact, and how much."""

UNDEFINED = ("KLDivLoss", "LPPool1d", "LPPool2d", "LPPool3d")
"""Where samples are outside of the domain: PyTorch's gradients are NaN there, ours may be zero."""


def names():
    """The names of all modules that can be compared."""
    return sorted({info.module_cls.__name__ for info in module_db} | set(EXTRA))


def samples(name, dtype, training):
    """The samples for a module."""
    made = []
    for info in module_db:
        if info.module_cls.__name__ == name and dtype in info.supported_dtypes("cpu"):
            made += info.module_inputs_func(
                info, device="cpu", dtype=dtype, requires_grad=True, training=training
            )
    rng = np.random.default_rng(0)
    for args, kwargs, *shapes in EXTRA.get(name, ()):
        args = [x(dtype) if isinstance(x, types.FunctionType) else x for x in args]
        shapes = [x(dtype) if isinstance(x, types.FunctionType) else x for x in shapes]
        inputs = [
            x
            if isinstance(x, torch.Tensor)
            else torch.from_numpy(np.asarray(rng.normal(size=x))).to(dtype).requires_grad_()
            for x in shapes
        ]
        made.append(ModuleInput(FunctionInput(*args, **kwargs), FunctionInput(*inputs)))
    return made


FLAT, IMAGE, VOLUME = (2, 3, 6), (2, 4, 6, 8), (2, 4, 4, 6, 5)
INDICES = torch.tensor([[1, 2, 4], [4, 3, 9]])

EXTRA = {
    "AlphaDropout": [((), {}, (3, 4))],
    "ChannelShuffle": [((2,), {}, IMAGE)],
    "CosineSimilarity": [((), {}, (3, 4), (3, 4)), ((2, 1e-3), {}, FLAT, FLAT)],
    "CrossMapLRN2d": [((3,), {}, IMAGE)],
    "Dropout": [((0.3,), {}, (3, 4))],
    "Dropout1d": [((0.3,), {}, FLAT)],
    "Dropout2d": [((0.3,), {}, IMAGE)],
    "Dropout3d": [((0.3,), {}, VOLUME)],
    "EmbeddingBag": [((10, 3), {"mode": mode}, INDICES) for mode in ("sum", "mean", "max")]
    + [((10, 3), {"padding_idx": 4, "mode": "sum"}, INDICES)],
    "FeatureAlphaDropout": [((), {}, IMAGE)],
    "Flatten": [((), {}, IMAGE), ((2,), {}, IMAGE)],
    "Fold": [(((4, 5), (2, 2)), {}, (2, 12, 12)), ((4, 2), {"stride": 2}, (2, 12, 4))],
    "Hardsigmoid": [((), {}, (3, 4))],
    "Identity": [((54,), {"unused": 1}, (3, 4))],
    "InstanceNorm1d": [((3,), {"affine": True, "bias": False}, FLAT)],
    "LPPool3d": [((2, 2), {}, VOLUME)],
    "LinearCrossEntropyLoss": [
        ((5, 4), {}, (3, 5), torch.tensor([1, 3, 0])),
        ((5, 4), {"bias": True, "reduction": "sum"}, (3, 5), torch.tensor([1, 3, 0])),
    ],
    "PairwiseDistance": [((), {}, (3, 4), (3, 4)), ((1, 1e-3, True), {}, (3, 4), (3, 4))],
    "PixelShuffle": [((2,), {}, IMAGE)],
    "PixelUnshuffle": [((2,), {}, IMAGE)],
    "RReLU": [((), {}, (3, 4))],
    "Softmin": [((1,), {}, (3, 4))],
    "SyncBatchNorm": [((4,), {}, IMAGE)],
    "Unflatten": [((1, (2, 2)), {}, IMAGE)],
    "Unfold": [((2,), {}, IMAGE), (((2, 3), 1, 1, 2), {}, IMAGE)],
    "Upsample": [
        ((), {"scale_factor": 2}, IMAGE),
        ((), {"size": (9, 5), "mode": "bilinear"}, IMAGE),
        ((), {"scale_factor": 2.5, "mode": "bicubic", "align_corners": True}, IMAGE),
        ((), {"size": 9, "mode": "linear"}, FLAT),
        ((), {"scale_factor": 2, "mode": "trilinear"}, VOLUME),
    ],
    "UpsamplingBilinear2d": [((), {"scale_factor": 2}, IMAGE)],
    "UpsamplingNearest2d": [((), {"size": (9, 5)}, IMAGE)],
}
for _n, _shape in (("1", FLAT), ("2", IMAGE), ("3", VOLUME)):
    EXTRA[f"ConstantPad{_n}d"] = [((2, 3.5), {}, _shape)]
    EXTRA[f"ZeroPad{_n}d"] = [((1,), {}, _shape)]
    EXTRA[f"CircularPad{_n}d"] = [((1,), {}, _shape)]
    _lazy = {
        f"LazyConv{_n}d": (5, 3),
        f"LazyConvTranspose{_n}d": (5, 2),
        f"LazyBatchNorm{_n}d": (),
        f"LazyInstanceNorm{_n}d": (1e-4, 0.1, True, True),
    }
    EXTRA |= {name: [(args, {}, _shape)] for name, args in _lazy.items()}
EXTRA["LazyLinear"] = [((5,), {}, (3, 4))]
TARGETS = torch.tensor([0, 7, 3, 9])
EXTRA["AdaptiveLogSoftmaxWithLoss"] = [
    ((16, 10, [2, 6]), {}, (4, 16), TARGETS),
    ((16, 10, [4], 2.0, True), {}, (4, 16), TARGETS),
]
EXTRA["TripletMarginLoss"] = [
    ((), {}, (3, 4), (3, 4), (3, 4)),
    ((0.5, 1, 1e-5, True), {}, (3, 4), (3, 4), (3, 4)),
]
EXTRA["TripletMarginWithDistanceLoss"] = [
    ((), {"margin": 2.0, "swap": True}, (3, 4), (3, 4), (3, 4))
]
EXTRA["TransformerDecoder"] = [
    (
        (lambda d: torch.nn.TransformerDecoderLayer(4, 2, 8, 0.0, dtype=d), 2),
        {},
        (3, 2, 4),
        (5, 2, 4),
    )
]
EXTRA["Sequential"] = [
    ((lambda d: torch.nn.Linear(3, 4, dtype=d), torch.nn.Tanh()), {}, (2, 3)),
    ((lambda d: torch.nn.Conv2d(4, 2, 3, dtype=d), torch.nn.Flatten()), {}, IMAGE),
]


def unpooled(n, shape):
    """The inputs of an unpooling: what a pooling gives, and its indices."""

    def pooled(d):
        x = torch.arange(np.prod(shape), dtype=d).sin().reshape(shape)
        return getattr(torch.nn.functional, f"max_pool{n}d")(x, 2, return_indices=True)

    return (lambda d: pooled(d)[0].requires_grad_()), (lambda d: pooled(d)[1])


for _n, _shape in enumerate((FLAT, IMAGE, (2, 4, 4, 6, 8)), 1):
    EXTRA[f"MaxUnpool{_n}d"] = [((2,), {}, *unpooled(_n, _shape))]


def converted(x):
    """An argument of a constructor or of a call, as ours."""
    if isinstance(x, torch.nn.Module):
        return converted_module(x)
    if isinstance(x, torch.nn.utils.rnn.PackedSequence):
        return ours.nn.utils.rnn.PackedSequence(*map(converted, x))
    if isinstance(x, types.FunctionType | types.BuiltinFunctionType):
        return getattr(ours.nn.functional, x.__name__, x)
    if isinstance(x, tuple | list):
        return type(x)(map(converted, x))
    if isinstance(x, dict):
        return type(x)((k, converted(v)) for k, v in x.items())
    if isinstance(x, torch.nn.Parameter):
        return ours.nn.Parameter(to_ours(x.detach()), x.requires_grad)
    return to_ours(x)


def converted_module(module):
    """A module as ours, with all attributes."""
    made = object.__new__(getattr(ours.nn, type(module).__name__))
    for key, value in module.__dict__.items():
        made.__dict__[key] = set(value) if isinstance(value, set) else converted(value)
    return made


def built(cls, given, dtype, convert):
    """A module made with the arguments of a sample."""
    args = [convert(x) for x in given.args]
    kwargs = {k: convert(v) for k, v in given.kwargs.items()}
    signature = inspect.signature(getattr(torch.nn, cls.__name__))
    if "dtype" in signature.parameters or cls.__name__ in ("RNN", "LSTM", "GRU"):
        kwargs.setdefault("dtype", convert(dtype))
    return cls(*args, **kwargs).to(convert(dtype))


def called(module, given, convert):
    """A module's result for the inputs of a sample, and the inputs."""
    made = {}

    def once(x):  # a tensor that is given twice is one tensor here too
        if id(x) not in made:
            made[id(x)] = convert(x)
        return made[id(x)]

    args = [once(x) for x in given.args]
    kwargs = {k: once(v) for k, v in given.kwargs.items()}
    return module(*args, **kwargs), [args, kwargs]


def flat(x):
    """The tensors in a result or in arguments."""
    if isinstance(x, torch.Tensor | ours.Tensor):
        return [x]
    if isinstance(x, dict):
        return [t for part in x.values() for t in flat(part)]
    if isinstance(x, tuple | list):
        return [t for part in x for t in flat(part)]
    return []


def distinct(tensors):
    """The tensors that have a gradient, each once."""
    return {id(x): x for x in tensors if x.requires_grad}.values()


def equal(theirs, own, what, single, values=True, least=0.0):
    """Raise if two tensors differ."""
    mine = np.asarray(own.raw)
    if tuple(theirs.shape) != mine.shape:
        raise AssertionError(f"{what}: shape {mine.shape} is not {tuple(theirs.shape)}")
    if str(theirs.dtype) != str(own.dtype):
        raise AssertionError(f"{what}: dtype {own.dtype} is not {theirs.dtype}")
    if values:
        expected = to_numpy(theirs.detach())
        tolerance = max(1e-5 if single else 1e-10, least)
        finite = np.abs(expected[np.isfinite(expected)]) if expected.dtype.kind in "fc" else []
        np.testing.assert_allclose(
            mine,
            expected,
            rtol=tolerance,
            atol=tolerance * (1 + np.max(finite, initial=0)),
            err_msg=what,
        )


def run_sample(name, sample, dtype, training, what):
    """Raise if a sample gives different things here and there."""
    single = dtype in (torch.float32, torch.complex64)
    theirs = built(getattr(torch.nn, name), sample.constructor_input, dtype, lambda x: x)
    own = built(getattr(ours.nn, name), sample.constructor_input, dtype, converted)
    for text, expected in ((repr(own), repr(theirs)), (own.extra_repr(), theirs.extra_repr())):
        if "function" not in expected and text != expected:
            raise AssertionError(f"{what}: repr {text!r} is not {expected!r}")
    if sample.forward_input is None:
        return
    if "Lazy" in name:
        for module, convert in ((theirs, lambda x: x), (own, converted)):
            called(module, sample.forward_input, convert)
        if repr(own) != repr(theirs):
            raise AssertionError(f"{what}: repr {own!r} is not {theirs!r}")
    state = theirs.state_dict()
    loaded = {k: converted(v) for k, v in state.items()}
    if [*loaded] != [*own.state_dict()]:
        raise AssertionError(f"{what}: state {[*own.state_dict()]} is not {[*state]}")
    own.load_state_dict(loaded)
    theirs.train(training)
    own.train(training)
    expected, given = called(theirs, sample.forward_input, lambda x: x)
    found, mine = called(own, sample.forward_input, converted)
    values = not (training and any(word in name for word in RANDOM_IN_TRAINING))
    a, b = flat(expected), flat(found)
    if len(a) != len(b):
        raise AssertionError(f"{what}: {len(b)} tensors in place of {len(a)}")
    for x, y in zip(a, b, strict=True):
        equal(x, y, what, single, values)
        if x.requires_grad != y.requires_grad:
            raise AssertionError(f"{what}: requires_grad is {y.requires_grad}")
    for key, x in theirs.named_buffers():
        equal(x, own.get_buffer(key), f"{what}: buffer {key}", single)
    if values:
        least = ROUNDED.get(name, 0.0)
        compare_gradients(name, a, b, theirs, own, given, mine, what, single, least)


def compare_gradients(name, a, b, theirs, own, given, mine, what, single, least):
    """Raise if gradients with respect to inputs or parameters differ."""
    rng = np.random.default_rng(0)
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x.requires_grad]
    seeds = []
    for x, _ in pairs:
        seed = rng.normal(size=tuple(x.shape))
        if x.dtype.is_complex:
            seed = seed + 1j * rng.normal(size=tuple(x.shape))
        seeds.append(np.asarray(seed, dtype=str(x.dtype).removeprefix("torch.")))
    leaves = [*distinct(flat(given)), *theirs.parameters()]
    own_leaves = [*distinct(flat(mine)), *own.parameters()]
    if not pairs or not leaves:
        return
    expected = torch.autograd.grad(
        [x for x, _ in pairs], leaves, [torch.from_numpy(s) for s in seeds], allow_unused=True
    )
    found = ours.autograd.grad(
        [y for _, y in pairs],
        own_leaves,
        [ours.from_numpy(s.copy()) for s in seeds],
        allow_unused=True,
    )
    for i, (x, y) in enumerate(zip(expected, found, strict=True)):
        if x is None or y is None:
            for g in (x, y):
                if g is not None and np.any(to_numpy(g) if g is x else g.raw):
                    raise AssertionError(f"{what}: gradient {i} is missing")
            continue
        if name in UNDEFINED:
            y.raw = np.where(np.isnan(to_numpy(x)), np.asarray(np.nan, y.raw.dtype), y.raw)
        equal(x, y, f"{what}: gradient {i}", single, True, least)


def dtypes_of(name):
    """The dtypes in which a module is compared."""
    found = {d for info in module_db if info.module_cls.__name__ == name for d in info.dtypes}
    wanted = (torch.float64, torch.float32, torch.complex128)
    return [d for d in wanted if d in found] or [torch.float64, torch.float32]


def run(name):
    """The number of samples of a module that agree; raises with what differs."""
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in dtypes_of(name):
            for training in (True, False):
                torch.manual_seed(0)
                ours.manual_seed(0)
                for i, sample in enumerate(samples(name, dtype, training)):
                    mode = "train" if training else "eval"
                    what = f"{dtype} {mode} {i} {sample.desc} {describe(sample)}"
                    run_sample(name, sample, dtype, training, what)
                    count += 1
    return count


def describe(sample):
    """The arguments of a sample, in short."""

    def short(x):
        return f"{list(x.shape)}" if isinstance(x, torch.Tensor) else repr(x)[:60]

    given = sample.constructor_input
    parts = [*map(short, given.args), *(f"{k}={short(v)}" for k, v in given.kwargs.items())]
    inputs = [] if sample.forward_input is None else sample.forward_input.args
    return f"({', '.join(parts)})({', '.join(map(short, inputs))})"


def outcome(name):
    """`"passed"`, or what went wrong."""
    try:
        run(name)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "passed"


def main(beginnings):
    counts = Counter()
    for name in names():
        if not name.startswith(tuple(beginnings) or ""):
            continue
        result = outcome(name)
        counts["passed" if result == "passed" else "failed"] += 1
        if result != "passed":
            sys.stdout.write(f"FAILED   {name}: {' '.join(result.split())[:500]}\n")
    sys.stdout.write(f"{dict(counts)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
