"""What trips people up: each pitfall of PyTorch's tutorials and forums, with PyTorch's outcome."""

import copy
import gc
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.torch as torch


def leaf(*values, dtype=torch.float32):
    return torch.tensor(list(values), dtype=dtype, requires_grad=True)


def assert_close(x, expected):
    np.testing.assert_allclose(x.detach().numpy(), expected, rtol=1e-6)


class TestGraphs:
    def test_a_graph_is_freed(self):
        x = leaf(1.0, 2.0)
        y = (x * x).sum()
        y.backward()
        with pytest.raises(RuntimeError, match="Trying to backward through the graph a second"):
            y.backward()

    def test_a_graph_is_retained(self):
        x = leaf(1.0, 2.0)
        y = (x * x).sum()
        y.backward(retain_graph=True)
        y.backward()
        assert x.grad.tolist() == [4.0, 8.0]

    def test_parts_of_a_graph_are_shared(self):
        x = leaf(2.0)
        shared = x.exp()
        a, b = shared * 2, shared * 3
        a.backward(retain_graph=True)
        b.backward()
        assert_close(x.grad, 5 * np.exp([2.0]))

    def test_graphs_lie_side_by_side(self):
        x, w = leaf(1.0, 2.0), leaf(3.0)
        old = (w * w).sum()
        a = x * 2
        b = (x * 3).sum()
        c = a.sum()
        unused = c * 5
        b.backward()
        assert x.grad.tolist() == [3.0, 3.0]
        c.backward()
        assert x.grad.tolist() == [5.0, 5.0]
        with torch.no_grad():
            w.add_(1)
        (x * x).sum().backward()
        assert x.grad.tolist() == [7.0, 9.0]
        assert unused.requires_grad
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            old.backward()

    def test_leaves_that_are_gone(self):
        x = leaf(2.0)
        (x * leaf(3.0)).sum().backward()
        assert x.grad.tolist() == [3.0]

    def test_two_losses_at_once(self):
        x = leaf(1.0, 2.0)
        torch.autograd.backward([x.sum(), (x * x).sum()])
        assert x.grad.tolist() == [3.0, 5.0]

    def test_shared_subgraphs_are_linear(self):
        y = x = leaf(1.0)
        for _ in range(40):
            y = y + y
        y.backward()
        assert x.grad.item() == 2.0**40

    def test_detach_in_the_middle(self):
        x = leaf(1.0, 2.0)
        y = x * 2
        (y.detach() * y).sum().backward()
        assert x.grad.tolist() == [4.0, 8.0]

    def test_detach_in_place(self):
        x = leaf(1.0, 2.0)
        y = x * 2
        assert y.detach_() is y
        assert y.is_leaf
        assert not y.requires_grad
        view = (x * 1)[0:1]
        with pytest.raises(RuntimeError, match="Can't detach views in-place"):
            view.detach_()

    def test_partial_no_grad(self):
        x = leaf(1.0, 2.0)
        with torch.no_grad():
            target = x * x
        assert target.grad_fn is None
        ((x * 3 - target) ** 2).sum().backward()
        assert x.grad.tolist() == [12.0, 12.0]

    def test_leaves_and_others(self):
        x = leaf(1.0)
        y = x * 1
        assert (x.is_leaf, y.is_leaf) == (True, False)
        y.requires_grad_()
        with pytest.raises(RuntimeError, match="only change requires_grad flags of leaf"):
            y.requires_grad_(False)
        with pytest.raises(RuntimeError, match="only change requires_grad flags of leaf"):
            y.requires_grad = False
        x.requires_grad_(False)
        assert not x.requires_grad

    def test_variables_of_old(self):
        data = torch.ones(2)
        x = torch.autograd.Variable(data, requires_grad=True)
        assert isinstance(data, torch.autograd.Variable)
        assert x.is_leaf
        assert x.requires_grad
        assert not data.requires_grad
        data[0] = 5.0
        assert x.tolist() == [5.0, 1.0]

    def test_the_grad_of_what_is_no_leaf(self):
        y = leaf(1.0) * 2
        with pytest.warns(UserWarning, match="attribute of a Tensor that is not a leaf"):
            assert y.grad is None

    def test_copying_what_was_computed(self):
        with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
            copy.deepcopy(leaf(1.0) * 2)
        x = copy.deepcopy(leaf(1.0))
        assert x.requires_grad
        assert x.is_leaf


