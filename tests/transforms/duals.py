"""Derivatives as a textbook has them: dual numbers with tags, which know nothing of the library.

A `Dual` is a value and its derivative along one direction; both may be duals of older tags. Every
transform is made of that: a Jacobian a column at a time, `vmap` as a loop. Slow and simple, it is
the truth that random programs are compared with.
"""

import itertools

import numpy as np

tags = itertools.count(1)


class Dual:
    __array_ufunc__ = None  # ndarrays leave the arithmetic to this class

    def __init__(self, tag, value, tangent):
        self.tag, self.value, self.tangent = tag, value, tangent

    def __add__(self, other):
        return add(self, other)

    def __mul__(self, other):
        return multiply(self, other)

    def __neg__(self):
        return multiply(self, -1.0)

    def __sub__(self, other):
        return add(self, multiply(other, -1.0))

    def __rsub__(self, other):
        return add(other, -self)

    def __truediv__(self, other):
        return multiply(self, reciprocal(other))

    def __rtruediv__(self, other):
        return multiply(other, reciprocal(self))

    def __matmul__(self, other):
        return matmul(self, other)

    def __rmatmul__(self, other):
        return matmul(other, self)

    def __gt__(self, other):
        return data(self) > data(other)

    def __lt__(self, other):
        return data(self) < data(other)

    def __getitem__(self, key):
        return linear(lambda x: x[key])(self)

    __radd__, __rmul__ = __add__, __mul__


def data(x):
    """The number that a dual is, without derivatives."""
    while isinstance(x, Dual):
        x = x.value
    return np.asarray(x)


def operation(function, tangent):
    """An operation on duals; ``tangent(i, values, t)``: the result's, for that of input i."""

    def run(*args):
        tag = max((x.tag for x in args if isinstance(x, Dual)), default=0)
        if not tag:
            return function(*map(np.asarray, args))
        varies = [isinstance(x, Dual) and x.tag == tag for x in args]
        values = [x.value if v else x for x, v in zip(args, varies, strict=True)]
        parts = [
            tangent(i, values, x.tangent)
            for i, (x, v) in enumerate(zip(args, varies, strict=True))
            if v
        ]
        return Dual(tag, run(*values), sum(parts[1:], parts[0]))

    return run


def linear(function):
    return operation(function, lambda i, values, t: linear(function)(t))


def bilinear(function):
    def tangent(i, values, t):
        return bilinear(function)(*(t if k == i else x for k, x in enumerate(values)))

    return operation(function, tangent)


def elementwise(function, derivative):
    return operation(function, lambda i, values, t: multiply(t, derivative(*values)))


def like(values):
    return np.ones(np.broadcast_shapes(*(data(x).shape for x in values)))


add = operation(np.add, lambda i, values, t: multiply(t, like(values)))
multiply = bilinear(np.multiply)
matmul = bilinear(np.matmul)
outer = bilinear(np.outer)
reciprocal = elementwise(lambda x: 1 / x, lambda x: -multiply_by_itself(reciprocal(x)))
sin = elementwise(np.sin, lambda x: cos(x))
cos = elementwise(np.cos, lambda x: multiply(sin(x), -1.0))
exp = elementwise(np.exp, lambda x: exp(x))
tanh = elementwise(np.tanh, lambda x: 1.0 - multiply_by_itself(tanh(x)))
sqrt = elementwise(np.sqrt, lambda x: reciprocal(multiply(2.0, sqrt(x))))


def multiply_by_itself(x):
    return multiply(x, x)


def where(condition, x, y):
    c = data(condition)
    select = operation(
        lambda x, y: np.where(c, x, y),
        lambda i, values, t: multiply(t, np.where(c, 1.0 - i, float(i)) * like(values)),
    )
    return select(x, y)


def maximum(x, y):
    apart = where(data(x) > data(y), x, y)
    return where(data(x) == data(y), multiply(0.5, add(x, y)), apart)


def concatenate(parts):
    sizes = [len(data(x)) for x in parts]

    def tangent(i, _values, t):
        before, after = sum(sizes[:i]), sum(sizes[i + 1 :])
        return linear(lambda x: np.pad(x, [(before, after)] + [(0, 0)] * (x.ndim - 1)))(t)

    return operation(lambda *xs: np.concatenate(xs), tangent)(*parts)


def stack(parts):
    return concatenate([linear(lambda x: x[None])(x) for x in parts])


def constant(x):
    return data(x)


def jvp(f, primals, tangents):
    tag = next(tags)
    y = f(*(Dual(tag, x, multiply(t, like([x]))) for x, t in zip(primals, tangents, strict=True)))
    if isinstance(y, Dual) and y.tag == tag:
        return y.value, y.tangent
    return y, np.zeros(data(y).shape)


def jacobian(f):
    def run(x):
        shape = data(x).shape
        units = np.eye(data(x).size).reshape(-1, *shape)
        columns = stack([jvp(f, (x,), (unit,))[1] for unit in units])

        def arranged(rows):
            last = np.moveaxis(rows, 0, -1)
            return last.reshape((*last.shape[:-1], *shape))

        return linear(arranged)(columns)

    return run


def vmap(f):
    return lambda xs: stack([f(linear(lambda x, i=i: x[i])(xs)) for i in range(len(data(xs)))])


total = linear(np.sum)
cumsum = linear(np.cumsum)
