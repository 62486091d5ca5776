"""`torch.autograd.functional`: derivatives of functions of tensors, on `backward`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.modes import enable_grad
from ...transforms.jacobian import jacfwd
from ...transforms.vmap import vmap
from .. import errors
from ..filling import eye, ones_like, zeros, zeros_like
from ..joining import stack
from ..tensor import Tensor
from .backward import grad

__all__ = ["derivative", "hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Function = Callable[..., Any]
Tensors = Tensor | Sequence[Tensor]


def as_tuple(name: str, what: str, given: Any) -> tuple[tuple[Tensor, ...], bool]:
    """One tensor or several as a tuple, and whether there was one alone."""
    single = not isinstance(given, tuple)
    values = (given,) if single else tuple(given)
    for i, x in enumerate(values):
        if not isinstance(x, Tensor):
            raise errors.functional_no_tensor(name, what, i, type(x), single)
    return values, single


def fresh(inputs: tuple[Tensor, ...], create_graph: bool) -> tuple[Tensor, ...]:
    """The inputs to differentiate with respect to: of the graph outside if `create_graph`."""
    return tuple(
        x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_()
        for x in inputs
    )


def finished(x: Any, create_graph: bool) -> Any:
    """A result: a constant, unless `create_graph`."""
    if isinstance(x, tuple):
        return tuple(finished(y, create_graph) for y in x)
    return x if create_graph else x.detach()


class Run:
    """One run of the function, with inputs and outputs as tuples."""

    differentiated, derivative = "output", "jacobian"  # as errors call what `grad` takes and gives

    def __init__(
        self, name: str, func: Function, inputs: Tensors, create_graph: bool, strict: bool
    ) -> None:
        given, self.single_input = as_tuple(name, "inputs", inputs)
        self.inputs = fresh(given, create_graph)
        with enable_grad():
            result = func(*self.inputs)
        what = "outputs of the user-provided function"
        self.outputs, self.single_output = as_tuple(name, what, result)
        self.create_graph = create_graph
        self.strict = strict
        if strict:
            for i, y in enumerate(self.outputs):
                if not y.requires_grad:
                    raise errors.independent_output(i)

    def pull(self, output: Tensor, i: int, v: Tensor | None, create_graph: bool) -> list[Any]:
        """The gradients of output `i`, with zeros where there is none (raising if strict)."""
        if not output.requires_grad:
            return [zeros_like(x) for x in self.inputs]
        gradients = grad(
            (output,),
            self.inputs,
            None if v is None else (v,),
            retain_graph=True,
            create_graph=create_graph,
            allow_unused=True,
        )
        return [self.checked(g, k, f"Output {i}") for k, g in enumerate(gradients)]

    def checked(self, g: Tensor | None, k: int, what: str | None = None) -> Tensor:
        """A gradient, or zeros."""
        if g is None:
            if self.strict:
                raise errors.independent_of_input(what or f"The {self.differentiated}", k)
            return zeros_like(self.inputs[k])
        if self.strict and self.create_graph and not g.requires_grad:
            raise errors.independent_derivative(self.derivative, k)
        return g

    def together(self, vs: Sequence[Tensor | None], create_graph: bool) -> list[Any]:
        """The sums over the outputs of their gradients."""
        chosen = [
            (y, ones_like(y) if v is None else v)
            for y, v in zip(self.outputs, vs, strict=True)
            if y.requires_grad
        ]
        if not chosen:
            return [zeros_like(x) for x in self.inputs]
        outputs, seeds = zip(*chosen, strict=True)
        gradients = grad(
            outputs, self.inputs, seeds, True, create_graph=create_graph, allow_unused=True
        )
        return [self.checked(g, k) for k, g in enumerate(gradients)]

    def like_inputs(self, values: Sequence[Any]) -> Any:
        """Results for the inputs, one or a tuple, as they were given."""
        done = finished(tuple(values), self.create_graph)
        return done[0] if self.single_input else done

    def like_outputs(self, values: Sequence[Any]) -> Any:
        """Results for the outputs, one or a tuple, as the function gave them."""
        done = finished(tuple(values), self.create_graph)
        return done[0] if self.single_output else done


def vectors(name: str, v: Any, like: tuple[Tensor, ...], single: bool) -> tuple[Any, ...]:
    """The vector(s) for some tensors, checked; None for those of one element alone."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise errors.vector_needed(name)
        return (None,)
    given, _ = as_tuple(name, "v", v)
    if single and len(given) != 1:
        raise errors.single_vector()
    if len(given) != len(like):
        raise errors.vector_count(len(like), len(given))
    for i, (x, own) in enumerate(zip(given, like, strict=True)):
        if x.raw.shape != own.raw.shape:
            raise errors.vector_shape(i, own.raw.shape, x.raw.shape, single)
    return given


