"""`torch.autograd.functional`, `forward_ad`, `gradcheck`, `torch.func`, batches, checkpoints."""

import pytest

import tapegrad.torch as torch
from tapegrad.torch.autograd import forward_ad, functional
from tapegrad.torch.utils.checkpoint import checkpoint, checkpoint_sequential, noop_context_fn

X = torch.tensor([1.0, 2.0], dtype=torch.float64)
Y = torch.tensor([3.0, 4.0], dtype=torch.float64)


def cubes(x):
    return x**3


def pair(x, y):
    return x * y, (x**2).sum()


def total(x, y):
    return (x**2 * y).sum()


def lists(nested):
    return [lists(x) for x in nested] if isinstance(nested, tuple | list) else nested.tolist()


@pytest.mark.parametrize(
    "options",
    [{}, {"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}, {"strict": True}],
)
def test_jacobian(options):
    assert lists(functional.jacobian(cubes, X, **options)) == [[3.0, 0.0], [0.0, 12.0]]
    if "strict" in options:
        return
    assert lists(functional.jacobian(pair, (X, Y), **options)) == [
        [[[3.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, 2.0]]],
        [[2.0, 4.0], [0.0, 0.0]],
    ]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"vectorize": True},
        {"vectorize": True, "outer_jacobian_strategy": "forward-mode"},
    ],
)
def test_hessian(options):
    assert lists(functional.hessian(lambda x: (x**3).sum(), X, **options)) == [[6, 0], [0, 12]]
    assert lists(functional.hessian(total, (X, Y), **options)) == [
        [[[6.0, 0.0], [0.0, 8.0]], [[2.0, 0.0], [0.0, 4.0]]],
        [[[2.0, 0.0], [0.0, 4.0]], [[0.0, 0.0], [0.0, 0.0]]],
    ]
    assert lists(functional.hessian(lambda x: Y.sum(), X, **options)) == [[0, 0], [0, 0]]
    assert lists(functional.hessian(lambda x: x.sum(), X, **options)) == [[0, 0], [0, 0]]


def test_products():
    one = torch.tensor(1.0, dtype=torch.float64)
    assert lists(functional.vjp(cubes, X, X)) == [[1.0, 8.0], [3.0, 24.0]]
    out, pulled = functional.vjp(pair, (X, Y), (X, one))
    assert lists(out) == [[3.0, 8.0], 5.0]
    assert lists(pulled) == [[5.0, 12.0], [1.0, 4.0]]
    assert lists(functional.vjp(lambda x: x.sum(), X)) == [3.0, [1.0, 1.0]]
    assert lists(functional.jvp(cubes, X, X)) == [[1.0, 8.0], [3.0, 24.0]]
    assert lists(functional.jvp(pair, (X, Y), (X, Y))[1]) == [[6.0, 16.0], 10.0]
    assert lists(functional.vhp(total, (X, Y), (X, Y))[1]) == [[12.0, 32.0], [2.0, 8.0]]
    assert lists(functional.hvp(total, (X, Y), (X, Y))) == [19.0, [[12.0, 32.0], [2.0, 8.0]]]
    assert lists(functional.derivative(cubes)(X)) == [[3.0, 0.0], [0.0, 12.0]]


def test_create_graph():
    x = X.clone().requires_grad_()
    matrix = functional.jacobian(cubes, x, create_graph=True)
    matrix.sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]
    assert not functional.jacobian(cubes, x).requires_grad
    product = functional.hvp(lambda x: (x**3).sum(), x, X, create_graph=True)[1]
    (g,) = torch.autograd.grad(product.sum(), x)
    assert g.tolist() == [6.0, 12.0]


