"""`torch.distributions`, with numbers that PyTorch 2.13 gave."""

import importlib
from typing import ClassVar

import pytest

import tapegrad as tg
import tapegrad.torch as torch
from tapegrad.torch.distributions import (
    Bernoulli,
    Beta,
    Categorical,
    Dirichlet,
    Distribution,
    Exponential,
    ExponentialFamily,
    Gamma,
    GeneralizedPareto,
    Independent,
    Kumaraswamy,
    LKJCholesky,
    LowRankMultivariateNormal,
    MultivariateNormal,
    Normal,
    OneHotCategoricalStraightThrough,
    RelaxedOneHotCategorical,
    TanhTransform,
    TransformedDistribution,
    Uniform,
    VonMises,
    Wishart,
    biject_to,
    constraints,
    kl_divergence,
    register_kl,
)


def close(x, right):
    return torch.allclose(x, torch.tensor(right, dtype=x.dtype), rtol=1e-5)


def test_a_policy_gradient():
    logits = torch.tensor([[0.5, -1.0, 2.0]], requires_grad=True)
    policy = Categorical(logits=logits)
    (-policy.log_prob(torch.tensor([1])) * 3.0).backward()
    assert close(logits.grad, [[0.5258712, -2.8826623, 2.356791]])
    assert close(policy.entropy(), [0.6215847])
    assert repr(policy) == "Categorical(probs: torch.Size([1, 3]), logits: torch.Size([1, 3]))"


def test_a_reparametrised_sample():
    torch.manual_seed(0)
    mean = torch.zeros(3, requires_grad=True)
    deviation = torch.ones(3, requires_grad=True)
    z = Normal(mean, deviation).rsample()
    z.sum().backward()
    assert mean.grad.tolist() == [1, 1, 1]
    assert close(deviation.grad, z.tolist())
    assert not Normal(mean, deviation).sample().requires_grad


def test_the_divergence_of_an_autoencoder():
    mean = torch.tensor([[0.5, -1.0]], requires_grad=True)
    logarithm = torch.tensor([[0.2, -0.3]], requires_grad=True)
    q = Independent(Normal(mean, (logarithm / 2).exp()), 1)
    p = Independent(Normal(torch.zeros(1, 2), torch.ones(1, 2)), 1)
    kl = kl_divergence(q, p)
    assert close(kl, (mean**2 + logarithm.exp() - logarithm - 1).sum(1).div(2).tolist())
    kl.sum().backward()
    assert close(mean.grad, [[0.5, -1.0]])


def test_a_squashed_normal_remembers_what_it_was_computed_from():
    base = Normal(torch.tensor([9.0]), torch.tensor([0.1]))
    squashed = TransformedDistribution(base, [TanhTransform(cache_size=1)])
    torch.manual_seed(0)
    x = squashed.rsample()
    assert squashed.log_prob(x).isfinite().all()  # of tanh(9) alone, atanh is far off
    assert squashed.support.check(x).all()


def test_gradients_pass_through_a_choice():
    logits = torch.tensor([0.0, 1.0], requires_grad=True)
    hard = OneHotCategoricalStraightThrough(logits=logits).rsample()
    assert sorted(hard.tolist()) == [0, 1]
    (hard * torch.tensor([1.0, 0.0])).sum().backward()
    assert close(logits.grad, [0.196612, -0.196612])
    soft = RelaxedOneHotCategorical(torch.tensor(0.5), logits=logits).rsample()
    assert soft.requires_grad
    assert close(soft.sum(), 1.0)


def test_gradients_of_gamma_values_keep_their_quantile():
    concentration = torch.tensor([0.3, 4.0], dtype=torch.float64, requires_grad=True)
    torch.manual_seed(3)
    value = Gamma(concentration, 2.0).rsample()
    value.sum().backward()
    step = 1e-5
    quantile = Gamma(concentration, 2.0).cdf(value).detach()
    moved = Gamma(concentration.detach() + step, 2.0)
    slope = (moved.cdf(value.detach()) - quantile) / step
    density = moved.log_prob(value.detach()).exp()
    assert torch.allclose(concentration.grad, -slope / density, rtol=1e-3)


@pytest.mark.parametrize("made", [lambda a: Dirichlet(a), lambda a: Beta(a[0], a[1])])
def test_gradients_of_means_of_samples(made):
    a = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)
    torch.manual_seed(0)
    d = made(a)
    first = d.rsample((20000,)).reshape(20000, -1)[:, 0].mean()
    (sampled,) = torch.autograd.grad(first, a, retain_graph=True)
    (right,) = torch.autograd.grad(d.mean.reshape(-1)[0], a)
    assert torch.allclose(sampled, right, atol=5e-3)


