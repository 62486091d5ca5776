"""The errors of optimisers: PyTorch's own words, and a line of advice where they need one."""

from .optimizers import *
from .schedulers import *