class TestGrad:
    def test_accumulation(self):
        x = leaf(1.0, 2.0)
        x.sum().backward()
        g = x.grad
        (x * x).sum().backward()
        assert x.grad is g
        assert g.tolist() == [3.0, 5.0]

    def test_zeroing(self):
        x = leaf(1.0, 2.0)
        x.sum().backward()
        x.grad.zero_()
        x.sum().backward()
        assert x.grad.tolist() == [1.0, 1.0]
        x.grad = None
        x.sum().backward()
        assert x.grad.tolist() == [1.0, 1.0]

    def test_leaves_share_no_gradient(self):
        a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
        (a + b).sum().backward()
        a.grad.mul_(5)
        assert b.grad.tolist() == [1.0, 1.0]

    def test_micro_batches_equal_one_batch(self):
        rng = np.random.default_rng(0)
        data = torch.tensor(rng.normal(size=(8, 3)))
        w = leaf(0.1, -0.2, 0.3, dtype=torch.float64)
        torch.tanh(data @ w).mean().backward()
        whole, w.grad = w.grad, None
        for part in data.split(2):
            (torch.tanh(part @ w).mean() / 4).backward()
        assert_close(w.grad, whole.numpy())

    def test_create_graph_leaves_a_recorded_grad(self):
        x = leaf(2.0)
        (x**3).sum().backward(create_graph=True)
        g, x.grad = x.grad, None
        assert g.requires_grad
        g.sum().backward()
        assert x.grad.tolist() == [12.0]

    def test_inputs(self):
        x, y = leaf(1.0, 2.0), leaf(1.0, 1.0)
        (x * y).sum().backward(inputs=[x])
        assert x.grad.tolist() == [1.0, 1.0]
        assert y.grad is None
        z = x * 2
        (z * z).sum().backward(inputs=[z])
        assert z.grad.tolist() == [4.0, 8.0]
        with pytest.raises(RuntimeError, match="`inputs` argument to `backward"):
            x.sum().backward(inputs=[])

    def test_unused_inputs(self):
        x, other = leaf(1.0, 2.0), leaf(1.0)
        y = (x * x).sum()
        with pytest.raises(RuntimeError, match="index 1 appears to not have been used in the gr"):
            torch.autograd.grad(y, [x, other], retain_graph=True)
        _, none = torch.autograd.grad(y, [x, other], retain_graph=True, allow_unused=True)
        assert none is None
        _, zero = torch.autograd.grad(y, [x, other], materialize_grads=True)
        assert zero.tolist() == [0.0]
        with pytest.raises(ValueError, match="Expected allow_unused to be True or not passed"):
            torch.autograd.grad(y, x, allow_unused=False, materialize_grads=True)
        with pytest.raises(RuntimeError, match="does not require grad"):
            torch.autograd.grad(x.sum(), torch.ones(2))

    def test_retained_gradients(self):
        x = leaf(1.0, 2.0)
        y = x * 2
        y.retain_grad()
        (y * y).sum().backward()
        assert y.grad.tolist() == [4.0, 8.0]
        assert x.grad.tolist() == [8.0, 16.0]

    def test_assigning(self):
        x = leaf(1.0, 2.0)
        with pytest.raises(RuntimeError, match="assign a gradient of size '\\[3\\]' to a tensor"):
            x.grad = torch.ones(3)
        with pytest.raises(RuntimeError, match="assign a gradient with dtype"):
            x.grad = torch.ones(2, dtype=torch.float64)
        with pytest.raises(TypeError, match="expected to be a Tensor or None but got grad of typ"):
            x.grad = 1
        x.grad = torch.ones(2)
        x.sum().backward()
        assert x.grad.tolist() == [2.0, 2.0]
        del x.grad
        assert x.grad is None

    def test_an_infinite_slope(self):
        x = leaf(0.0)
        torch.sqrt(x).backward()
        assert x.grad.tolist() == [np.inf]


