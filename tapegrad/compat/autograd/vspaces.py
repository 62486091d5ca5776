"""`vspace`: what one can do with values without knowing of which kind they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy

from ... import numpy as np
from ... import tree
from ...core.array import Array
from ...core.record import raw
from . import errors
from .primitives import boxes, defjvp, defvjp, primitive

FLOATS = (float, numpy.float16, numpy.float32, numpy.float64, numpy.longdouble)
COMPLEX = (complex, numpy.complex64, numpy.complex128, numpy.clongdouble)


class VSpace:
    """A vector space. Those of arrays and of containers are here; a subclass may be registered.

    A subclass has `zeros`, `ones`, `randn`, `standard_basis`, `size` and `_inner_prod`, and other
    `_add`, `_scalar_mul` and `_covector` where the operators do not serve. With a `Box` for the
    same class, derivatives by its values are values of the class; only `zeros` and what is needed
    to add are used for them.
    """

    mappings: ClassVar[dict[type, Callable[[Any], VSpace]]] = {}
    iscomplex = False
    size: Any
    zeros: Callable[[], Any]
    ones: Callable[[], Any]
    randn: Callable[[], Any]
    standard_basis: Callable[[], Iterator[Any]]
    _inner_prod: Callable[[Any, Any], Any]

    def __init__(self, value: Any) -> None:
        pass

    @primitive
    def add(self, x: Any, y: Any) -> Any:
        """The sum of two elements."""
        return self._add(x, y)

    @primitive
    def mut_add(self, x_prev: Any, x_new: Any) -> Any:
        """The sum of two elements, the first of which (None: zero) may be changed."""
        return self._add(self.zeros() if x_prev is None else x_prev, x_new)

    @primitive
    def scalar_mul(self, x: Any, a: Any) -> Any:
        """An element times a number."""
        return self._scalar_mul(x, a)

    @primitive
    def inner_prod(self, x: Any, y: Any) -> Any:
        """The inner product, a real number."""
        return self._inner_prod(x, y)

    @primitive
    def covector(self, x: Any) -> Any:
        """The gradient of the inner product with `x`: its conjugate."""
        return self._covector(x)

    def _add(self, x: Any, y: Any) -> Any:
        return x + y

    def _scalar_mul(self, x: Any, a: Any) -> Any:
        return x * a

    def _covector(self, x: Any) -> Any:
        return x

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __repr__(self) -> str:
        return f"{type(self).__name__}_{self.__dict__}"

    @classmethod
    def register(
        cls, value_type: type, vspace_maker: Callable[[Any], VSpace] | None = None
    ) -> None:
        """Say which space the values of a type are in."""
        VSpace.mappings[value_type] = vspace_maker or cls


for _sum in (VSpace.add, VSpace.mut_add):
    defvjp(_sum, None, lambda ans, space, x, y: lambda g: g, lambda ans, space, x, y: lambda g: g)
    defjvp(_sum, None, lambda g, ans, space, x, y: g, lambda g, ans, space, x, y: g)
defvjp(
    VSpace.scalar_mul,
    None,
    lambda ans, space, x, a: lambda g: space.covector(space.scalar_mul(space.covector(g), a)),
    lambda ans, space, x, a: lambda g: space.inner_prod(g, space.covector(x)),
)
defvjp(
    VSpace.inner_prod,
    None,
    lambda ans, space, x, y: lambda g: space.covector(space.scalar_mul(y, g)),
    lambda ans, space, x, y: lambda g: space.covector(space.scalar_mul(x, g)),
)
defvjp(VSpace.covector, None, lambda ans, space, x: lambda g: space.covector(g))
defjvp(VSpace.scalar_mul, None, "same", "same")
defjvp(VSpace.inner_prod, None, "same", "same")
defjvp(VSpace.covector, None, "same")


class ArrayVSpace(VSpace):
    """Real arrays of one shape and dtype."""

    units: ClassVar[tuple[complex, ...]] = (1.0,)

    def __init__(self, value: Any) -> None:
        value = numpy.asarray(value)
        self.shape = value.shape
        self.dtype = value.dtype

    @property
    def size(self) -> int:
        return math.prod(self.shape) * len(self.units)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def zeros(self) -> Any:
        return numpy.zeros(self.shape, dtype=self.dtype)[()]

    def ones(self) -> Any:
        return numpy.full(self.shape, sum(self.units), dtype=self.dtype)[()]

    def standard_basis(self) -> Iterator[Any]:
        for place in numpy.ndindex(*self.shape):
            for unit in self.units:
                vector = numpy.zeros(self.shape, dtype=self.dtype)
                vector[place] = unit
                yield vector[()]

    def randn(self) -> Any:
        total = sum(unit * numpy.random.randn(*self.shape) for unit in self.units)
        return numpy.asarray(total).astype(self.dtype)[()]

    def _inner_prod(self, x: Any, y: Any) -> Any:
        return np.dot(np.ravel(x), np.ravel(y))


class ComplexArrayVSpace(ArrayVSpace):
    """Complex arrays of one shape and dtype, as a space over the real numbers."""

    iscomplex = True
    units: ClassVar[tuple[complex, ...]] = (1.0, 1.0j)

    def _inner_prod(self, x: Any, y: Any) -> Any:
        return np.real(np.dot(np.conj(np.ravel(x)), np.ravel(y)))

    def _covector(self, x: Any) -> Any:
        return np.conj(x)


class ContainerVSpace(VSpace):
    """Trees of one structure, of elements of other spaces. `shape` has these in their places."""

    def __init__(self, value: Any) -> None:
        leaves, self.structure = tree.flatten(value)
        self.spaces = list(map(vspace, leaves))

    @property
    def shape(self) -> Any:
        return tree.unflatten(self.structure, self.spaces)

    @property
    def size(self) -> int:
        return sum(space.size for space in self.spaces)

    def zeros(self) -> Any:
        return self._each("zeros")

    def ones(self) -> Any:
        return self._each("ones")

    def randn(self) -> Any:
        return self._each("randn")

    def standard_basis(self) -> Iterator[Any]:
        for i, space in enumerate(self.spaces):
            for vector in space.standard_basis():
                leaves = [own.zeros() for own in self.spaces]
                leaves[i] = vector
                yield tree.unflatten(self.structure, leaves)

    def _add(self, x: Any, y: Any) -> Any:
        return self._each("add", x, y)

    def _scalar_mul(self, x: Any, a: Any) -> Any:
        leaves = zip(self.spaces, tree.leaves(x), strict=True)
        return tree.unflatten(self.structure, [space.scalar_mul(v, a) for space, v in leaves])

    def _inner_prod(self, x: Any, y: Any) -> Any:
        leaves = zip(self.spaces, tree.leaves(x), tree.leaves(y), strict=True)
        return sum(space.inner_prod(v, w) for space, v, w in leaves)

    def _covector(self, x: Any) -> Any:
        return self._each("covector", x)

    def _each(self, method: str, *values: Any) -> Any:
        """What a method gives in every space."""
        columns = zip(self.spaces, *map(tree.leaves, values), strict=True)
        return tree.unflatten(
            self.structure, [getattr(space, method)(*own) for space, *own in columns]
        )


def array_vspace(value: Any) -> VSpace:
    """The space of an array."""
    kind = ComplexArrayVSpace if numpy.iscomplexobj(value) else ArrayVSpace
    return kind(value)


VSpace.register(numpy.ndarray, array_vspace)
VSpace.mappings.update(dict.fromkeys(FLOATS, ArrayVSpace))
VSpace.mappings.update(dict.fromkeys(COMPLEX, ComplexArrayVSpace))


def vspace(value: Any) -> VSpace:
    """The vector space that a value is in; a traced one has that of its data.

    >>> vspace([1.0, {"a": numpy.zeros(2)}]).size
    3
    """
    if isinstance(value, Array):
        value = raw(value)
    elif type(value) in boxes:
        value = value._value
    maker = VSpace.mappings.get(type(value))
    if maker is not None:
        return maker(value)
    if tree.structure(value) is None:
        raise errors.no_vector_space(value)
    return ContainerVSpace(value)
