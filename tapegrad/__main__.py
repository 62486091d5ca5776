"""``python -m tapegrad`` is the command `tapegrad`."""

import sys

from .cli import main

sys.exit(main())
