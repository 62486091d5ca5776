"""Neural networks, with PyTorch's names."""

from . import attention, common_types, functional, grad, init, modules, parameter, utils
from .factory import factory_kwargs
from .functional_state import functional_call, state
from .modules import *
from .modules.hooks import RemovableHandle
from .parallel import DataParallel
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
