from tapegrad.nn.parameter import *
