"""Sequences of different lengths: padded to one length, or packed without padding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy

from ...torch.creation import as_tensor
from ...torch.dtypes import int64
from ...torch.joining import cat, stack
from ...torch.tensor import Tensor, wrap

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class _Packed(NamedTuple):
    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


class PackedSequence(_Packed):
    """Sequences in the order of time: first all first elements, then all second ones, and so on.

    `batch_sizes[t]` is the number of sequences that are longer than t. They are sorted by length,
    the longest first; `sorted_indices` says where they were before, `unsorted_indices` undoes it.
    It is made by `pack_sequence` and `pack_padded_sequence`.
    """

    __slots__ = ()

    def __new__(
        cls,
        data: Any,
        batch_sizes: Any = None,
        sorted_indices: Any = None,
        unsorted_indices: Any = None,
    ) -> Any:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, list | tuple) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """The sequences in another dtype or on another device; itself if nothing changes."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._replace(data=data)

    def cpu(self) -> Any:
        """The sequences on the CPU."""
        return self.to("cpu")

    def cuda(self, device: Any = "cuda") -> Any:
        """The sequences on a GPU."""
        return self.to(device)

    def double(self) -> Any:
        """The sequences in float64."""
        return self._replace(data=self.data.double())

    def float(self) -> Any:
        """The sequences in float32."""
        return self._replace(data=self.data.float())

    def half(self) -> Any:
        """The sequences in float16."""
        return self._replace(data=self.data.half())

    def long(self) -> Any:
        """The sequences in int64."""
        return self._replace(data=self.data.long())

    def int(self) -> Any:
        """The sequences in int32."""
        return self._replace(data=self.data.int())

    def short(self) -> Any:
        """The sequences in int16."""
        return self._replace(data=self.data.short())

    def char(self) -> Any:
        """The sequences in int8."""
        return self._replace(data=self.data.char())

    def byte(self) -> Any:
        """The sequences in uint8."""
        return self._replace(data=self.data.byte())

    def is_pinned(self) -> bool:
        """Whether the sequences are in pinned memory."""
        return bool(self.data.is_pinned())

    def pin_memory(self) -> Any:
        """The sequences in pinned memory."""
        return self._replace(data=self.data.pin_memory())

    @property
    def is_cuda(self) -> bool:
        """Whether the sequences are on a GPU."""
        return bool(self.data.is_cuda)


def invert_permutation(permutation: Any) -> Any:
    """The permutation that undoes another; None for None."""
    return None if permutation is None else wrap(numpy.argsort(permutation.raw))


def checked_lengths(lengths: Any, batch: int) -> Any:
    """Lengths of sequences as an array of integers."""
    found = as_tensor(lengths, dtype=int64).raw
    if found.shape != (batch,):
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {found.size} "
            f"(batch_size={batch})"
        )
    if (found <= 0).any():
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0"
        )
    return found


def pack_padded_sequence(
    input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack sequences that are padded to one length: (T, B, ...), or (B, T, ...) if `batch_first`.

    They have to be sorted by length, the longest first, unless `enforce_sorted` is False.
    """
    if batch_first:
        input = input.transpose(0, 1)
    steps, batch, *rest = input.raw.shape
    sizes = checked_lengths(lengths, batch)
    order = None
    if not enforce_sorted:
        order = numpy.argsort(-sizes, kind="stable")
        sizes = sizes[order]
        input = input.index_select(1, wrap(order))
    elif (sizes[1:] > sizes[:-1]).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You "
            "can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
            "sidestep this requirement if you do not need ONNX exportability."
        )
    if sizes[0] > steps:
        raise RuntimeError(
            f"Expected all lengths to be at most the padded length {steps}, got {sizes[0]}"
        )
    time, place = numpy.nonzero(numpy.arange(sizes[0])[:, None] < sizes)
    flat = input.reshape(steps * batch, *rest)
    data = flat.index_select(0, wrap(time * batch + place))
    counts = (numpy.arange(sizes[0])[:, None] < sizes).sum(1)
    return PackedSequence(data, wrap(counts), None if order is None else wrap(order))


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Any, Any]:
    """The sequences padded to one length, and their lengths: the inverse of packing."""
    counts = sequence.batch_sizes.raw
    steps, batch = len(counts), int(counts[0])
    if total_length is not None:
        if total_length < steps:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, "
                f"but got total_length={total_length} and max sequence length being {steps}"
            )
        steps = total_length
    lengths = (counts[:, None] > numpy.arange(batch)).sum(0)
    time, place = numpy.nonzero(numpy.arange(steps)[:, None] < lengths)
    rest = sequence.data.raw.shape[1:]
    empty = sequence.data.new_full((steps * batch, *rest), padding_value)
    padded = empty.index_copy(0, wrap(time * batch + place), sequence.data)
    padded = padded.reshape(steps, batch, *rest)
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices.raw]
    return (padded.transpose(0, 1) if batch_first else padded), wrap(lengths)


def pad_sequence(
    sequences: Any,
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Sequences (T_i, ...) as one tensor (T, B, ...), or (B, T, ...) if `batch_first`."""
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    given = [*sequences]
    if not given:
        raise RuntimeError("received an empty list of sequences")
    longest = max(x.raw.shape[0] for x in given)
    filled = []
    for x in given:
        missing = longest - x.raw.shape[0]
        if missing:
            padding = x.new_full((missing, *x.raw.shape[1:]), padding_value)
            x = cat([x, padding] if padding_side == "right" else [padding, x])
        filled.append(x)
    return stack(filled, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """The sequences without their padding: the inverse of `pad_sequence`."""
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    sizes = as_tensor(lengths, dtype=int64).raw
    return [x[:n] for x, n in zip(padded_sequences, sizes.tolist(), strict=True)]


def pack_sequence(sequences: Any, enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences (T_i, ...), the longest first unless `enforce_sorted` is False."""
    lengths = [x.raw.shape[0] for x in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Any]:
    """The sequences of a packed one: the inverse of `pack_sequence`."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