class TestSeeds:
    def test_only_scalars_need_none(self):
        with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar"):
            (leaf(1.0, 2.0) * 2).backward()
        x = leaf(3.0)
        (x * 2).backward()  # of one element
        assert x.grad.tolist() == [2.0]

    def test_constants(self):
        with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
            torch.ones(1).backward()

    def test_complex(self):
        z = torch.tensor([1 + 1j], requires_grad=True)
        with pytest.raises(RuntimeError, match="grad can be implicitly created only for real sca"):
            (z * 2).sum().backward()
        with pytest.raises(RuntimeError, match="both grad_output and output are required to have"):
            leaf(1.0).sum().backward(torch.tensor(1j))
        (z * z.conj()).real.sum().backward()
        assert z.grad.tolist() == [2 + 2j]

    def test_shapes_and_numbers(self):
        x = leaf(1.0, 2.0)
        with pytest.raises(RuntimeError, match=r"Mismatch in shape: grad_output\[0\] has a shape"):
            (x * 2).backward(torch.ones(3))
        with pytest.raises(RuntimeError, match="got 1 tensors and 2 gradients"):
            torch.autograd.backward([x.sum()], [torch.tensor(1.0)] * 2)


class TestDtypes:
    def test_integers_need_no_gradient(self):
        with pytest.raises(RuntimeError, match="Only Tensors of floating point and complex dtype"):
            torch.ones(2, dtype=torch.int64, requires_grad=True)
        with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require"):
            torch.ones(2, dtype=torch.int64).requires_grad_()

    def test_integers_beside_floats(self):
        assert (torch.arange(3) * torch.ones(3)).dtype == torch.float32
        assert (torch.ones(2) * torch.tensor(2.0, dtype=torch.float64)).dtype == torch.float32

    def test_extreme_arguments(self):
        assert torch.log1p(torch.tensor(1e-10)).item() == pytest.approx(1e-10)
        assert torch.log_softmax(torch.tensor([1000.0, 0.0]), 0).tolist() == [0.0, -1000.0]

    def test_numpy_values_record(self):
        x = leaf(1.0, 2.0)
        (np.float64(2) * x).sum().backward()
        (np.ones(2) * x).sum().backward()
        np.sin(x).sum().backward()
        assert_close(x.grad, 3 + np.cos([1.0, 2.0]))
        with pytest.raises(RuntimeError, match="Can't call numpy"):
            x.numpy()


class TestInPlace:
    def test_leaves(self):
        x = leaf(1.0, 2.0)
        for change in (lambda: x.add_(1), lambda: x.__setitem__(0, 1.0)):
            with pytest.raises(RuntimeError, match="leaf Variable that requires grad is being use"):
                change()
        with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is"):
            x.view(2).mul_(2)
        with torch.no_grad():
            x.add_(1)
        assert x.tolist() == [2.0, 3.0]

    def test_what_was_saved(self):
        x = leaf(1.0, 2.0)
        y = x.exp()
        y.mul_(2)
        match = r"modified by an inplace operation.*output 0 of Exp, is at version 1; expected"
        with pytest.raises(RuntimeError, match=match):
            y.sum().backward()
        a = x * 1
        b = a * a
        a.add_(1)
        with pytest.raises(RuntimeError, match="output 0 of Add, is at version 1; expected versi"):
            b.sum().backward()

    def test_through_data_nobody_notices(self):
        x = leaf(1.0, 2.0)
        y = (x * x).sum()
        x.data.mul_(10)
        y.backward()
        assert x.grad.tolist() == [20.0, 40.0]

    def test_chains(self):
        x = leaf(1.0, 2.0)
        y = x * 1
        y.add_(x).mul_(2)
        y.sum().backward()
        assert x.grad.tolist() == [4.0, 4.0]

    def test_views(self):
        x = leaf(1.0, 2.0, 3.0)
        y = x.clone()
        y[1:].mul_(3)
        y.sum().backward()
        assert x.grad.tolist() == [1.0, 3.0, 3.0]

    def test_assignments(self):
        x = leaf(1.0, 2.0, 3.0)
        y = x.clone()
        y[0] = x[1] * x[2]
        (y * y).sum().backward()
        assert x.grad.tolist() == [0.0, 40.0, 30.0]
        x.grad = None
        y = x.clone()
        y[y > 1.5] = 0
        y.sum().backward()
        assert x.grad.tolist() == [1.0, 0.0, 0.0]

    def test_buffers_become_tracked(self):
        w = leaf(1.0)
        whole = torch.zeros(2, 2)
        view = whole.view(4)
        view[3] = w[0] * 2
        assert whole.requires_grad
        assert view.requires_grad
        whole.sum().backward()
        assert w.grad.tolist() == [2.0]

    def test_expanded(self):
        y = (leaf(1.0, 2.0) * 1).expand(2, 2)
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            y.add_(1)

    def test_out(self):
        x = leaf(1.0)
        with pytest.raises(RuntimeError, match="arguments don't support automatic diff"):
            torch.add(x, x, out=torch.ones(1))


