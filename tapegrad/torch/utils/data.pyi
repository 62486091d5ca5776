from tapegrad.data import *
