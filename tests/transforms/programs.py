"""Random programs that nest transforms, for the library and for the textbook's dual numbers.

A program is a tree of small functions of a language (a `Library` or a `Textbook`) and of the
variables in scope; every transform opens a scope, so that functions close over values of all
levels around them. Values are scalars and vectors of three elements.
"""

import numpy as np

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.modes import no_grad

from . import duals

SIZE = 3


class Library:
    """The language, as the library has it."""

    sin, tanh, exp, sqrt, where = tnp.sin, tnp.tanh, tnp.exp, tnp.sqrt, tnp.where
    maximum, multiply, outer, cumsum = tnp.maximum, tnp.multiply, tnp.outer, tnp.cumsum
    concatenate, stack, total, constant = tnp.concatenate, tnp.stack, tnp.sum, tg.stop_gradient
    grad, jacrev, jacfwd, hessian = tg.grad, tg.jacrev, tg.jacfwd, tg.hessian
    checkpoint = tg.checkpoint
    jvp, vjp, linearize, hvp, vhp, vmap = tg.jvp, tg.vjp, tg.linearize, tg.hvp, tg.vhp, tg.vmap

    @staticmethod
    def value_times_gradient(f, x):
        value, gradient = tg.value_and_grad(f)(x)
        return value * gradient

    @staticmethod
    def in_chunks(f, xs):
        return tg.vmap(f, in_axes=-1, out_axes=-1, chunk_size=2)(xs)

    @staticmethod
    def recorded(f):
        return lambda x: tg.record(f)(x)[0]

    @staticmethod
    def paused(f):
        with no_grad():
            return tnp.multiply(f(), 1.0)

    @staticmethod
    def double_sine(pulled):
        """sin, with a rule that says twice its derivative."""
        if pulled:
            f = tg.custom_vjp(lambda x: tnp.sin(x))
            f.defvjp(lambda x: (tnp.sin(x), (x,)), lambda xs, g: (g * 2 * tnp.cos(*xs),))
        else:
            f = tg.custom_jvp(lambda x: tnp.sin(x))
            f.defjvp(lambda xs, ts: (tnp.sin(*xs), 2 * tnp.cos(*xs) * ts[0]))
        return f

    @staticmethod
    def assigned(x, i, value):
        y = x * 1.0 + value * 0.0
        y[i] = value
        return y

    @staticmethod
    def added(x, i, value):
        y = x * 1.0 + value * 0.0
        view = y[i:]
        view += value
        return y


class Textbook:
    """The language, on dual numbers."""

    sin, tanh, exp, sqrt, where = duals.sin, duals.tanh, duals.exp, duals.sqrt, duals.where
    maximum, multiply, outer, cumsum = duals.maximum, duals.multiply, duals.outer, duals.cumsum
    concatenate, stack, total = duals.concatenate, duals.stack, duals.total
    constant = duals.constant
    jvp, vmap = duals.jvp, duals.vmap
    grad = jacrev = jacfwd = duals.jacobian

    @staticmethod
    def hessian(f):
        return duals.jacobian(duals.jacobian(f))

    @staticmethod
    def vjp(f, x):
        return f(x), lambda g: (
            (duals.matmul if duals.data(x).ndim else duals.multiply)(g, duals.jacobian(f)(x)),
        )

    @staticmethod
    def linearize(f, x):
        return f(x), lambda t: duals.jvp(f, (x,), (t,))[1]

    @staticmethod
    def hvp(f, x, t):
        return duals.jvp(duals.jacobian(f), (x,), (t,))[1]

    vhp = hvp

    @staticmethod
    def value_times_gradient(f, x):
        return f(x) * duals.jacobian(f)(x)

    @staticmethod
    def in_chunks(f, xs):
        swap = duals.linear(np.transpose)
        return swap(duals.vmap(f)(swap(xs)))

    @staticmethod
    def same(f):
        return f

    checkpoint = recorded = same

    @staticmethod
    def paused(f):
        return duals.constant(f())

    @staticmethod
    def double_sine(_pulled):
        return duals.elementwise(np.sin, lambda x: 2.0 * duals.cos(x))

    @staticmethod
    def assigned(x, i, value):
        mask = np.arange(SIZE) == i
        return duals.where(mask, value, x)

    @staticmethod
    def added(x, i, value):
        return x + duals.multiply(value, (np.arange(SIZE) >= i) * 1.0)


