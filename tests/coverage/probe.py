"""A probe: one call of a function, on inputs away from kinks, ties and the ends of its domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Probe(NamedTuple):
    """`call(module, *inputs)`, where `module` is NumPy's or SciPy's, or this package's namesake.

    All inputs are floating point, and all are differentiated. `fixed` are those that are the same
    in all lanes of `vmap`, because they must stay in order.
    """

    call: Callable[..., Any]
    inputs: tuple[Any, ...]
    fixed: tuple[int, ...] = ()


class Probes(dict[str, Probe]):
    """Probes by the names of functions."""

    def probe(self, name: str, call: Callable[..., Any], *inputs: Any, fixed: Any = ()) -> None:
        """Enter a probe of one function."""
        self[name] = Probe(call, inputs, fixed)

    def same(self, names: str, *inputs: Any, **options: Any) -> None:
        """Enter functions that are called with the inputs as they are, and `options`."""
        for name in names.split():
            self.probe(name, _called(name, options), *inputs)


def _called(name: str, options: dict[str, Any]) -> Callable[..., Any]:
    return lambda module, *xs: getattr(module, name)(*xs, **options)