MISUSES = [
    (lambda: functional.jacobian(lambda x: Y * 1, X, strict=True), RuntimeError, "Output 0 of the"),
    (
        lambda: functional.jacobian(lambda x, z: x * 1, (X, Y), strict=True),
        RuntimeError,
        "Output 0 of the user-provided function is independent of input 1",
    ),
    (lambda: functional.jacobian(lambda x: 1.0, X), TypeError, "must be either a Tensor or a"),
    (lambda: functional.jacobian(cubes, [X]), TypeError, "The inputs given to jacobian must be"),
    (lambda: functional.vjp(cubes, X), RuntimeError, "The vector v can only be None if the user"),
    (lambda: functional.jvp(cubes, X), RuntimeError, "The vector v can only be None if the input"),
    (
        lambda: functional.vjp(cubes, X, torch.ones(3)),
        RuntimeError,
        r"v has invalid size: should be torch.Size\(\[2\]\) but got torch.Size\(\[3\]\)",
    ),
    (lambda: functional.vjp(cubes, X, (X, X)), RuntimeError, "given v should contain a single"),
    (lambda: functional.hessian(cubes, X), RuntimeError, "should contain a single element"),
    (
        lambda: functional.jacobian(cubes, X, strategy="forward-mode"),
        NotImplementedError,
        "only implemented for `vectorize=True`",
    ),
    (
        lambda: functional.jacobian(
            cubes, X, create_graph=True, vectorize=True, strategy="forward-mode"
        ),
        NotImplementedError,
        "not supported together",
    ),
    (
        lambda: functional.jacobian(cubes, X, strategy="sideways"),
        AssertionError,
        "Expected strategy",
    ),
    (
        lambda: functional.hessian(lambda x: (x, x), X),
        RuntimeError,
        "should return a single Tensor",
    ),
    (
        lambda: functional.vjp(lambda x, z: x * 1, (X, Y), X, strict=True),
        RuntimeError,
        "The output of the user-provided function is independent of input 1",
    ),
    (
        lambda: functional.jvp(lambda x: x * 1, X, X, create_graph=True, strict=True),
        RuntimeError,
        "The jacobian of the user-provided function is independent of input 0",
    ),
    (
        lambda: functional.hessian(lambda x: x.sum(), X, strict=True),
        RuntimeError,
        "While computing the hessian, found that the jacobian",
    ),
    (
        lambda: functional.vhp(lambda x: x.sum(), X, X, strict=True),
        RuntimeError,
        "While computing the hessian, found that the jacobian",
    ),
    (
        lambda: functional.hvp(lambda x: (x**2).sum(), X, X, create_graph=True, strict=True),
        RuntimeError,
        "The hessian of the user-provided function is independent of input 0",
    ),
    (
        lambda: torch.autograd.gradcheck(cubes, X.expand(2, 2).requires_grad_()),
        RuntimeError,
        "The 0th input has a dimension with stride 0",
    ),
    (
        lambda: torch.autograd.gradcheck(cubes, X, check_backward_ad=False),
        AssertionError,
        "at least one of check_forward_ad or check_backward_ad",
    ),
    (
        lambda: functional.jacobian(cubes, X, strict=True, vectorize=True),
        RuntimeError,
        "not supported together",
    ),
]


@pytest.mark.parametrize(("call", "kind", "match"), MISUSES)
def test_misuse(call, kind, match):
    with pytest.raises(kind, match=match):
        call()


def test_forward_mode():
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(X, Y)
        z = dual * dual + X
        assert forward_ad.unpack_dual(z).tangent.tolist() == [6.0, 16.0]
        primal, tangent = forward_ad.unpack_dual((z * 2).sum())
        assert (primal.item(), tangent.item()) == (16.0, 44.0)
        assert forward_ad.unpack_dual(X * 2).tangent is None
        q = torch.ones(2, dtype=torch.float64, requires_grad=True)
        tangent = forward_ad.unpack_dual((dual * q).sum()).tangent
        tangent.backward()  # reverse over forward
        assert q.grad.tolist() == [3.0, 4.0]
        with pytest.raises(RuntimeError, match="Nested forward mode AD is not supported"):
            forward_ad.enter_dual_level()
        with pytest.raises(RuntimeError, match="different size than that of the original"):
            forward_ad.make_dual(X, torch.ones(3))
        with pytest.raises(ValueError, match="Expected primal to be floating point"):
            forward_ad.make_dual(torch.ones(2, dtype=torch.int64), torch.ones(2))
    assert forward_ad.unpack_dual(z).tangent is None
    with pytest.raises(RuntimeError, match="Trying to create a dual Tensor for forward AD but no"):
        forward_ad.make_dual(X, Y)


