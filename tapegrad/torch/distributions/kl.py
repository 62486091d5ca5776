"""Kullback-Leibler divergences of pairs of distributions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..filling import full_like
from ..special import multigammaln
from . import errors
from .bernoulli import Bernoulli, Binomial, Geometric, Poisson, Trials
from .categorical import Categorical, OneHotCategorical
from .continuous import Cauchy, Exponential, Gumbel, Laplace, Uniform
from .continuous_bernoulli import ContinuousBernoulli
from .distribution import Distribution, ExponentialFamily
from .gamma import Beta, Dirichlet, Gamma
from .independent import Independent
from .lowrank_multivariate_normal import LowRankMultivariateNormal
from .multivariate_normal import MultivariateNormal, VectorNormal
from .normal import LOG_SQRT_TWO_PI, Normal
from .positive import HalfNormal, Pareto
from .transformed_distribution import LogNormal, TransformedDistribution
from .utils import EULER, sum_rightmost
from .wishart import Wishart

__all__ = ["kl_divergence", "register_kl"]

Divergence = Callable[[Any, Any], Any]

divergences: dict[tuple[type, type], Divergence] = {}
"""By the classes of both distributions."""


def register_kl(type_p: Any, type_q: Any) -> Callable[[Divergence], Divergence]:
    """A decorator: the function is the divergence of distributions of two classes."""
    for kind in (type_p, type_q):
        if not (isinstance(kind, type) and issubclass(kind, Distribution)):
            raise errors.no_distribution_class(kind)

    def decorate(function: Divergence) -> Divergence:
        divergences[type_p, type_q] = function
        return function

    return decorate


def kl_divergence(p: Distribution, q: Distribution) -> Any:
    """The mean under `p` of ``log(p / q)``, for each distribution of the batch.

    >>> import tapegrad.torch as torch
    >>> from tapegrad.torch.distributions import Normal
    >>> kl_divergence(Normal(torch.tensor(1.0), 1.0), Normal(0.0, 1.0))
    tensor(0.5000)
    """
    for a in type(p).__mro__:
        for b in type(q).__mro__:
            found = divergences.get((a, b))
            if found is not None:
                return found(p, q)
    raise errors.no_divergence(p, q)


@register_kl(Normal, Normal)
def _normals(p: Normal, q: Normal) -> Any:
    ratio = (p.scale / q.scale) ** 2
    distance = ((p.loc - q.loc) / q.scale) ** 2
    return (ratio + distance - 1 - ratio.log()) / 2


def _of_normals(p: Any, q: Any) -> Any:
    return _normals(p.base_dist, q.base_dist)


register_kl(LogNormal, LogNormal)(_of_normals)
register_kl(HalfNormal, HalfNormal)(_of_normals)


def _vector_normals(p: VectorNormal, q: VectorNormal) -> Any:
    if p.event_shape != q.event_shape:
        raise errors.divergence_of_shapes()
    ratio = q.squared_distances(p.root).sum(-1)
    distance = q.squared_distance(q.loc - p.loc)
    volume = q.half_log_determinant - p.half_log_determinant
    return volume + (ratio + distance - p.event_shape[0]) / 2


_p: Any
_q: Any
for _p in (MultivariateNormal, LowRankMultivariateNormal):
    for _q in (MultivariateNormal, LowRankMultivariateNormal):
        register_kl(_p, _q)(_vector_normals)


@register_kl(Wishart, Wishart)
def _wisharts(p: Wishart, q: Wishart) -> Any:
    if p.event_shape != q.event_shape:
        raise errors.divergence_of_shapes()
    n = q.event_shape[0]
    inverse = q.precision_matrix
    trace = (inverse * p.covariance_matrix).sum((-1, -2)) * p.df
    area = q.df * q.log_area + multigammaln(q.df / 2, n)
    return area + trace / 2 - (q.df - n - 1) / 2 * p.mean_logarithm - p.entropy()


@register_kl(ExponentialFamily, ExponentialFamily)
def _family(p: ExponentialFamily, q: ExponentialFamily) -> Any:
    if type(p) is not type(q):
        raise errors.different_families()
    natural, area, slopes = p.normaliser()
    others = q._natural_params
    batch = max(len(p.batch_shape), len(q.batch_shape))
    moved = [(b - a) * g for a, b, g in zip(natural, others, slopes, strict=True)]
    return q._log_normalizer(*others) - area - sum(sum_rightmost(x, x.dim() - batch) for x in moved)


def _cross(logarithm: Any, weight: Any) -> Any:
    """``weight * logarithm``, 0 where the weight is 0."""
    return (weight * logarithm).where(weight != 0, 0.0)


def _choices(p: Any, q: Any) -> Any:
    each = p.probs * (p.logits - q.logits)
    each = each.where(q.probs != 0, math.inf)
    return each.where(p.probs != 0, 0.0).sum(-1)


register_kl(Categorical, Categorical)(_choices)
register_kl(OneHotCategorical, OneHotCategorical)(_choices)


def _of_trials(p: Trials, q: Trials) -> Any:
    won = _cross((p.probs / q.probs).log(), p.probs)
    lost = _cross(((1 - p.probs) / (1 - q.probs)).log(), 1 - p.probs)
    return won + lost


@register_kl(Bernoulli, Bernoulli)
def _bernoullis(p: Bernoulli, q: Bernoulli) -> Any:
    return _of_trials(p, q)


@register_kl(Geometric, Geometric)
def _geometrics(p: Geometric, q: Geometric) -> Any:
    return _of_trials(p, q) / p.probs


@register_kl(Binomial, Binomial)
def _binomials(p: Binomial, q: Binomial) -> Any:
    if bool((p.total_count < q.total_count).any()):
        raise errors.fewer_trials()
    return (p.total_count * _of_trials(p, q)).where(p.total_count <= q.total_count, math.inf)


@register_kl(Poisson, Poisson)
def _poissons(p: Poisson, q: Poisson) -> Any:
    return _cross((p.rate / q.rate).log(), p.rate) - (p.rate - q.rate)


@register_kl(Exponential, Exponential)
def _exponentials(p: Exponential, q: Exponential) -> Any:
    ratio = q.rate / p.rate
    return ratio - ratio.log() - 1


@register_kl(Laplace, Laplace)
def _laplaces(p: Laplace, q: Laplace) -> Any:
    ratio = p.scale / q.scale
    distance = (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * (-distance / p.scale).exp() - 1


@register_kl(Cauchy, Cauchy)
def _cauchys(p: Cauchy, q: Cauchy) -> Any:
    sums = (p.scale + q.scale) ** 2 + (p.loc - q.loc) ** 2
    return sums.log() - (4 * p.scale * q.scale).log()


@register_kl(Gumbel, Gumbel)
def _gumbels(p: Gumbel, q: Gumbel) -> Any:
    ratio = p.scale / q.scale
    shift = (q.loc - p.loc) / q.scale
    return -ratio.log() - shift + (shift + (1 + ratio).lgamma()).exp() - (1 + EULER) + ratio * EULER


@register_kl(Uniform, Uniform)
def _uniforms(p: Uniform, q: Uniform) -> Any:
    inside = (q.low <= p.low) & (p.high <= q.high)
    return ((q.high - q.low) / (p.high - p.low)).log().where(inside, math.inf)


@register_kl(Pareto, Pareto)
def _paretos(p: Pareto, q: Pareto) -> Any:
    ratio = p.scale / q.scale
    slope = q.alpha / p.alpha
    return (q.alpha * ratio.log() - slope.log() + slope - 1).where(p.scale >= q.scale, math.inf)


@register_kl(Gamma, Gamma)
def _gammas(p: Gamma, q: Gamma) -> Any:
    a, b = p.concentration, q.concentration
    return (
        b * (p.rate / q.rate).log()
        + b.lgamma()
        - a.lgamma()
        + (a - b) * a.digamma()
        + (q.rate - p.rate) * a / p.rate
    )


@register_kl(Dirichlet, Dirichlet)
def _dirichlets(p: Dirichlet, q: Dirichlet) -> Any:
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    area = total.lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    return area + ((a - b) * (a.digamma() - total.digamma()[..., None])).sum(-1)


@register_kl(Beta, Beta)
def _betas(p: Beta, q: Beta) -> Any:
    return _dirichlets(p.pair(), q.pair())


@register_kl(Independent, Independent)
def _independents(p: Independent, q: Independent) -> Any:
    n = p.reinterpreted_batch_ndims
    if n != q.reinterpreted_batch_ndims:
        raise errors.divergence_of_shapes()
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), n)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Any:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise errors.divergence_of_shapes()
    return kl_divergence(p.base_dist, q.base_dist)


def _against_normal(p: Any, q: Normal) -> Any:
    distance = p.variance + (p.mean - q.loc) ** 2
    return distance / (2 * q.scale**2) + q.scale.log() + LOG_SQRT_TWO_PI - p.entropy()


def _against_exponential(p: Any, q: Exponential) -> Any:
    return q.rate * p.mean - q.rate.log() - p.entropy()


def _against_gamma(p: Any, q: Gamma) -> Any:
    a = q.concentration
    area = a.lgamma() - a * q.rate.log()
    return area - (a - 1) * _mean_logarithm(p) + q.rate * p.mean - p.entropy()


def _mean_logarithm(p: Any) -> Any:
    """The mean of the logarithm of a value."""
    if isinstance(p, Exponential):
        return -p.rate.log() - EULER
    if isinstance(p, Pareto):
        return p.scale.log() + 1 / p.alpha
    if isinstance(p, Uniform):
        return (p.high.xlogy(p.high) - p.low.xlogy(p.low)) / (p.high - p.low) - 1
    return p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()


def _against_gumbel(p: Any, q: Gumbel) -> Any:
    distance = (p.mean - q.loc) / q.scale
    fallen = (q.loc / q.scale).exp() * _mean_of_falling(p, 1 / q.scale)
    return q.scale.log() + distance + fallen - p.entropy()


def _mean_of_falling(p: Any, rate: Any) -> Any:
    """The mean of ``exp(-rate * value)``."""
    if isinstance(p, Exponential):
        return p.rate / (p.rate + rate)
    if isinstance(p, Gamma):
        return (p.rate / (p.rate + rate)) ** p.concentration
    if isinstance(p, Normal):
        return (p.scale**2 * rate**2 / 2 - p.loc * rate).exp()
    return ((-rate * p.low).exp() - (-rate * p.high).exp()) / ((p.high - p.low) * rate)


def _against_continuous_bernoulli(p: Any, q: ContinuousBernoulli) -> Any:
    return q.log_normaliser - q.logits * p.mean - p.entropy()


def _against_uniform(p: Any, q: Uniform) -> Any:
    return ((q.high - q.low).log() - p.entropy()).where((q.low <= 0) & (q.high >= 1), math.inf)


for _p in (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Pareto, Uniform):
    register_kl(_p, Normal)(_against_normal)
for _p in (Beta, ContinuousBernoulli, Gamma, Pareto):
    register_kl(_p, Exponential)(_against_exponential)
for _p in (Beta, Exponential, Pareto):
    register_kl(_p, Gamma)(_against_gamma)
for _p in (Exponential, Gamma, Normal, Uniform):
    register_kl(_p, Gumbel)(_against_gumbel)
for _p in (Beta, ContinuousBernoulli):
    register_kl(_p, Uniform)(_against_uniform)
register_kl(Beta, ContinuousBernoulli)(_against_continuous_bernoulli)


def _within(p: Uniform) -> Any:
    """Whether all values lie from 0 to 1."""
    return (p.low >= 0) & (p.high <= 1)


@register_kl(Uniform, Beta)
def _uniform_and_beta(p: Uniform, q: Beta) -> Any:
    a, b = q.concentration1, q.concentration0
    area = a.lgamma() + b.lgamma() - (a + b).lgamma()
    turned = Uniform(1 - p.high, 1 - p.low, False)
    logarithms = (a - 1) * _mean_logarithm(p) + (b - 1) * _mean_logarithm(turned)
    return (area - logarithms - p.entropy()).where(_within(p), math.inf)


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_and_continuous_bernoulli(p: Uniform, q: ContinuousBernoulli) -> Any:
    return _against_continuous_bernoulli(p, q).where(_within(p), math.inf)


@register_kl(Uniform, Exponential)
def _uniform_and_exponential(p: Uniform, q: Exponential) -> Any:
    return _against_exponential(p, q).where(p.low >= 0, math.inf)


@register_kl(Uniform, Gamma)
def _uniform_and_gamma(p: Uniform, q: Gamma) -> Any:
    return _against_gamma(p, q).where(p.low >= 0, math.inf)


@register_kl(Uniform, Pareto)
def _uniform_and_pareto(p: Uniform, q: Pareto) -> Any:
    density = q.alpha.log() + q.alpha * q.scale.log() - (q.alpha + 1) * _mean_logarithm(p)
    return (-density - p.entropy()).where(p.low >= q.scale, math.inf)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoullis(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Any:
    return p.mean * (p.logits - q.logits) + q.log_normaliser - p.log_normaliser


@register_kl(Bernoulli, Poisson)
def _bernoulli_and_poisson(p: Bernoulli, q: Poisson) -> Any:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Normal, Laplace)
def _normal_and_laplace(p: Normal, q: Laplace) -> Any:
    z = (p.loc - q.loc) / p.scale
    spread = math.sqrt(2 / math.pi) * p.scale * (-(z**2) / 2).exp()
    distance = spread + (p.loc - q.loc) * (z / math.sqrt(2)).erf()
    return (2 * q.scale).log() + distance / q.scale - p.entropy()


def _infinite(p: Any, q: Any) -> Any:
    first = next(v for v in p.__dict__.values() if hasattr(v, "slot"))
    return full_like(first, math.inf)


NOWHERE: tuple[tuple[tuple[Any, ...], tuple[Any, ...]], ...] = (
    (
        (Gumbel, Laplace, Normal),
        (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    ),
    ((Exponential, Gamma), (Beta, ContinuousBernoulli, Pareto, Uniform)),
    ((Pareto,), (Beta, ContinuousBernoulli, Uniform)),
    ((Beta, ContinuousBernoulli), (Pareto,)),
    ((Poisson,), (Bernoulli, Binomial)),
)
"""Pairs of which the second has no values where the first has some."""

for _ps, _qs in NOWHERE:
    for _p in _ps:
        for _q in _qs:
            register_kl(_p, _q)(_infinite)