def vjp(
    func: Function,
    inputs: Tensors,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """`(func(*inputs), v @ jacobian)`; a function with one result of one element needs no `v`."""
    run = Run("vjp", func, inputs, create_graph, strict)
    vs = vectors("vjp", v, run.outputs, run.single_output)
    pulled = run.together(vs, create_graph)
    return run.like_outputs(run.outputs), run.like_inputs(pulled)


def jvp(
    func: Function,
    inputs: Tensors,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """`(func(*inputs), jacobian @ v)`: a vjp of the vjp, as in PyTorch.

    `torch.func.jvp` needs one walk only.
    """
    run = Run("jvp", func, inputs, create_graph, strict)
    vs = vectors("jvp", v, run.inputs, run.single_input)
    seeds = [zeros_like(y).requires_grad_() for y in run.outputs]
    pulled = run.together(seeds, True)
    tangents = pushed(pulled, seeds, vs, create_graph)
    if strict and create_graph:
        for i, t in enumerate(tangents):
            if not t.requires_grad:
                raise errors.independent_derivative("jacobian", i)
    return run.like_outputs(run.outputs), run.like_outputs(tangents)


def pushed(
    pulled: list[Any], seeds: Sequence[Tensor], vs: Sequence[Any], create_graph: bool
) -> list[Any]:
    """What is linear in the seeds, transposed and applied to `vs`."""
    chosen = [
        (g, ones_like(g) if v is None else v)
        for g, v in zip(pulled, vs, strict=True)
        if g.requires_grad
    ]
    if not chosen:
        return [zeros_like(seed) for seed in seeds]
    gs, weights = zip(*chosen, strict=True)
    tangents = grad(gs, tuple(seeds), weights, True, create_graph=create_graph, allow_unused=True)
    return [zeros_like(s) if t is None else t for s, t in zip(seeds, tangents, strict=True)]


def jacobian(
    func: Function,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian, of shape ``out.shape + in.shape``; nested for several outputs or inputs.

    Row by row, or all rows at once if `vectorize`; the strategy `"forward-mode"` takes columns,
    always at once.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise errors.bad_strategy("strategy", strategy)
    if strategy == "forward-mode":
        check_forward("jacobian", create_graph, strict, vectorize)
        return by_columns(func, inputs)
    if strict and vectorize:
        raise errors.strict_vectorized("jacobian")
    run = Run("jacobian", func, inputs, create_graph, strict)
    blocks = [rows_of(run, i, vectorize) for i in range(len(run.outputs))]
    return run.like_outputs([run.like_inputs(row) for row in blocks])


def rows_of(run: Run, i: int, vectorize: bool) -> list[Tensor]:
    """The blocks of one output."""
    y = run.outputs[i]
    n = y.numel()
    units = eye(n, dtype=y.dtype).reshape(n, *y.shape)

    def row(unit: Tensor) -> list[Any]:
        return run.pull(y, i, unit, run.create_graph)

    if vectorize and n and y.requires_grad:
        stacks = vmap(row)(units)
    elif n:
        rows = [row(unit) for unit in units]
        stacks = [stack(list(column)) for column in zip(*rows, strict=True)]
    else:
        return [zeros((*y.shape, *x.shape), dtype=x.dtype) for x in run.inputs]
    return [block.reshape(*y.shape, *x.shape) for block, x in zip(stacks, run.inputs, strict=True)]


def by_columns(func: Function, inputs: Tensors) -> Any:
    """The Jacobian in forward mode."""
    given, single = as_tuple("jacobian", "inputs", inputs)
    places = tuple(range(len(given)))
    matrix = jacfwd(func, 0 if single else places)(*(x.detach() for x in given))
    return finished(matrix, False)


def check_forward(name: str, create_graph: bool, strict: bool, vectorize: bool) -> None:
    """Raise where forward mode does not do what was asked."""
    if create_graph:
        raise errors.forward_graph(name)
    if strict:
        raise errors.strict_vectorized(name)
    if not vectorize:
        raise errors.forward_by_columns(name)


def hessian(
    func: Function,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The matrix of second derivatives of a function with one result of one element."""
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise errors.bad_strategy("outer_jacobian_strategy", outer_jacobian_strategy)
    given, single = as_tuple("hessian", "inputs", inputs)
    forward = outer_jacobian_strategy == "forward-mode"

    def gradient(*xs: Tensor) -> Any:
        value = scalar("hessian", func(*xs), strict)
        if not value.requires_grad:
            return tuple(zeros_like(x) for x in xs)
        own = grad((value,), xs, None, create_graph=True, allow_unused=not strict)
        gs = tuple(zeros_like(x) if g is None else g for g, x in zip(own, xs, strict=True))
        if strict:
            for k, g in enumerate(gs):
                if not g.requires_grad:
                    raise errors.constant_jacobian(k)
        return gs

    if forward:
        check_forward("hessian", create_graph, strict, vectorize)
    matrix = jacobian(gradient, given, create_graph, strict, vectorize, outer_jacobian_strategy)
    return matrix[0][0] if single else matrix


def scalar(name: str, value: Any, strict: bool) -> Tensor:
    """The one result of one element of a function."""
    if isinstance(value, tuple):
        raise errors.functional_not_single(name)
    if not isinstance(value, Tensor):
        raise errors.functional_no_tensor(
            name, "outputs of the user-provided function", 0, type(value), True
        )
    if value.numel() != 1:
        raise errors.functional_not_scalar(name)
    if strict and not value.requires_grad:
        raise errors.independent_output(0)
    return value.reshape(())


def vhp(
    func: Function,
    inputs: Tensors,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """`(func(*inputs), v @ hessian)`."""
    run = Run("vhp", func, inputs, create_graph, strict)
    value = scalar("vhp", run.outputs[0] if run.single_output else run.outputs, strict)
    vs = vectors("vhp", v, run.inputs, run.single_input)
    first = run.pull(value, 0, None, True)
    if strict:
        for k, g in enumerate(first):
            if not g.requires_grad:
                raise errors.constant_jacobian(k)
    second = Derived(run, first).together(vs, create_graph)
    return run.like_outputs(run.outputs), run.like_inputs(second)


class Derived(Run):
    """The gradients of a run, as outputs of the same inputs."""

    differentiated, derivative = "jacobian", "hessian"

    def __init__(self, run: Run, gradients: Sequence[Tensor]) -> None:
        self.inputs = run.inputs
        self.single_input = run.single_input
        self.outputs = tuple(gradients)
        self.single_output = run.single_input
        self.create_graph = run.create_graph
        self.strict = run.strict


def derivative(func: Function, create_graph: bool = False) -> Function:
    """The function that gives the Jacobian of `func` at its arguments."""

    def jacobian_at(*inputs: Tensor) -> Any:
        return jacobian(func, inputs[0] if len(inputs) == 1 else inputs, create_graph)

    return jacobian_at


def hvp(
    func: Function,
    inputs: Tensors,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """`(func(*inputs), hessian @ v)`, which `vhp` gives too, since Hessians are symmetric."""
    return vhp(func, inputs, v, create_graph, strict)
