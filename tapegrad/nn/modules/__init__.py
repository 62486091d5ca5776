"""The modules of `tapegrad.nn`, by subject."""

from . import (
    activation,
    adaptive,
    attention,
    batchnorm,
    cells,
    container,
    conv,
    dropout,
    instancenorm,
    kan,
    linear,
    linear_cross_entropy,
    loss,
    margin_loss,
    module,
    normalization,
    padding,
    parameter_container,
    pooling,
    rnn,
    shaping,
    sparse,
    transformer,
)
from .activation import *
from .adaptive import *
from .attention import *
from .batchnorm import *
from .cells import *
from .container import *
from .conv import *
from .dropout import *
from .instancenorm import *
from .kan import *
from .linear import *
from .linear_cross_entropy import *
from .loss import *
from .margin_loss import *
from .module import *
from .normalization import *
from .padding import *
from .parameter_container import *
from .pooling import *
from .rnn import *
from .shaping import *
from .sparse import *
from .transformer import *

__all__: list[str] = []
__all__ += activation.__all__
__all__ += adaptive.__all__
__all__ += attention.__all__
__all__ += batchnorm.__all__
__all__ += cells.__all__
__all__ += container.__all__
__all__ += conv.__all__
__all__ += dropout.__all__
__all__ += instancenorm.__all__
__all__ += kan.__all__
__all__ += linear.__all__
__all__ += linear_cross_entropy.__all__
__all__ += loss.__all__
__all__ += margin_loss.__all__
__all__ += module.__all__
__all__ += normalization.__all__
__all__ += padding.__all__
__all__ += parameter_container.__all__
__all__ += pooling.__all__
__all__ += rnn.__all__
__all__ += shaping.__all__
__all__ += sparse.__all__
__all__ += transformer.__all__
