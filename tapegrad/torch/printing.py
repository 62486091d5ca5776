"""How a tensor prints."""

from __future__ import annotations

from typing import Any

import numpy

from ..backend import HOST, on_device, put
from ..core.array import check_alive, is_mapped
from .dtypes import bool_, complex64, defaults, int64
from .tensor import Tensor

__all__ = ["set_printoptions"]


class _Options:
    precision = 4
    threshold = 1000
    edgeitems = 3
    linewidth = 80
    sci_mode: bool | None = None


options = _Options()


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """How tensors print from now on: digits, elements, width. `profile` names a set of options."""
    chosen = PROFILES.get(profile or "", {})
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    for name, value in {**chosen, **{k: v for k, v in given.items() if v is not None}}.items():
        setattr(options, name, value)
    options.sci_mode = sci_mode


PROFILES: dict[str, dict[str, int]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": 1 << 62, "edgeitems": 3, "linewidth": 80},
}


def representation(self: Tensor, *, tensor_contents: Any = None) -> str:
    """`repr(tensor)`."""
    start = "Parameter containing:\ntensor(" if self.is_parameter else "tensor("
    if is_mapped(self):
        return f"{start}..., size={tuple(self.shape)}, dtype={self.dtype}, in vmap)"
    if self.slot:
        check_alive(self)
    raw = numpy.asarray(put(self.raw, HOST))
    text = elements(raw)
    suffixes = [f"device='{self.device}'"] if on_device(self.raw) else []
    if not raw.size and raw.ndim != 1:
        suffixes.append(f"size={tuple(raw.shape)}")
    usual = (defaults.real, int64, bool_, complex64)
    if self.dtype not in usual or (not raw.size and self.dtype is not defaults.real):
        suffixes.append(f"dtype={self.dtype}")
    if self.slot > 0:
        function = self.grad_fn
        suffixes.append(f"grad_fn=<{function.name()}>" if function else "requires_grad=True")
    elif self.slot:
        suffixes.append("requires_grad=True")
    return start + joined(text, suffixes) + ")"


def joined(text: str, suffixes: list[str]) -> str:
    """The elements and what is said after them, on a further line where the first is full."""
    result = text
    width = len(text.rpartition("\n")[2]) + len("tensor(")
    for suffix in suffixes:
        if width + len(suffix) + 2 > options.linewidth:
            result += f",\n       {suffix}"
            width = len("tensor(") + len(suffix)
        else:
            result += f", {suffix}"
            width += len(suffix) + 2
    return result


def elements(raw: Any) -> str:
    """The elements in brackets, aligned as PyTorch aligns them."""
    if not raw.size:
        return "[]"
    shown = summary(raw)
    formatted = formatter(shown)
    text = numpy.array2string(
        raw,
        separator=", ",
        prefix="tensor(",
        threshold=options.threshold,
        edgeitems=options.edgeitems,
        max_line_width=options.linewidth,
        formatter={"all": formatted},
    )
    return text.replace(", ..., ", ",  ..., ")


def elements_as(self: Tensor, spec: str) -> str:
    """The elements in brackets, each in a format as `format` takes it."""
    raw = numpy.asarray(put(self.raw, HOST))
    return numpy.array2string(
        raw, separator=", ", prefix="tensor(", formatter={"all": lambda x: format(x, spec)}
    )


def summary(raw: Any) -> Any:
    """The elements that are shown."""
    if raw.size <= options.threshold:
        return raw
    k = options.edgeitems
    for axis in range(raw.ndim):
        n = raw.shape[axis]
        if n > 2 * k:
            raw = raw.take([*range(k), *range(n - k, n)], axis=axis)
    return raw


def formatter(shown: Any) -> Any:
    """The function that writes an element, as wide as the widest."""
    kind = shown.dtype.kind
    if kind in "biu":
        width = max(len(str(x)) for x in shown.flat) if shown.ndim else 0
        return lambda x: f"{x!s:>{width}}"
    if kind == "c":
        real, imag = real_formatter(shown.real), real_formatter(shown.imag)
        return lambda x: (
            f"{real(x.real)}{'+' if not numpy.signbit(x.imag) else '-'}"
            + (f"{imag(abs(x.imag)).strip()}j")
        )
    return real_formatter(shown.astype(numpy.float64))


def real_formatter(shown: Any) -> Any:
    """The function that writes a real number: as an integer, with decimals, or with an exponent."""
    values = numpy.abs(shown[numpy.isfinite(shown) & (shown != 0)])
    whole = bool((values == numpy.ceil(values)).all())
    scientific = bool(options.sci_mode)
    if values.size and options.sci_mode is None:
        large, small = float(values.max()), float(values.min())
        scientific = large / small > 1000 or large > 1e8 or (not whole and small < 1e-4)
    form = f".{options.precision}{'e' if scientific else 'f'}" if not whole or scientific else ".0f"
    end = "." if form == ".0f" else ""

    def spell(x: float) -> str:
        return f"{x:{form}}{end}" if numpy.isfinite(x) else str(float(x))

    finite = shown[numpy.isfinite(shown) & (shown != 0)] if shown.ndim else ()
    width = max((len(spell(x)) for x in finite), default=0)  # what is not finite may stand out
    return lambda x: f"{spell(x):>{width}}"


def formatted(self: Tensor, format_spec: str) -> str:
    """``format(tensor, spec)``: of a number as Python has it; others take no `spec`."""
    if self.raw.ndim == 0:
        return format(self.item(), format_spec)
    return object.__format__(self, format_spec)


METHODS: dict[str, Any] = {
    "__format__": formatted,
    "__repr__": representation,
    "__str__": representation,
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
