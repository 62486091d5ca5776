"""The page of the documentation shows what the compiler does today."""

import pytest

from tapegrad.compiler.llvm.host import unavailable


@pytest.mark.skipif(unavailable(), reason="needs llvmlite")
def test_page_is_up_to_date():
    from . import stages

    text = stages.PAGE.read_text()
    assert stages.page(text) == text, "run python -m tests.compiler.stages"
    assert "%1: float64[6, 20]" in text
