from tapegrad.nn.attention import *
