"""PyTorch's functions of neural networks: ``import tapegrad.nn.functional as F``."""

from .activations import *
from .adaptive_pooling import *
from .affine import *
from .attention import *
from .classification import *
from .convolution import *
from .ctc import *
from .distances import *
from .dropping import *
from .embeddings import *
from .folding import *
from .grids import *
from .grouped import *
from .interpolation import *
from .margins import *
from .normalisation import *
from .padding import *
from .pooling import *
from .regression import *
from .softmaxes import *
