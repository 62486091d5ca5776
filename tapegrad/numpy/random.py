"""`numpy.random`, for use inside transforms too.

Outside of transforms everything is NumPy's own, with the same numbers for the same seeds. Inside
`vmap` its `randomness` decides (see `tapegrad.ops.random`). Of recorded parameters, those of
location and scale have derivatives: the numbers are standard ones, moved and scaled.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy

from .. import errors
from ..backend import HOST, Place, on_device, place_of, put
from ..core.array import Array
from ..core.tape import Tape, local
from ..ops.arithmetic import multiply
from ..ops.define import size_of
from ..ops.elementary import exp
from ..ops.random import draw
from .dispatch import np
from .errors import recorded_into_ndarray
from .reading import any_recorded, arrays_in, is_tracked, replaced, shape_of

__all__ = list(numpy.random.__all__)

Method = Callable[..., Any]

PARAMETERS = {
    "beta": 2,
    "binomial": 2,
    "chisquare": 1,
    "exponential": 1,
    "f": 2,
    "gamma": 2,
    "geometric": 1,
    "gumbel": 2,
    "hypergeometric": 3,
    "integers": 2,
    "laplace": 2,
    "logistic": 2,
    "lognormal": 2,
    "logseries": 1,
    "negative_binomial": 2,
    "noncentral_chisquare": 2,
    "noncentral_f": 3,
    "normal": 2,
    "pareto": 1,
    "poisson": 1,
    "power": 1,
    "randint": 2,
    "random": 0,
    "random_integers": 2,
    "random_sample": 0,
    "ranf": 0,
    "rayleigh": 1,
    "sample": 0,
    "standard_cauchy": 0,
    "standard_exponential": 0,
    "standard_gamma": 1,
    "standard_normal": 0,
    "standard_t": 1,
    "triangular": 3,
    "uniform": 2,
    "vonmises": 2,
    "wald": 2,
    "weibull": 1,
    "zipf": 1,
}
"""Distributions of single numbers: how many parameters, which broadcast, come before `size`."""

OTHERS = (
    "bytes",
    "choice",
    "dirichlet",
    "multinomial",
    "multivariate_hypergeometric",
    "multivariate_normal",
    "permutation",
    "permuted",
    "rand",
    "randn",
    "shuffle",
)
"""What else draws."""

MOVED: dict[str, dict[str, float]] = {
    "exponential": {"scale": 1.0},
    "gumbel": {"loc": 0.0, "scale": 1.0},
    "laplace": {"loc": 0.0, "scale": 1.0},
    "logistic": {"loc": 0.0, "scale": 1.0},
    "lognormal": {"mean": 0.0, "sigma": 1.0},
    "normal": {"loc": 0.0, "scale": 1.0},
    "uniform": {"low": 0.0, "high": 1.0},
}
"""Distributions that are a standard one moved and scaled: the parameters and their defaults."""

OPTIONS = ("size", "dtype", "out", "method", "endpoint")
"""Keywords that are no parameters of a distribution."""


def sampled(name: str, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`method(*args, **kwargs)` inside a transform, or of recorded parameters."""
    if name == "shuffle":
        return shuffled(method, *args, **kwargs)
    args, kwargs = replaced((args, kwargs), lambda x: x if x.slot else x.raw)
    if any(is_tracked(x) for x in arrays_in((args, kwargs))):
        if name in MOVED:
            return moved(name, method, args, kwargs)
        if name in ("choice", "permutation"):
            return chosen(name, method, *args, **kwargs)
        raise errors.no_rule(f"random.{name}")
    return draw(lambda lanes: repeated(name, method, args, kwargs, lanes))


def repeated(
    name: str, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any], lanes: tuple[int, ...]
) -> Any:
    """`method(*args, **kwargs)` drawn anew along leading axes."""
    if not lanes:
        return method(*args, **kwargs)
    if kwargs.get("out") is not None:
        raise errors.no_argument(f"random.{name}", "out= inside vmap", "Use what it returns.")
    count = PARAMETERS.get(name)
    if count is None:
        draws = [numpy.asarray(method(*args, **kwargs)) for _ in range(max(size_of(lanes), 1))]
        stacked = numpy.stack(draws)[: size_of(lanes)]
        return stacked.reshape(*lanes, *draws[0].shape)
    size = args[count] if len(args) > count else kwargs.get("size")
    if size is None:
        given = [*args[:count], *(x for key, x in kwargs.items() if key not in OPTIONS)]
        size = numpy.broadcast_shapes(*(numpy.shape(x) for x in given if x is not None))
    size = (*lanes, *as_shape(size))
    if len(args) > count:
        return method(*args[:count], size, *args[count + 1 :], **kwargs)
    return method(*args, **{**kwargs, "size": size})


