"""Random programs: graphs of a few to some sixty operations on small arrays of mixed shapes."""

import numpy as np

import tapegrad.numpy as tnp

DTYPES = ("float64", "float64", "float64", "float32")


def wave(x):
    """A sine of what is at most 100: of large numbers, rounding would decide what it is."""
    return tnp.sin(x / (1 + 0.01 * tnp.abs(x)))


def unary(rng, x):
    choices = [
        tnp.tanh,
        wave,
        tnp.abs,
        tnp.negative,
        lambda v: tnp.exp(-tnp.abs(v)),
        lambda v: tnp.sqrt(tnp.abs(v) + 0.5),
        lambda v: tnp.log(tnp.abs(v) + 1.5),
        lambda v: v * v,
        lambda v: v**3 * 0.1,
        lambda v: 1 / (2 + tnp.abs(v)),
        lambda v: tnp.clip(v, -0.5, 0.75),
        lambda v: tnp.where(v > 0.1, v, 0.3 * v),
        lambda v: tnp.sign(v) * 0.5 + v,
        lambda v: v * 1 + 0,
    ]
    return choices[rng.integers(len(choices))](x)


def binary(rng, x, y):
    choices = [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: a / (1.5 + tnp.abs(b)),
        tnp.maximum,
        tnp.minimum,
        lambda a, b: tnp.where(a > b, a, b * 0.5),
        lambda a, b: tnp.where(tnp.logical_and(a > 0, b < 0.2), a, -b),
        tnp.hypot,
    ]
    return choices[rng.integers(len(choices))](x, y)


def reduction(rng, x):
    axes = [a for a in range(x.ndim) if rng.random() < 0.6] or list(range(x.ndim))
    keep = bool(rng.random() < 0.5)
    function = [tnp.sum, tnp.mean, tnp.max, tnp.min, tnp.var, tnp.sum, tnp.prod][rng.integers(7)]
    if function is tnp.prod:
        return tnp.prod(1 + 0.1 * x, axis=tuple(axes), keepdims=keep)
    return function(x, axis=tuple(axes), keepdims=keep)


def move(rng, x):
    kind = rng.integers(8)
    if x.ndim == 0 or kind == 0:
        return tnp.reshape(x, (1, *x.shape))
    if kind == 1:
        return tnp.reshape(x, (x.size,))
    if kind == 2:
        return tnp.transpose(x, tuple(rng.permutation(x.ndim)))
    if kind == 3:
        return tnp.flip(x, axis=int(rng.integers(x.ndim)))
    if kind == 4:
        return tnp.broadcast_to(x, (2, *x.shape)) if x.size < 100 else x
    if kind == 5:
        return tnp.concatenate([x, x * 0.5], axis=int(rng.integers(x.ndim)))
    if kind == 6:
        return tnp.pad(x, [tuple(rng.integers(0, 2, 2)) for _ in range(x.ndim)])
    key = []
    for n in x.shape:
        start = int(rng.integers(0, max(n - 1, 1)))
        stop = int(rng.integers(start + 1, n + 1))
        key.append([slice(start, stop), slice(None), slice(None, None, 2)][rng.integers(3)])
    return x[tuple(key)]


def chosen(rng, x):
    """Elements by index arrays, running sums, order, and integers beside floating point numbers."""
    if x.ndim == 0:
        return x + int(rng.integers(-3, 4))
    axis = int(rng.integers(x.ndim))
    n = x.shape[axis]
    index = rng.integers(-n, n, tuple(rng.integers(1, 4, int(rng.integers(1, 3)))))
    whole = rng.integers(-3, 4, x.shape).astype(("int64", "int32", "int8")[rng.integers(3)])
    choices = [
        lambda v: tnp.take(v, index, axis=axis),
        lambda v: v[(slice(None),) * axis + (index,)],
        lambda v: tnp.cumsum(v, axis=axis),
        lambda v: tnp.sort(v, axis=axis),
        lambda v: v * whole + whole // 2,
        lambda v: tnp.where(whole % 2 == 0, v, -whole),
        lambda v: tnp.roll(v, int(rng.integers(n + 1)), axis=axis),
        lambda v: tnp.repeat(v, 2, axis=axis) if v.size < 100 else v,
        lambda v: tnp.where(tnp.isfinite(v), v, 0.0).astype("float64"),
    ]
    return choices[rng.integers(len(choices))](x)


def product(rng, x):
    if x.ndim < 2:
        return x * 0.5
    return (x @ tnp.swapaxes(x, -1, -2)) / x.shape[-1]


def fits(x, y):
    try:
        return np.prod(np.broadcast_shapes(x.shape, y.shape)) <= 400
    except ValueError:
        return False


def program(seed, operations=None):
    """A function of some arrays that gives several, and the arrays."""
    rng = np.random.default_rng(seed)
    count = operations or int(rng.integers(5, 60))
    sizes = [(), (1,), (3,), (4,), (5,), (17,), (4, 5), (3, 1), (1, 4), (3, 4), (2, 3, 4), (6, 33)]
    inputs = []
    for _ in range(rng.integers(1, 4)):
        shape = sizes[rng.integers(len(sizes))]
        x = rng.standard_normal(shape).astype(DTYPES[rng.integers(len(DTYPES))])
        inputs.append(x if shape else x[()])
    state = rng.bit_generator.state

    def function(*arrays):
        rng = np.random.default_rng()
        rng.bit_generator.state = state
        values = list(arrays)
        for _ in range(count):
            x = values[max(0, len(values) - 1 - int(rng.geometric(0.3)))]
            kind = rng.random()
            if kind < 0.28:
                y = unary(rng, x)
            elif kind < 0.6:
                others = [v for v in values if fits(x, v)] or [x]
                y = binary(rng, x, others[rng.integers(len(others))])
            elif kind < 0.7:
                y = reduction(rng, x)
            elif kind < 0.84:
                y = move(rng, x)
            elif kind < 0.95:
                y = chosen(rng, x)
            else:
                y = product(rng, x)
            if y.size <= 600 and y.ndim <= 5:
                values.append(y)
        return tuple(values[-3:])

    return function, inputs


def total(function):
    """A scalar function of the same arrays."""

    def loss(*arrays):
        value = 0.0
        for y in function(*arrays):
            value = value + tnp.sum(wave(y))
        return value

    return loss
