"""`Steps`: a compiled function that reads or changes arrays beside its arguments."""

from __future__ import annotations

import threading
from typing import Any

from ...core.face import faces, settings
from ...core.modes import is_grad_enabled
from ...core.tape import shared
from .. import errors
from ..flat import MOST_VARIANTS, Options
from ..search import Found
from .arguments import Arguments
from .step import Step


def is_step(fun: Any, args: tuple[tuple[Any, ...], dict[str, Any]]) -> bool:
    """Whether a function can reach arrays that are no arguments, or is given leaves."""
    if not (faces or shared.imperative):
        return False
    call = Arguments(*args)
    leaves = any(x.slot < 0 for x in call.arrays)
    return leaves or bool(Found([("", fun), *(("", call.leaves[i]) for i in call.objects)]).arrays)


class Steps:
    """The programs of a step: for each structure of its arguments, and for all that it can reach.

    The first call runs the step as it is: optimisers begin their states in it, and lazy modules
    learn their shapes.
    """

    def __init__(self, fun: Any, options: Options, name: str) -> None:
        self.fun = fun
        self.options = options
        self.name = name
        self.known: dict[Any, list[Step]] = {}
        self.last: Step | None = None
        self.begun = False
        self.problem: str | None = None
        self.lock = threading.RLock()

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with self.lock:
            if not self.begun or self.problem is not None:
                self.begun = True
                return self.fun(*args, **kwargs)
            call = Arguments(args, kwargs)
            step = self.step(call)
            failed: Exception
            try:
                results = step(call) if step else NotImplemented
            except Exception as error:
                failed = error
            else:
                return self.fun(*args, **kwargs) if results is NotImplemented else results
            self.fun(*args, **kwargs)  # which fails too, at the user's line
            raise failed

    def step(self, call: Arguments) -> Step | None:
        """The step with all that it can reach now; None if there are too many."""
        ambient = is_grad_enabled(), *[setting() for setting in settings]
        known = self.known.setdefault((call.key, ambient), [])
        for step in known:
            if step.current(call):
                self.last = step
                return step
        if len(known) >= MOST_VARIANTS:
            self.problem = errors.too_many_states(MOST_VARIANTS)
            return None
        step = self.last = Step(self.fun, call, self.options, self.name)
        known.insert(0, step)
        return step

    def refusals(self) -> list[tuple[str, str]]:
        """What is not compiled whatever the arrays are, and why."""
        found = [(", ".join(x.names), x.problem) for x in self.all() if x.problem is not None]
        return found if self.problem is None else [*found, ("any call", self.problem)]

    def all(self) -> list[Step]:
        """All steps that there are."""
        return [step for steps in list(self.known.values()) for step in steps]