def test_batches_of_gradients():
    x = X.clone().requires_grad_()
    y = Y.clone().requires_grad_()
    eye = torch.eye(2, dtype=torch.float64)
    found = torch.autograd.grad(x * y, (x, y), eye, is_grads_batched=True)
    assert lists(found) == [[[3.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, 2.0]]]
    a = x * x
    b = a * x
    (g,) = torch.autograd.grad([a, b], x, [eye, 2 * eye], is_grads_batched=True, create_graph=True)
    assert g.tolist() == [[8.0, 0.0], [0.0, 28.0]]
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == [14.0, 26.0]
    z = x * x
    torch.autograd.grad(z, x, eye, is_grads_batched=True)
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        torch.autograd.grad(z, x, eye, is_grads_batched=True)


def test_gradcheck():
    x, y = X.clone().requires_grad_(), Y.clone().requires_grad_()

    def f(x, y):
        return (x * y).sin(), x.sum()

    everything = {"check_forward_ad": True, "check_batched_grad": True}
    assert torch.autograd.gradcheck(f, (x, y), **everything)
    assert torch.autograd.gradgradcheck(f, (x, y))
    assert torch.autograd.gradgradcheck(f, (x, y), check_fwd_over_rev=True)
    z = torch.tensor([1 + 2j, 0.5 - 1j], dtype=torch.complex128, requires_grad=True)
    for g in (lambda z: z * z.exp(), lambda z: z.abs(), lambda z: z.conj() * z):
        assert torch.autograd.gradcheck(g, (z,), check_forward_ad=True)
        assert torch.autograd.gradgradcheck(g, (z,))
    assert torch.autograd.gradcheck(lambda x: x * (1 + 2j), (x,))


