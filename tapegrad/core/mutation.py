"""In-place changes of recorded arrays, as new versions of values that stay immutable.

The operations are pure. `x[i] = v` and `x += v` compute a new value and rebind the `Array` object
to it: its data, its slot, its tape. What was recorded from the old value keeps the old value, for
the buffer is copied first, unless nothing but this array (and its views) can see it: see `alone`.

Views are linked as in NumPy. A view has `base = (array, operation, parameters)`, how it is made; an
array that has views has weak references to them in `views`. A write to a view becomes a write to
the array it comes from, up to the root; then every live view below the root is computed anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from sys import getrefcount
from typing import Any
from weakref import ref

import numpy
from numpy import generic, ndarray

from ..backend import namespace
from .array import Array, Traced, untracked
from .leaf import retained
from .op import Op, table
from .record import record
from .tape import local
from .versions import stamp

Writer = Callable[..., Any]

writers: dict[str, Writer] = {}
"""By operation that gives views: ``writer(base, new, **params)``, the base once its view is `new`.

Operations with views but neither a writer nor a merger give views that are read-only.
"""

mergers: dict[str, Writer] = {}
"""By operation whose views may show an element of the base more than once:
``merger(base, new, written, op, params)``, the base once those elements of its view that `written`
marks are those of `new`."""

READ_ONLY = ("broadcast_to", "diagonal")
"""Operations whose views NumPy lets nobody write to; a face that shares memory does."""

MANY_VIEWS = 32
"""From this many views on, dead references are looked for whenever their number has doubled."""


def link(view: Array, base: Array, op: Op, params: dict[str, Any]) -> None:
    """Remember that `view` is `op` of `base` and shares its memory."""
    view.base = (base, op, params)
    views = getattr(base, "views", None)
    if views is None:
        base.views = [ref(view)]
    else:
        views.append(ref(view))
        if len(views) >= MANY_VIEWS:
            drop_dead(views)


def drop_dead(views: list[Any]) -> None:
    """Forget the views that are no more, when their number has doubled since the last time."""
    count = len(views)
    if not count & (count - 1):
        views[:] = [r for r in views if r() is not None]


def view_of(base: Array, op: Op, params: dict[str, Any], result: Array) -> Array:
    """`result`, just computed by `op` from `base`, linked if NumPy made it a view."""
    data = result.raw
    if type(base.raw) is not ndarray:
        return result
    if isinstance(data, generic):  # of no axes: a number here, but an array and a view in NumPy
        link(result, base, op, params)
    elif type(data) is ndarray:
        owner = base.raw if base.raw.base is None else base.raw.base
        if data.base is owner and data.base is not None and result is not base:
            link(result, base, op, params)
    return result


def live_views(x: Array) -> Iterator[Array]:
    """The views of `x` that somebody still has, not those of its views."""
    for reference in getattr(x, "views", ()):
        view = reference()
        if view is not None:
            yield view


def has_views(x: Array) -> bool:
    """Whether somebody still has a view of `x`."""
    for _ in live_views(x):
        return True
    if hasattr(x, "views"):
        del x.views
    return False


def tree_of_views(root: Array) -> list[Array]:
    """`root` and all live views below it, each after what it is a view of."""
    found = [root]
    for x in found:
        found.extend(live_views(x))
    return found


def check_writable(x: Array) -> None:
    """Raise as NumPy does if `x` is a view of a kind that cannot be written."""
    while True:
        base = getattr(x, "base", None)
        if base is None:
            return
        name = base[1].name
        known = name in writers or name in mergers
        if not known or (name in READ_ONLY and not x.shares):
            raise ValueError("assignment destination is read-only")
        x = base[0]


ALONE = (lambda x: getrefcount(x.raw))(untracked(numpy.zeros(1)))
"""What `getrefcount(x.raw)` says where only `x` refers to its data."""


def alone(x: Array) -> bool:
    """Whether the buffer of `x`, which is no view, may be written in place.

    That is so when nothing refers to it but `x` and its live views: no entry saved it, no caller
    passed it in, no other array shares it.
    """
    data = x.raw
    if type(data) is not ndarray or data.base is not None or not data.flags.writeable:
        return False
    expected = ALONE + 1  # and the local variable
    for view in tree_of_views(x)[1:] if hasattr(x, "views") else ():
        if view.raw.base is data:
            if getrefcount(view.raw) != ALONE:
                return False
            expected += 1
    return getrefcount(data) == expected


def rebind(target: Array, new: Array) -> None:
    """Make the object `target` stand for the value `new`."""
    target.raw = new.raw
    follow(target, new)


def follow(target: Array, new: Array) -> None:
    """Give `target` the place on a tape that `new` has.

    If its `grad` is retained, it is that by the new value from now on.
    """
    traced = isinstance(new, Traced)
    if retained and retained.get(target.slot) is target and new.slot > 0 and not traced:
        retained[new.slot] = retained.pop(target.slot)
    target.slot = new.slot
    target.tape = new.tape
    if traced != isinstance(target, Traced):
        target.__class__ = target.traced if traced else target.untraced


def snapshot(x: Array) -> Array:
    """The value of `x` as an object of its own, which a later rebinding of `x` leaves alone."""
    return x.__copy__()


def assign(target: Array, new: Any) -> None:
    """Give `target` the value `new`, of its shape and dtype; its base and its views follow.

    The one way in which a recorded array changes as a whole: augmented assignment, `out=`, `at`.
    """
    if not isinstance(new, Array):
        new = untracked(new)
    if getattr(target, "base", None) is None:
        data = laid_out(new.raw, target.raw)
        rebind(target, new)
        target.raw = data
        if has_views(target):
            refresh(target, [target])
        return

    def write(data: Any) -> None:
        data[...] = new.raw

    change(target, write, lambda old, out: new, isinstance(new, Traced))


def laid_out(data: Any, like: Any) -> Any:
    """`data` with its elements in the order in memory that `like` has.

    On that depends which later `reshape` is a view.
    """
    if type(data) is not ndarray or type(like) is not ndarray or data.strides == like.strides:
        return data
    out = numpy.empty_like(like)
    if out.strides == data.strides:
        return data
    out[...] = data
    return out


def change(
    target: Array,
    write: Callable[[Any], None],
    recorded: Callable[[Array, Any], Array],
    traced: bool,
    name: str = "setitem",
) -> None:
    """Change a part of `target`, and with it its base and its views.

    `write(data)` changes raw data in place; `recorded(old, data)` gives the new value from the old
    one and the changed data. `traced` says that what is written is on a replay tape, whose entries
    keep all data; `name` is that of the operation. Nothing has happened if `write` raises.
    """
    check_writable(target)
    chain = [target]
    while (base := getattr(chain[-1], "base", None)) is not None:
        chain.append(base[0])
    root = chain[-1]
    traced = traced or any(isinstance(x, Traced) for x in chain)
    shares = root.shares and not traced
    if shares and isinstance(root.raw, generic):
        root.raw = numpy.asarray(root.raw)
    in_place = getattr(root.raw.flags, "writeable", True) if shares else not traced and alone(root)
    data = root.raw
    if not in_place:
        data = numpy.array(data) if isinstance(data, generic) else data.copy(order="K")
    buffers = [data]
    for x in chain[-2::-1]:
        part = x.raw
        if not in_place or isinstance(part, generic):
            part = part_of(buffers[0], x)
        buffers.insert(0, part)
    write(buffers[0])
    if shares and in_place:
        stamp(data, name)
    olds = [snapshot(x) for x in chain]
    if not shares:
        buffers = [data if data.ndim else data[()] for data in buffers]
    tape = local.root
    budget = tape.budget
    repeated = -1  # the last view in the chain that may show an element more than once
    if in_place:  # what recording counts as new bytes are old ones
        tape.budget += sum(data.nbytes for data in buffers)
    try:
        new = recorded(olds[0], buffers[0])
        for x, data in zip(chain, buffers, strict=True):
            x.raw = data
        follow(target, new)
        for i, x in enumerate(chain[:-1]):
            _, op, params = x.base
            parent = chain[i + 1]
            if not (x.slot or parent.slot):
                continue
            if op is table["getitem"]:
                new = record(table["setitem"], (olds[i + 1], x), params, parent.raw)
            elif op.name in mergers:
                repeated = i
                new = mergers[op.name](
                    olds[i + 1], snapshot(x), written(chain[: i + 1], write), op, params
                )
            else:
                new = writers[op.name](olds[i + 1], snapshot(x), **params)
            follow(parent, new)
    finally:
        tape.budget = min(tape.budget, budget)
    if shares and root.slot:
        retake(root, in_place)
    else:
        refresh(root, chain[repeated + 1 :], shared=in_place and not root.slot)


def part_of(data: Any, view: Array) -> Any:
    """The part of raw `data` that `view` is of its base, to be written to."""
    _, op, params = view.base
    part = op.forward(namespace(data), data, **params)
    if isinstance(part, generic) and op is table["getitem"]:
        part = data[(*params["key"], Ellipsis)]
    if type(part) is ndarray and not part.flags.writeable and data.flags.writeable:
        part.flags.writeable = True  # elements of an expanded array are at one place in memory
    return part


def written(chain: list[Array], write: Callable[[Any], None]) -> Any:
    """Which elements of the last of a chain of views `write` has changed, through the first.

    It is seen by what becomes of zeros and of ones. All count where nothing does: then the values
    were there before.
    """
    last = chain[-1].raw
    xp = namespace(last)
    found = xp.zeros(last.shape, bool)
    for before in (0, 1):
        marks = part = xp.full(last.shape, before, last.dtype)
        for view in chain[-2::-1]:
            part = part_of(part, view)
        write(part)
        found |= marks != before
    return found if found.any() else ~found


def refresh(root: Array, current: list[Array], shared: bool = False) -> None:
    """Compute the live views below `root` anew, but for those in `current`.

    If `shared`, the buffers have the new values already; views of no axes have numbers instead.
    """
    for view in tree_of_views(root):
        if shared and type(view.raw) is ndarray:
            continue
        if not any(view is x for x in current):
            parent, op, params = view.base
            rebind(view, op.function(parent, **params))


def retake(root: Array, in_place: bool) -> None:
    """Take the live views below `root` from it anew: the one that was changed, too.

    So the derivatives by the changed `root` count what is done with its views. If `in_place`, the
    buffers have the new values already.
    """
    for view in tree_of_views(root)[1:]:
        new = taken(view, root)
        if in_place and type(view.raw) is ndarray:
            follow(view, new)
        else:
            rebind(view, new)


def taken(view: Array, root: Array) -> Array:
    """A view as `root` has it now, by no other view that somebody has."""
    parent, op, params = view.base
    result: Array = op.function(parent if parent is root else taken(parent, root), **params)
    return result


def _write_getitem(base: Any, new: Any, *, key: Any) -> Any:
    return table["setitem"].function(base, new, key=key)


def _write_reshape(base: Any, new: Any, *, to: Any) -> Any:
    return table["reshape"].function(new, to=base.shape)


def _write_permute(base: Any, new: Any, *, axes: tuple[int, ...]) -> Any:
    back = tuple(sorted(range(len(axes)), key=axes.__getitem__))
    return table["permute_dims"].function(new, axes=back)


def _write_constant(_base: Any, new: Any) -> Any:
    return new


def _write_real(base: Any, new: Any) -> Any:
    if base.raw.dtype.kind != "c":
        return new
    return table["from_parts"].function(new, table["imag"].function(base))


def _write_imag(base: Any, new: Any) -> Any:
    return table["from_parts"].function(table["real"].function(base), new)


writers.update(
    getitem=_write_getitem,
    reshape=_write_reshape,
    permute_dims=_write_permute,
    real=_write_real,
    imag=_write_imag,
    stop_gradient=_write_constant,
)