class TestHigherOrders:
    def test_second_derivatives(self):
        x = leaf(2.0)
        (g,) = torch.autograd.grad(x**4, x, create_graph=True)
        (h,) = torch.autograd.grad(g, x, create_graph=True)
        (third,) = torch.autograd.grad(h, x)
        assert [g.item(), h.item(), third.item()] == [32.0, 48.0, 48.0]

    def test_higher_order_grad(self):
        x, y = leaf(2.0, dtype=torch.float64), leaf(3.0, 1.0, dtype=torch.float64)
        out = (x**4).sum() + (y**3).sum()
        higher = torch.autograd.higher_order_grad
        assert [g.tolist() for g in higher(out, [x, y], 2)] == [[48.0], [18.0, 6.0]]
        assert [g.tolist() for g in higher(out, [x, y], 4)] == [[24.0], [0.0, 0.0]]
        assert higher(out, x, 0)[0].tolist() == [0.0]
        assert higher(out, x, 1, create_graph=True)[0].requires_grad
        with pytest.raises(ValueError, match="n must be a non-negative integer"):
            higher(out, x, -1)

    def test_gradient_penalty(self):
        w = torch.tensor([[0.1, 0.2], [0.3, -0.4]], dtype=torch.float64, requires_grad=True)
        x = leaf(1.0, -2.0, dtype=torch.float64)
        out = torch.tanh(w @ x).sum()
        (g,) = torch.autograd.grad(out, x, create_graph=True)
        (((g * g).sum().sqrt() - 1) ** 2).backward()
        assert_close(
            w.grad,
            [
                [-1.547168202430455, -0.049951975479558736],
                [-0.36290005214015375, -0.5083676451584086],
            ],
        )


class TestTogether:
    """Transforms and `backward`."""

    def test_a_leaf_inside_of_a_transform(self):
        w = leaf(2.0, 3.0)
        g = tg.grad(lambda x: (x * x * w).sum())(torch.tensor([1.0, 2.0]))
        assert g.tolist() == [4.0, 12.0]
        g.sum().backward()
        assert w.grad.tolist() == [2.0, 4.0]

    def test_backward_inside_of_a_transform(self):
        def f(x):
            p = leaf(1.0, 1.0)
            ((p * x) ** 2).sum().backward(create_graph=True)
            return (p.grad * x).sum()

        assert tg.grad(f)(torch.tensor([1.0, 2.0])).tolist() == [6.0, 24.0]

    def test_transforms_of_functions_of_tensors(self):
        x = torch.tensor([1.0, 2.0])
        one = torch.ones(2)
        assert tg.hvp(lambda x: (x**3).sum(), x, one).tolist() == [6.0, 12.0]
        assert tg.jacobian(lambda x: x**2)(x).tolist() == [[2.0, 0.0], [0.0, 4.0]]
        assert tg.hessian(lambda x: (x**3).sum())(x).tolist() == [[6.0, 0.0], [0.0, 12.0]]
        w = leaf(2.0, 3.0)
        rows = tg.vmap(lambda x: (x * w).sum())(torch.ones(3, 2))
        rows.sum().backward()
        assert w.grad.tolist() == [3.0, 3.0]

    def test_a_leaf_as_the_argument(self):
        x = leaf(1.0, 2.0)
        g = torch.func.grad(lambda x: (x**3).sum())(x)
        assert torch.autograd.grad(g.sum(), x)[0].tolist() == [6.0, 12.0]


