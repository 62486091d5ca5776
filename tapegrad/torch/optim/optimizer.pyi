from tapegrad.optim.optimizer import *
