"""Compiled objects of the tests are kept in a folder of their own; threads may be allowed."""

import ctypes
from importlib import import_module

import pytest

from tapegrad.compiler.llvm import team


@pytest.fixture(scope="session", autouse=True)
def compiled_objects(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAPEGRAD_CACHE", str(tmp_path_factory.mktemp("compiled")))
        yield


@pytest.fixture
def allow_threads():
    """Sets how many threads NumPy's BLAS is allowed, as threadpoolctl does."""
    library = ctypes.CDLL(import_module("numpy._core._multiarray_umath").__file__)
    names = [name for name in team.LIMITS if hasattr(library, name)]
    if not names:
        pytest.skip("this NumPy's BLAS does not say how many threads it is allowed")
    change = getattr(library, names[0].replace("get", "set"))
    before = getattr(library, names[0])()
    yield change
    change(before)
