"""Where functions ask whether their arguments are to be cast first: under `autocast`, they are."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from ..core.face import settings

Policy = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]


class Casting(threading.local):
    """What is done to arguments in this thread.

    ``policy(function, args, kwargs)`` calls the function with other arguments and gives its result,
    or NotImplemented if they stay as they are. There is nearly never one.
    """

    policy: Policy | None = None


casting = Casting()


def asking(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function made of others that asks for all of them at once, by its own name."""

    @functools.wraps(function)
    def face(*args: Any, **kwargs: Any) -> Any:
        if casting.policy is not None:
            result = casting.policy(face, args, kwargs)
            if result is not NotImplemented:
                return result
        return function(*args, **kwargs)

    return face


def setting() -> Any:
    """What tells policies apart that cast to different dtypes."""
    policy = casting.policy
    return policy and (type(policy), getattr(policy, "dtype", None))


settings.append(setting)
