from tapegrad.nn.utils import *
