"""Random programs: graphs of a few to some sixty operations on small arrays of mixed shapes.

Arrays are of several dtypes and layouts, and may be empty.
"""

import numpy as np

import tapegrad as tg
import tapegrad.numpy as tnp

DTYPES = ("float64",) * 6 + ("float32",) * 2 + ("int64", "int32", "uint8", "bool", "complex128")


def wave(x):
    """A sine of what is at most 100: of large numbers, rounding would decide what it is."""
    return tnp.sin(x / (1 + 0.01 * tnp.abs(x)))


def real(x):
    """Something to compute with, of what may be a truth value or a complex number."""
    if x.dtype.kind == "b":
        return x.astype("int64")
    return x.real - x.imag * 0.5 if x.dtype.kind == "c" else x


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
        lambda v: tnp.sign(v - 0.03) * 0.5 + v,
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
        lambda a, b: tnp.where(tnp.logical_and(a > 0.04, b < 0.2), a, -b),
        tnp.hypot,
    ]
    return choices[rng.integers(len(choices))](x, y)


def reduction(rng, x):
    axes = [a for a in range(x.ndim) if rng.random() < 0.6] or list(range(x.ndim))
    keep = bool(rng.random() < 0.5)
    function = [tnp.sum, tnp.mean, tnp.max, tnp.min, tnp.var, tnp.any, tnp.prod][rng.integers(7)]
    if function is tnp.prod:
        return tnp.prod(1 + 0.1 * x, axis=tuple(axes), keepdims=keep)
    if function is tnp.any:
        return tnp.any(x > 0.3, axis=tuple(axes), keepdims=keep)
    if x.size == 0:
        function = tnp.sum
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
        stop = int(rng.integers(start + 1, max(n, start + 1) + 1))
        kinds = [
            slice(start, stop),
            slice(None),
            slice(None, None, 2),
            slice(None, None, -1),
            slice(n, start, -2),
        ]
        key.append(kinds[rng.integers(5)])
    return x[tuple(key)]


def chosen(rng, x):
    """Elements by index arrays, running sums, order, and integers beside floating point numbers."""
    if x.ndim == 0:
        return x + int(rng.integers(-3, 4))
    axis = int(rng.integers(x.ndim))
    n = x.shape[axis]
    if n == 0:
        return tnp.concatenate([x, x], axis=axis)
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


def complex_numbers(rng, x, y):
    """Through complex numbers, and back."""
    z = x + 1j * tnp.tanh(y)
    choices = [
        lambda z: tnp.abs(z + 0.1),
        lambda z: tnp.real(z * tnp.conj(z) + z),
        lambda z: tnp.imag(tnp.exp(1j * tnp.imag(z)) * z),
        lambda z: tnp.real(1 / (z + 3j)),
        lambda z: tnp.real(tnp.sum(z)) + tnp.imag(z),
        lambda z: tnp.where(tnp.imag(z) > 0.01, tnp.real(z), tnp.imag(z)),
    ]
    return choices[rng.integers(len(choices))](z)


def whole_numbers(rng, x):
    """Integers and truth values."""
    choices = [
        lambda v: v > 0.25,
        lambda v: tnp.sign(v - 0.05).astype("int32"),
        lambda v: (v > 0.06).astype("uint8") + 250,
        lambda v: tnp.cumsum((v > 0.07).astype("int64"), axis=-1) if v.ndim else v > 0.08,
        lambda v: tnp.argmax(v, axis=-1) if v.size and v.ndim else v < 0.09,
        lambda v: (v > 0.02) & ~(v > 1.01) | (v < -1.01),
        lambda v: (tnp.sign(v + 0.05).astype("int64") * 7 + 3) // 2 % 5,
    ]
    return choices[rng.integers(len(choices))](x)


def fits(x, y):
    """Whether two arrays meet, in one that is not too large."""
    size = 1
    one, other = x.shape, y.shape
    for i in range(1, max(len(one), len(other)) + 1):
        n = one[-i] if i <= len(one) else 1
        m = other[-i] if i <= len(other) else 1
        if n != m and n != 1 and m != 1:
            return False
        size *= m if n == 1 else n
    return size <= 400


LAYOUTS = (
    lambda x: x[..., ::-1].copy()[..., ::-1],
    lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    np.asfortranarray,
    lambda x: np.broadcast_to(x[..., :1], x.shape),
)


