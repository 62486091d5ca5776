"""Methods that give a tensor another shape in place: `squeeze_`, `t_`, `as_strided_` and their kin.

The tensor becomes a view of what it was. What it was lives on as a tensor that nobody else has: the
tensor's own views are views of that, and where the tensor was a view, that is the view.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any
from weakref import ref

from ..core.mutation import follow, link, live_views, snapshot
from ..core.versions import stamp
from .inplace import check_may_change
from .parts import as_strided
from .shapes import squeeze, t, transpose, unsqueeze
from .tensor import Tensor, writable


def turning(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The method that makes a tensor the view of itself that `function` gives."""

    @functools.wraps(function)
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        check_may_change(self)
        writable(self)
        before: Any = snapshot(self)
        if hasattr(self, "base"):
            before.base = self.base
        after = function(before, *args, **kwargs)
        if self.slot < 0:  # a leaf stays one, and nothing goes back to what it was
            self.raw = after.raw
        else:
            replace(self, before, after)
        stamp(self.raw, name)
        return self

    method.__name__ = name
    method.__doc__ = f"`{function.__name__}` in place: the tensor itself gets the other shape."
    return method


def replace(x: Tensor, before: Any, after: Any) -> None:
    """Make `x`, of which `before` is a copy, the view `after` of that."""
    if hasattr(x, "views"):
        before.views = x.views
        del x.views
        for view in live_views(before):
            view.base = (before, *view.base[1:])
    if hasattr(x, "base"):
        x.base[0].views.append(ref(before))
        del x.base
    x.raw = after.raw
    follow(x, after)
    if hasattr(after, "base"):
        link(x, *after.base)


METHODS: dict[str, Callable[..., Any]] = {
    "as_strided_": as_strided,
    "squeeze_": squeeze,
    "swapaxes_": transpose,
    "swapdims_": transpose,
    "t_": t,
    "transpose_": transpose,
    "unsqueeze_": unsqueeze,
}
for _name, _function in METHODS.items():
    setattr(Tensor, _name, turning(_function, _name))
