"""Nodes, hooks, what is saved, anomalies; values and texts are PyTorch's."""

import warnings

import numpy
import pytest

import tapegrad.torch as torch
from tapegrad.torch.autograd import graph


def leaf(*values):
    return torch.tensor(list(values), requires_grad=True)


NAMES = [
    (lambda x: x + x, "AddBackward0"),
    (lambda x: x - x, "SubBackward0"),
    (lambda x: 1 - x, "RsubBackward1"),
    (lambda x: x * x, "MulBackward0"),
    (lambda x: x / x, "DivBackward0"),
    (lambda x: -x, "NegBackward0"),
    (lambda x: x**2, "PowBackward0"),
    (lambda x: x**x, "PowBackward1"),
    (lambda x: x.exp(), "ExpBackward0"),
    (lambda x: x.log1p(), "Log1PBackward0"),
    (lambda x: x.tanh(), "TanhBackward0"),
    (lambda x: x.sum(), "SumBackward0"),
    (lambda x: x.sum(0), "SumBackward1"),
    (lambda x: x.mean(), "MeanBackward0"),
    (lambda x: x.mean(1), "MeanBackward1"),
    (lambda x: x.max(), "MaxBackward1"),
    (lambda x: x.amax(0), "AmaxBackward0"),
    (lambda x: x @ x, "MmBackward0"),
    (lambda x: x @ x[0], "MvBackward0"),
    (lambda x: x[0] @ x[0], "DotBackward0"),
    (lambda x: x.T, "PermuteBackward0"),
    (lambda x: x.view(4), "ViewBackward0"),
    (lambda x: x.unsqueeze(0), "UnsqueezeBackward0"),
    (lambda x: x[:1].squeeze(0), "SqueezeBackward0"),
    (lambda x: x.expand(3, 2, 2), "ExpandBackward0"),
    (lambda x: x[0], "SelectBackward0"),
    (lambda x: x[0:1], "SliceBackward0"),
    (lambda x: x[[0, 1]], "IndexBackward0"),
    (lambda x: x.clone(), "CloneBackward0"),
    (lambda x: x.double(), "ToCopyBackward0"),
    (lambda x: torch.cat([x, x]), "CatBackward0"),
    (lambda x: torch.stack([x, x]), "StackBackward0"),
    (lambda x: torch.where(x > 0, x, 0.0), "WhereBackward0"),
    (lambda x: torch.linalg.qr(x)[0], "LinalgQrBackward0"),
]


@pytest.mark.parametrize(("function", "name"), NAMES, ids=[name for _, name in NAMES])
def test_names_of_nodes(function, name):
    node = function(torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)).grad_fn
    assert node.name() == name
    assert type(node).__name__ == name
    assert repr(node).startswith(f"<{name} object at 0x")


def test_next_functions_lead_to_the_leaves():
    x = leaf(1.0, 2.0)
    z = (x * 3).exp()
    assert x.grad_fn is None
    ((product, number),) = z.grad_fn.next_functions
    assert (product.name(), number) == ("MulBackward0", 0)
    (accumulate, _), constant = product.next_functions
    assert accumulate.name() == "torch::autograd::AccumulateGrad"
    assert accumulate.variable is x
    assert constant == (None, 0)
    assert z.grad_fn == z.grad_fn
    assert len({z.grad_fn, z.grad_fn, product}) == 2


def test_results_of_one_operation_have_one_node():
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    q, r = torch.linalg.qr(x)
    assert q.grad_fn == r.grad_fn
    assert [q.output_nr, r.output_nr] == [0, 1]


def test_in_place_changes_show():
    x = leaf(1.0, 2.0)
    y = x.clone()
    y.mul_(2)
    assert y.grad_fn.name() == "MulBackward0"
    y[0] = 1.0
    assert y.grad_fn.name() == "CopySlices"
    z = torch.zeros(2)
    z[0] = x[0]
    assert z.requires_grad


