"""`torch.autograd.Function`; values and errors are PyTorch's."""

import threading

import pytest

import tapegrad as tg
import tapegrad.torch as torch
from tapegrad.torch.autograd.function import once_differentiable

Function = torch.autograd.Function


def leaf(*values, dtype=torch.float32):
    return torch.tensor(list(values), dtype=dtype, requires_grad=True)


class Exp(Function):
    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, g):
        (out,) = ctx.saved_tensors
        return g * out


class Scaled(Function):
    """Two results, and an argument that is no tensor."""

    @staticmethod
    def forward(ctx, x, y, k):
        ctx.save_for_backward(x, y)
        ctx.k = k
        return x * y * k, x + y

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * y * ctx.k + h, g * x * ctx.k + h, None


class Cube(Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_forward(*inputs)
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x * x * g

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return 3 * x * x * t


def test_one_call_is_one_entry_with_the_functions_name():
    x = leaf(1.0, 2.0)
    y = Exp.apply(x)
    assert y.grad_fn.name() == "ExpBackward"
    assert y.grad_fn.next_functions[0][0].variable is x
    y.sum().backward()
    assert torch.allclose(x.grad, x.detach().exp())


def test_several_results_and_options():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    a, b = Scaled.apply(x, y, 2.0)
    assert (a.output_nr, b.output_nr) == (0, 1)
    (a.sum() + (b * b).sum()).backward()
    assert x.grad.tolist() == [14.0, 20.0]
    assert y.grad.tolist() == [10.0, 16.0]


def test_the_node_shows_the_context():
    x, y = leaf(1.0), leaf(3.0)
    a, _ = Scaled.apply(x, y, 2.0)
    assert a.grad_fn.k == 2.0
    saved = a.grad_fn.saved_tensors
    assert saved[0] is x
    assert saved[1] is y
    node = a.grad_fn
    a.sum().backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        _ = node.saved_tensors


def test_derivatives_of_every_order_go_through_what_is_saved():
    x = leaf(1.0, 2.0)
    (g,) = torch.autograd.grad(Exp.apply(x).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    (third,) = torch.autograd.grad(h.sum(), x)
    assert torch.allclose(third, x.detach().exp())
    y = leaf(3.0, 4.0)
    a, _ = Scaled.apply(x, y, 2.0)
    (g,) = torch.autograd.grad((a * a).sum(), x, create_graph=True)
    assert g.tolist() == [72.0, 256.0]
    g.sum().backward()
    assert x.grad.tolist() == [72.0, 128.0]
    assert y.grad.tolist() == [48.0, 128.0]


def test_transforms_see_through():
    xs = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    e = xs.exp()
    assert torch.allclose(tg.vmap(Exp.apply)(xs), e)
    assert torch.allclose(tg.vmap(tg.grad(lambda t: Exp.apply(t).sum()))(xs), e)
    assert torch.allclose(tg.grad(lambda t: tg.vmap(Exp.apply)(t).sum())(xs), e)
    assert torch.allclose(tg.hessian(lambda t: Exp.apply(t).sum())(xs[0]), torch.diag(e[0]))
    shared = tg.grad(lambda t: tg.vmap(lambda q: Scaled.apply(q, t[0], 2.0)[0])(t).sum())(xs)
    assert shared.tolist() == [[10.0, 16.0], [2.0, 4.0]]


def test_jvp():
    xs = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    out, tangent = torch.func.jvp(Cube.apply, (xs,), (xs,))
    assert out.tolist() == [[1.0, 8.0], [27.0, 64.0]]
    assert tangent.tolist() == [[3.0, 24.0], [81.0, 192.0]]
    pushed = torch.func.vmap(lambda a: torch.func.jvp(Cube.apply, (a,), (a,))[1])(xs)
    assert pushed.tolist() == [[3.0, 24.0], [81.0, 192.0]]
    with pytest.raises(NotImplementedError, match="must implement the jvp function"):
        torch.func.jvp(Exp.apply, (xs,), (xs,))


def test_an_authors_rule_for_lanes():
    class Twice(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

        @staticmethod
        def vmap(info, in_dims, x):
            assert info.batch_size == 3
            assert in_dims == (0,)
            return x.movedim(0, 1) * 2, 1

    x = torch.arange(6.0).reshape(3, 2)
    assert torch.func.vmap(Twice.apply)(x).tolist() == (x * 2).tolist()


def test_straight_through_estimator():
    class Sign(Function):
        @staticmethod
        def forward(ctx, x):
            return x.sign()

        @staticmethod
        def backward(ctx, g):
            return g

    x = leaf(0.5, -2.0)
    y = Sign.apply(x)
    assert y.tolist() == [1.0, -1.0]
    (y * torch.tensor([1.0, 3.0])).sum().backward()
    assert x.grad.tolist() == [1.0, 3.0]


class Doubling(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return 2 * g


def test_mark_dirty():
    x = leaf(1.0, 2.0)
    w = x * 3
    v = Doubling.apply(w)
    assert v is w
    assert v.tolist() == [6.0, 12.0]
    (v * w).sum().backward()
    assert x.grad.tolist() == [72.0, 144.0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        Doubling.apply(leaf(1.0))


def test_dirty_views_change_their_base():
    x = leaf(1.0, 2.0, 3.0)
    y = x * 1
    Doubling.apply(y[1:])
    assert y.tolist() == [1.0, 4.0, 6.0]
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 2.0, 2.0]


def test_dirty_has_to_be_returned():
    class Lost(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x + 1

        @staticmethod
        def backward(ctx, g):
            return g

    with pytest.raises(RuntimeError, match="marked as dirty during the forward method were not"):
        Lost.apply(leaf(1.0) * 2)


def test_mark_non_differentiable_and_integers():
    class Sort(Function):
        @staticmethod
        def forward(ctx, x):
            values, order = x.sort()
            ctx.mark_non_differentiable(order)
            ctx.save_for_backward(order)
            return values, order

        @staticmethod
        def backward(ctx, g, g_order):
            assert g_order.tolist() == [0, 0]
            (order,) = ctx.saved_tensors
            result = torch.zeros_like(g)
            result[order] = g
            return result

    x = leaf(2.0, 1.0)
    values, order = Sort.apply(x)
    assert values.requires_grad
    assert not order.requires_grad
    (values * torch.tensor([1.0, 10.0])).sum().backward()
    assert x.grad.tolist() == [10.0, 1.0]


def test_missing_gradients_are_zeros_unless_asked_otherwise():
    seen = []

    class Pair(Function):
        @staticmethod
        def forward(ctx, x, materialize):
            ctx.set_materialize_grads(materialize)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g, h):
            seen.append(None if h is None else h.tolist())
            return g * 2, None

    for materialize in (True, False):
        x = leaf(1.0)
        Pair.apply(x, materialize)[0].sum().backward()
        assert x.grad.tolist() == [2.0]
    assert seen == [[0.0], None]


def test_needs_input_grad():
    seen = []

    class Product(Function):
        @staticmethod
        def forward(ctx, x, y, k):
            seen.append(ctx.needs_input_grad)
            return x * y * k

        @staticmethod
        def backward(ctx, g):
            seen.append(ctx.needs_input_grad)
            return g, None, None

    Product.apply(leaf(1.0), torch.ones(1), 2).sum().backward()
    assert seen == [(True, False, False)] * 2


def test_once_differentiable():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2 * x

    x = leaf(1.0, 2.0)
    Square.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    (g,) = torch.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
    assert g.tolist() == [2.0, 4.0]
    with pytest.raises(RuntimeError, match="differentiate twice a function that was marked"):
        g.sum().backward()


def test_complex_gradients_are_conjugate():
    class Square(Function):
        @staticmethod
        def forward(ctx, z):
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx, g):
            (z,) = ctx.saved_tensors
            return g * (2 * z).conj()

    z = torch.tensor([1 + 2j], requires_grad=True)
    Square.apply(z).abs().sum().backward()
    assert torch.allclose(z.grad, torch.tensor([2 + 4j]))
    z = torch.tensor([1 + 2j, 0.5 - 1j], dtype=torch.complex128, requires_grad=True)
    assert torch.autograd.gradcheck(Square.apply, (z,))


def returning(*gradients):
    """A function of one tensor whose backward returns these."""

    class Faulty(Function):
        @staticmethod
        def forward(ctx, x, *rest):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return gradients

    return Faulty


@pytest.mark.parametrize(
    ("gradients", "args", "kind", "match"),
    [
        ((), (), RuntimeError, r"incorrect number of gradients \(expected 1, got 0\)"),
        (
            (torch.ones(2), torch.ones(2)),
            (),
            RuntimeError,
            r"FaultyBackward returned an incorrect number of gradients \(expected 1, got 2\)",
        ),
        ((torch.ones(3),), (), RuntimeError, r"invalid gradient at index 0 - got \[3\] but exp"),
        ((torch.ones(2), torch.ones(2)), (1,), RuntimeError, "gradient different from None at"),
        ((1.0,), (), RuntimeError, r"expected Variable or None \(got float\)"),
    ],
)
def test_faulty_gradients(gradients, args, kind, match):
    with pytest.raises(kind, match=match):
        returning(*gradients).apply(leaf(1.0, 2.0), *args).sum().backward()


def test_gradients_that_fit_are_taken():
    x = leaf(1.0, 2.0)
    returning(torch.ones(3, 2), None, None).apply(x).sum().backward()  # too many None; broadcast
    assert x.grad.tolist() == [3.0, 3.0]
    x = leaf(1.0, 2.0)
    returning(torch.ones(2, dtype=torch.float64)).apply(x).sum().backward()
    assert x.grad.dtype == torch.float32


def test_defaults_and_keywords_with_setup_context():
    class Shifted(Function):
        @staticmethod
        def forward(x, by=2.0):
            return x + by

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.by = inputs[1]

        @staticmethod
        def backward(ctx, g):
            return g * ctx.by, None

    x = leaf(1.0)
    assert Shifted.apply(x).tolist() == [3.0]
    Shifted.apply(x, by=5.0).backward()
    assert x.grad.tolist() == [5.0]


def test_misuse():
    with pytest.raises(RuntimeError, match="should not be instantiated"):
        Exp()
    with pytest.raises(NotImplementedError, match="must implement the forward function"):
        Function.apply(leaf(1.0))
    number = type(
        "S", (Function,), {"forward": staticmethod(lambda ctx, x: ctx.save_for_backward(1))}
    )
    with pytest.raises(TypeError, match="save_for_backward can only save variables"):
        number.apply(leaf(1.0))


def test_saved_inputs_are_watched_others_are_not():
    x = leaf(1.0, 2.0)
    y = x * 1
    a, _ = Scaled.apply(y, y, 1.0)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        a.sum().backward()
    y = x * 1
    out = returning(torch.ones(2)).apply(y)  # saves nothing
    y.add_(1)
    out.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_under_no_grad_nothing_is_recorded():
    with torch.no_grad():
        y = Exp.apply(leaf(0.0))
    assert not y.requires_grad
    assert y.tolist() == [1.0]


def test_threads_share_a_graph():
    x = leaf(1.0, 2.0)
    loss = Exp.apply(x).sum()
    results = []

    def work():
        results.append(torch.autograd.grad(loss, x, retain_graph=True)[0].tolist())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [x.detach().exp().tolist()] * 4


class Multiplied(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale=2.0, *, shift=0.0):
        ctx.scale = scale
        return x * scale + shift

    @staticmethod
    def backward(ctx, g):
        return (g * ctx.scale, None)[: len(ctx.needs_input_grad)]


def test_apply_by_keyword():
    x = torch.tensor(3.0, requires_grad=True)
    y = Multiplied.apply(x, scale=5.0)
    assert y.grad_fn.needs_input_grad == (True, False)
    y.backward()
    assert x.grad.item() == 5
    Multiplied.apply(x).backward()  # what is not given has no gradient
    assert x.grad.item() == 7
    with pytest.raises(TypeError, match="that forward takes by keyword alone"):
        Multiplied.apply(x, shift=1.0)
