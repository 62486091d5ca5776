"""The command line: ``tapegrad run``, ``tapegrad doctor``, ``tapegrad info``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from .doctor import report
from .info import describe
from .run import run

__all__ = ["main"]


def parser() -> argparse.ArgumentParser:
    """The commands and their arguments."""
    top = argparse.ArgumentParser(prog="tapegrad", description=__doc__)
    commands = top.add_subparsers(dest="command", required=True)
    command = commands.add_parser(
        "run", help="run a program written with PyTorch, torchvision or autograd, as it is"
    )
    command.add_argument(
        "-m", dest="module", action="store_true", help="the program is a module, as in python -m"
    )
    command.add_argument("script", help="a file of Python")
    command.add_argument("args", nargs=argparse.REMAINDER, help="arguments of the program")
    command = commands.add_parser(
        "doctor", help="list the names that a program uses of these, and that are not here"
    )
    command.add_argument("scripts", nargs="+", metavar="script", help="files of Python")
    commands.add_parser("info", help="print versions, devices, threads and compilers")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; gives the status of the process."""
    top = parser()
    given = top.parse_args(arguments)
    if given.command == "run":
        if not given.module and not os.path.exists(given.script):
            top.error(f"there is no file {given.script!r} to run")
        run(given.script, given.args, given.module)
        return 0
    if given.command == "doctor":
        try:
            text, missing = report(given.scripts)
        except (OSError, SyntaxError, ValueError) as error:
            top.error(f"a program cannot be read: {error}")
        sys.stdout.write(text)
        return int(missing)
    sys.stdout.write(describe())
    return 0
