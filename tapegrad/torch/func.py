"""`torch.func`: the transforms, with PyTorch's names and signatures."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .. import tree
from ..core.array import Array
from ..transforms import grad as gradients
from ..transforms import jacobian as matrices
from ..transforms import linearize as lines
from ..transforms import vmap as lanes
from . import errors
from .joining import stack
from .tensor import Tensor

__all__ = [
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]

Function = Callable[..., Any]


def checked(func: Function, check: Callable[[Any], None], has_aux: bool) -> Function:
    """`func`, with a look at its result, or at the first of two if `has_aux`."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        result = func(*args, **kwargs)
        if has_aux and not (isinstance(result, tuple) and len(result) == 2):
            raise errors.no_aux()
        check(result[0] if has_aux else result)
        return result

    return wrapper


def scalar_tensor(value: Any) -> None:
    """Raise unless a result is a tensor of no axes."""
    if not isinstance(value, Array):
        raise errors.gradient_of_no_tensor_result(type(value))
    if value.raw.ndim:
        raise errors.gradient_of_axes(value.raw.ndim)


def tensors_of(call: str) -> Callable[[Any], None]:
    """What raises unless results are tensors, which a `call` then has derivatives of."""

    def check(value: Any) -> None:
        for x in tree.leaves(value):
            if not isinstance(x, Array):
                raise errors.derivative_of_no_tensor(call, type(x))

    return check


def lane_of(func: Function) -> Callable[[Any], None]:
    """What raises unless the results of `func` in a lane are tensors."""
    name = getattr(func, "__name__", type(func).__name__)

    def check(value: Any) -> None:
        for x in tree.leaves(value):
            if not isinstance(x, Array):
                raise errors.lane_no_tensor(name, type(x))

    return check


