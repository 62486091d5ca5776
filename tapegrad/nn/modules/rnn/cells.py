"""Single steps of recurrent networks."""

from __future__ import annotations

import math
from typing import Any

from ... import init
from ..module import Module
from ..utils import learned
from .steps import cell

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]


class RNNCellBase(Module):
    """One step of a recurrent network."""

    nonlinearity: str

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = learned((rows, input_size), device, dtype)
        self.weight_hh = learned((rows, hidden_size), device, dtype)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, learned(rows, device, dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all parameters uniformly within 1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def step(self, mode: str, input: Any, states: list[Any]) -> list[Any]:
        """The new states, from those before (None stands for zeros), checked."""
        name = self._get_name()
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for i, x in enumerate(states):
            if x is not None and x.dim() not in (1, 2):
                what = "hidden" if len(states) == 1 else f"hx[{i}]"
                raise ValueError(f"{name}: Expected {what} to be 1D or 2D, got {x.dim()}D instead")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input has inconsistent input_size: got {input.size(-1)} expected "
                f"{self.input_size}"
            )
        shape = (*input.raw.shape[:-1], self.hidden_size)
        filled = [input.new_zeros(shape) if x is None else x for x in states]
        for i, x in enumerate(filled):
            if x.raw.shape[:-1] != shape[:-1]:
                batches = [y.raw.shape[0] if y.raw.ndim > 1 else 1 for y in (input, x)]
                raise RuntimeError(
                    f"Input batch size {batches[0]} doesn't match hidden{i} batch size {batches[1]}"
                )
            if x.raw.shape[-1] != self.hidden_size:
                raise RuntimeError(
                    f"hidden{i} has inconsistent hidden_size: got {x.raw.shape[-1]}, expected "
                    f"{self.hidden_size}"
                )
        weights = [self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh]
        hidden, state = cell(mode, input, filled[0], filled[-1], weights)
        return [hidden, state][: len(states)]


class RNNCell(RNNCellBase):
    """One step of an `RNN`: the new hidden state, of an input and the one before."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Any = None) -> Any:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self.step(f"RNN_{self.nonlinearity.upper()}", input, [hx])[0]


class LSTMCell(RNNCellBase):
    """One step of an `LSTM`: the new pair of states, of an input and the pair before."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        hidden, state = self.step("LSTM", input, [None, None] if hx is None else [*hx])
        return hidden, state


class GRUCell(RNNCellBase):
    """One step of a `GRU`: the new hidden state, of an input and the one before."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        return self.step("GRU", input, [hx])[0]
