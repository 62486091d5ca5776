from tapegrad.optim import *
from tapegrad.optim import functional as functional
from tapegrad.optim import lr_scheduler as lr_scheduler
from tapegrad.optim import swa_utils as swa_utils