def test_expanded_and_enumerated():
    d = Bernoulli(torch.tensor([0.25, 0.5])).expand((3, 2))
    assert tuple(d.sample((4,)).shape) == (4, 3, 2)
    values = Bernoulli(torch.tensor([0.25, 0.5])).enumerate_support()
    assert values.tolist() == [[0, 0], [1, 1]]
    sides = Categorical(torch.ones(2, 3)).enumerate_support(expand=False)
    assert sides.tolist() == [[0], [1], [2]]


@pytest.mark.parametrize(
    ("mistake", "error", "text"),
    [
        (
            lambda: Normal(0.0, -1.0),
            ValueError,
            r"Expected parameter scale \(Tensor of shape \(\)\) of distribution "
            r"Normal\(loc: 0.0, scale: -1.0\) to satisfy the constraint "
            r"GreaterThan\(lower_bound=0.0\), but found invalid values:",
        ),
        (lambda: Uniform(1.0, 0.0), ValueError, r"constraint LessThan\(upper_bound=0.0\)"),
        (
            lambda: Exponential(1.0).log_prob(torch.tensor(-1.0)),
            ValueError,
            r"within the support \(GreaterThanEq\(lower_bound=0.0\)\)",
        ),
        (
            lambda: Bernoulli(0.5, 0.5),
            ValueError,
            "Either `probs` or `logits` must be specified, but not both",
        ),
        (lambda: Bernoulli(0.5).rsample(), NotImplementedError, "no reparametrised samples"),
        (
            lambda: MultivariateNormal(torch.zeros(2)),
            ValueError,
            "Exactly one of covariance_matrix or precision_matrix or scale_tril",
        ),
        (
            lambda: kl_divergence(Categorical(torch.ones(2)), Normal(0.0, 1.0)),
            NotImplementedError,
            r"No KL\(p \|\| q\) is implemented for p type Categorical and q type Normal",
        ),
        (lambda: register_kl(int, Normal), TypeError, "Expected a subclass of Distribution"),
        (lambda: LKJCholesky(3, -1.0), ValueError, "parameter concentration .* LKJCholesky"),
        (
            lambda: biject_to(constraints.boolean),
            NotImplementedError,
            "Cannot transform Boolean constraints\nbiject_to.register adds one",
        ),
        (lambda: constraints.dependent.check(torch.ones(1)), NotImplementedError, "an instance's"),
    ],
)
def test_errors(mistake, error, text):
    with pytest.raises(error, match=text):
        mistake()


def test_checks_can_be_left_out():
    assert Normal(0.0, -1.0, validate_args=False).scale == -1
    Distribution.set_default_validate_args(False)
    try:
        assert Exponential(1.0).log_prob(torch.tensor(-1.0)) == 1
    finally:
        Distribution.set_default_validate_args(True)


def test_angles():
    d = VonMises(torch.tensor([0.5, -2.0]), torch.tensor([4.0, 0.3]))
    assert close(d.log_prob(torch.tensor([0.0, 3.0])), [-0.75252, -1.775153])
    assert close(d.variance, [0.136477, 0.851663])
    torch.manual_seed(0)
    drawn = d.sample((20000,))
    assert drawn.abs().max() <= 3.1416
    mean = torch.stack([drawn.cos().mean(0), drawn.sin().mean(0)])
    right = (1 - d.variance) * torch.stack([d.mean.cos(), d.mean.sin()])
    assert torch.allclose(mean, right, atol=0.02)
    assert not d.has_rsample


def test_wishart_samples_and_divergences():
    root = torch.tensor([[1.0, 0.0], [0.5, 2.0]], dtype=torch.float64, requires_grad=True)
    d = Wishart(torch.tensor([3.0, 5.5], dtype=torch.float64), scale_tril=root)
    torch.manual_seed(0)
    drawn = d.rsample((20000,))
    spread = (d.variance / 20000).sqrt()
    assert ((drawn.mean(0) - d.mean).abs() < 5 * spread).all()
    (sampled,) = torch.autograd.grad(drawn.mean(0).sum(), root, retain_graph=True)
    (right,) = torch.autograd.grad(d.mean.sum(), root, retain_graph=True)
    assert torch.allclose(sampled, right, rtol=0.03, atol=0.1)
    other = Wishart(torch.tensor(4.0, dtype=torch.float64), torch.eye(2, dtype=torch.float64) * 2)
    kl = kl_divergence(d, other)
    guessed = (d.log_prob(drawn) - other.log_prob(drawn)).mean(0)
    assert torch.allclose(kl, guessed, atol=0.05)
    assert torch.allclose(d.entropy(), -d.log_prob(drawn).mean(0), atol=0.05)
    with pytest.warns(UserWarning, match="Low df values detected"):
        Wishart(torch.tensor(1.5), torch.eye(2))


