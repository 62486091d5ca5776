"""Parameter groups: what they may hold, and how they and the state are saved and loaded."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy

from ..backend import HOST, place_of, put
from ..torch.tensor import Tensor, copied, wrap
from . import errors

Group = dict[str, Any]


class Required:
    """Stands for an option that each group must give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = Required()


def check_group(group: Any, differentiable: bool) -> None:
    """Make the parameters of a group a list of tensors, with their names beside it."""
    if not isinstance(group, dict):
        raise errors.group_is_no_dict(group)
    params = group["params"]
    if isinstance(params, set):
        raise errors.parameters_in_set()
    given = [params] if isinstance(params, Tensor) else list(params)
    names = [x[0] for x in given if isinstance(x, tuple)]
    if names:
        if len(names) != len(given):
            raise errors.names_missing()
        group["param_names"] = names
    group["params"] = [x[1] if isinstance(x, tuple) else x for x in given]
    for p in group["params"]:
        if not isinstance(p, Tensor):
            raise errors.no_tensor(p)
        if not differentiable and p.slot > 0 and not p.retains_grad:
            raise errors.no_leaf()


def check_new(group: Group, groups: list[Group]) -> None:
    """Raise if a group does not go with those before it."""
    if len(group["params"]) != len(set(group["params"])):
        warnings.warn(errors.DUPLICATES, stacklevel=4)
    named = "param_names" in group
    for other in groups:
        if named != ("param_names" in other):
            raise errors.names_differ(named)
    seen = {p for other in groups for p in other["params"]}
    if not seen.isdisjoint(group["params"]):
        raise errors.in_several_groups()


def pack_state(state: dict[Any, Any], groups: list[Group]) -> dict[str, Any]:
    """The state and the groups with places in place of parameters."""
    places: dict[int, int] = {}
    start = 0
    packed = []
    for group in groups:
        for i, p in enumerate(group["params"], start):
            places.setdefault(id(p), i)
        start += len(group["params"])
        options = {name: value for name, value in group.items() if name != "params"}
        packed.append({**options, "params": [places[id(p)] for p in group["params"]]})
    return {
        "state": {places[id(p)] if isinstance(p, Tensor) else p: s for p, s in state.items()},
        "param_groups": packed,
    }


def load_state(
    saved: dict[str, Any], groups: list[Group], numbers: Callable[[Group], set[str]]
) -> tuple[defaultdict[Any, Any], list[Group]]:
    """The state and the groups that were saved, for the parameters of `groups`.

    ``numbers(group)`` are the names of what is no array of the parameter's dtype.
    """
    loaded = deepcopy(saved["param_groups"])
    if len(groups) != len(loaded):
        raise errors.different_groups()
    if any(len(a["params"]) != len(b["params"]) for a, b in zip(groups, loaded, strict=True)):
        raise errors.different_group_sizes()
    params = {
        place: (p, new)
        for group, new in zip(groups, loaded, strict=True)
        for p, place in zip(group["params"], new["params"], strict=True)
    }
    state: defaultdict[Any, Any] = defaultdict(dict)
    for place, value in saved["state"].items():
        if place in params:
            p, new = params[place]
            kept = numbers(new)
            state[p] = {name: fitted(x, p, name in kept) for name, x in value.items()}
        else:
            state[place] = value
    for group, new in zip(groups, loaded, strict=True):
        new["params"] = group["params"]
        if "param_names" in group:
            new.setdefault("param_names", group["param_names"])
    return state, loaded


def fitted(x: Any, p: Tensor, kept: bool = False) -> Any:
    """A copy of a part of the state, in the dtype of the parameter unless that is to be `kept`.

    So are the numbers: half precision would soon stop counting steps.
    """
    if isinstance(x, Tensor):
        raw = copied(x.raw)
        if kept:
            return wrap(numpy.asarray(put(raw, HOST)))
        raw = put(raw, place_of(p.raw))
        return wrap(raw.astype(p.raw.dtype, copy=False) if p.is_floating_point() else raw)
    if isinstance(x, dict):
        return {key: fitted(value, p) for key, value in x.items()}
    if isinstance(x, list | tuple):
        return type(x)(fitted(value, p) for value in x)
    return x