def test_order_of_hooks():
    log = []
    x = leaf(1.0, 2.0)
    y = x * 3
    z = (y * y).sum()
    y.register_hook(lambda g: log.append(("tensor", g.tolist())))

    def double(grads):
        log.append(("before", grads[0].tolist()))
        return (grads[0] * 2,)

    def plus_one(inputs, outputs):
        log.append(("after", inputs[0].tolist(), inputs[1], outputs[0].tolist()))
        return inputs[0] + 1, None

    y.grad_fn.register_prehook(double)
    y.grad_fn.register_hook(plus_one)
    accumulate = y.grad_fn.next_functions[0][0]
    accumulate.register_hook(lambda i, o: log.append(("arrived", i, o[0].tolist())))
    accumulate.register_prehook(lambda o: log.append(("arriving", o[0].tolist())))
    z.backward()
    assert log == [
        ("tensor", [6.0, 12.0]),
        ("before", [6.0, 12.0]),
        ("after", [36.0, 72.0], None, [12.0, 24.0]),
        ("arriving", [37.0, 73.0]),
        ("arrived", (), [37.0, 73.0]),
    ]
    assert x.grad.tolist() == [37.0, 73.0]


def test_hooks_of_nodes_are_removed():
    calls = []
    x = leaf(1.0)
    y = x * 2
    handles = [
        y.grad_fn.register_hook(lambda i, o: calls.append("after")),
        y.grad_fn.register_prehook(lambda o: calls.append("before")),
        x.register_hook(lambda g: calls.append("tensor")),
    ]
    for handle in handles:
        handle.remove()
    with y.grad_fn.register_hook(lambda i, o: calls.append("context")):
        pass
    y.backward()
    assert not calls


def test_a_hook_of_a_node_returns_as_many_as_it_gets():
    y = leaf(1.0) * 2
    y.grad_fn.register_hook(lambda i, o: (o[0],))
    with pytest.raises(RuntimeError, match=r"number of values \(got 1, but expected 2\)"):
        y.backward()


def test_hooks_of_tensors_chain_and_must_keep_the_shape():
    log = []
    x = leaf(1.0)
    x.register_hook(lambda g: g * 2)
    x.register_hook(lambda g: log.append(g.item()))
    x.register_hook(lambda g: log.append("removed")).remove()
    x.register_post_accumulate_grad_hook(lambda t: log.append(("post", t.grad.item())))
    (x * 3).backward()
    assert log == [6.0, ("post", 6.0)]
    y = leaf(1.0) * 2
    y.register_hook(lambda g: torch.ones(5))
    with pytest.raises(RuntimeError, match="hook '<lambda>' has changed the size of value"):
        y.backward()


def test_retain_grad_sees_what_hooks_made():
    x = leaf(1.0)
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda g: g * 10)
    y.backward()
    assert y.grad.item() == 10.0
    assert y.retains_grad
    assert x.grad.item() == 20.0


def test_hooks_need_a_graph():
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't"):
        torch.ones(2).register_hook(lambda g: g)
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad"):
        torch.ones(2).retain_grad()
    with pytest.raises(RuntimeError, match="post accumulate grad hooks cannot be registered on"):
        (leaf(1.0) * 2).register_post_accumulate_grad_hook(lambda t: None)


def test_multi_grad_hook():
    log = []
    x = leaf(1.0, 2.0)
    a, b = x * 2, x * 3
    c = a * b

    def note(grads):
        log.append([None if g is None else g.tolist() for g in grads])

    with graph.register_multi_grad_hook([a, b, x], note):
        c.sum().backward(retain_graph=True)
        a.sum().backward(retain_graph=True)
    assert log == [[[3.0, 6.0], [2.0, 4.0], [12.0, 24.0]], [[1.0, 1.0], None, [2.0, 2.0]]]
    first = []
    graph.register_multi_grad_hook([a, b], lambda g: first.append(g.tolist()), mode="any")
    c.sum().backward()
    assert len(first) == 1
    with pytest.raises(ValueError, match="Expects mode to be one of"):
        graph.register_multi_grad_hook([x], note, mode="some")


