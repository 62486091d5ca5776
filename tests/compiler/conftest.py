"""Compiled objects of the tests are kept in a folder of their own."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def compiled_objects(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAPEGRAD_CACHE", str(tmp_path_factory.mktemp("compiled")))
        yield
