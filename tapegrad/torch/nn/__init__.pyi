from tapegrad.nn import *
from tapegrad.nn import attention as attention
from tapegrad.nn import functional as functional
from tapegrad.nn import grad as grad
from tapegrad.nn import init as init
from tapegrad.nn import modules as modules
from tapegrad.nn import parameter as parameter
from tapegrad.nn import utils as utils