def test_gradient_edges():
    x = leaf(2.0)
    y = x * x
    edge = graph.get_gradient_edge(y)
    assert edge.node == y.grad_fn
    (g,) = torch.autograd.grad(y * 3, edge, retain_graph=True)
    assert g.tolist() == [3.0]
    assert torch.autograd.grad(edge, x)[0].tolist() == [4.0]
    with pytest.raises(RuntimeError, match="not possible to get the gradient edge"):
        graph.get_gradient_edge(torch.ones(1))


def test_saved_tensors_hooks():
    packed = []

    def pack(x):
        packed.append(x.shape)
        return x.detach().numpy() * 2

    x = leaf(1.0, 2.0)
    with graph.saved_tensors_hooks(pack, torch.from_numpy):
        y = x.exp() * x
    assert packed == [(2,), (2,), (2,)]
    y.sum().backward()
    e = numpy.exp([1.0, 2.0])
    numpy.testing.assert_allclose(x.grad.numpy(), 2 * e + 2 * numpy.array([1, 2]) * 2 * e, 1e-6)
    x.grad = None
    (x * x).sum().backward()  # saved as it is again
    assert x.grad.tolist() == [2.0, 4.0]
    assert len(packed) == 3


def test_what_is_packed_serves_every_kind_of_sweep():
    def halves():
        x = leaf(1.0, 2.0)
        with graph.saved_tensors_hooks(lambda t: [t], lambda p: p[0]):
            y = (x**3).sum()
        return x, y

    x, y = halves()
    y.backward(retain_graph=True)
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    g.sum().backward()
    assert x.grad.tolist() == [3.0 + 6.0, 12.0 + 12.0]
    x, y = halves()
    units = torch.tensor([1.0, 2.0])
    (g,) = torch.autograd.grad(y, x, units, is_grads_batched=True)
    assert g.tolist() == [[3.0, 12.0], [6.0, 24.0]]


def test_packing_gives_tensors_back():
    x = leaf(1.0)
    with graph.saved_tensors_hooks(lambda t: t, lambda p: 1):
        y = x * x
    with pytest.raises(TypeError, match="unpack_hook expected to be a Tensor"):
        y.backward()


def test_kin_of_saved_tensors_hooks():
    x = leaf(1.0, 2.0)
    with graph.allow_mutation_on_saved_tensors():
        y = x * 1
        z = y * y
        y.mul_(10)
    z.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    x.grad = None
    with graph.save_on_cpu():
        y = (x * x).sum()
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]
    hooks = graph.saved_tensors_hooks(lambda t: t, lambda p: p)
    with (
        graph.disable_saved_tensors_hooks("not here"),
        pytest.raises(RuntimeError, match="not here"),
    ):
        hooks.__enter__()


def test_versions():
    x = torch.ones(2)
    assert x._version == 0
    x.add_(1)
    x[0] = 2
    view = x[0:1]
    view.mul_(2)
    assert (x._version, view._version, x.detach()._version) == (3, 3, 3)
    x.data.mul_(2)  # is not counted
    assert x._version == 3
    graph.increment_version(x)
    assert x._version == 4


def test_anomalies_name_the_line():
    q = torch.tensor([0.0, -1.0], requires_grad=True)
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        context = torch.autograd.detect_anomaly()
    with context, numpy.errstate(all="ignore"):
        assert torch.autograd.is_anomaly_enabled()
        root = q.sqrt()  # the line
        with (
            pytest.warns(UserWarning, match=r"(?s)SqrtBackward0.*root = q.sqrt\(\)  # the line"),
            pytest.raises(RuntimeError, match=r"'SqrtBackward0' returned nan values in its 0th"),
        ):
            root.sum().backward()
    assert not torch.autograd.is_anomaly_enabled()
    with numpy.errstate(all="ignore"):
        q.sqrt().sum().backward()
    assert numpy.isnan(q.grad.numpy()[1])


