"""PyTorch's names on tapegrad's core: ``import tapegrad.torch as torch``."""

from importlib import import_module
from typing import Any

from ..backend import gpu
from . import (
    accelerator,
    amp,
    autograd,
    backends,
    cuda,
    distributed,
    errors,
    fft,
    func,
    homes,
    jit,
    linalg,
    masked,
    network_methods,
    onnx,
    random_in_place,
    return_types,
    signal,
    special,
    subscript,
    turning,
    utils,
)
from .amp import GradScaler
from .amp.autocast_mode import (
    autocast,
    clear_autocast_cache,
    get_autocast_cpu_dtype,
    get_autocast_dtype,
    get_autocast_gpu_dtype,
    is_autocast_cache_enabled,
    is_autocast_cpu_enabled,
    is_autocast_enabled,
    set_autocast_cpu_dtype,
    set_autocast_cpu_enabled,
    set_autocast_dtype,
    set_autocast_enabled,
)
from .arithmetic import *
from .autograd import is_anomaly_check_nan_enabled, is_anomaly_enabled
from .bits import *
from .broadcasting import *
from .combining import *
from .compilation import *
from .complexes import *
from .constants import *
from .contraction import *
from .conversion import *
from .copies import *
from .creation import *
from .cuda import get_default_device, set_default_device
from .cumulative import *
from .device import device
from .diagonals import *
from .distances import *
from .dtypes import *
from .dtypes import bool_ as bool
from .dtypes import defaults
from .dtypes import float32 as float
from .dtypes import int32 as int
from .elementary import *
from .equations import *
from .extremes import *
from .filling import *
from .filling import layout
from .func import vmap
from .gathering import *
from .histograms import *
from .inplace_functions import *
from .internals import *
from .interop import *
from .joining import *
from .layouts import *
from .legacy import *
from .lowrank import *
from .matrices import *
from .memory import *
from .modes import *
from .multinomials import *
from .normalisation import *
from .overwriting import *
from .pairs import *
from .parts import *
from .preferences import *
from .printing import *
from .products import *
from .random import *
from .reductions import *
from .resampling import *
from .resizing import *
from .riemann.elementwise import *
from .riemann.graph import *
from .riemann.indices import *
from .riemann.kinds import *
from .riemann.shapes import *
from .rounding import *
from .segments import *
from .selection import *
from .serialization import *
from .shapes import *
from .signal.older import *
from .size import Size
from .softmax import *
from .sorting import *
from .special.common import *
from .spectrogram import *
from .tensor import Tensor
from .traits import *
from .trigonometry import *
from .truth import *
from .version import __version__

homes.finder.install()

LATER = ["compiler", "cpu", "distributions", "multiprocessing", "nn", "optim", "testing", "types"]


def __getattr__(name: str) -> Any:
    """What stands on this package is loaded when it is first asked for.

    That is `nn`, `optim`, the functions of networks that have a name here too, and the modules of
    `LATER`. Riemann's `cp` is CuPy where there is a GPU, else None. What is not here says why.
    Python's own names load nothing: they are asked for by what walks over the package.
    """
    if name.startswith("__"):
        raise errors.absent(__name__, name, {})
    if name in LATER:
        return import_module(f"{__name__}.{name}")
    if name == "Parameter":
        return import_module("tapegrad.nn.parameter").Parameter
    if name == "cp":
        return gpu()[0]
    if name == "default_float":
        return defaults.real
    functions = import_module("tapegrad.nn.functional.top_level").NAMES
    if name in functions:
        return functions[name]
    raise errors.absent(__name__, name, import_module(f"{__name__}.absent").REASONS)
