"""What is measured, for tapegrad, for NumPy by hand and for the peers that are installed."""

from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise

import numpy as np

import tapegrad as tg
import tapegrad.numpy as tnp

rng = np.random.default_rng(0)


def load(name, *submodules):
    """A peer's module, with some of its submodules; None where it is not installed."""
    if find_spec(name) is None:
        return None
    for submodule in submodules:
        import_module(submodule)
    return import_module(name)


torch = load("torch")
autograd = load("autograd", "autograd.numpy")
jax = load("jax", "jax.numpy")
if torch is not None:
    torch.set_num_threads(1)


def mul_add(x, factor, term, operations):
    for _ in range(operations // 2):
        x = x * factor + term
    return x


def recording(shape):
    """100 operations with their recording, and the same on raw arrays."""
    x, factor, term = (rng.uniform(0.5, 1.0, shape)[()] for _ in range(3))
    return {
        "tapegrad": lambda: tg.vjp(lambda x: mul_add(x, factor, term, 100), x),
        "numpy": lambda: mul_add(x, factor, term, 100),
    }


def scalar_chain():
    """1000 operations on a number, forward and backward."""

    def chain(x):
        return mul_add(x, 0.999, 0.1, 1000)

    programs = {"tapegrad": lambda: tg.grad(chain)(np.float64(0.3))}
    if torch is not None:
        leaf = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
        programs["torch"] = lambda: torch.autograd.grad(chain(leaf), leaf)
    if autograd is not None:
        programs["autograd"] = lambda: autograd.grad(chain)(0.3)
    return programs


def rosenbrock(np, x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def rosenbrock_gradient(n):
    x = rng.standard_normal(n)
    gradient = tg.grad(lambda x: rosenbrock(tnp, x))
    programs = {"tapegrad": lambda: gradient(x), "numpy": lambda: rosenbrock(np, x)}
    if torch is not None:
        leaf = torch.tensor(x, requires_grad=True)
        programs["torch"] = lambda: torch.autograd.grad(rosenbrock(torch, leaf), leaf)
    if autograd is not None:
        peer = autograd.grad(lambda x: rosenbrock(autograd.numpy, x))
        programs["autograd"] = lambda: peer(x)
    return programs


def rosenbrock_hessian(n):
    x = rng.standard_normal(n)
    programs = {"tapegrad": lambda: tg.hessian(lambda x: rosenbrock(tnp, x))(x)}
    if torch is not None:
        point = torch.tensor(x)
        programs["torch"] = lambda: torch.autograd.functional.hessian(
            lambda x: rosenbrock(torch, x), point
        )
        programs["torch.func"] = lambda: torch.func.hessian(lambda x: rosenbrock(torch, x))(point)
    return programs


def tanh_jacobian(n=200):
    x, weight = rng.standard_normal(n), rng.standard_normal((n, n)) / n**0.5
    programs = {"tapegrad": lambda: tg.jacobian(lambda x: tnp.tanh(weight @ x))(x)}
    if torch is not None:
        point, factor = torch.tensor(x), torch.tensor(weight)
        programs["torch.func"] = lambda: torch.func.jacrev(lambda x: torch.tanh(factor @ x))(point)
    return programs


def perceptron_hvp():
    """The Hessian of a 20-64-64-1 network (5,569 parameters) times a vector, single precision."""
    sizes = (20, 64, 64, 1)
    shapes = [shape for pair in pairwise(sizes) for shape in (pair, pair[1:])]
    params, vector = ([rng.standard_normal(s).astype(np.float32) / 8 for s in shapes] for _ in "pv")
    x, y = (rng.standard_normal((32, n)).astype(np.float32) for n in (20, 1))

    def loss(np, x, y, params):
        w1, b1, w2, b2, w3, b3 = params
        return np.mean((np.tanh(np.tanh(x @ w1 + b1) @ w2 + b2) @ w3 + b3 - y) ** 2)

    programs = {"tapegrad": lambda: tg.hvp(partial(loss, tnp, x, y), params, vector)}
    if torch is not None:
        torch_loss = partial(loss, torch, torch.tensor(x), torch.tensor(y))
        torch_args = [list(map(torch.tensor, part)) for part in (params, vector)]
        programs["torch.func"] = lambda: torch.func.jvp(
            torch.func.grad(torch_loss), *((part,) for part in torch_args)
        )
    if jax is not None:
        arrays = jax.numpy.asarray
        jax_loss = partial(loss, jax.numpy, arrays(x), arrays(y))
        jax_args = [list(map(arrays, part)) for part in (params, vector)]
        programs["jax"] = lambda: jax.block_until_ready(
            jax.jvp(jax.grad(jax_loss), *((part,) for part in jax_args))
        )
    return programs


def perceptron_step():
    """Loss, gradient and update of a 784-200-10 network on 100 images, in single precision."""
    sizes = ((784, 200), (200,), (200, 10), (10,))
    start = [(rng.standard_normal(s) / 20).astype(np.float32) for s in sizes]
    x = rng.standard_normal((100, 784)).astype(np.float32)
    labels = rng.integers(0, 10, 100)
    rows = np.arange(100)
    rate = np.float32(1e-4)

    def loss(params):
        w1, b1, w2, b2 = params
        scores = tnp.maximum(x @ w1 + b1, 0) @ w2 + b2
        scores = scores - tnp.max(scores, axis=1, keepdims=True)
        return tnp.mean(tnp.log(tnp.sum(tnp.exp(scores), axis=1)) - scores[rows, labels])

    own = [p.copy() for p in start]

    def tapegrad():
        _, gradient = tg.value_and_grad(loss)(own)
        for p, g in zip(own, gradient, strict=True):
            p -= rate * g

    plain = [p.copy() for p in start]

    def numpy():
        w1, b1, w2, b2 = plain
        hidden = np.maximum(x @ w1 + b1, 0)
        scores = hidden @ w2 + b2
        scores -= scores.max(axis=1, keepdims=True)
        g = np.exp(scores)
        total = g.sum(axis=1, keepdims=True)
        value = np.mean(np.log(total[:, 0]) - scores[rows, labels])
        g /= total
        g[rows, labels] -= 1
        g /= 100
        g_hidden = g @ w2.T
        g_hidden *= hidden > 0
        gradient = x.T @ g_hidden, g_hidden.sum(axis=0), hidden.T @ g, g.sum(axis=0)
        for p, g in zip(plain, gradient, strict=True):
            p -= rate * g
        return value

    programs = {"tapegrad": tapegrad, "numpy": numpy}
    if torch is not None:
        programs["torch"] = torch_perceptron_step(start, x, labels, float(rate))
    return programs


def torch_perceptron_step(start, x, labels, rate):
    params = [torch.tensor(p, requires_grad=True) for p in start]
    x, labels = torch.tensor(x), torch.tensor(labels)
    optimiser = torch.optim.SGD(params, lr=rate, fused=True)

    def step():
        w1, b1, w2, b2 = params
        optimiser.zero_grad()
        scores = torch.relu(x @ w1 + b1) @ w2 + b2
        torch.nn.functional.cross_entropy(scores, labels).backward()
        optimiser.step()

    return step
