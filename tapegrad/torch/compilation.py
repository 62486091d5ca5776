"""`torch.compile`, for programs written with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import compiler
from . import errors

__all__ = ["compile"]

MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")

OWN = "tapegrad"
"""The backend that has functions compiled by this package."""

BACKENDS = ("inductor", "eager", "aot_eager", "cudagraphs", "onnxrt", "openxla", "tvm", OWN)


class OptimizedModule:
    """A module whose calls are compiled; all else is that of the module itself."""

    def __init__(self, module: Any) -> None:
        self._orig_mod = module
        self.run = compiler.compile(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.run(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._orig_mod, name)

    def __repr__(self) -> str:
        return f"OptimizedModule(\n  (_orig_mod): {self._orig_mod!r}\n)"


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """The model or function itself, which computes the same; or a decorator that gives it.

    What PyTorch compiles goes on to print, to append to lists and to write into its arguments.
    `tapegrad.compile` leaves out what is no operation, so that it has to be asked for:
    ``backend="tapegrad"`` compiles by it. The other options are PyTorch's, and change nothing.

    >>> compile(max) is max
    True
    """
    if mode is not None and options is not None:
        raise errors.mode_and_options()
    if mode is not None and mode not in MODES:
        raise errors.bad_compile_mode(mode, MODES)
    if isinstance(backend, str) and backend not in BACKENDS:
        raise errors.bad_compiler(backend, BACKENDS)
    wanted = backend == OWN and not disable

    def of(function: Any) -> Any:
        if not callable(function):
            raise errors.not_callable(type(function))
        if not wanted:
            return function
        return (
            OptimizedModule(function)
            if hasattr(function, "forward")
            else compiler.compile(function)
        )

    return of if model is None else of(model)
