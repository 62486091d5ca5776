"""Neural networks, with PyTorch's names."""

from ..torch.utils.hooks import RemovableHandle
from . import attention, common_types, functional, grad, init, modules, parameter, utils
from .factory import factory_kwargs
from .functional_state import functional_call, state
from .modules.activation import *
from .modules.adaptive import *
from .modules.attention import *
from .modules.batchnorm import *
from .modules.channelshuffle import *
from .modules.container import *
from .modules.conv import *
from .modules.distance import *
from .modules.dropout import *
from .modules.flatten import *
from .modules.fold import *
from .modules.instancenorm import *
from .modules.kan import *
from .modules.linear import *
from .modules.linear_cross_entropy import *
from .modules.loss import *
from .modules.module import *
from .modules.normalization import *
from .modules.padding import *
from .modules.pixelshuffle import *
from .modules.pooling import *
from .modules.rnn import *
from .modules.sparse import *
from .modules.transformer import *
from .modules.upsampling import *
from .parallel import DataParallel
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
