from tapegrad.nn.modules import *
