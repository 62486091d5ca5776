"""Optimisers beside PyTorch's, with the options and the mistakes of its own list (`optim_db`)."""

import warnings

import numpy as np
import pytest

import tapegrad.torch as ours
from tapegrad import optim

torch = pytest.importorskip("torch")
common = pytest.importorskip("torch.testing._internal.common_optimizers")

SHAPES = {"Muon": [(3, 4), (5, 2)]}
DTYPES = ("float64", "float32", "complex128")
STEPS = 200


def relative(name, dtype):
    """How exactly sequences agree.

    Muon rounds to bfloat16 inside. In what order PyTorch adds up products there depends on the
    processor, so that of 30,000 roundings about one goes the other way.
    """
    if name == "Muon":
        return 1e-3
    return 1e-5 if dtype == "float32" else 1e-9


def cases():
    for info in common.optim_db:
        name = info.optim_cls.__name__
        for given in info.optim_inputs_func(device="cpu"):
            for dtype in DTYPES:
                if name != "SparseAdam" and (dtype != "complex128" or info.supports_complex):
                    yield pytest.param(info, given.kwargs, dtype, id=f"{name}-{given.desc}-{dtype}")


def of_ours(x, made=None):
    """An option, or a parameter, as one of ours; the same tensor twice as one twice."""
    made = {} if made is None else made
    if isinstance(x, torch.Tensor):
        if id(x) not in made:
            made[id(x)] = ours.from_numpy(x.detach().numpy().copy())
            made[id(x)].requires_grad_(x.requires_grad)
            if x.grad is not None:
                made[id(x)].grad = of_ours(x.grad)
        return made[id(x)]
    if isinstance(x, tuple | list):
        return type(x)(of_ours(y, made) for y in x)
    if isinstance(x, dict):
        return {name: of_ours(value, made) for name, value in x.items()}
    return x


def sequence(lib, kind, kwargs, arrays, targets, closure):
    """The parameters after each step."""
    params = [lib.from_numpy(a.copy()).requires_grad_() for a in arrays]
    optimizer = kind(params, **kwargs)
    seen = []
    for shifts in targets:

        def evaluate(shifts=shifts):
            optimizer.zero_grad()
            loss = 0
            for p, shift in zip(params, shifts, strict=True):
                size = (p - lib.from_numpy(shift.copy())).abs() ** 2
                loss = loss + size.sum() + (size + 1).log().sum()
            loss.backward()
            return loss

        if closure:
            optimizer.step(evaluate)
        else:
            evaluate()
            optimizer.step()
        seen.append([p.detach().numpy().copy() for p in params])
    return seen


@pytest.mark.parametrize(("info", "kwargs", "dtype"), [*cases()])
def test_sequences_of_updates(info, kwargs, dtype):
    name = info.optim_cls.__name__
    rng = np.random.default_rng(0)

    def draw(shape, scale):
        x = rng.normal(size=shape) * scale
        if dtype.startswith("complex"):
            x = x + 1j * rng.normal(size=shape) * scale
        return np.asarray(x, dtype)

    shapes = SHAPES.get(name, [(3, 4), (5,), (), (2, 3, 2)])
    arrays = [draw(shape, 1.0) for shape in shapes]
    closure = info.step_requires_closure
    noise = 0.0 if closure else 0.1
    targets = [[draw(shape, noise) for shape in shapes] for _ in range(10 if closure else STEPS)]
    theirs = sequence(torch, info.optim_cls, kwargs, arrays, targets, closure)
    own = sequence(ours, getattr(optim, name), of_ours(kwargs), arrays, targets, closure)
    tolerance = relative(name, dtype)
    for step, (expected, found) in enumerate(zip(theirs, own, strict=True)):
        for x, y in zip(expected, found, strict=True):
            assert x.dtype == y.dtype
            np.testing.assert_allclose(y, x, rtol=tolerance, atol=tolerance, err_msg=f"step {step}")


def mistakes():
    for info in common.optim_db:
        for given in info.optim_error_inputs_func("cpu", torch.float32):
            name = info.optim_cls.__name__
            if "dense params required" in given.optimizer_error_input.desc:
                continue  # of sparse parameters, which we do not have
            yield pytest.param(info, given, id=f"{name}-{given.optimizer_error_input.desc}")


@pytest.mark.parametrize(("info", "given"), [*mistakes()])
def test_mistakes(info, given):
    kind = getattr(optim, info.optim_cls.__name__)
    options = given.optimizer_error_input
    params = options.params
    params = [of_ours(torch.randn(2, 3, requires_grad=True))] if params is None else of_ours(params)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if given.error_on is common.OptimizerErrorEnum.CONSTRUCTION_ERROR:
            with pytest.raises(given.error_type, match=given.error_regex):
                kind(params, **of_ours(options.kwargs))
        else:
            optimizer = kind(params, **of_ours(options.kwargs))
            with pytest.raises(given.error_type, match=given.error_regex):
                optimizer.step()
