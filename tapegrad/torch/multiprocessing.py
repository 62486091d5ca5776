"""`torch.multiprocessing`: Python's own module, as tensors travel like arrays; and `spawn`.

Memory is not shared between processes: each has its copy of a tensor that is sent.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
from collections.abc import Callable
from typing import Any

__all__ = ["spawn"]


def __getattr__(name: str) -> Any:
    if name in multiprocessing.__all__:
        return getattr(multiprocessing, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> Any:
    """Call ``fn(i, *args)`` in `nprocs` processes, i from 0 on, and wait for them to end.

    With ``join=False`` the processes are given instead. Raises RuntimeError where one fails, after
    the others were ended; its traceback is in its own output.
    """
    context: Any = multiprocessing.get_context(start_method)
    processes = [context.Process(target=fn, args=(i, *args), daemon=daemon) for i in range(nprocs)]
    for process in processes:
        process.start()
    if not join:
        return processes
    waiting = dict(enumerate(processes))
    while waiting:
        multiprocessing.connection.wait([p.sentinel for p in waiting.values()])
        for i in [i for i, p in waiting.items() if p.exitcode is not None]:
            code = waiting.pop(i).exitcode
            if code:
                for other in waiting.values():
                    other.terminate()
                    other.join()
                raise RuntimeError(
                    f"process {i} terminated with exit code {code}. Its traceback is above."
                )
    return None
