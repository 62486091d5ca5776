"""`torch` in a process that a program under `tapegrad run` has started."""

from tapegrad.cli.binding import bind

bind(__name__)
