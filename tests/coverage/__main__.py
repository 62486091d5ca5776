"""Write the page on coverage: python -m tests.coverage > docs/coverage.md"""

import sys

from .page import measured, page_of

sys.stdout.write(page_of(measured()))
