"""NumPy's names, for plain and for recorded arrays."""

from . import linalg, methods
from .contraction import *
from .creation import *
from .elementwise import *
from .indexing import *
from .polynomial import *
from .reductions import *
from .shapes import *
from .sorting import *
