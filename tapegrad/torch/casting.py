"""Where functions ask whether their arguments are to be cast first: under `autocast`, they are."""

from __future__ import annotations

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


def setting() -> Any:
    """What tells policies apart that cast to different dtypes."""
    policy = casting.policy
    return policy and (type(policy), getattr(policy, "dtype", None))


settings.append(setting)