class TestMemory:
    def test_nothing_outlives_a_graph(self):
        x = torch.ones(1000, requires_grad=True)
        y = x * 2
        seen = weakref.ref(y)
        z = y.exp()
        z.sum().backward()
        del y, z
        gc.collect()
        assert seen() is None

    def test_a_running_total_keeps_what_it_needs(self):
        def peak(as_number):
            w = torch.ones(100, 10, requires_grad=True)
            x = torch.ones(500, 100)
            tracemalloc.start()
            total = 0.0
            for _ in range(60):
                loss = torch.tanh(x @ w).mean()
                total += loss.item() if as_number else loss
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            return peak

        assert peak(False) < 1.2 * peak(True)

    def test_evaluation_without_no_grad_stays_bounded(self):
        w = torch.ones(100, 100, requires_grad=True)
        x = torch.ones(100, 100)
        tracemalloc.start()
        for _ in range(1500):
            (x @ w).sum()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 40e6  # the results together are 60 MB

    @pytest.mark.slow
    def test_a_chain_of_a_million(self):
        y = x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
        for _ in range(1_000_000):
            y = y * 1.0
        y.backward()
        assert x.grad.item() == 1.0


class TestThreads:
    def run(self, *works):
        failures = []

        def guarded(work):
            try:
                work()
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures

    def test_two_models(self):
        found = {}

        def train(target):
            w = leaf(0.5, dtype=torch.float64)
            for _ in range(100):
                w.grad = None
                ((w - target) ** 2).sum().backward()
                with torch.no_grad():
                    w -= 0.25 * w.grad
            found[target] = w.item()

        self.run(*(lambda t=t: train(t) for t in (1.0, 2.0, 3.0)))
        assert found == pytest.approx({1.0: 1.0, 2.0: 2.0, 3.0: 3.0})

    def test_hogwild(self):
        w = torch.zeros(4, requires_grad=True)

        def train():
            for _ in range(200):
                (g,) = torch.autograd.grad(((w - 1) ** 2).sum(), w)
                with torch.no_grad():
                    w.sub_(g * 0.02)

        self.run(*[train] * 4)
        np.testing.assert_allclose(w.detach().numpy(), 1, rtol=1e-2)

    def test_gradients_of_threads_add_up(self):
        w = torch.zeros(4, requires_grad=True)

        def work():
            for _ in range(100):
                (w * 2).sum().backward()

        self.run(*[work] * 4)
        assert w.grad.tolist() == [800.0] * 4

    def test_modes_are_each_threads_own(self):
        seen = []
        with torch.no_grad():
            self.run(lambda: seen.append(torch.is_grad_enabled()))
        assert seen == [True]


def test_a_gradient_penalty_as_it_is_written_everywhere():
    x = torch.tensor([[3.0, 4.0]], requires_grad=True)
    score = (x * x).sum(1, keepdim=True)
    (slope,) = torch.autograd.grad(
        outputs=score,
        inputs=x,
        grad_outputs=torch.ones(score.size()),
        create_graph=True,
        retain_graph=True,
        only_inputs=True,
    )
    ((slope.norm(2, dim=1) - 1) ** 2).mean().backward()
    assert torch.allclose(x.grad, torch.tensor([[21.6, 28.8]]))
    with pytest.warns(FutureWarning, match="only_inputs argument is deprecated"):
        torch.autograd.grad((x * x).sum(), x, only_inputs=False)


def test_a_tensor_is_not_its_own_gradient():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="can't assign Variable as its own grad"):
        x.grad = x
    assert x.grad is None
