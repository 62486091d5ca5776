"""The error that a saved tensor was changed, word for word: what PyTorch 2.13 says."""

from __future__ import annotations

import pytest

import tapegrad as tg
import tapegrad.torch as torch

START = (
    "one of the variables needed for gradient computation has been modified by an inplace "
    "operation: "
)
HINT = (
    " Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
    "with torch.autograd.set_detect_anomaly(True, check_nan=False).\nIt was changed by "
)


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


def result(x, w):
    y = x.exp()
    y.add_(1)
    return y


def own_input(x, w):
    y = x * 1
    z = y * y
    y.add_(1)
    return z


def twice(x, w):
    z = x * w
    w.add_(1)
    w.zero_()
    return z


def unrecorded(x, w):
    y = x.tanh()
    y.detach().add_(1)
    return y


def through_a_view(x, w):
    y = x * 1
    z = y * y
    y[0].mul_(2)
    return z


def a_view(x, w):
    y = (x * 1).T
    z = y * y
    y.mul_(2)
    return z


def leaf(x, w):
    z = x * x
    with torch.no_grad():
        x.zero_()
    return z


def second_result(x, w):
    _, s, _ = torch.linalg.svd(x * 1)
    s.add_(1)
    return s


def index(x, w):
    i = torch.tensor([0, 1])
    z = x[i]
    i.add_(-1)
    return z


def complex_factor(x, w):
    w = w.to(torch.complex64)
    z = (x * w).abs()
    w.add_(1)
    return z


def custom(x, w):
    y = Doubled.apply(x)
    y.add_(1)
    return y


TEXTS = {
    result: "[torch.FloatTensor [2, 3]], which is output 0 of Exp, is at version 1; expected "
    "version 0 instead.",
    own_input: "[torch.FloatTensor [2, 3]], which is output 0 of Add, is at version 1; expected "
    "version 0 instead.",
    twice: "[torch.FloatTensor [2, 3]] is at version 2; expected version 0 instead.",
    unrecorded: "[torch.FloatTensor [2, 3]], which is output 0 of Tanh, is at version 1; expected "
    "version 0 instead.",
    through_a_view: "[torch.FloatTensor [2, 3]], which is output 0 of torch::autograd::CopySlices, "
    "is at version 1; expected version 0 instead.",
    a_view: "[torch.FloatTensor [3, 2]], which is output 0 of AsStrided, is at version 1; expected "
    "version 0 instead.",
    leaf: "[torch.FloatTensor [2, 3]] is at version 1; expected version 0 instead.",
    second_result: "[torch.FloatTensor [2]], which is output 1 of LinalgSvd, is at version 1; "
    "expected version 0 instead.",
    index: "[torch.LongTensor [2]] is at version 1; expected version 0 instead.",
    complex_factor: "[CPUComplexFloatType [2, 3]] is at version 1; expected version 0 instead.",
    custom: "[torch.FloatTensor [2, 3]], which is output 0 of Doubled, is at version 1; expected "
    "version 0 instead.",
}


def changed(build):
    return build(torch.ones(2, 3, requires_grad=True), torch.ones(2, 3))


@pytest.mark.parametrize("build", TEXTS, ids=lambda build: build.__name__)
def test_what_was_changed(build):
    z = changed(build)
    with pytest.raises(RuntimeError) as caught:
        z.sum().backward()
    assert str(caught.value).startswith(START + TEXTS[build] + HINT)


def test_grad_says_the_same():
    x = torch.ones(2, 3, requires_grad=True)
    z = result(x, None)
    with pytest.raises(RuntimeError) as caught:
        torch.autograd.grad(z.sum(), x)
    assert str(caught.value).startswith(START + TEXTS[result])


def test_in_anomaly_mode():
    with torch.autograd.set_detect_anomaly(True):
        z = changed(result)
        with pytest.raises(RuntimeError, match="Hint: the backtrace further above shows"):
            z.sum().backward()


@pytest.mark.parametrize("transform", [tg.grad, tg.jacrev, tg.jacfwd, tg.hessian])
def test_in_transforms(transform):
    with pytest.raises(tg.errors.ModifiedError, match="'exp' saved is at version 1; expected"):
        transform(lambda x: result(x, None).sum())(torch.ones(3))


def test_only_what_a_walk_reads_is_looked_at():
    def f(x):
        result(x, None)
        y = x.exp()
        z = y + 1
        z.add_(1)
        return z.sum() + y.sum()

    assert tg.grad(f)(torch.zeros(2)).tolist() == [2.0, 2.0]
