"""Kernels that eager code calls: in one pass, what takes NumPy many or is slow in it.

Each function here gives its result, or None where there is no machine code for the arrays (no
llvmlite, another dtype or layout): the caller then goes NumPy's way, whose results are the same up
to a few units in the last place. Kernels know no shape; they are compiled at the first use on a
machine and kept on disk. The interpreter's lock is released while they run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy
from numpy import ndarray

from ..host import unavailable

DTYPES = (numpy.dtype("float32"), numpy.dtype("float64"))

_kernels: dict[tuple[str, numpy.dtype[Any]], Any] = {}


def elementwise(name: str, *arrays: ndarray) -> ndarray | None:
    """A function of `mathematics`, `gelu` or `gelu_gradient` of arrays of one shape and dtype."""
    first = arrays[0]
    if not native(*arrays) or any(x.shape != first.shape for x in arrays):
        return None
    out = numpy.empty_like(first)
    kernel(name, first.dtype)(1, first.size, *map(pointer, arrays), pointer(out))
    return out


def softmax(x: ndarray) -> ndarray | None:
    """The softmax of each row of a matrix."""
    return by_rows("softmax", x)


def log_softmax(x: ndarray) -> ndarray | None:
    """The logarithm of the softmax of each row of a matrix."""
    return by_rows("log_softmax", x)


def softmax_gradient(g: ndarray, out: ndarray) -> ndarray | None:
    """The cotangent of the rows that `softmax` made `out` of."""
    return by_rows("softmax_gradient", g, out)


def log_softmax_gradient(g: ndarray, out: ndarray) -> ndarray | None:
    """The cotangent of the rows that `log_softmax` made `out` of."""
    return by_rows("log_softmax_gradient", g, out)


def by_rows(name: str, *matrices: ndarray) -> ndarray | None:
    first = matrices[0]
    if first.ndim != 2 or not native(*matrices) or any(x.shape != first.shape for x in matrices):
        return None
    out = numpy.empty_like(first)
    kernel(name, first.dtype)(*first.shape, *map(pointer, matrices), pointer(out))
    return out


def cross_entropy(logits: ndarray, labels: ndarray) -> ndarray | None:
    """Of each row, what log_softmax gives at its label, negated."""
    if logits.ndim != 2 or not native(logits):
        return None
    places = places_of(labels, logits.shape)
    if places is None:
        return None
    out = numpy.empty(len(logits), logits.dtype)
    arrays = logits, places, out
    kernel("cross_entropy", logits.dtype)(*logits.shape, *map(pointer, arrays))
    return out


def cross_entropy_gradient(
    logits: ndarray, labels: ndarray, out: ndarray, g: ndarray
) -> ndarray | None:
    """The cotangent of the logits, for that of the result `out` of `cross_entropy`."""
    if (
        logits.ndim != 2
        or not native(logits, out, g)
        or not out.shape == g.shape == logits.shape[:1]
    ):
        return None
    places = places_of(labels, logits.shape)
    if places is None:
        return None
    gradient = numpy.empty_like(logits)
    arrays = logits, places, out, g, gradient
    kernel("cross_entropy_gradient", logits.dtype)(*logits.shape, *map(pointer, arrays))
    return gradient


def places_of(labels: ndarray, shape: tuple[int, ...]) -> ndarray | None:
    """Labels as places in rows, negative ones counted from the end; None if one is outside."""
    if labels.dtype.kind not in "iu" or labels.shape != shape[:1]:
        return None
    if labels.min() < -shape[1] or labels.max() >= shape[1]:
        return None
    places = numpy.ascontiguousarray(labels, numpy.int64)
    return numpy.where(places < 0, places + shape[1], places) if places.min() < 0 else places


def layer_norm(
    x: ndarray, weight: ndarray | None, bias: ndarray | None, epsilon: float
) -> ndarray | None:
    """Rows less their mean over their deviation, times `weight` plus `bias` where these are."""
    if x.ndim != 2 or not native(x):
        return None
    weight = row_of(1, x) if weight is None else weight
    bias = row_of(0, x) if bias is None else bias
    if not (native(x, weight, bias) and weight.shape == bias.shape == x.shape[1:]):
        return None
    out = numpy.empty_like(x)
    arrays = x, weight, bias, numpy.array(epsilon, x.dtype), out
    kernel("layer_norm", x.dtype)(*x.shape, *map(pointer, arrays))
    return out


def layer_norm_gradient(
    x: ndarray, weight: ndarray | None, g: ndarray, epsilon: float
) -> tuple[ndarray, ndarray, ndarray] | None:
    """The cotangents of the rows, the weight and the bias of `layer_norm`."""
    if x.ndim != 2 or not native(x, g) or g.shape != x.shape:
        return None
    weight = row_of(1, x) if weight is None else weight
    if not native(x, weight) or weight.shape != x.shape[1:]:
        return None
    to_x = numpy.empty_like(x)
    to_weight, to_bias = row_of(0, x), row_of(0, x)
    arrays = x, weight, g, numpy.array(epsilon, x.dtype), to_x, to_weight, to_bias
    kernel("layer_norm_gradient", x.dtype)(*x.shape, *map(pointer, arrays))
    return to_x, to_weight, to_bias


def row_of(number: float, x: ndarray) -> ndarray:
    return numpy.full(x.shape[1], number, x.dtype)


def steps(name: str, arrays: Sequence[ndarray]) -> Callable[[int], None] | None:
    """``step(t)`` runs a kernel of `recurrent` on step t of arrays (T, rows, columns).

    An array without an axis for the time is there at each step.
    """
    first = arrays[0]
    if first.dtype not in DTYPES or not first.size:
        return None
    places = []
    for x in arrays:
        itemsize, columns = x.itemsize, x.shape[-1]
        together = x.strides[-2:] == (columns * itemsize, itemsize)
        if x.ndim > 3 or x.dtype != first.dtype or not together or not x.flags.aligned:
            return None
        places.append((pointer(x), x.strides[0] if x.ndim == 3 else 0))
    size = first.shape[-2] * first.shape[-1]
    run = kernel(name, first.dtype)

    def step(t: int) -> None:
        run(1, size, *[start + t * stride for start, stride in places])

    return step


def available() -> Mapping[str, Callable[..., Any]]:
    """The kernels by name; none where there is no machine code."""
    return KERNELS if unavailable() is None else {}


def native(*arrays: ndarray) -> bool:
    """Whether kernels can take these arrays as they are."""
    dtype = arrays[0].dtype
    return (
        dtype in DTYPES
        and unavailable() is None
        and all(
            type(x) is ndarray
            and x.dtype == dtype
            and x.size
            and x.flags.c_contiguous
            and x.flags.aligned
            for x in arrays
        )
    )


def pointer(array: ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def kernel(name: str, dtype: numpy.dtype[Any]) -> Callable[..., None]:
    """The kernel of a name, to be called with two sizes and addresses."""
    found = _kernels.get((name, dtype))
    if found is None:
        from ..jit import lock
        from .kernels import Kernel

        with lock:
            found = _kernels.setdefault((name, dtype), Kernel(name, dtype))
    return found.run


ELEMENTWISE = (
    "erf",
    "erfc",
    "expit",
    "gelu",
    "gelu_gradient",
    "gelu_tanh",
    "gelu_tanh_gradient",
    "log_expit",
    "mish",
    "sigmoid",
    "silu",
    "silu_gradient",
    "softplus_above",
    "softplus_above_gradient",
    "softplus_of",
)


def convolution(name: str, *arguments: Any) -> ndarray | None:
    """A convolution, or one of its gradients, of sizes that were asked for before."""
    module = import_module(".convolutions", __name__)
    found: ndarray | None = getattr(module, name)(*arguments, patient=True)
    return found


CONVOLUTIONS = ("convolve", "input_gradient", "weight_gradient")

KERNELS: Mapping[str, Callable[..., Any]] = {
    "softmax": softmax,
    "softmax_gradient": softmax_gradient,
    "log_softmax": log_softmax,
    "log_softmax_gradient": log_softmax_gradient,
    "cross_entropy": cross_entropy,
    "cross_entropy_gradient": cross_entropy_gradient,
    "layer_norm": layer_norm,
    "layer_norm_gradient": layer_norm_gradient,
    "steps": steps,
    **{name: functools.partial(elementwise, name) for name in ELEMENTWISE},
    **{name: functools.partial(convolution, name) for name in CONVOLUTIONS},
}
"""What operations ask for (see `tapegrad.ops.native`)."""
