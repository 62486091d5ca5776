"""Steps as in PyTorch: functions that read and change arrays which are no arguments.

The arrays that a step can reach (`compiler/search.py`) become inputs and outputs of a function
without side effects (`step.py`), which is compiled as any other.
"""

from .steps import Steps, is_step

__all__ = ["Steps", "is_step"]
