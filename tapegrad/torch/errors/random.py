"""Errors of random functions."""

from __future__ import annotations

from typing import Any


def bad_generator_state(size: int) -> RuntimeError:
    return RuntimeError(
        f"RNG state is wrong size: {size} bytes are no state of a generator's\n"
        "Pass what get_state() or torch.get_rng_state() gave."
    )


def empty_range(low: Any, high: Any) -> RuntimeError:
    return RuntimeError(
        f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
    )


def limits_exchanged(name: str, a: Any, b: Any) -> RuntimeError:
    return RuntimeError(f"{name} expects to return a [from, to) range, but found from={a} > to={b}")


def too_many_samples() -> RuntimeError:
    return RuntimeError(
        "cannot sample n_sample > prob_dist.size(-1) samples without replacement\n"
        "Pass replacement=True, or ask for fewer."
    )


def generator_elsewhere(place: tuple[str, int], device: Any) -> RuntimeError:
    wanted = "cpu" if place[0] == "host" else "cuda"
    if wanted != device.type:
        text = f"Expected a '{wanted}' device type for generator but found '{device.type}'"
    else:
        text = f"Expected a '{wanted}:{place[1]}' generator device but found '{device}'"
    return RuntimeError(f"{text}\nMake one by torch.Generator(device=...), or pass none.")


ONLY_FLOATS = "multinomial only supports floating-point dtypes for input, got: {kind}"


def random_in_vmap() -> RuntimeError:
    return RuntimeError(
        "vmap: called random operation while in randomness error mode. Please either use the "
        "'same' or 'different' randomness flags on vmap or perform the randomness operation out of "
        "vmap"
    )
