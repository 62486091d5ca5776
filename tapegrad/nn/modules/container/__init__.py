"""Modules that hold modules or parameters."""

from .modules import ModuleDict, ModuleList, Sequential
from .parameters import ParameterDict, ParameterList

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]
