from tapegrad.optim.lr_scheduler import *
