"""`torch.autograd`."""

from . import attributes, graph
from .anomaly import (
    detect_anomaly,
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    set_detect_anomaly,
)
from .backward import backward, grad
from .function import Function, NestedIOFunction

__all__ = [
    "Function",
    "NestedIOFunction",
    "attributes",
    "backward",
    "detect_anomaly",
    "grad",
    "graph",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "set_detect_anomaly",
]
