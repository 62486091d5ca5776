"""One thread a process, slow tests only on demand, and the same examples in every run."""

import os

from hypothesis import settings

for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM"):  # read when NumPy is first imported
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

settings.register_profile("tapegrad", deadline=None, derandomize=True)
settings.load_profile("tapegrad")


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="run the tests marked slow too")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--slow"):
        slow = [item for item in items if "slow" in item.keywords]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if "slow" not in item.keywords]
