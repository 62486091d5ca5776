"""`torch.linalg`: factors, systems, spectra and norms of matrices and of stacks of them."""

from ..errors import LinAlgError as LinAlgError
from .factors import *
from .norms import *
from .products import *
from .reflections import householder_product as householder_product
from .spectrum import *
from .systems import *
