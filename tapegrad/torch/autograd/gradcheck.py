"""`gradcheck` and `gradgradcheck`: derivatives against finite differences, as PyTorch does it.

The matrix of partial derivatives is compared element by element. Of a complex input or output the
real and imaginary parts are varied, and their gradients follow PyTorch's convention.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
from numpy import ndarray

from ...core.modes import enable_grad, no_grad
from ...transforms.linearize import jvp
from ...transforms.vmap import vmap
from .. import errors
from ..errors import GradcheckError
from ..tensor import Tensor, wrap, writable
from .backward import grad

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

Tensors = Tensor | Sequence[Tensor]


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensors,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the derivatives of `func` are those of finite differences; raises where they differ.

    The inputs that require grad should be of double precision. `fast_mode` and `masked` change
    nothing here: all elements are compared.
    """
    if not (check_backward_ad or check_forward_ad):
        raise errors.nothing_chosen()
    check = Check(func, inputs, eps, atol, rtol, nondet_tol)
    try:
        if check_backward_ad:
            check.backward()
            if check_undefined_grad:
                check.undefined()
            if check_batched_grad:
                check.batched()
        if check_forward_ad:
            check.forward()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensors,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """As `gradcheck`, for second derivatives: of the gradients of `func` for some `grad_outputs`.

    By default these are drawn at random (always the same).
    """
    given = as_tensors(inputs)
    outputs = differentiable(func(*given))
    if grad_outputs is None:
        draw = numpy.random.default_rng(0)
        seeds = [random_like(y, draw).requires_grad_() for y in outputs]
    else:
        seeds = as_tensors(grad_outputs)
    count = len(given)
    chosen = [x for x in given if x.requires_grad]

    def gradients(*args: Tensor) -> tuple[Tensor, ...]:
        xs = [x if x.requires_grad else x.detach() for x in args[:count]]
        with enable_grad():
            wanted = [x for x, own in zip(xs, given, strict=True) if own.requires_grad]
            results = differentiable(func(*xs))
            pulled = grad(results, wanted, args[count:], create_graph=True, allow_unused=True)
        return tuple(g for g in pulled if g is not None)

    if not chosen:
        raise errors.nothing_to_check()
    return gradcheck(
        gradients,
        (*given, *seeds),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
    )


def as_tensors(given: Any) -> list[Any]:
    """One tensor or several, as a list."""
    return [given] if isinstance(given, Tensor) else list(given)


def differentiable(result: Any) -> list[Tensor]:
    """The results that have derivatives."""
    return [y for y in as_tensors(result) if isinstance(y, Tensor) and y.requires_grad]


def shares_elements(raw: Any) -> bool:
    """Whether elements of an array are at one place in memory, as those of an expanded one."""
    return any(n > 1 and not step for n, step in zip(raw.shape, raw.strides, strict=True))


def random_like(x: Tensor, draw: numpy.random.Generator) -> Tensor:
    values = draw.standard_normal(x.raw.shape)
    if x.raw.dtype.kind == "c":
        values = values + 1j * draw.standard_normal(x.raw.shape)
    return wrap(numpy.asarray(values).astype(x.raw.dtype))


