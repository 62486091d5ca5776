"""Anomaly detection: which line of the program a faulty gradient goes back to."""

from __future__ import annotations

import linecache
import os.path
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

from ...backend import has_nan
from ...core.array import Array
from ...core.op import codes
from ...core.record import PICK
from ...core.tape import Entry, shared
from ...core.watch import watch_everywhere
from .. import errors
from .graph import find
from .names import name_of

PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "")
MANY = 1 << 16

Frames = list[tuple[str, int, str]]

sources: dict[int, Frames] = {}
"""By slot: files, lines and functions that were running when its entry was recorded."""


class State:
    """Whether anomalies are looked for, and whether NaN is one."""

    enabled = False
    check_nan = True


state = State()


def user_frames(frame: FrameType | None) -> Frames:
    """The frames from the innermost outside of this package on, outermost first."""
    frames: Frames = []
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE):
            frames.append((code.co_filename, frame.f_lineno, code.co_name))
        frame = frame.f_back
    frames.reverse()
    return frames


def note(entry: Entry) -> Entry:
    """Note where an entry was recorded."""
    if codes[entry[0]][0] is not PICK:
        sources[int(str(entry[1]))] = user_frames(sys._getframe(2))
        if len(sources) > MANY:
            drop_stale()
    return entry


def drop_stale() -> None:
    """Forget the sources of entries that are gone."""
    for slot in tuple(sources):
        if find(slot)[0] is None:
            del sources[slot]


def traceback_of(frames: Frames) -> str:
    """Frames as a traceback shows them."""
    lines = []
    for file, line, function in frames:
        lines.append(f'  File "{file}", line {line}, in {function}\n')
        text = linecache.getline(file, line).strip()
        if text:
            lines.append(f"    {text}\n")
    return "".join(lines)


def examine(entry: Entry, walk: Callable[[], None], pulled: dict[int, Any]) -> None:
    """Take a step of a sweep, and raise if it gives NaN, naming the line of the forward."""
    name = name_of(entry, find(entry[1])[1] or shared.roots[0][1])
    frames = sources.get(entry[1], [])
    try:
        walk()
        if state.check_nan:
            check_numbers(entry, name, frames, pulled)
    except Exception:
        if frames:
            text = errors.ANOMALY.format(name=name) + traceback_of(frames)
        else:
            text = errors.ANOMALY_UNKNOWN.format(name=name)
        warnings.warn(text, stacklevel=2)
        raise


def check_numbers(entry: Entry, name: str, frames: Frames, pulled: dict[int, Any]) -> None:
    """Raise if a cotangent of an input is NaN."""
    arity = codes[entry[0]][1]
    for i, slot in enumerate(entry[2 : 2 + arity]):
        g = pulled.get(slot) if slot else None
        if g is None or type(g) is dict:
            continue
        if has_nan(g.raw if isinstance(g, Array) else g):
            raise errors.nan_gradient(name, i, frames[-1] if frames else None)


def apply(enabled: bool, check_nan: bool) -> None:
    """Look for anomalies from now on, or not."""
    state.enabled = enabled
    state.check_nan = check_nan
    shared.examine = examine if enabled else None
    watch_everywhere((note,) if enabled else ())
    if not enabled:
        sources.clear()


def is_anomaly_enabled() -> bool:
    """Whether anomalies are looked for."""
    return state.enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Whether NaN is an anomaly."""
    return state.check_nan


class SetDetectAnomaly:
    """Look for anomalies from now on, or not; as a context, for its part only.

    While it is on, a backward that gives NaN raises an error which names the line of the forward,
    and so does the warning about an error in a backward. It costs time: for debugging only.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.before = state.enabled, state.check_nan
        apply(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        apply(*self.before)


class DetectAnomaly(SetDetectAnomaly):
    """A context in which anomalies are looked for (see `set_detect_anomaly`)."""

    def __init__(self, check_nan: bool = True) -> None:
        warnings.warn(errors.ANOMALY_ON, stacklevel=2)
        self.check_nan = check_nan
        self.before = state.enabled, state.check_nan

    def __enter__(self) -> None:
        self.before = state.enabled, state.check_nan
        apply(True, self.check_nan)


set_detect_anomaly = SetDetectAnomaly
detect_anomaly = DetectAnomaly
