from tapegrad.optim.swa_utils import *
