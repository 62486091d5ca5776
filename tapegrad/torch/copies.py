"""Views as copies, and parts put back into copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import parts, shapes
from .calls import attach
from .conversion import clone
from .inplace import write
from .subscript import get_basic
from .tensor import Tensor

__all__ = [
    "alias_copy",
    "as_strided_copy",
    "as_strided_scatter",
    "detach_copy",
    "diagonal_copy",
    "diagonal_scatter",
    "narrow_copy",
    "permute_copy",
    "select_copy",
    "select_scatter",
    "slice_copy",
    "slice_scatter",
    "split_copy",
    "split_with_sizes_copy",
    "squeeze_copy",
    "t_copy",
    "transpose_copy",
    "unbind_copy",
    "unfold_copy",
    "unsqueeze_copy",
    "view_copy",
]


def copied(name: str, view: Callable[..., Any]) -> Callable[..., Any]:
    """A view function whose results share no memory."""

    def function(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        result = view(input, *args, **kwargs)
        return tuple(map(clone, result)) if isinstance(result, tuple) else clone(result)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As `{name.removesuffix('_copy')}`, without sharing memory."
    return function


def slices(
    input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """Every `step`-th element of an axis between two places, as a view."""
    at = dim % input.raw.ndim
    return get_basic(input, (*(slice(None),) * at, slice(start, end, step)))


alias_copy = copied("alias_copy", lambda x: x)
as_strided_copy = copied("as_strided_copy", parts.as_strided)
detach_copy = copied("detach_copy", shapes.detach)
diagonal_copy = copied("diagonal_copy", parts.diagonal)
narrow_copy = copied("narrow_copy", parts.narrow)
permute_copy = copied("permute_copy", shapes.permute)
select_copy = copied("select_copy", parts.select)
slice_copy = copied("slice_copy", slices)
split_copy = copied("split_copy", parts.split)
split_with_sizes_copy = copied("split_with_sizes_copy", parts.split_with_sizes)
squeeze_copy = copied("squeeze_copy", shapes.squeeze)
t_copy = copied("t_copy", shapes.t)
transpose_copy = copied("transpose_copy", shapes.transpose)
unbind_copy = copied("unbind_copy", parts.unbind)
unfold_copy = copied("unfold_copy", parts.unfold_windows)
unsqueeze_copy = copied("unsqueeze_copy", shapes.unsqueeze)
view_copy = copied("view_copy", shapes.view_method)


def put_back(name: str, view: Callable[..., Tensor], argument: str) -> Callable[..., Tensor]:
    """A copy of a tensor with one of its views written anew."""

    def function(input: Tensor, src: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        whole = clone(input)
        part = view(whole, *args, **kwargs)
        if part.raw.shape != src.raw.shape:
            raise RuntimeError(
                f"expected src to have a size equal to the {argument} of self. src size = "
                f"{list(src.raw.shape)}, {argument} size = {list(part.raw.shape)}"
            )
        write(part, src, name)
        return whole

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"A copy with `src` in the place of a {argument}."
    return function


as_strided_scatter = put_back("as_strided_scatter", parts.as_strided, "window")
diagonal_scatter = put_back("diagonal_scatter", parts.diagonal, "diagonal")
select_scatter = put_back("select_scatter", parts.select, "slice")
slice_scatter = put_back("slice_scatter", slices, "slice")

attach(
    "as_strided_scatter diagonal_scatter narrow_copy select_scatter slice_scatter unfold_copy",
    globals(),
)
