"""One thread a process, slow tests on demand, the same examples, an empty tape to begin with."""

import os

from hypothesis import settings

for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM"):  # read when NumPy is first imported
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

settings.register_profile("tapegrad", deadline=None, derandomize=True)
settings.load_profile("tapegrad")


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="run the tests marked slow too")
    parser.addoption("--exhaustive", action="store_true", help="run those that take hours too")


def pytest_collection_modifyitems(config, items):
    for mark in ("slow", "exhaustive"):
        if not config.getoption(f"--{mark}"):
            config.hook.pytest_deselected(items=[item for item in items if mark in item.keywords])
            items[:] = [item for item in items if mark not in item.keywords]


def pytest_runtest_setup():
    from tapegrad.core.tape import local  # late: after the number of threads is set

    del local.root[:]  # what earlier tests left: in garbage not yet collected, or in a traceback
