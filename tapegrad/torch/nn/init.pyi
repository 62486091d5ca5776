from tapegrad.nn.init import *