def grad(func: Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Function:
    """The gradient of a scalar function; with `has_aux`, `(gradient, aux)`.

    >>> import tapegrad.torch as torch
    >>> torch.func.grad(lambda x: (x * x).sum())(torch.tensor([1.0, 2.0]))
    tensor([2., 4.])
    """
    return gradients.grad(checked(func, scalar_tensor, has_aux), argnums, has_aux=has_aux)


def grad_and_value(
    func: Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Function:
    """The gradient and the value: `(gradient, value)`, or `(gradient, (value, aux))`."""
    function = checked(func, scalar_tensor, has_aux)
    both = gradients.value_and_grad(function, argnums, has_aux=has_aux)

    def wrapper(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        value, gradient = both(*args, **kwargs)
        return gradient, value

    return wrapper


def vjp(func: Function, *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """`(func(*primals), pullback)`, and `aux` if `has_aux`.

    The pullback takes a cotangent for each result, and gives a tuple with one for each primal.
    """
    function = checked(func, tensors_of("vjp(f, *primals)"), has_aux)
    out, pullback, *aux = lines.vjp(function, *primals, has_aux=has_aux)
    return (out, called_with_results(pullback, out), *aux)


def called_with_results(pullback: Function, out: Any) -> Function:
    """A pullback that takes the cotangents of several results one by one, or as they are nested."""

    def wrapper(*cotangents: Any) -> Any:
        single = len(cotangents) == 1 and not (isinstance(out, tuple) and len(out) == 1)
        return pullback(cotangents[0] if single else cotangents)

    return wrapper


def jvp(
    func: Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> tuple[Any, ...]:
    """`(func(*primals), tangent)`, and `aux` if `has_aux`: forward mode.

    Results that do not depend on the primals have a tangent of zeros, and raise if `strict`.
    """
    if not isinstance(primals, tuple):
        raise errors.primals_no_tuple()
    if strict:
        check_dependence(func, primals, has_aux)
    function = checked(func, tensors_of("jvp(f, primals, tangents)"), has_aux)
    result: tuple[Any, ...] = lines.jvp(function, primals, tangents, has_aux=has_aux)
    return result


def check_dependence(func: Function, primals: tuple[Any, ...], has_aux: bool) -> None:
    """Raise if a result does not depend on the primals."""
    recording = lines.Recording("jvp", func, primals, has_aux, keep=True, forward=True)
    if 0 in recording.slots:
        raise errors.independent_result(recording.slots.index(0))


def linearize(func: Function, *primals: Any) -> tuple[Any, Function]:
    """`(func(*primals), push)`: ``push(*tangents)`` gives the result's tangent, many times."""
    return lines.linearize(func, *primals)


def vmap(
    func: Function,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Function:
    """`func` over an axis of its arguments, in one vectorised run."""
    function = checked(func, lane_of(func), False) if isinstance(out_dims, int) else func
    return lanes.vmap(function, in_dims, out_dims, randomness=randomness, chunk_size=chunk_size)


def jacrev(
    func: Function,
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
) -> Function:
    """The Jacobian, in reverse mode; `chunk_size` limits how many rows are computed at a time."""
    function = checked(func, tensors_of("vjp(f, *primals)"), has_aux)
    return matrices.jacrev(function, argnums, has_aux=has_aux, chunk_size=chunk_size)


def jacfwd(
    func: Function,
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
) -> Function:
    """The Jacobian, in forward mode. The function runs once, so `randomness` has no part."""
    function = checked(func, tensors_of("jvp(f, primals, tangents)"), has_aux)
    return matrices.jacfwd(function, argnums, has_aux=has_aux)


def hessian(func: Function, argnums: int | tuple[int, ...] = 0) -> Function:
    """The matrix of second derivatives, forward over reverse."""
    return matrices.hessian(func, argnums)


def functionalize(func: Function, *, remove: str = "mutations") -> Function:
    """`func` itself: changes in place are part of what the transforms record."""
    if remove not in ("mutations", "mutations_and_views"):
        raise errors.bad_functionalize(remove)
    return func


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """``module(*args, **kwargs)`` with other tensors in place of its parameters and buffers.

    They are given by their names, in one dictionary or several. Parameters that the module uses
    under several names are all replaced, if `tie_weights`; if `strict`, the names have to be those
    of the module, no more and no fewer.
    """
    given: dict[str, Tensor] = {}
    dicts = parameter_and_buffer_dicts
    for some in [dicts] if isinstance(dicts, dict) else dicts:
        if given.keys() & some.keys():
            raise errors.key_twice(sorted(given.keys() & some.keys()))
        given.update(some)
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    with replaced(module, given, tie_weights, strict):
        return module(*positional, **(kwargs or {}))


@contextmanager
def replaced(
    module: Any, given: dict[str, Tensor], tie_weights: bool, strict: bool
) -> Iterator[None]:
    """A module with other parameters and buffers for a while."""
    places = dict(places_of(module))
    unknown = [name for name in given if name not in places]
    missing = [name for name in places if name not in given]
    if strict and (unknown or missing):
        raise errors.names_of_module(module, unknown, missing)
    values = {name: x for name, x in given.items() if name in places}
    if tie_weights:
        by_tensor = {id(places[name][0][places[name][1]]): x for name, x in values.items()}
        for name, (own, key) in places.items():
            tied = by_tensor.get(id(own[key]))
            if name not in values and own[key] is not None and tied is not None:
                values[name] = tied
    before = [(*places[name], places[name][0][places[name][1]]) for name in values]
    try:
        for name, x in values.items():
            own, key = places[name]
            own[key] = x
        yield
    finally:
        for own, key, x in before:
            own[key] = x


def places_of(module: Any) -> Iterator[tuple[str, tuple[dict[str, Any], str]]]:
    """The names of all parameters and buffers, and where the modules keep them."""
    for prefix, part in module.named_modules(remove_duplicate=False):
        for own in (part._parameters, part._buffers):
            for key in own:
                yield (f"{prefix}.{key}" if prefix else key), (own, key)


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of models of one architecture, stacked along a new axis.

    With `functional_call` under `vmap`, they are run as one.
    """
    if not models:
        raise errors.no_models()
    if any(m.training != models[0].training for m in models):
        raise errors.models_differ()
    if any(type(m) is not type(models[0]) for m in models):
        raise errors.classes_differ()
    params = [dict(m.named_parameters()) for m in models]
    buffers = [dict(m.named_buffers()) for m in models]
    return stacked(params), stacked(buffers)


def stacked(states: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    """Dictionaries of tensors as one of stacks, which are leaves where the tensors are."""
    result = {}
    for name in states[0]:
        tensors = [state[name] for state in states]
        whole = stack([x.detach() for x in tensors])
        result[name] = whole.requires_grad_(bool(tensors[0].requires_grad))
    return result


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Have all batch norms in a module normalise by the batch at hand, without running means.

    These would be written into, which `vmap` and `grad` do not see.
    """
    for module in root.modules():
        if getattr(module, "track_running_stats", False):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
