"""`Plan`: what `checkpoint` was told of memory: a budget, what to keep, when to use files."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ..core.op import Op
from . import misuse
from .instructions import Instruction, Instructions
from .keeping import Keeping
from .spill import Spill

UNITS = {
    "": 1,
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "TIB": 2**40,
}

Policy = Callable[[Op, dict[str, Any]], bool]


class Plan:
    """A budget in bytes, a policy, and the size from which on arrays go to files.

    `everything` says to keep all results that fit, and not only those that the policy wants.
    """

    __slots__ = ("budget", "everything", "policy", "spill")

    def __init__(
        self, budget: int | None, policy: Policy, spill: int | None, everything: bool
    ) -> None:
        self.budget = budget
        self.everything = everything
        self.policy = policy
        self.spill = spill

    @classmethod
    def of(cls, budget: Any, keep: Sequence[str] | Policy | None, spill: Any) -> Plan:
        """The plan of the arguments of `checkpoint`."""
        if budget is None and keep is None and spill is None:
            return NOTHING_KEPT
        if isinstance(keep, str):
            raise misuse.bad_keep(keep)
        if keep is None:
            policy: Policy = keep_nothing
        elif callable(keep):
            policy = keep
        else:
            names = frozenset(keep)

            def policy(op: Op, params: dict[str, Any]) -> bool:
                return (params["name"] if op.name == "checkpoint_name" else op.name) in names

        return cls(
            None if budget is None else bytes_of("budget", budget),
            policy,
            None if spill is None else bytes_of("spill", spill),
            everything=budget is not None or keep is None,
        )

    def keeping(self, inputs: int) -> Keeping:
        """What begins a run with so many inputs."""
        policy = self.policy

        def keeps(step: Instruction) -> bool:
            return policy(step.op, step.params or {})

        spill = None if self.spill is None else Spill(self.spill)
        return Keeping(Instructions(inputs), self.budget, keeps, spill, self.everything)


def keep_nothing(op: Op, params: dict[str, Any]) -> bool:
    """The policy that has no wishes."""
    return False


NOTHING_KEPT = Plan(None, keep_nothing, None, everything=False)
"""The plan to compute all again at once, from the inputs."""


def bytes_of(what: str, size: int | str) -> int:
    """A number of bytes, given as such or with a unit, such as "1.5 GB"."""
    if isinstance(size, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([A-Za-z]*)\s*", size)
        unit = UNITS.get(match[2].upper()) if match else None
        if match is None or unit is None:
            raise misuse.bad_size(what, size)
        return int(float(match[1]) * unit)
    if isinstance(size, bool) or size < 1:
        raise misuse.bad_size(what, size)
    return int(size)
