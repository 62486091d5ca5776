"""`torch.save` and `torch.load`: PyTorch's zip format, read without executing anything."""

from .reading import load
from .safe import add_safe_globals as add_safe_globals
from .safe import clear_safe_globals as clear_safe_globals
from .safe import get_safe_globals as get_safe_globals
from .safe import safe_globals as safe_globals
from .storages import DEFAULT_PROTOCOL as DEFAULT_PROTOCOL
from .storages import MAGIC_NUMBER as MAGIC_NUMBER
from .storages import PROTOCOL_VERSION as PROTOCOL_VERSION
from .writing import save

__all__ = ["load", "save"]