class Check:
    """One function at one point, and how its derivatives are compared."""

    def __init__(
        self,
        func: Callable[..., Any],
        inputs: Any,
        eps: float,
        atol: float,
        rtol: float,
        nondet_tol: float,
    ) -> None:
        self.func = func
        self.inputs = as_tensors(inputs)
        self.eps, self.atol, self.rtol, self.nondet_tol = eps, atol, rtol, nondet_tol
        self.chosen = [x for x in self.inputs if isinstance(x, Tensor) and x.requires_grad]
        for i, x in enumerate(self.inputs):
            if isinstance(x, Tensor) and x.requires_grad and shares_elements(x.raw):
                raise errors.overlapping_input(i)
        if not self.chosen:
            raise errors.nothing_to_check()
        self.outputs = as_tensors(func(*self.inputs))
        self.varying = [k for k, y in enumerate(self.outputs) if y.requires_grad]

    def values(self) -> list[ndarray[Any, Any]]:
        """The results at the inputs as they are now."""
        with no_grad():
            results = as_tensors(self.func(*self.inputs))
        return [numpy.array(results[k].detach().raw) for k in range(len(self.outputs))]

    def differences(self, x: Tensor) -> list[ndarray[Any, Any]]:
        """For each result, its partial derivatives by the elements of `x`, a row for each.

        A complex input has two rows for each element: by its real and by its imaginary part.
        """
        data = writable(x)
        columns: list[list[ndarray[Any, Any]]] = [[] for _ in self.outputs]
        for place in numpy.ndindex(data.shape):
            for step in (self.eps, 1j * self.eps) if data.dtype.kind == "c" else (self.eps,):
                before = data[place]
                data[place] = before + step
                above = self.values()
                data[place] = before - step
                below = self.values()
                data[place] = before
                for column, a, b in zip(columns, above, below, strict=True):
                    column.append((a - b).ravel() / (2 * self.eps))
        return [numpy.array(column) for column in columns]

    def backward(self) -> None:
        """Compare the gradients."""
        for i, x in enumerate(self.chosen):
            numerical = self.differences(x)
            for k in range(len(self.outputs)):
                analytical = self.gradients(k, x)
                self.compare(k, i, numerical[k], analytical)

    def seeds(self, y: Tensor) -> list[Any]:
        """Unit gradients of a result: for its real parts, and for the imaginary ones."""
        found = []
        for place in numpy.ndindex(y.raw.shape):
            for unit in (1, 1j) if y.raw.dtype.kind == "c" else (1,):
                seed = numpy.zeros(y.raw.shape, y.raw.dtype)
                seed[place] = unit
                found.append(wrap(seed))
        return found

    def gradients(self, k: int, x: Tensor) -> ndarray[Any, Any]:
        """The matrix of `differences`, by backward."""
        y = self.outputs[k]
        complex_in, complex_out = (z.raw.dtype.kind == "c" for z in (x, y))
        rows = x.raw.size * (2 if complex_in else 1)
        if k not in self.varying:
            return numpy.zeros((rows, y.raw.size), y.raw.dtype)
        columns = []
        for seed in self.seeds(y):
            column = self.pulled(y, x, seed)
            again = self.pulled(y, x, seed)
            if numpy.abs(column - again).max(initial=0) > self.nondet_tol:
                raise errors.not_reentrant(k)
            columns.append(
                numpy.stack([column.real, column.imag], 1).ravel() if complex_in else column
            )
        matrix = numpy.array(columns).reshape(len(columns), rows).T
        return matrix[:, ::2] + 1j * matrix[:, 1::2] if complex_out else matrix

    def pulled(self, y: Tensor, x: Tensor, seed: Any) -> ndarray[Any, Any]:
        """The gradient of one result for one seed, flat."""
        (g,) = grad((y,), (x,), (seed,), retain_graph=True, allow_unused=True)
        if g is None:
            return numpy.zeros(x.raw.size, x.raw.dtype)
        if g.raw.dtype != x.raw.dtype:
            raise errors.gradient_dtype(g.dtype, x.dtype)
        if g.raw.shape != x.raw.shape:
            raise errors.gradient_shape(g.raw.shape, x.raw.shape)
        return numpy.asarray(g.detach().raw).ravel()

    def compare(self, k: int, i: int, numerical: Any, analytical: Any) -> None:
        """Raise if two matrices differ."""
        if not numpy.allclose(analytical, numerical, self.rtol, self.atol):
            raise errors.jacobian_mismatch(k, i, numerical, analytical)

    def undefined(self) -> None:
        """Compare the gradients where some results have none with those where they are zero."""
        chosen = [self.outputs[k] for k in self.varying]
        if len(chosen) < 2:
            return
        for k, y in enumerate(chosen):
            alone = [numpy.zeros(z.raw.shape, z.raw.dtype) for z in chosen]
            alone[k][...] = 1
            some = grad((y,), self.chosen, (wrap(alone[k]),), True, allow_unused=True)
            every = grad(chosen, self.chosen, list(map(wrap, alone)), True, allow_unused=True)
            for a, b in zip(some, every, strict=True):
                left = 0 if a is None else a.detach().raw
                right = 0 if b is None else b.detach().raw
                if not numpy.allclose(left, right, equal_nan=True):
                    raise errors.undefined_gradients()

    def batched(self) -> None:
        """Compare the gradients of a batch of seeds with those of each."""
        draw = numpy.random.default_rng(0)
        for k in self.varying:
            y = self.outputs[k]
            seeds = [random_like(y, draw) for _ in range(2)]

            def pull(seed: Tensor, y: Tensor = y) -> list[Any]:
                found = grad((y,), self.chosen, (seed,), True, allow_unused=True)
                return [g for g in found if g is not None]

            together = vmap(pull)(wrap(numpy.stack([s.raw for s in seeds])))
            for n, seed in enumerate(seeds):
                for a, b in zip(together, pull(seed), strict=True):
                    if not numpy.allclose(a.detach().raw[n], b.detach().raw):
                        raise errors.batched_gradients(k)

    def forward(self) -> None:
        """Compare the tangents."""
        for i, x in enumerate(self.chosen):
            numerical = self.differences(x)
            place = next(n for n, own in enumerate(self.inputs) if own is x)

            def along(value: Tensor, place: int = place) -> list[Any]:
                args = list(self.inputs)
                args[place] = value
                return as_tensors(self.func(*args))

            rows = [jvp(along, (x,), (seed,))[1] for seed in self.seeds(x)]
            for k, matrix in enumerate(numerical):
                pushed = [numpy.asarray(row[k].detach().raw).ravel() for row in rows]
                analytical = numpy.array(pushed).reshape(matrix.shape)
                self.compare(k, i, matrix, analytical)