def as_shape(size: Any) -> tuple[int, ...]:
    """A `size` argument as a shape."""
    return tuple(size) if hasattr(size, "__iter__") else (size,)


def moved(name: str, method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Standard numbers, moved and scaled by recorded parameters."""
    given = dict(zip([*MOVED[name], "size"], args, strict=False)) | kwargs
    *location, scale = (given.get(key, default) for key, default in MOVED[name].items())
    size = given.get("size")
    if size is None:
        size = numpy.broadcast_shapes(*map(shape_of, location), shape_of(scale)) or None
    if name == "lognormal":
        method = method.__self__.standard_normal
    place = place_among(*location, scale)
    standard = draw(lambda lanes: put(repeated(name, method, (), {"size": size}, lanes), place))
    if name == "uniform":
        scale = scale - location[0]
    result = multiply(standard, scale)
    for start in location:
        result = result + start
    return exp(result) if name == "lognormal" else result


def place_among(*parameters: Any) -> Place:
    """Where numbers are wanted: on the device that a parameter is on, else on the host."""
    for x in parameters:
        data = x.raw if isinstance(x, Array) else x
        if on_device(data):
            return place_of(data)
    return HOST


def chosen(name: str, method: Method, a: Any, *args: Any, axis: int = 0, **kwargs: Any) -> Any:
    """A permutation or a choice of the elements of a recorded array: of their indices."""
    if not isinstance(a, Array) or any_recorded((args, kwargs)):
        raise errors.no_rule(f"random.{name}")
    inputs, place = (a.shape[axis], *args), place_among(a)
    index = draw(lambda lanes: put(repeated(name, method, inputs, kwargs, lanes), place))
    return np.take(a, index, axis=axis)


def shuffled(method: Any, x: Any, axis: int = 0) -> None:
    """Put the elements of `x` into another order, in place."""
    permutation = method.__self__.permutation
    length = x.shape[axis] if hasattr(x, "shape") else len(x)
    order = draw(lambda lanes: repeated("permutation", permutation, (length,), {}, lanes))
    if isinstance(order, Array) and not isinstance(x, Array):
        raise recorded_into_ndarray("numpy.random.shuffle")
    if hasattr(x, "shape"):
        x[...] = np.take(x, order, axis=axis)
    else:
        x[:] = [x[i] for i in order]


def plain(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call is none of a transform's business."""
    return type(local.tape) is Tape and not any_recorded((args, kwargs))


def function(name: str) -> Method:
    """This module's function of a name of `numpy.random`."""
    original = getattr(numpy.random, name)

    @functools.wraps(original)
    def run(*args: Any, **kwargs: Any) -> Any:
        if plain(args, kwargs):
            return original(*args, **kwargs)
        return sampled(name, original, args, kwargs)

    return run


def draws(kind: type) -> type:
    """Decorate a class of generators: what it draws goes by the rules of the running transforms."""

    def method(name: str, original: Any) -> Method:
        @functools.wraps(original)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            if plain(args, kwargs):
                return original(self, *args, **kwargs)
            return sampled(name, original.__get__(self), args, kwargs)

        return run

    for name in (*PARAMETERS, *OTHERS):
        original = getattr(kind, name, None)
        if original is not None:
            setattr(kind, name, method(name, original))
    return kind


@draws
class Generator(numpy.random.Generator):
    """`numpy.random.Generator`, for use inside transforms too."""

    def __reduce__(self) -> Any:
        return default_rng, (self.bit_generator,)


@draws
class RandomState(numpy.random.RandomState):
    """`numpy.random.RandomState`, for use inside transforms too."""


def default_rng(seed: Any = None) -> Generator:
    """`numpy.random.default_rng`, with the same numbers for the same seed."""
    if isinstance(seed, Generator):
        return seed
    return Generator(numpy.random.default_rng(seed).bit_generator)


for _name in (*PARAMETERS, *OTHERS):
    if hasattr(numpy.random, _name):
        globals()[_name] = function(_name)


def __getattr__(name: str) -> Any:
    """NumPy's own, for every name that is not here."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(numpy.random, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(numpy.random)})
