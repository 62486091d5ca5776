"""Recurrent networks: RNN, LSTM and GRU, of several layers and both directions."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ....torch.casting import casting
from ....torch.joining import cat, stack
from ... import functional, init
from ...utils.rnn import PackedSequence
from ..module import Module
from ..utils import learned
from .steps import layer

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]

GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def check_options(
    mode: str,
    input_size: Any,
    hidden_size: Any,
    num_layers: int,
    bias: Any,
    batch_first: Any,
    dropout: Any,
    proj_size: int,
) -> None:
    """Raise for settings that no recurrent network has."""
    if mode not in GATES:
        raise ValueError(f"Unrecognized RNN mode: {mode}")
    number = isinstance(dropout, int | float) and not isinstance(dropout, bool)
    if not number or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element "
            "being zeroed"
        )
    if dropout > 0 and num_layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout "
            f"expects num_layers greater than 1, but got dropout={dropout} and "
            f"num_layers={num_layers}",
            stacklevel=4,
        )
    for name, value in (("bias", bias), ("batch_first", batch_first)):
        if not isinstance(value, bool):
            raise TypeError(f"{name} should be of type bool, got: {type(value).__name__}")
    for name, value in (("input_size", input_size), ("hidden_size", hidden_size)):
        if not isinstance(value, int):
            raise TypeError(f"{name} should be of type int, got: {type(value).__name__}")
        if value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")


class RNNBase(Module):
    """What recurrent networks have in common.

    Layer k has the parameters ``weight_ih_l{k}``, ``weight_hh_l{k}``, ``bias_ih_l{k}``,
    ``bias_hh_l{k}``, and ``weight_hr_l{k}`` for a projection; with ``_reverse`` behind for the
    other direction.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        check_options(
            mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size
        )
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._all_weights: list[list[str]] = []
        rows = GATES[mode] * hidden_size
        size = proj_size or hidden_size
        for k in range(num_layers):
            width = input_size if k == 0 else size * self.directions
            shapes: dict[str, Any] = {"weight_ih": (rows, width), "weight_hh": (rows, size)}
            if bias:
                shapes |= {"bias_ih": rows, "bias_hh": rows}
            if proj_size:
                shapes["weight_hr"] = (proj_size, hidden_size)
            for direction in range(self.directions):
                names = {kind: named(kind, k, direction) for kind in shapes}
                for kind, name in names.items():
                    self.register_parameter(name, learned(shapes[kind], device, dtype))
                self._all_weights.append([*names.values()])
        self.reset_parameters()

    @property
    def directions(self) -> int:
        """1, or 2 for a network that runs in both."""
        return 2 if self.bidirectional else 1

    @property
    def all_weights(self) -> list[list[Any]]:
        """The parameters, in a list for each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self) -> None:
        """Nothing: the parameters need no particular place in memory."""

    def reset_parameters(self) -> None:
        """Draw all parameters uniformly within 1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        usual = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False}
        usual |= {"dropout": 0, "bidirectional": False}
        parts += [f"{k}={getattr(self, k)}" for k, v in usual.items() if getattr(self, k) != v]
        return ", ".join(parts)

    def check_input(self, input: Any, batch_sizes: Any) -> None:
        """Raise if an input, packed if there are `batch_sizes`, has a wrong dtype or shape."""
        d = self.weight_ih_l0.dtype
        if input.dtype != d and casting.policy is None:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({d}). Convert "
                f"input: input.to({d}), or convert model: model.to({input.dtype})"
            )
        axes = 3 if batch_sizes is None else 2
        if input.dim() != axes:
            raise RuntimeError(f"input must have {axes} dimensions, got {input.dim()}")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                "input.size(-1) must be equal to input_size. Expected "
                f"{self.input_size}, got {input.size(-1)}"
            )

    def check_state(self, x: Any, size: int, batch: int, what: str) -> None:
        """Raise if a hidden state has a wrong shape."""
        expected = (self.num_layers * self.directions, batch, size)
        if tuple(x.shape) != expected:
            raise RuntimeError(f"Expected {what} size {expected}, got {list(x.shape)}")

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """The outputs of the last layer at all times, and the last hidden states.

        `input` is (T, B, input_size), (B, T, input_size) if `batch_first`, (T, input_size) without
        a batch, or a `PackedSequence`; `hx` are the first hidden states, zero if not given.
        """
        if isinstance(input, PackedSequence):
            return self._run_packed(input, hx)
        if input.dim() not in (2, 3):
            raise ValueError(
                f"{self._get_name()}: Expected input to be 2D or 3D, got {input.dim()}D instead"
            )
        batched = input.dim() == 3
        self._check_axes_of_state(hx, batched)
        if not batched:
            out, hidden = self._run_batch(input.unsqueeze(1), self._each(hx, unsqueezed))
            return out.squeeze(1), self._each(hidden, lambda x: x.squeeze(1))
        if not self.batch_first:
            return self._run_batch(input, hx)
        out, hidden = self._run_batch(input.transpose(0, 1), hx)
        return out.transpose(0, 1), hidden

    def _each(self, hx: Any, function: Any) -> Any:
        """`function` of the hidden state, or of both states of an LSTM."""
        return None if hx is None else function(hx)

    def _check_axes_of_state(self, hx: Any, batched: bool) -> None:
        axes, kind = (3, "batched 3-D") if batched else (2, "unbatched 2-D")
        if hx is not None and hx.dim() != axes:
            raise RuntimeError(
                f"For {kind} input, hx should also be {axes}-D but got {hx.dim()}-D tensor"
            )

    def _run_batch(self, input: Any, hx: Any) -> tuple[Any, Any]:
        """All layers on (T, B, input_size)."""
        self.check_input(input, None)
        steps, batch, width = input.raw.shape
        if not steps:
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        flat = input.reshape(steps * batch, width)
        out, hidden = self._run(flat, [batch] * steps, hx)
        return out.reshape(steps, batch, out.raw.shape[-1]), hidden

    def _run_packed(self, packed: PackedSequence, hx: Any) -> tuple[Any, Any]:
        """All layers on packed sequences."""
        self.check_input(packed.data, packed.batch_sizes)
        if packed.sorted_indices is not None:
            hx = self._each(hx, lambda x: x.index_select(1, packed.sorted_indices))
        sizes = packed.batch_sizes.raw.tolist()
        out, hidden = self._run(packed.data, sizes, hx)
        if packed.unsorted_indices is not None:
            hidden = self._each(hidden, lambda x: x.index_select(1, packed.unsorted_indices))
        return packed._replace(data=out), hidden

    def _run(self, data: Any, sizes: list[int], hx: Any) -> tuple[Any, Any]:
        """All layers on inputs one after the other, `sizes[t]` at step t."""
        hidden, state = self._first_states(data, sizes[0], hx)
        last: list[Any] = []
        cells: list[Any] = []
        for k in range(self.num_layers):
            outputs = []
            for direction in range(self.directions):
                at = k * self.directions + direction
                first = None if state is None else state[at]
                weights = self._weights(k, direction)
                out, h, c = layer(
                    self.mode, data, sizes, hidden[at], first, weights, direction == 1
                )
                outputs.append(out)
                last.append(h)
                cells.append(c)
            data = outputs[0] if len(outputs) == 1 else cat(outputs, -1)
            if self.dropout and self.training and k + 1 < self.num_layers:
                data = functional.dropout(data, self.dropout, True)
        return data, self._last_states(last, cells)

    def _weights(self, k: int, direction: int) -> list[Any]:
        kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
        return [self._parameters.get(named(kind, k, direction)) for kind in kinds]

    def _zeros(self, data: Any, batch: int, size: int) -> Any:
        return data.new_zeros((self.num_layers * self.directions, batch, size))

    def _first_states(self, data: Any, batch: int, hx: Any) -> tuple[Any, Any]:
        if hx is None:
            return self._zeros(data, batch, self.hidden_size), None
        self.check_state(hx, self.hidden_size, batch, "hidden")
        return hx, None

    def _last_states(self, last: list[Any], cells: list[Any]) -> Any:
        return stack(last)


