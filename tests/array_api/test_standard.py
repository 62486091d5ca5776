"""The array API standard, 2024.12: the names, the parameters, and what `array_api_strict` gives.

The public conformance suite is run beside this, by hand; docs/array-api.md says how, and explains
each of its findings.
"""

from __future__ import annotations

import inspect
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.array import Array, untracked

from .calls import CALLS

NOT_OF_THE_STANDARD = {
    "get_array_api_strict_flags",
    "reset_array_api_strict_flags",
    "set_array_api_strict_flags",
    "broadcast_shapes",  # of 2025.12
    "isin",
}
NOT_COMPARED = {"__array_namespace_info__", "empty", "empty_like", "finfo", "from_dlpack", "iinfo"}

OTHER_PARAMETERS = {
    "clip",  # its bounds are a_min and a_max by position, min and max by keyword
    "fft.fftfreq",  # of NumPy, without dtype
    "fft.rfftfreq",
}


@pytest.fixture(autouse=True)
def version():
    with strict.ArrayAPIStrictFlags(api_version="2024.12"):
        yield


def functions() -> list[str]:
    """The standard's functions, those of the extensions with the extension's name."""
    names = [n for n in strict.__all__ if inspect.isfunction(getattr(strict, n))]
    names += [f"{e}.{n}" for e in ("linalg", "fft") for n in getattr(strict, e).__all__]
    return sorted(set(names) - NOT_OF_THE_STANDARD)


def find(namespace: Any, name: str) -> Any:
    for part in name.split("."):
        namespace = getattr(namespace, part)
    return namespace


def test_there_is_a_call_of_every_function():
    assert sorted({*CALLS, *NOT_COMPARED}) == functions()


def test_constants_and_dtypes():
    for name in strict.__all__:
        if not inspect.isfunction(getattr(strict, name)) and name not in (
            "ArrayAPIStrictFlags",
            "Device",
        ):
            assert hasattr(tnp, name), name
    assert tnp.__array_api_version__ == "2024.12"
    info = tnp.__array_namespace_info__()
    assert info.default_device() == "cpu"
    assert info.default_dtypes()["real floating"] == np.float64
    assert tnp.finfo(np.ones(1, np.float32)).bits == 32
    assert tnp.finfo(untracked(np.ones(1))).bits == 64
    assert tnp.iinfo(np.ones(1, np.int8)).max == 127
    assert tnp.finfo(np.float32).eps == np.finfo(np.float32).eps


@pytest.mark.parametrize("name", sorted(set(functions()) - OTHER_PARAMETERS))
def test_parameters(name):
    function = find(tnp, name)
    if hasattr(function, "nin"):
        return  # a ufunc: inputs by position
    try:
        ours = inspect.signature(function).parameters
    except ValueError:
        return  # of NumPy, in C
    if any(p.kind is p.VAR_KEYWORD for p in ours.values()):
        return
    for parameter in inspect.signature(find(strict, name)).parameters.values():
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            assert parameter.name in ours


def converted(value: Any, array: Any, dtype: Any) -> Any:
    """Arguments with their arrays and dtypes converted."""
    if isinstance(value, np.ndarray):
        return array(value)
    if isinstance(value, np.dtype):
        return dtype(value)
    if type(value) is tuple:
        return tuple(converted(v, array, dtype) for v in value)
    return value


def call(namespace: Any, name: str, args: Any, keywords: Any, array: Any, dtype: Any) -> Any:
    return find(namespace, name)(
        *converted(args, array, dtype),
        **{k: converted(v, array, dtype) for k, v in keywords.items()},
    )


def compare(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, tuple | list):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            compare(a, b)
    elif hasattr(theirs, "shape"):
        assert ours.shape == theirs.shape
        assert ours.dtype.name == str(theirs.dtype).rpartition(".")[2]
        np.testing.assert_allclose(ours, np.asarray(theirs), rtol=1e-6, atol=1e-12)
    elif "dtype" in type(theirs).__name__.lower():
        assert np.dtype(ours).name == str(theirs).rpartition(".")[2]
    else:
        assert ours == theirs


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_results(name):
    for args, keywords in CALLS[name]:
        theirs = call(
            strict, name, args, keywords, strict.asarray, lambda d: getattr(strict, d.name)
        )
        ours = call(tnp, name, args, keywords, lambda x: x, lambda d: d)
        compare(ours, theirs)
        if not any_array(args) or name == "result_type":
            continue
        compare(recorded(name, args, keywords), ours)


def any_array(args: Any) -> bool:
    return any(isinstance(x, np.ndarray) or (isinstance(x, tuple) and any_array(x)) for x in args)


def recorded(name: str, args: Any, keywords: Any) -> Any:
    """The data of the results on recorded arrays: tracked ones, where they are inexact."""
    seen: list[Any] = []

    def function(one: Any) -> Any:
        def array(x: Any) -> Any:
            return untracked(x) * one.astype(x.dtype) if x.dtype.kind in "fc" else untracked(x)

        seen.append(call(tnp, name, args, keywords, array, lambda d: d))
        return one

    def data(value: Any) -> Any:
        if isinstance(value, tuple | list):
            return (
                type(value)(map(data, value))
                if type(value) in (tuple, list)
                else tuple(map(data, value))
            )
        assert type(value) is Array or not isinstance(value, np.ndarray), f"{name} lost the tape"
        return value.data if isinstance(value, Array) else value

    tg.grad(function)(1.0)
    return data(seen[0])