def test_gradcheck_finds_faults():
    class Faulty(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 3

    x = X.clone().requires_grad_()
    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0 with respect to inp"):
        torch.autograd.gradcheck(Faulty.apply, x)
    assert not torch.autograd.gradcheck(Faulty.apply, x, raise_exception=False)
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        torch.autograd.gradcheck(lambda x: x, X)


def test_func():
    func = torch.func
    x = torch.tensor([1.0, 2.0])

    def square(x):
        return (x * x).sum()

    assert func.grad(square)(x).tolist() == [2.0, 4.0]
    assert lists(func.grad_and_value(square)(x)) == [[2.0, 4.0], 5.0]
    aux = func.grad_and_value(lambda x: (square(x), x), has_aux=True)(x)
    assert lists(aux) == [[2.0, 4.0], [5.0, [1.0, 2.0]]]
    assert lists(func.grad(lambda x: (square(x), x), has_aux=True)(x)) == [[2.0, 4.0], [1.0, 2.0]]
    assert lists(func.grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(x, 2 * x)) == [
        [2.0, 4.0],
        [1.0, 2.0],
    ]
    out, pullback = func.vjp(lambda x: (x * 2, x * 3), x)
    assert lists(pullback(x, x)) == lists(pullback((x, x))) == [[5.0, 10.0]]
    out, pullback, extra = func.vjp(lambda x: (x * 2, x), x, has_aux=True)
    assert lists([out, pullback(x), extra]) == [[2.0, 4.0], [[2.0, 4.0]], [1.0, 2.0]]
    assert lists(func.jvp(lambda x, y: x * y, (x, x), (x, x))) == [[1.0, 4.0], [2.0, 8.0]]
    assert lists(func.linearize(lambda x: x * x, x)[1](x)) == [2.0, 8.0]
    assert lists(func.jacrev(lambda x: x * x)(x)) == [[2.0, 0.0], [0.0, 4.0]]
    assert lists(func.jacfwd(lambda x: x * x)(x)) == [[2.0, 0.0], [0.0, 4.0]]
    assert lists(func.hessian(lambda x: (x**3).sum())(x)) == [[6.0, 0.0], [0.0, 12.0]]
    assert lists(func.vmap(func.grad(square))(torch.stack([x, 2 * x]))) == [[2, 4], [4, 8]]
    assert func.vmap(lambda x, y: x * y, in_dims=(0, None), out_dims=1)(
        torch.ones(3, 2), x
    ).tolist() == [[1.0] * 3, [2.0] * 3]
    z = torch.tensor([1 + 2j])
    assert func.grad(lambda z: (z * z.conj()).real.sum())(z).tolist() == [2 + 4j]
    assert func.functionalize(square) is square
    with pytest.raises(RuntimeError, match="Expected primals to be a tuple"):
        func.jvp(square, x, x)
    with pytest.raises(RuntimeError, match="independent of the inputs"):
        func.jvp(lambda x: torch.ones(1), (x,), (x,), strict=True)


NO_TENSORS = [
    (
        lambda: torch.func.grad(lambda x: 3)(X),
        RuntimeError,
        "Expected f.* to return a Tensor, got <class",
    ),
    (
        lambda: torch.func.grad(lambda x: x * 2)(X),
        RuntimeError,
        "scalar Tensor, got tensor with 1 dims",
    ),
    (
        lambda: torch.func.grad(torch.sum, has_aux=True)(X),
        RuntimeError,
        "function f should be a tuple",
    ),
    (lambda: torch.func.grad_and_value(lambda x: None)(X), RuntimeError, "to return a Tensor, got"),
    (
        lambda: torch.func.jacrev(lambda x: 3)(X),
        RuntimeError,
        "to return only tensors, got unsupported",
    ),
    (
        lambda: torch.func.jacfwd(lambda x: (x, 3))(X),
        RuntimeError,
        "got unsupported type <class 'int'>",
    ),
    (lambda: torch.func.vjp(lambda x: 3, X), RuntimeError, r"vjp\(f, \*primals\): expected f"),
    (
        lambda: torch.func.jvp(lambda x: 3, (X,), (X,)),
        RuntimeError,
        "primals, tangents.: expected f",
    ),
    (
        lambda: torch.func.vmap(lambda x: 3)(X),
        ValueError,
        "`<lambda>` must only return Tensors, got type",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), NO_TENSORS)
def test_results_that_have_no_derivative(call, kind, text):
    with pytest.raises(kind, match=text):
        call()
    assert torch.func.vmap(lambda x: 3, out_dims=None)(X) == 3


def block(x, w):
    return torch.tanh(x * w)


def test_checkpoint():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([0.5, 0.25], requires_grad=True)
    runs = []

    def closing(x):
        runs.append(1)
        return block(x, w)

    for reentrant in (True, False):
        x.grad = w.grad = None
        checkpoint(closing, x, use_reentrant=reentrant).sum().backward()
        slope = 1 - torch.tanh(x.detach() * w.detach()) ** 2
        assert torch.allclose(x.grad, slope * w.detach())
        assert torch.allclose(w.grad, slope * x.detach())
    assert len(runs) == 2
    (g,) = torch.autograd.grad(checkpoint(block, x, w).sum(), x, create_graph=True)
    plain = torch.autograd.grad(block(x, w).sum(), x, create_graph=True)[0]
    assert torch.allclose(
        torch.autograd.grad(g.sum(), w)[0], torch.autograd.grad(plain.sum(), w)[0]
    )
    steps = [lambda x: x * 2, lambda x: x.sin(), lambda x: x * 3]
    y = checkpoint_sequential(steps, 2, x, use_reentrant=False)
    assert torch.allclose(y, (x * 2).sin() * 3)
    x.grad = None
    y.sum().backward()
    assert torch.allclose(x.grad, (x.detach() * 2).cos() * 6)
    with pytest.raises(NotImplementedError, match="context_fn has no part in it"):
        checkpoint(block, x, w, context_fn=lambda: None)
    assert checkpoint(block, x, w, context_fn=noop_context_fn).tolist() == block(x, w).tolist()