def named(kind: str, k: int, direction: int) -> str:
    """The name of a parameter of layer `k`."""
    return f"{kind}_l{k}{'_reverse' if direction else ''}"


def unsqueezed(x: Any) -> Any:
    """A state with an axis for the batch."""
    return x.unsqueeze(1)


class RNN(RNNBase):
    """``h_t = tanh(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh)``, or with ReLU, in several layers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            nonlinearity, args = args[3], (*args[:3], *args[4:])
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        modes = {"tanh": "RNN_TANH", "relu": "RNN_RELU"}
        if nonlinearity not in modes:
            raise ValueError(
                f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        super().__init__(modes[nonlinearity], *args, **kwargs)
        self.nonlinearity = nonlinearity


class GRU(RNNBase):
    """Gated recurrent units in several layers (Cho et al., 2014), with PyTorch's formula."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


class LSTM(RNNBase):
    """Long short-term memory in several layers, with a projection of the outputs if `proj_size`.

    Its states are pairs: ``output, (h_n, c_n) = lstm(input, (h_0, c_0))``.

    >>> import tapegrad.torch as torch
    >>> from tapegrad import nn
    >>> output, (h, c) = nn.LSTM(10, 20, num_layers=2)(torch.ones(5, 3, 10))
    >>> output.shape, h.shape
    (torch.Size([5, 3, 20]), torch.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def _each(self, hx: Any, function: Any) -> Any:
        return None if hx is None else (function(hx[0]), function(hx[1]))

    def _check_axes_of_state(self, hx: Any, batched: bool) -> None:
        axes, kind = (3, "batched 3-D") if batched else (2, "unbatched 2-D")
        if hx is not None and (hx[0].dim() != axes or hx[1].dim() != axes):
            raise RuntimeError(
                f"For {kind} input, hx and cx should also be {axes}-D but got "
                f"({hx[0].dim()}-D, {hx[1].dim()}-D) tensors"
            )

    def _first_states(self, data: Any, batch: int, hx: Any) -> tuple[Any, Any]:
        size = self.proj_size or self.hidden_size
        if hx is None:
            zeros = self._zeros(data, batch, size)
            return zeros, self._zeros(data, batch, self.hidden_size)
        self.check_state(hx[0], size, batch, "hidden[0]")
        self.check_state(hx[1], self.hidden_size, batch, "hidden[1]")
        return hx

    def _last_states(self, last: list[Any], cells: list[Any]) -> Any:
        return stack(last), stack(cells)
