"""What data sets, samplers and loaders say to misuse: PyTorch's words, and advice."""

from __future__ import annotations

from typing import Any


class CollateError(RuntimeError, TypeError):
    """Samples cannot be put together in a batch."""


class WorkerError(RuntimeError):
    """A worker of a loader ended, or did not answer."""


def at(where: tuple[Any, ...]) -> str:
    """A place within a sample, as Python writes it."""
    return "sample" + "".join(f"[{key!r}]" for key in where)


def unequal_shapes(where: tuple[Any, ...], first: Any, i: int, other: Any) -> CollateError:
    return CollateError(
        f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
        f"{list(other)} at entry {i}, in {at(where)}. Crop or pad the samples to one size in the "
        "data set, or pass a collate_fn that does."
    )


def unequal_lengths(where: tuple[Any, ...], first: int, i: int, other: int) -> CollateError:
    return CollateError(
        f"each element in list of batch should be of equal size, but there are {first} at entry 0 "
        f"and {other} at entry {i}, in {at(where)}. Pass a collate_fn that pads them, or that "
        "keeps the samples as a list."
    )


def missing_key(where: tuple[Any, ...], i: int, key: Any) -> CollateError:
    return CollateError(
        f"entry {i} of the batch has no key {key!r}, which entry 0 has, in {at(where)}. Give all "
        "samples the same keys."
    )


def unknown_type(where: tuple[Any, ...], i: int, kind: type) -> CollateError:
    return CollateError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "
        f"{kind} at entry {i}, in {at(where)}. Convert it in the data set (a PIL image by "
        "transforms.ToTensor()), or pass a collate_fn."
    )


def mixed_types(where: tuple[Any, ...], first: type, i: int, other: type) -> CollateError:
    return CollateError(
        f"default_collate: found {first} at entry 0 but {other} at entry {i}, in {at(where)}. Give "
        "all samples the same types."
    )


def bad_string_array(where: tuple[Any, ...], dtype: Any) -> CollateError:
    return CollateError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "
        f"an array of {dtype}, in {at(where)}. Convert it to numbers in the data set."
    )


def size_mismatch() -> AssertionError:
    return AssertionError("Size mismatch between tensors")


def stack_size_mismatch() -> ValueError:
    return ValueError("Size mismatch between datasets")


def not_batched_alike(got: int, wanted: int) -> ValueError:
    return ValueError(
        f"Nested dataset's output size mismatch. Expected {wanted}, got {got}: __getitems__ must "
        "give one sample for each index."
    )


def bad_index(index: int, length: int) -> IndexError:
    return IndexError(f"index {index} is out of range for a data set of {length} samples")


def before_first() -> ValueError:
    return ValueError("absolute value of index should not exceed dataset length")


def bad_lengths() -> ValueError:
    return ValueError(
        "Sum of input lengths does not equal the length of the input dataset! Pass lengths that "
        "add up to it, or fractions that add up to 1."
    )


def bad_fraction(index: int) -> ValueError:
    return ValueError(f"Fraction at index {index} is not between 0 and 1")


def positive(name: str, value: Any) -> ValueError:
    return ValueError(f"{name} should be a positive integer value, but got {name}={value!r}")


def boolean(name: str, value: Any) -> TypeError:
    return TypeError(f"{name} should be a boolean value, but got {name}={value!r}")


def bad_weights(shape: Any) -> ValueError:
    return ValueError(
        f"weights should be a 1d sequence but given weights have shape {tuple(shape)}"
    )


def too_few_weights(wanted: int, available: int) -> ValueError:
    return ValueError(
        f"cannot draw {wanted} samples without replacement where only {available} weights are "
        "positive. Draw fewer, or pass replacement=True."
    )


def no_process_group() -> RuntimeError:
    return RuntimeError(
        "DistributedSampler needs num_replicas and rank: this package has no process group of "
        "PyTorch's to ask for them."
    )


def bad_rank(rank: int, replicas: int) -> ValueError:
    return ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {replicas - 1}]")


def iterable_with(option: str, value: Any) -> ValueError:
    return ValueError(
        f"DataLoader with IterableDataset: expected unspecified {option} option, but got "
        f"{option}={value!r}. An iterable data set says itself in which order its samples come."
    )


def exclusive(option: str, others: str) -> ValueError:
    return ValueError(f"{option} option is mutually exclusive with {others}")


def negative_workers() -> ValueError:
    return ValueError(
        "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
    )


def negative_timeout() -> ValueError:
    return ValueError("timeout option should be non-negative")


def only_with_workers(option: str) -> ValueError:
    return ValueError(
        f"{option} option could only be specified in multiprocessing. Let num_workers > 0 to "
        f"enable multiprocessing, otherwise leave {option} out."
    )


def bad_context(given: Any, known: list[str]) -> ValueError:
    return ValueError(
        "multiprocessing_context option should specify a valid start method in "
        f"{known!r}, or a context of multiprocessing, but got multiprocessing_context={given!r}"
    )


def bad_worker_kind(given: Any) -> ValueError:
    return ValueError(f"worker_kind should be 'process' or 'thread', but got {given!r}")


def fixed_attribute(name: str, kind: str) -> ValueError:
    return ValueError(
        f"{name} attribute should not be set after {kind} is initialized. Make another loader."
    )


def too_long(length: int, given: int) -> str:
    return (
        f"Length of IterableDataset was reported to be {length} (when accessing len(dataloader)), "
        f"but {given} batches have been fetched. Correct its __len__."
    )


def worker_died(index: int, pid: int, code: Any) -> WorkerError:
    return WorkerError(
        f"DataLoader worker {index} (pid(s) {pid}) exited unexpectedly with exit code {code}. It "
        "was killed (for memory?) or crashed; rerun with num_workers=0 to see what happens there."
    )


def timed_out(seconds: float) -> WorkerError:
    return WorkerError(
        f"DataLoader timed out after {seconds:g} seconds: a worker gave no batch. Raise timeout, "
        "or look at what the data set waits for."
    )


def unpicklable_batch(error: BaseException) -> TypeError:
    return TypeError(
        f"a worker's batch cannot be sent to the main process: {error}. Give batches of tensors, "
        "arrays, numbers and containers of them, or use worker_kind='thread'."
    )


def computed_in_worker() -> RuntimeError:
    return RuntimeError(
        "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does "
        "not support crossing process boundaries. Call detach() on it in the data set"
    )