class Maker:
    """Makes programs; `draw` is a `random.Random`, `budget` the number of nodes left.

    `pulled` says whether functions with a reverse rule alone may occur, and so no forward mode.
    """

    def __init__(self, draw, budget, pulled):
        self.draw, self.budget, self.pulled = draw, budget, pulled
        self.variables = 0

    def make(self, kind, scope, depth):
        """A function of a language and an environment that gives a `kind` ("s" or "v")."""
        self.budget -= 1
        names = [name for name, k in scope.items() if k == kind]
        if depth <= 0 or self.budget <= 0 or (names and self.draw.random() < 0.1):
            if names and self.draw.random() < 0.95:
                name = self.draw.choice(names)
                return lambda _, env: env[name]
            number = self.draw.uniform(-1.5, 1.5)
            value = number if kind == "s" else number + np.arange(SIZE) / 2
            return lambda _, env: value
        shapes = SCALARS if kind == "s" else VECTORS
        allowed = [s for s in shapes if not (self.pulled and s[0] in FORWARD)]
        rule, *needs = self.draw.choice(allowed)
        parts = [self.part(need, kind, scope, depth - 1) for need in needs]
        i = self.draw.randrange(SIZE)
        return lambda lang, env: rule(lang, i, *(part(lang, env) for part in parts))

    def part(self, need, kind, scope, depth):
        """What a rule needs: a value ("s", "v", "=": of its own kind) or a function ("s->v")."""
        given, arrow, wanted = need.partition("->")
        if not arrow:
            return self.make(kind if need == "=" else need, scope, depth)
        name = f"x{self.variables}"
        self.variables += 1
        body = self.make(kind if wanted == "=" else wanted, {**scope, name: given}, depth)

        def function(lang, env):
            return lambda x: lang.multiply(body(lang, {**env, name: x}), 1.0)

        return function


def jvp(lang, _, f, x, t):
    return lang.jvp(f, (array(lang, x),), (array(lang, t),))[1]


def vjp(lang, _, f, x, g):
    value, pull = lang.vjp(f, array(lang, x))
    return pull(array(lang, g))[0] + value


def vjp_in_lanes(lang, i, f, x, g):
    _, pull = lang.vjp(f, array(lang, x))
    return lang.vmap(lambda s: pull(s * array(lang, g))[0])(array(lang, x))[i]


def linearize(lang, _, f, x, t):
    value, push = lang.linearize(f, array(lang, x))
    return push(array(lang, t)) * value + push(array(lang, x))


def linearize_in_lanes(lang, i, f, x, t):
    _, push = lang.linearize(f, array(lang, x))
    return lang.vmap(lambda s: push(s * array(lang, t)))(array(lang, x))[i]


def hvp(lang, _, f, x, t):
    return lang.hvp(f, array(lang, x), array(lang, t))


def jacfwd(lang, i, f, x):
    return lang.jacfwd(f)(array(lang, x))[i]


def hessian(lang, _, f, x, t):
    return lang.hessian(f)(array(lang, x)) @ array(lang, t)


def table(lang, x):
    return lang.outer(array(lang, x), np.arange(1.0, 3.0))


def array(lang, x):
    return lang.multiply(x, 1.0)


