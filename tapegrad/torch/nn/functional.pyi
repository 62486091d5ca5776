from tapegrad.nn.functional import *
