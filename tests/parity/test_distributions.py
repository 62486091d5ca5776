"""Distributions agree with PyTorch's: densities, moments, divergences, and their gradients."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import tapegrad.torch as ours  # noqa: E402

RNG = np.random.default_rng(0)
REAL = RNG.normal(size=(2, 3))
POSITIVE = RNG.uniform(0.3, 3, (2, 3))
UNIT = RNG.uniform(0.1, 0.9, (2, 3))
SPREAD = np.array([[2.0, 0.0, 0.0], [0.5, 1.0, 0.0], [-0.3, 0.2, 0.7]])
WHOLE = np.array([[0.0, 1, 2], [3, 0, 5]])
BITS = np.array([[0.0, 1, 1], [0, 0, 1]])
SIMPLEX = UNIT / UNIT.sum(-1, keepdims=True)
CORRELATED = SPREAD / np.linalg.norm(SPREAD, axis=-1, keepdims=True)

CASES = {
    "Normal": ([REAL, POSITIVE], REAL + 0.5),
    "LogNormal": ([REAL, POSITIVE], POSITIVE),
    "Laplace": ([REAL, POSITIVE], REAL + 0.5),
    "Cauchy": ([REAL, POSITIVE], REAL + 0.5),
    "Gumbel": ([REAL, POSITIVE], REAL + 0.5),
    "Uniform": ([REAL, REAL + POSITIVE], REAL + POSITIVE / 3),
    "Exponential": ([POSITIVE], POSITIVE + 0.1),
    "HalfNormal": ([POSITIVE], POSITIVE + 0.1),
    "HalfCauchy": ([POSITIVE], POSITIVE + 0.1),
    "Weibull": ([POSITIVE, POSITIVE + 1], POSITIVE + 0.1),
    "Pareto": ([POSITIVE, POSITIVE + 2], POSITIVE + 1),
    "Gamma": ([POSITIVE, POSITIVE + 0.2], POSITIVE + 0.1),
    "InverseGamma": ([POSITIVE, POSITIVE + 0.2], POSITIVE + 0.1),
    "Chi2": ([POSITIVE], POSITIVE + 0.1),
    "Beta": ([POSITIVE, POSITIVE + 0.2], UNIT),
    "Dirichlet": ([POSITIVE], SIMPLEX),
    "StudentT": ([POSITIVE + 2.5, REAL, POSITIVE], REAL + 0.5),
    "Bernoulli": ([UNIT], BITS),
    "Geometric": ([UNIT], WHOLE),
    "Poisson": ([POSITIVE], WHOLE),
    "Binomial": ([np.full((2, 3), 6.0), UNIT], WHOLE),
    "NegativeBinomial": ([POSITIVE, UNIT], WHOLE),
    "Categorical": ([UNIT], np.array([1, 2])),
    "OneHotCategorical": ([UNIT], np.eye(3)[[1, 2]]),
    "RelaxedBernoulli": ([np.array(0.7), UNIT], UNIT[::-1].copy()),
    "RelaxedOneHotCategorical": ([np.array(0.7), UNIT], SIMPLEX[::-1].copy()),
    "MultivariateNormal": ([REAL, SPREAD @ SPREAD.T], REAL + 0.5),
    "LowRankMultivariateNormal": ([REAL, SPREAD[:, :2], POSITIVE[0]], REAL + 0.5),
    "Wishart": ([np.array([4.5, 6.0]), SPREAD @ SPREAD.T], SPREAD.T @ SPREAD),
    "LKJCholesky": ([np.array([0.6, 2.0])], CORRELATED),
    "VonMises": ([REAL, POSITIVE], REAL + 0.5),
    "FisherSnedecor": ([POSITIVE + 2.5, POSITIVE + 4.5], POSITIVE),
    "Kumaraswamy": ([POSITIVE + 1, POSITIVE + 1.5], UNIT),
    "GeneralizedPareto": (  # which PyTorch has in single precision alone
        [x.astype(np.float32) for x in (REAL, POSITIVE, UNIT - 0.6)],
        (REAL + POSITIVE / 5).astype(np.float32),
    ),
    "ContinuousBernoulli": ([UNIT], UNIT[::-1].copy()),
    "LogisticNormal": (
        [REAL, POSITIVE],
        np.pad(SIMPLEX, ((0, 0), (0, 1)), constant_values=0.5) / 1.5,
    ),
}
BY_LOGITS = ["ContinuousBernoulli", "Bernoulli", "Geometric", "Categorical", "OneHotCategorical"]


def maker(library, name):
    """What makes a distribution of its parameters."""
    kind = getattr(library.distributions, name)
    return (lambda c: kind(3, c)) if name == "LKJCholesky" else kind


UNCOMPARED = {("Chi2", "cdf"), ("Gamma", "cdf"), ("InverseGamma", "cdf")}
"""What PyTorch does not differentiate."""


def asked(library, name, parameters, value, by_logits=False):
    """What a distribution says of itself and of a value, and the gradients of each answer."""
    given = [library.tensor(p, requires_grad=True) for p in parameters]
    made = maker(library, name)
    d = made(logits=given[0]) if by_logits else made(*given)
    x = library.tensor(value)
    if x.dtype.is_floating_point:
        x.requires_grad_()
    answers = {"support": d.support.check(x).detach().numpy(), "shown": repr(d)}
    answers |= {"batch": tuple(d.batch_shape), "event": tuple(d.event_shape)}
    questions = {
        "log_prob": lambda: d.log_prob(x),
        "cdf": lambda: d.cdf(x),
        "icdf": lambda: d.icdf(library.tensor(UNIT)),
        "entropy": d.entropy,
        "mean": lambda: d.mean,
        "mode": lambda: d.mode,
        "variance": lambda: d.variance,
        "stddev": lambda: d.stddev,
        "expanded": lambda: d.expand((4, *d.batch_shape)).log_prob(x),
        "enumerated": lambda: d.enumerate_support(False),
    }
    for question, ask in questions.items():
        try:
            answer = ask()
        except NotImplementedError:
            continue
        if (name, question) == ("Kumaraswamy", "mode"):
            continue  # NaN everywhere in PyTorch
        answers[question] = answer.detach().numpy()
        if answer.requires_grad and answer.isfinite().all():
            inputs = [*given, x] if x.requires_grad else given
            if (name, question) in UNCOMPARED:
                continue
            found = library.autograd.grad(
                answer.sum(), inputs, allow_unused=True, retain_graph=True
            )
            for i, g in enumerate(found):
                answers[f"{question} by {i}"] = np.zeros(()) if g is None else g.numpy()
    return answers


def compare(theirs, mine):
    for question, right in theirs.items():
        assert question in mine, question
        if isinstance(right, np.ndarray):
            both = (
                (mine[question], right)
                if right.shape
                else np.broadcast_arrays(mine[question], right)
            )
            rtol = 3e-5 if right.dtype == np.float32 else 2e-6
            np.testing.assert_allclose(*both, rtol=rtol, atol=1e-9, err_msg=question)
        elif not (question == "shown" and right.endswith("()")):  # PyTorch does not show them
            assert mine[question] == right


@pytest.mark.parametrize("name", CASES)
def test_answers(name):
    parameters, value = CASES[name]
    theirs, mine = (asked(library, name, parameters, value) for library in (torch, ours))
    compare(theirs, mine)


@pytest.mark.parametrize("name", BY_LOGITS)
def test_answers_by_logits(name):
    _, value = CASES[name]
    theirs, mine = (asked(library, name, [REAL], value, True) for library in (torch, ours))
    compare(theirs, mine)


def divergence(library, p, q):
    given = []

    def made(name, shift):
        parameters, _ = CASES[name]
        own = [
            library.tensor(a * (1 + shift) if a.min() > 0 else a, requires_grad=True)
            for a in parameters
        ]
        given.extend(own)
        return maker(library, name)(*own)

    found = library.distributions.kl_divergence(made(p, 0.0), made(q, 0.1))
    if not (found.requires_grad and found.isfinite().all()):
        return [found.detach().numpy()]
    gradients = library.autograd.grad(found.sum(), given, allow_unused=True)
    return [found.detach().numpy(), *(np.zeros(()) if g is None else g.numpy() for g in gradients)]


def test_all_divergences_are_here():
    wanted = {(p.__name__, q.__name__) for p, q in torch.distributions.kl._KL_REGISTRY}
    assert wanted <= {(p.__name__, q.__name__) for p, q in ours.distributions.kl.divergences}


@pytest.mark.parametrize("p", CASES)
def test_divergences(p):
    for q in CASES:
        if p == q == "Wishart":  # of a batch, PyTorch adds up the wrong axes
            continue
        try:
            mine = divergence(ours, p, q)
        except (NotImplementedError, ValueError):
            continue
        theirs = divergence(torch, p, q)
        for a, b in zip(mine, theirs, strict=True):
            a, b = (a, b) if b.shape else np.broadcast_arrays(a, b)
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-9, err_msg=q)


def test_the_gradients_of_gamma_samples():
    a = np.array([0.05, 0.3, 1.0, 2.5, 30.0, 400.0])
    ours.manual_seed(0)
    mine = ours.tensor(a, requires_grad=True)
    drawn = ours.distributions.Gamma(mine, 1.0).rsample((500,))
    (g,) = ours.autograd.grad(drawn.sum(0).sum(), mine)
    at = torch.from_numpy(drawn.detach().numpy())
    right = torch._standard_gamma_grad(torch.tensor(a).expand(500, 6).contiguous(), at)
    np.testing.assert_allclose(g.numpy(), right.sum(0).numpy(), rtol=1e-3)


TRANSFORMS = {
    "ExpTransform": ((), REAL),
    "SigmoidTransform": ((), REAL),
    "TanhTransform": ((), REAL),
    "SoftplusTransform": ((), REAL),
    "PowerTransform": ((2.0,), POSITIVE),
    "AffineTransform": ((1.5, -2.0), REAL),
    "StickBreakingTransform": ((), REAL),
    "CorrCholeskyTransform": ((), REAL),
}


def of_parts(library):
    """Transforms of parts, and by a distribution function."""
    t, normal = library.distributions.transforms, library.distributions.Normal(0.5, 2.0)
    some = [t.ExpTransform(), t.AffineTransform(1.0, -2.0)]
    vectors = t.IndependentTransform(t.TanhTransform(), 1)
    return {
        "stack": t.StackTransform(some, 0),
        "cat": t.CatTransform(some, -1, [1, 2]),
        "cat of vectors": t.CatTransform([vectors, vectors], 0, [1, 1]),
        "cached": t.CatTransform(some, 1, [2, 1], cache_size=1).with_cache(0),
        "distribution": t.CumulativeDistributionTransform(normal),
    }


@pytest.mark.parametrize("name", of_parts(ours))
def test_transforms_of_parts(name):
    results = []
    for library in (torch, ours):
        t = of_parts(library)[name]
        x = library.tensor(REAL, requires_grad=True)
        y = t(x)
        z = t.log_abs_det_jacobian(x, y)
        (g,) = library.autograd.grad(z.sum() + y.sum(), x)
        inside = t.codomain.check(y)
        results.append([y, t.inv(y), z, g, inside, library.tensor(t.domain.event_dim)])
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(b.detach().numpy(), a.detach().numpy(), rtol=1e-9)


CONSTRAINTS = {
    "corr_cholesky": (lambda c: c.corr_cholesky, REAL),
    "positive_definite": (lambda c: c.positive_definite, SPREAD),
    "positive_semidefinite": (lambda c: c.positive_semidefinite, SPREAD),
    "lower_cholesky": (lambda c: c.lower_cholesky, SPREAD),
    "cat": (lambda c: c.cat([c.positive, c.real], 1, [1, 2]), REAL),
    "stack": (lambda c: c.stack([c.positive, c.unit_interval], 0), REAL),
    "less_than": (lambda c: c.less_than(2.0), REAL),
    "interval": (lambda c: c.interval(-1.0, 3.0), REAL),
    "vectors": (lambda c: c.independent(c.positive, 1), REAL),
}


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_registries(name):
    constraint, value = CONSTRAINTS[name]
    for registry in ("biject_to", "transform_to"):
        results = []
        for library in (torch, ours):
            D = library.distributions
            own = constraint(D.constraints)
            try:
                t = getattr(D, registry)(own)
            except NotImplementedError as error:
                results.append(str(error).split("\n")[0].replace("_", ""))
                continue
            y = t(library.tensor(value))
            results.append([y.numpy(), t.inv(y).numpy(), own.check(y).numpy()])
        if isinstance(results[0], str):
            assert results[0] == results[1]
            continue
        for a, b in zip(*results, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-12)


def test_public_names():
    for module in ("", ".constraints", ".transforms", ".kl", ".utils"):
        theirs, mine = torch.distributions, ours.distributions
        if module:
            theirs, mine = getattr(theirs, module[1:]), getattr(mine, module[1:])
        missing = [name for name in theirs.__all__ if not hasattr(mine, name)]
        assert not missing, module


FAMILY = """
class Bernoulli(D.ExponentialFamily):
    arg_constraints = {}
    _mean_carrier_measure = 0

    def __init__(self, logits):
        self.logits = logits
        super().__init__(logits.shape, validate_args=False)

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        return x.exp().log1p()
"""


def test_a_family_of_ones_own():
    results = []
    for library in (torch, ours):
        names = {"D": library.distributions}
        exec(FAMILY, names)
        p, q = (names["Bernoulli"](library.tensor(x)) for x in (REAL, REAL[::-1].copy()))
        results.append([p.entropy(), library.distributions.kl_divergence(p, q)])
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(b.detach().numpy(), a.detach().numpy(), rtol=1e-9)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms(name):
    arguments, value = TRANSFORMS[name]
    results = []
    for library in (torch, ours):
        t = getattr(library.distributions, name)(*arguments)
        x = library.tensor(value, requires_grad=True)
        y = t(x)
        z = t.log_abs_det_jacobian(x, y)
        (g,) = library.autograd.grad(z.sum() + y.sum(), x)
        results.append([y, t.inv(y), z, g, t.inv.log_abs_det_jacobian(y, x)])
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(b.detach().numpy(), a.detach().numpy(), rtol=1e-9)


@pytest.mark.parametrize(
    "name",
    ["real", "positive", "nonnegative", "unit_interval", "simplex", "real_vector"],
)
def test_transforms_to_constraints(name):
    for registry in ("biject_to", "transform_to"):
        results = []
        for library in (torch, ours):
            t = getattr(library.distributions, registry)(
                getattr(library.distributions.constraints, name)
            )
            y = t(library.tensor(REAL))
            results.append([y, t.inv(y)])
            if t.bijective:
                results[-1].append(t.log_abs_det_jacobian(library.tensor(REAL), y))
        for a, b in zip(*results, strict=True):
            np.testing.assert_allclose(b.numpy(), a.numpy(), rtol=1e-9, atol=1e-12)


def composed(library):
    """Distributions made of distributions, and values of them."""
    D = library.distributions
    t = library.tensor
    loc, scale = t(REAL, requires_grad=True), t(POSITIVE, requires_grad=True)
    normal = D.Normal(loc, scale)
    squashed = D.TransformedDistribution(
        normal, [D.TanhTransform(cache_size=1), D.AffineTransform(1.0, 2.0)]
    )
    mixture = D.MixtureSameFamily(D.Categorical(t(UNIT)), normal)
    vectors = D.MixtureSameFamily(
        D.Categorical(t(UNIT[0, :2])), D.Independent(D.Normal(loc, scale), 1)
    )
    inside = t(UNIT * 2)
    return (
        loc,
        scale,
        {
            "independent": (D.Independent(normal, 1), t(REAL + 1)),
            "squashed": (squashed, inside),
            "squashed vectors": (D.Independent(squashed, 1), inside),
            "mixture": (mixture, t(REAL[:, 0])),
            "mixture of vectors": (vectors, t(REAL[0])),
            "multinomial": (D.Multinomial(8, t(UNIT)), t(np.array([3.0, 0.0, 5.0]))),
            "precision": (
                D.MultivariateNormal(loc, precision_matrix=t(SPREAD @ SPREAD.T)),
                t(REAL[0]),
            ),
            "factor": (D.MultivariateNormal(loc, scale_tril=t(SPREAD)), t(REAL[0])),
        },
    )


def test_composed_distributions():
    results = []
    for library in (torch, ours):
        loc, scale, all_of_them = composed(library)
        found = {}
        for name, (d, value) in all_of_them.items():
            found[name] = [tuple(d.batch_shape), tuple(d.event_shape)]
            density = d.log_prob(value)
            found[name].append(density.detach().numpy())
            for moment in ("mean", "variance"):
                try:
                    found[name].append(getattr(d, moment).detach().numpy())
                except NotImplementedError:
                    found[name].append(None)
            if density.requires_grad:
                gradients = library.autograd.grad(
                    density.sum(), (loc, scale), allow_unused=True, retain_graph=True
                )
                found[name] += [None if g is None else g.numpy() for g in gradients]
        results.append(found)
    for name, theirs in results[0].items():
        for a, b in zip(theirs, results[1][name], strict=True):
            if isinstance(a, np.ndarray):
                np.testing.assert_allclose(b, a, rtol=1e-6, err_msg=name)
            else:
                assert a == b


MISTAKES = [
    lambda D, t: D.Normal(0.0, -1.0),
    lambda D, t: D.Uniform(1.0, 0.0),
    lambda D, t: D.Bernoulli(t([0.5])).log_prob(t([2.0])),
    lambda D, t: D.Bernoulli(t([0.5]), t([0.5])),
    lambda D, t: D.Categorical(t(1.0)),
    lambda D, t: D.Normal(0.0, 1.0).log_prob(1.0),
    lambda D, t: D.Normal(t([0.0, 0.0]), 1.0).log_prob(t([0.0, 0.0, 0.0])),
    lambda D, t: D.Dirichlet(t([1.0, 1.0, 1.0])).log_prob(t([0.5, 0.5])),
    lambda D, t: D.Independent(D.Normal(0.0, 1.0), 1),
    lambda D, t: D.MultivariateNormal(t([0.0, 0.0])),
    lambda D, t: D.Normal("a", 1.0),
    lambda D, t: D.Uniform(0.0, 1.0).log_prob(t(2.0)),
    lambda D, t: D.Bernoulli(0.5).rsample(),
    lambda D, t: D.Categorical(t([1.0, 1.0])).icdf(t(0.5)),
    lambda D, t: D.LKJCholesky(1),
    lambda D, t: D.Wishart(1.0, t(SPREAD)),
    lambda D, t: D.Wishart(4.0, scale_tril=-t(SPREAD)),
    lambda D, t: D.VonMises(0.0, -1.0),
    lambda D, t: D.LowRankMultivariateNormal(t(1.0), t(SPREAD), t(1.0)),
    lambda D, t: D.LowRankMultivariateNormal(t(REAL), t(REAL[0]), t(REAL)),
    lambda D, t: D.LowRankMultivariateNormal(t(REAL), t(REAL), t(REAL)),
    lambda D, t: D.LowRankMultivariateNormal(t(REAL), t(SPREAD), t(REAL[0, :2])),
    lambda D, t: D.FisherSnedecor(1.0, 2.0).log_prob(t(-1.0)),
    lambda D, t: D.Kumaraswamy(1.0, 2.0).log_prob(t(2.0)),
    lambda D, t: D.GeneralizedPareto(0.0, 1.0, 0.0).log_prob(t(-2.0)),
    lambda D, t: D.ContinuousBernoulli(0.3).log_prob(t(2.0)),
    lambda D, t: D.CorrCholeskyTransform()(t([1.0, 2.0])),
    lambda D, t: D.CorrCholeskyTransform().inverse_shape((2, 3)),
    lambda D, t: D.StickBreakingTransform().event_dim + D.CorrCholeskyTransform().event_dim,
    lambda D, t: D.utils.vec_to_tril_matrix(t([1.0, 2.0])),
    lambda D, t: D.utils.tril_matrix_to_vec(t(SPREAD), 3),
]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_errors(mistake):
    with pytest.raises((ValueError, NotImplementedError)) as theirs:
        mistake(torch.distributions, torch.tensor)
    with pytest.raises(type(theirs.value)) as mine:
        mistake(ours.distributions, ours.tensor)
    if str(theirs.value):
        assert str(mine.value).startswith(str(theirs.value).rstrip("."))


@pytest.mark.parametrize("name", [name for name in CASES if name != "VonMises"])  # has angles
def test_samples_have_the_moments(name):
    parameters, _ = CASES[name]
    d = maker(ours, name)(*map(ours.tensor, parameters))
    ours.manual_seed(1)
    drawn = d.sample((20000,))
    assert tuple(drawn.shape) == (20000, *d.batch_shape, *d.event_shape)
    try:
        mean, variance = d.mean, d.variance
    except NotImplementedError:
        return
    if not (variance.isfinite().all() and mean.isfinite().all()):
        return
    error = (variance / 20000).sqrt()
    heavy = 4 if name in ("Pareto", "InverseGamma", "StudentT") else 1
    assert (((drawn.double().mean(0) - mean).abs()) <= 5 * heavy * error + 1e-12).all()
    assert math.isfinite(float(drawn.double().sum()))
