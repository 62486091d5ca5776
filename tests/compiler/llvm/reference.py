"""Right values, and how far from them a result is."""

import functools

import mpmath
import numpy
import scipy.special

CONTEXT = mpmath.mp.clone()
CONTEXT.dps = 45


def mp_of(name):
    """The function of a name on mpmath's numbers."""
    mp = CONTEXT
    special = {
        "exp2": lambda x: mp.power(2, x),
        "expit": lambda x: 1 / (1 + mp.exp(-x)),
        "log2": lambda x: mp.log(x, 2),
        "log_expit": lambda x: -mp.log1p(mp.exp(-x)),
        "logaddexp": lambda x, y: mp.log(mp.exp(x) + mp.exp(y)),
        "logaddexp2": lambda x, y: mp.log(mp.power(2, x) + mp.power(2, y), 2),
        "pow": mp.power,
        "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
        "atan2": mp.atan2,
        "hypot": mp.hypot,
    }
    return special.get(name) or getattr(mp, name)


NUMPY = {
    **{short: "arc" + short[1:] for short in ("asin", "acos", "atan", "atan2")},
    **{short: "arc" + short[1:] for short in ("asinh", "acosh", "atanh")},
    "pow": "power",
    "abs": "absolute",
}


def numpy_of(name):
    """The function of a name in NumPy or SciPy."""
    return getattr(numpy, NUMPY.get(name, name), None) or getattr(scipy.special, name)


SPECIAL = [0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0]


def points(dtype, count, seed):
    """Numbers of all sizes, many about 0 and 1, the extreme ones, and multiples of pi / 2."""
    rng = numpy.random.default_rng(seed)
    info = numpy.finfo(dtype)
    bits = numpy.dtype(f"u{info.bits // 8}")
    with numpy.errstate(over="ignore", invalid="ignore"):
        parts = [
            rng.integers(0, 2**info.bits, count, dtype=bits).view(dtype),
            rng.uniform(-1, 1, count),
            rng.uniform(-30, 30, count),
            rng.uniform(-1000, 1000, count),
            1 + rng.normal(size=count) * 10.0 ** rng.uniform(-16, 0, count),
            rng.choice([-1, 1], count) * 10.0 ** rng.uniform(-20, 5, count),
            rng.integers(1, 2 ** rng.integers(1, 50, count)) * (numpy.pi / 2),
            [info.max, info.tiny, info.smallest_subnormal, -info.smallest_subnormal],
            [6381956970095103.0 * 2.0**797],  # of all doubles the nearest to a multiple of pi / 2
            SPECIAL,
        ]
        return numpy.concatenate([numpy.asarray(part).astype(dtype) for part in parts])


def error(got, right, dtype, scale=0.0):
    """How many units in the last place (of the result, or of `scale`) a result is wrong by."""
    info = numpy.finfo(dtype)
    if CONTEXT.isinf(right):
        return 0.0 if float(got) == float(right) else numpy.inf
    largest = CONTEXT.mpf(float(info.max))
    limit = largest * (1 + CONTEXT.mpf(2) ** -(info.nmant + 2))  # numbers from here on are inf
    if not numpy.isfinite(got) or abs(right) >= limit:
        within = abs(right) > largest * (1 - CONTEXT.mpf(2) ** -info.nmant)
        return 1.0 if within and abs(got) >= info.max and (got > 0) == (right > 0) else numpy.inf
    size = min(max(float(abs(right)), float(scale)), float(info.max))
    unit = numpy.spacing(numpy.dtype(dtype).type(min(size, float(info.max) * (1 - 2 * info.eps))))
    return float(abs(CONTEXT.mpf(float(got)) - right) / CONTEXT.mpf(float(unit)))


@functools.cache
def table(name, dtype, arity, count):
    """Arguments within the domain of a function, one column each, and its right values."""
    columns = [points(dtype, count, seed) for seed in range(arity)]
    if arity == 2:
        columns[1] = numpy.random.default_rng(9).permutation(columns[1])
    # not zeros, since mpmath has no -0
    keep = numpy.logical_and.reduce([numpy.isfinite(column) & (column != 0) for column in columns])
    columns = [column[keep] for column in columns]
    with numpy.errstate(all="ignore"):
        double = numpy_of(name)(*[column.astype(float) for column in columns])
    keep = ~numpy.isnan(double)
    columns = [column[keep] for column in columns]
    function, right = mp_of(name), []
    for value, *arguments in zip(double[keep], *columns, strict=True):
        if max(map(abs, arguments)) > 1e4 and (
            numpy.isinf(value) or value == 0
        ):  # beyond mpmath's patience
            right.append(CONTEXT.mpf(float(value)))
        else:
            right.append(function(*[CONTEXT.mpf(float(x)) for x in arguments]))
    return columns, right