ANY = [
    (lambda lang, _, x: lang.sin(x), "="),
    (lambda lang, _, x: lang.tanh(x), "="),
    (lambda lang, _, x: lang.exp(-x * x), "="),
    (lambda lang, _, x: lang.sqrt(1 + x * x), "="),
    (lambda lang, _, x: 1 / (2 + lang.sin(x)), "="),
    (lambda lang, _, x, y: x + y, "=", "s"),
    (lambda lang, _, x, y: y * x, "=", "s"),
    (lambda lang, _, x, y: x * y, "=", "="),
    (lambda lang, _, x, y: y - x, "=", "="),
    (lambda lang, _, x, y: x / (2 + y * y), "=", "s"),
    (lambda lang, _, x, y: lang.maximum(x, y * 0.7), "=", "="),
    (lambda lang, _, c, x, y: lang.where(c > array(lang, 0.1), x, y), "=", "=", "s"),
    (lambda lang, _, x: lang.constant(x), "="),
    (lambda lang, _, f, x: lang.paused(lambda: f(x)), "s->=", "s"),
    (lambda lang, _, f, x: lang.checkpoint(f)(x), "s->=", "s"),
    (lambda lang, _, f, x: lang.checkpoint(f)(x), "v->=", "v"),
    (lambda lang, _, f, x: lang.recorded(f)(array(lang, x)), "s->=", "s"),
    (lambda lang, _, x: lang.double_sine(False)(array(lang, x)), "="),
    (lambda lang, _, f, x: lang.grad(f)(array(lang, x)), "=->s", "="),
    (lambda lang, _, f, x: lang.value_times_gradient(f, array(lang, x)), "=->s", "="),
    (jvp, "=->=", "=", "="),
    (vjp, "=->=", "=", "="),
    (linearize, "=->=", "=", "="),
    (hvp, "=->s", "=", "="),
]
SCALARS = [
    *ANY,
    (lambda lang, _, x: lang.total(x), "v"),
    (lambda lang, i, x: x[i], "v"),
    (lambda lang, _, x, y: array(lang, x) @ array(lang, y), "v", "v"),
    (lambda lang, _, x: sum(x[k] * x[(k + 1) % SIZE] for k in range(SIZE)), "v"),
    (lambda lang, i, f, x: lang.grad(f)(array(lang, x))[i], "v->s", "v"),
]
VECTORS = [
    *ANY,
    (lambda lang, _, x: array(lang, x)[::-1], "v"),
    (lambda lang, _, x: lang.cumsum(array(lang, x)) / 2, "v"),
    (lambda lang, _, x, y: lang.outer(array(lang, x), array(lang, y)) @ array(lang, y), "v", "v"),
    (lambda lang, _, x, y: lang.concatenate([array(lang, x)[1:], array(lang, y)[:1]]), "v", "v"),
    (lambda lang, _, *xs: lang.stack([array(lang, x) for x in xs]), "s", "s", "s"),
    (lambda lang, i, x, y: lang.assigned(array(lang, x), i, y), "v", "s"),
    (lambda lang, i, x, y: lang.added(array(lang, x), i, y), "v", "s"),
    (lambda lang, _, f, x: lang.vmap(f)(array(lang, x)), "s->s", "v"),
    (lambda lang, _, f, x: lang.vmap(lang.grad(f))(array(lang, x)), "s->s", "v"),
    (lambda lang, _, f, x: lang.in_chunks(f, table(lang, x)) @ np.ones(2), "v->v", "v"),
    (lambda lang, i, f, x: lang.jacrev(f)(array(lang, x))[i], "v->v", "v"),
    (jacfwd, "v->v", "v"),
    (hessian, "v->s", "v", "v"),
    (vjp_in_lanes, "v->v", "v", "v"),
    (linearize_in_lanes, "v->v", "v", "v"),
]
FORWARD = {jvp, linearize, linearize_in_lanes, hvp, jacfwd}


def program(draw, depth, budget, pulled=False):
    """A scalar function of a vector, given a language."""
    body = Maker(draw, budget, pulled).make("s", {"x": "v"}, depth)
    last = (lambda lang, y: lang.double_sine(True)(y)) if pulled else (lambda lang, y: y)
    return lambda lang: lambda x: last(lang, lang.multiply(body(lang, {"x": x}), 1.0))
