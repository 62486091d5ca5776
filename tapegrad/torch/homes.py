"""Packages of `torch` that lie elsewhere, under PyTorch's paths: ``import tapegrad.torch.nn``."""

from ..finder import Finder

DISTRIBUTIONS = {
    "bernoulli": "binomial geometric negative_binomial poisson",
    "categorical": "multinomial one_hot_categorical",
    "continuous": "cauchy exponential gumbel laplace uniform",
    "distribution": "exp_family",
    "gamma": "beta chi2 dirichlet inverse_gamma studentT",
    "positive": "half_cauchy half_normal pareto weibull",
    "relaxed": "relaxed_bernoulli relaxed_categorical",
    "transformed_distribution": "log_normal logistic_normal",
}
"""Modules of distributions, and PyTorch's for classes that they have."""

finder = Finder(
    {
        "tapegrad.torch.nn": "tapegrad.nn",
        "tapegrad.torch.optim": "tapegrad.optim",
        "tapegrad.torch.utils.data": "tapegrad.data",
    }
    | {
        f"tapegrad.torch.distributions.{name}": f"tapegrad.torch.distributions.{home}"
        for home, names in DISTRIBUTIONS.items()
        for name in names.split()
    }
)
