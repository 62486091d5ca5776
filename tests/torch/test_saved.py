"""Which tensors may be changed in place after an operation has saved what it needs.

The table is PyTorch 2.13's (`tests/parity/test_saved.py` says it again). Where PyTorch lets a
change pass, it passes here; where PyTorch raises, we do, or have saved something else, and the
gradients are right.
"""

from __future__ import annotations

import re

import pytest

import tapegrad.torch as torch

TABLE = {
    "oxy": """
torch.add(x, y)
torch.sub(x, y)
torch.rsub(x, y)
F.l1_loss(x, y, reduction='none')
torch.where(x > y, x, y)
torch.lerp(x, y, 0.25)
    """,
    "ox": """
torch.acosh(x + 1)
torch.ceil(x)
torch.deg2rad(x)
torch.frac(x)
torch.neg(x)
torch.positive(x)
torch.rad2deg(x)
torch.round(x)
torch.sign(x)
torch.trunc(x)
special.ndtr(x)
torch.sum(x, 1)
torch.mean(x, 1)
torch.cumsum(x, 1)
F.tanhshrink(x)
torch.addcdiv(x, x * 2, y)
torch.addcmul(x, y, y)
x / 2
2 / x
    """,
    "xy": """
torch.float_power(x, y)
torch.linalg.solve(x + 3 * torch.eye(4), y)
    """,
    "o": """
F.layer_norm(x, (4,))
F.leaky_relu(x)
torch.abs(x)
torch.acos(x)
torch.asin(x)
torch.asinh(x)
torch.atan(x)
torch.atanh(x)
torch.cos(x)
torch.cosh(x)
torch.digamma(x)
torch.erf(x)
torch.erfc(x)
torch.erfinv(x)
torch.lgamma(x)
torch.log(x)
torch.log10(x)
torch.log1p(x)
torch.log2(x)
torch.logit(x)
torch.sin(x)
torch.sinc(x)
torch.sinh(x)
torch.square(x)
torch.i0(x)
torch.angle(x)
torch.nan_to_num(x)
torch.mul(x, y)
torch.div(x, y)
torch.atan2(x, y)
torch.fmax(x, y)
torch.fmin(x, y)
torch.fmod(x, y)
torch.logaddexp(x, y)
torch.logaddexp2(x, y)
torch.maximum(x, y)
torch.minimum(x, y)
torch.remainder(x, y)
torch.xlogy(x, y)
torch.true_divide(x, y)
special.entr(x)
special.xlog1py(x, y)
torch.var(x, 1)
F.celu(x)
F.elu(x)
F.gelu(x)
F.hardshrink(x)
F.hardsigmoid(x)
F.hardswish(x)
F.hardtanh(x)
F.logsigmoid(x)
F.mish(x)
F.normalize(x)
F.relu6(x)
F.selu(x)
F.silu(x)
F.softplus(x)
F.softshrink(x)
F.softsign(x)
F.mse_loss(x, y, reduction='none')
F.smooth_l1_loss(x, y, reduction='none')
F.huber_loss(x, y, reduction='none')
F.binary_cross_entropy(x, y, reduction='none')
F.rms_norm(x, (4,))
torch.mm(x, y)
torch.bmm(x[None], y[None])
F.linear(x, y)
torch.linalg.matrix_exp(x)
torch.clamp(x, 0.3, 0.6)
x ** 2
x ** 0.5
    """,
    "x": """
torch.linalg.inv(x + 3 * torch.eye(4))
torch.exp(x)
torch.exp2(x)
torch.expm1(x)
torch.reciprocal(x)
torch.relu(x)
torch.rsqrt(x)
torch.sigmoid(x)
torch.sqrt(x)
torch.tan(x)
torch.tanh(x)
torch.ldexp(x, y)
special.ndtri(x)
special.expit(x)
torch.softmax(x, 1)
torch.log_softmax(x, 1)
F.relu(x)
F.softmin(x, 1)
    """,
    "y": """
torch.copysign(x, y)
    """,
    "": """
torch.linalg.cholesky(x @ x.mT + torch.eye(4))
torch.sgn(x)
torch.hypot(x, y)
torch.pow(x, y)
torch.dist(x, y)
special.erfcx(x)
special.i0e(x)
special.i1(x)
special.i1e(x)
special.log_ndtr(x)
torch.prod(x, 1)
torch.std(x, 1)
torch.logsumexp(x, 1)
torch.amax(x, 1)
torch.amin(x, 1)
torch.norm(x, 2, 1)
torch.cumprod(x, 1)
torch.logcumsumexp(x, 1)
2 ** x
F.scaled_dot_product_attention(x[None, None], y[None, None], y[None, None])
    """,
}
"""By what may be changed (o for the result, x and y for the operands): expressions."""

CASES = [(e, a) for a, text in TABLE.items() for e in text.strip().splitlines()]

STRICTER = {("2 / x", "x"), ("torch.ldexp(x, y)", "x"), ("special.ndtr(x)", "x")}
"""Changes that raise here, for we save an operand where PyTorch saves a result or a product."""


def changed(torch, expression, which):
    """The gradients by `x` and `y` when one of the tensors is changed before the backward.

    None if that raises; `which` is empty to change none.
    """
    numbers = torch.arange(16.0).reshape(4, 4)
    leaves = [(0.15 + 0.05 * x).requires_grad_() for x in (numbers, (numbers * 7) % 16)]
    x, y = (leaf * 1 for leaf in leaves)
    names = {"torch": torch, "F": torch.nn.functional, "special": torch.special, "x": x, "y": y}
    o = eval(expression, names)
    if which:
        with torch.no_grad():
            {"o": o, "x": x, "y": y}[which].mul_(2).add_(0.25)
    try:
        return torch.autograd.grad(o.sum(), leaves, allow_unused=True)
    except RuntimeError as error:
        if "has been modified by an inplace operation" not in str(error):
            raise
        return None


def operands(expression):
    """The names of the tensors of an expression, the result's too."""
    return "oxy" if re.search(r"\by\b", expression) else "ox"


@pytest.mark.parametrize(("expression", "allowed"), CASES)
def test_changes_after_saving(expression, allowed):
    expected = changed(torch, expression, "")
    for which in operands(expression):
        found = changed(torch, expression, which)
        if found is None:
            assert which not in allowed or (expression, which) in STRICTER
            continue
        assert (expression, which) not in STRICTER
        for g, h in zip(found, expected, strict=True):
            assert (g is None) == (h is None)
            assert g is None or torch.equal(g, h)