def argument(rng, shape):
    """An array of some dtype and layout."""
    dtype = np.dtype(DTYPES[rng.integers(len(DTYPES))])
    x = rng.standard_normal(shape)
    if dtype.kind in "biu":
        x = rng.integers(0, 2 if dtype.kind == "b" else 100, shape) - 50 * (dtype.kind == "i")
    if dtype.kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    x = np.asarray(x).astype(dtype)
    if not shape:
        return x[()]
    kind = rng.integers(12)
    if kind < len(LAYOUTS):
        x = LAYOUTS[kind](x)
    if kind % 3 == 0:
        x.flags.writeable = False
    return x


SHAPES = [(), (1,), (3,), (4,), (5,), (17,), (4, 5), (3, 1), (1, 4), (3, 4), (2, 3, 4), (6, 33)]
EMPTY = [(0,), (3, 0), (0, 4)]


def program(seed, operations=None, branches=False):
    """A function of some arrays that gives several, and the arrays.

    The first is one of double precision. With `branches`, the function looks at values.
    """
    rng = np.random.default_rng(seed)
    count = operations or int(rng.integers(5, 60))
    inputs = [rng.standard_normal(SHAPES[rng.integers(len(SHAPES))])]
    for _ in range(rng.integers(0, 3)):
        shapes = EMPTY if rng.random() < 0.05 else SHAPES
        inputs.append(argument(rng, shapes[rng.integers(len(shapes))]))
    inputs = [x if np.ndim(x) else x[()] for x in map(np.asarray, inputs)]
    state = rng.bit_generator.state

    def function(*arrays):
        rng = np.random.default_rng()
        rng.bit_generator.state = state
        values = list(arrays)
        for step in range(count):
            x = real(values[max(0, len(values) - 1 - int(rng.geometric(0.3)))])
            kind = rng.random()
            if kind < 0.26:
                y = unary(rng, x)
            elif kind < 0.6:
                others = [v for v in values if fits(x, v)] or [x]
                y = (binary if kind < 0.56 else complex_numbers)(
                    rng, x, real(others[rng.integers(len(others))])
                )
            elif kind < 0.69:
                y = reduction(rng, x)
            elif kind < 0.83:
                y = move(rng, x)
            elif kind < 0.92:
                y = chosen(rng, x)
            elif kind < 0.95:
                y = whole_numbers(rng, x)
            else:
                y = product(rng, x)
            if branches and step % 9 == 4 and tnp.sum(wave(x * 1.0)) > 0.1:
                y = y * 0.5 + 1
            if y.size <= 600 and y.ndim <= 5:
                values.append(y)
        return tuple(values[-3:])

    return function, inputs


def total(function):
    """A scalar function of the same arrays."""

    def loss(*arrays):
        value = 0.0
        for y in function(*arrays):
            value = value + tnp.sum(wave(real(y) * 1.0))
        return value

    return loss


def differentiable(inputs):
    """The numbers of the arrays that there are gradients of."""
    return tuple(i for i, x in enumerate(inputs) if x.dtype.kind == "f")


def with_gradient(function, inputs):
    """The function's results and the gradient of their total, in a list."""
    gradient = tg.grad(total(function), argnums=differentiable(inputs))
    return lambda *arrays: [*function(*arrays), *gradient(*arrays)]


def with_second_order(function, inputs):
    """Products of a Hessian with a vector besides, backward over backward."""
    places = differentiable(inputs)
    gradient = tg.grad(total(function), argnums=places)

    def along(*arrays):
        return sum(tnp.sum(wave(g)) for g in gradient(*arrays))

    second = tg.grad(along, argnums=places)
    return lambda *arrays: [*gradient(*arrays), *second(*arrays)]


def with_tangents(function, inputs):
    """The function's results, and their derivatives along a direction."""
    places = differentiable(inputs)

    def pushed(*arrays):
        def of_some(*some):
            whole = list(arrays)
            for i, x in zip(places, some, strict=True):
                whole[i] = x
            return [y for y in function(*whole) if y.dtype.kind in "fc"]

        chosen = [arrays[i] for i in places]
        values, tangents = tg.jvp(of_some, tuple(chosen), tuple(x * 0.5 + 1 for x in chosen))
        return [*values, *tangents]

    return pushed


def over_lanes(function, inputs):
    """The function and its gradient, for three of the first array at once."""
    whole = with_gradient(function, inputs)

    def mapped(*arrays):
        lanes = tnp.stack([arrays[0], arrays[0] * 0.5, arrays[0] - 1])
        return tg.vmap(lambda x: whole(x, *arrays[1:]))(lanes)

    return mapped