def test_anomalies_are_errors_too():
    class Broken(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ArithmeticError("broken")

    x = leaf(1.0)
    before = Broken.apply(x)
    with torch.autograd.set_detect_anomaly(True, check_nan=False):
        assert not torch.autograd.is_anomaly_check_nan_enabled()
        y = Broken.apply(x)
        with (
            pytest.warns(UserWarning, match="Error detected in Broken"),
            pytest.raises(ArithmeticError),
        ):
            y.backward()
        with (
            pytest.warns(UserWarning, match="No forward pass information"),
            pytest.raises(ArithmeticError),
        ):
            before.backward()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (x * 2).backward()


def test_names_after_the_graph_was_freed():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    losses = [(x * x).sum(), (x * x).mean(), (x * x).max(), x[0] ** 2, x @ x]
    for loss in losses:
        loss.backward()
    names = ["SumBackward0", "MeanBackward0", "MaxBackward1", "PowBackward0", "DotBackward0"]
    assert [loss.grad_fn.name() for loss in losses] == names
    assert repr(losses[0]) == "tensor(5., grad_fn=<SumBackward0>)"
    square = x * x
    square.sum().backward()
    assert square.grad_fn.name() == "FreedBackward0"  # nobody asked before


def test_nodes_know_what_they_were_asked_for_before_the_graph_was_freed():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    z = y.sum()
    node = z.grad_fn
    ((product, _),) = node.next_functions
    assert z.grad_fn is node
    z.backward()
    assert z.grad_fn is node
    assert y.grad_fn is product
    assert product.name() == "MulBackward0"
    assert product.next_functions[0][0].variable is x


def test_names_keep_no_graph_alive():
    x = torch.ones(3, requires_grad=True)
    tape = x.tape
    for _ in range(5):
        (x * x).sum().backward(retain_graph=True)
    tape.compact()
    assert len(tape) == 0


def test_pack_hooks_see_what_was_saved_and_leave_it_alone():
    seen = []
    x = leaf(1.0, 2.0)
    weight = torch.nn.Parameter(torch.ones(2))

    def pack(t):
        seen.append((t is x, t is weight, t.requires_grad, torch.is_grad_enabled()))
        return t

    with graph.saved_tensors_hooks(pack, lambda t: t):
        (x * weight).exp()
    assert seen == [
        (True, False, True, False),
        (False, True, True, False),
        (False, False, True, False),
    ]
    with (
        graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t),
        pytest.raises(RuntimeError, match="pack hook is modifying its input in place"),
    ):
        (x * 1).exp()


def test_hooks_are_refused_by_those_inside_of_them():
    with (
        graph.saved_tensors_hooks(lambda t: t, lambda t: t),
        pytest.raises(RuntimeError, match="not here"),
        graph.disable_saved_tensors_hooks("not here"),
    ):
        pass
    with graph.disable_saved_tensors_hooks("not here"):
        pass


def test_nodes_show_what_they_saved():
    x = leaf(1.0, 2.0)
    y = x.exp()
    z = y * x
    assert y.grad_fn._saved_result.tolist() == y.tolist()
    assert y.grad_fn._saved_result.grad_fn is y.grad_fn
    assert z.grad_fn._saved_other is x
    assert (z * torch.ones(2)).grad_fn._saved_self is None
    for node, name in ((y.grad_fn, "_saved_self"), (y.grad_fn, "_saved_other"), (z.grad_fn, "a")):
        assert not hasattr(node, name)
    node = z.grad_fn
    z.sum().backward()
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        node.__getattr__("_saved_self")


WRONG_RESULTS = [
    (lambda g: 3, TypeError, "expected Variable, but hook returned 'int'"),
    (lambda g: g.sum(), RuntimeError, "hook '<lambda>' has changed the size of value"),
    (
        lambda g: g.double(),
        RuntimeError,
        r"hook '<lambda>' has changed the type of value \(was torch.FloatTensor got "
        r"torch.DoubleTensor\)",
    ),
]


@pytest.mark.parametrize(("hook", "kind", "text"), WRONG_RESULTS)
def test_wrong_results_of_hooks(hook, kind, text):
    for x in (leaf(1.0, 2.0), leaf(1.0, 2.0) * 1):
        x.register_hook(hook)
        with pytest.raises(kind, match=text):
            x.sum().backward()
