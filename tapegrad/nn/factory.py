"""What layers hand on to the tensors they make."""

from __future__ import annotations

from typing import Any

__all__ = ["factory_kwargs"]

NAMES = ("device", "dtype", "memory_format")


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """The keyword arguments for new tensors, from those of a layer's constructor.

    >>> factory_kwargs({"device": "cpu", "factory_kwargs": {"dtype": float}})
    {'dtype': <class 'float'>, 'device': 'cpu'}
    """
    if kwargs is None:
        return {}
    unknown = {*kwargs} - {*NAMES, "factory_kwargs"}
    if unknown:
        raise TypeError(f"unexpected kwargs {unknown}")
    made = dict(kwargs.get("factory_kwargs", {}))
    for name in NAMES:
        if name in kwargs:
            if name in made:
                raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
            made[name] = kwargs[name]
    return made
