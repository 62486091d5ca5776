"""What `custom_vjp` and `custom_jvp` share: the call of a function whose derivative is given.

The function runs on plain data, so that no derivative sees what it does; the call is one entry.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .. import tree
from ..backend import as_data, python_numbers
from ..core.array import Array
from ..core.op import table
from ..core.tape import local, set_current
from . import misuse
from .arguments import check_function, name_of, positions
from .flat import is_array

Function = Callable[..., Any]


class Custom:
    """A function whose derivative is given by its author: base of the two kinds."""

    kind = ""

    def __init__(self, fun: Function, nondiff_argnums: int | Sequence[int] = ()) -> None:
        check_function(self.kind, fun)
        self.fun = fun
        self.nondiff_argnums = nondiff_argnums
        self.name = name_of(fun)
        try:
            self.signature: inspect.Signature | None = inspect.signature(fun)
        except (TypeError, ValueError):  # of a builtin
            self.signature = None
        for name in functools.WRAPPER_ASSIGNMENTS:
            if hasattr(fun, name):
                setattr(self, name, getattr(fun, name))
        self.__wrapped__ = fun

    def __repr__(self) -> str:
        return f"<{self.kind} function {self.name}>"

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """The arguments of a call, by position, with defaults filled in."""
        if self.signature is not None:
            bound = self.signature.bind(*args, **kwargs)
            kwargs = bound.kwargs
            bound.apply_defaults()
            args = bound.args
        if kwargs:
            raise misuse.keyword_only(self.kind, self.name, list(kwargs))
        return Arguments(self, args)

    def undefined(self, method: str) -> AttributeError:
        return misuse.no_rule_given(self.kind, self.name, method)


class Arguments:
    """A call's arguments: `arrays`, flat, and what puts others in their place.

    The arrays go to the call's entry with `release`, and are not kept here: the entry keeps this,
    and they may be on the tape that keeps the entry.
    """

    __slots__ = ("arrays", "chosen", "count", "leaves", "static", "structure", "structures")

    def __init__(self, custom: Custom, args: tuple[Any, ...]) -> None:
        self.count = len(args)
        static = positions(custom.nondiff_argnums, len(args), custom.kind)
        self.static = {i: args[i] for i in sorted(static)}
        for value in self.static.values():
            if any(isinstance(x, Array) and x.slot for x in tree.leaves(value)):
                raise misuse.closed_over(custom.kind, custom.name)
        varied = tuple(x for i, x in enumerate(args) if i not in self.static)
        self.structures = [tree.structure(x) for x in varied]
        self.leaves, self.structure = tree.flatten(varied)
        self.chosen = [i for i, x in enumerate(self.leaves) if is_array(x)]
        self.arrays = [self.leaves[i] for i in self.chosen]

    def release(self) -> list[Any]:
        """The arrays, which are no longer kept here."""
        arrays, self.arrays = self.arrays, []
        for i in self.chosen:
            self.leaves[i] = None
        return arrays

    def varied(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """The differentiable arguments with other arrays."""
        leaves = list(self.leaves)
        for i, x in zip(self.chosen, arrays, strict=True):
            leaves[i] = x
        return tree.unflatten(self.structure, leaves)

    def directions(self, tangents: Sequence[Any]) -> tuple[Any, ...]:
        """As `varied`, for the arrays' tangents: those of Python numbers are zero."""
        leaves = [0.0 if type(x) in python_numbers else x for x in self.leaves]
        for i, t in zip(self.chosen, tangents, strict=True):
            leaves[i] = t
        return tree.unflatten(self.structure, leaves)

    def all(self, arrays: Sequence[Any]) -> list[Any]:
        """All arguments, with other arrays."""
        rest = iter(self.varied(arrays))
        return [self.static[i] if i in self.static else next(rest) for i in range(self.count)]


class Call:
    """One call of a function whose derivative is given, its functions made flat."""

    def __init__(self, custom: Any, given: Arguments) -> None:
        self.custom = custom
        self.given = given
        self.out: Any = None  # the structure of the result, once it ran

    def primal(self, *arrays: Any) -> list[Any]:
        results, self.out = tree.flatten(self.custom.fun(*self.given.all(arrays)))
        return results


@contextmanager
def detached() -> Iterator[None]:
    """Run with raw arrays as outside of every replay: what depends on nothing traced stays raw."""
    previous = local.tape
    try:
        set_current(local.root)
        yield
    finally:
        set_current(previous)


def plain_results(kind: str, name: str, results: Sequence[Any]) -> list[Any]:
    """Results computed from raw arrays as raw arrays."""
    plain = []
    for x in results:
        if isinstance(x, Array):
            if x.slot:
                raise misuse.closed_over(kind, name)
            x = x.raw
        plain.append(as_data(x))
    return plain


def fitted(d: Any, x: Any, what: str) -> Any:
    """A derivative that a user's rule gave, checked to fit the array `x`, in its dtype."""
    d = d if isinstance(d, Array) else as_data(d)
    if getattr(d, "shape", None) != x.shape:
        raise misuse.rule_shape(what, x.shape, getattr(d, "shape", None))
    if d.dtype != x.dtype:
        if d.dtype.kind == "c" and x.dtype.kind != "c":
            raise misuse.rule_dtype(what, x.dtype, d.dtype)
        d = table["astype"].function(d, to=x.dtype, source=d.dtype)
    return d