def test_factors_of_correlations():
    torch.manual_seed(0)
    d = LKJCholesky(3, torch.tensor([0.7, 4.0])).expand((2, 2))
    factor = d.sample((5000,))
    assert tuple(factor.shape) == (5000, 2, 2, 3, 3)
    assert constraints.corr_cholesky.check(factor).all()
    each = (factor @ factor.mT)[..., 1, 0].square().mean((0, 1))
    right = 1 / (2 * torch.tensor([0.7, 4.0]) + 2)  # of 2 * beta - 1, where both are c + 1/2
    assert torch.allclose(each, right, rtol=0.05)
    assert (factor[..., 0, 0] == 1).all()


def test_low_rank_samples():
    torch.manual_seed(0)
    factor, diagonal = torch.tensor([[1.0], [2.0], [0.0]]), torch.tensor([0.1, 0.2, 0.3])
    d = LowRankMultivariateNormal(torch.tensor([1.0, 0.0, -1.0]), factor, diagonal)
    drawn = d.sample((20000,))
    assert torch.allclose(drawn.T.cov(), d.covariance_matrix, atol=0.15)
    whole = MultivariateNormal(d.loc, d.covariance_matrix)
    x = torch.tensor([0.5, 0.5, 0.5])
    assert torch.allclose(d.log_prob(x), whole.log_prob(x))
    assert torch.allclose(d.scale_tril, whole.scale_tril, atol=1e-6)
    assert torch.allclose(d.precision_matrix @ d.covariance_matrix, torch.eye(3), atol=1e-5)
    assert kl_divergence(d, whole).abs() < 1e-5


def test_the_likeliest_value_of_kumaraswamy():
    d = Kumaraswamy(torch.tensor([2.0, 0.5]), torch.tensor([3.0, 2.0]))
    at = torch.linspace(0.01, 0.99, 981)
    density = d.log_prob(at[:, None])
    assert abs(at[density[:, 0].argmax()] - d.mode[0]) < 1e-3
    assert d.mode[1].isnan()
    assert tuple(d.expand((3, 2)).sample().shape) == (3, 2)


def test_the_ends_of_the_generalised_pareto_distribution():
    d = GeneralizedPareto(1.0, 2.0, torch.tensor([0.0, -0.5, 0.5], dtype=torch.float64))
    assert d.support.upper_bound.tolist() == [float("inf"), 5.0, float("inf")]
    quarter = torch.tensor(0.25, dtype=torch.float64)
    assert torch.allclose(d.cdf(d.icdf(quarter)), quarter)
    assert close(d.log_survival_function(torch.tensor(3.0)), [-1.0, -1.3862944, -0.8109302])


class Trial(ExponentialFamily):
    """A Bernoulli distribution that says only what its family needs."""

    arg_constraints: ClassVar[dict] = {}
    _mean_carrier_measure = 0

    def __init__(self, logits):
        self.logits = logits
        super().__init__(logits.shape, validate_args=False)

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        return x.exp().log1p()


def test_a_family_of_ones_own():
    logits = torch.tensor([[0.5, -1.0]], requires_grad=True)
    own, right = Trial(logits), Bernoulli(logits=logits)
    assert torch.allclose(own.entropy(), right.entropy())
    others = torch.zeros(3, 2)
    kl = kl_divergence(own, Trial(others))
    right_kl = kl_divergence(right, Bernoulli(logits=others))
    assert torch.allclose(kl, right_kl)
    kl.sum().backward()
    assert torch.allclose(logits.grad, torch.autograd.grad(right_kl.sum(), logits)[0])


def test_the_older_name_of_samples():
    with pytest.warns(UserWarning, match="sample_n will be deprecated"):
        assert tuple(Normal(torch.zeros(2), 1.0).sample_n(3).shape) == (3, 2)


def test_transforms_of_functions_of_distributions():
    data = torch.tensor([0.5, 1.5])

    def likelihood(mean):
        return Normal(mean, 1.0).log_prob(data).sum()

    assert tg.grad(likelihood)(torch.tensor(0.0)) == 2
    each = torch.func.vmap(lambda m: Normal(m, 1.0).log_prob(data).sum())
    assert close(each(torch.tensor([0.0, 1.0])), [-3.087877, -2.087877])
    assert torch.func.hessian(likelihood)(torch.tensor(0.0)) == -2


@pytest.mark.parametrize(
    ("module", "name"),
    [("beta", "Beta"), ("uniform", "Uniform"), ("normal", "Normal"), ("studentT", "StudentT")],
)
def test_modules_have_pytorchs_paths(module, name):
    found = importlib.import_module(f"tapegrad.torch.distributions.{module}")
    assert getattr(found, name) is getattr(torch.distributions, name)
