"""Every operation through a strict array API namespace: what works on NumPy only, fails here.

Forward and reverse rules see arrays of `array_api_strict` and give what they give on NumPy's. An
operation that needs more than the standard has (`xp.sinc`, a multi-dimensional index) is left out;
the last test counts, so that these do not become many by accident.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

from tapegrad.core.op import NOTHING, SHAPE, WHOLE, Op, amounts, codes
from tapegrad.core.program import trace
from tapegrad.core.tape import ReplayTape

from . import check


@pytest.fixture(autouse=True)
def _standard_of_2024():
    with strict.ArrayAPIStrictFlags(api_version="2024.12"):
        yield


BEYOND = """
argpartition bitwise_count cbrt convolve_full convolve_valid degrees embed_diagonal exp2 exponent_of
fabs fit float_power fmax fmin fmod fraction_of from_parts gcd gelu gru heaviside huber i0 isclose
isin isnat isneginf isposinf last_written lcm ldexp less_at lexsort logaddexp2 lstm mantissa_of
nanmax nanmin normal_integral of_pairs put_along radians rint rnn roots running_extreme spacing
spread spread_max whole_of
"""
"""Operations whose forward needs a function of NumPy (and CuPy) that the standard does not have."""

BEYOND_IN_REVERSE = """
as_pairs convolve_full convolve_valid cross_entropy diagonal fmod gather_max gelu i1 ldexp
mantissa_of max_pool slices take_along window
"""
"""Operations whose rules do."""

CASES: dict[str, list[Any]] = {}
for _, op, inputs, params in check.base_cases():
    CASES.setdefault(op.name, []).append((op, inputs, params))

every_operation = pytest.mark.parametrize("name", sorted(CASES))

OUTSIDE = "|".join(
    (
        "(module|function).* has no attribute",  # the namespace lacks the function, or its `at`
        "unexpected keyword argument",  # or one of its arguments
        "requires API version",  # or has it later
        "cannot be type promoted together",  # the sample mixes kinds
        "dtypes? (is|are) allowed",
        "does not support the dtype|have a boolean data type",
        "Fancy indexing|Integer index arrays|multi-axes index|Single-axes index",
        "min must be less than or equal to max",
        "array iteration is not allowed",
        "computed on the CPU alone",
    )
)
"""What a strict namespace says where the standard ends: it has fewer functions than NumPy, for
fewer dtypes, and fewer kinds of index."""


def to_strict(value: Any) -> Any:
    """A NumPy array or scalar as a strict array; other things as they are."""
    if isinstance(value, tuple):
        return tuple(map(to_strict, value))
    if isinstance(value, np.dtype):
        return getattr(strict, value.name)
    return strict.asarray(value) if isinstance(value, np.ndarray | np.generic) else value


def to_numpy(value: Any) -> Any:
    """A strict array as one of NumPy."""
    return np.asarray(value) if isinstance(value, type(strict.asarray(0))) else value


def ran(compute: Callable[[], Any], expected: Any) -> bool:
    """Whether a computation on strict arrays ran; then its result is compared."""
    try:
        result = compute()
    except Exception as error:
        if re.search(OUTSIDE, str(error)):
            return False
        raise
    compare(result, expected)
    return True


def compare(ours: Any, theirs: Any) -> None:
    """A result on strict arrays is strict, and equal to that on NumPy's."""
    if isinstance(theirs, tuple | list):
        for a, b in zip(ours, theirs, strict=True):
            compare(a, b)
        return
    if theirs is None:
        assert ours is None
        return
    assert type(ours) is type(strict.asarray(0)), f"{type(ours)} from strict arrays"
    assert ours.shape == theirs.shape
    assert str(ours.dtype).rpartition(".")[2] == theirs.dtype.name
    np.testing.assert_allclose(to_numpy(ours), theirs, rtol=1e-12, atol=1e-12)


def forward(op: Op, inputs: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """The operation on strict arrays."""
    return op.function(*to_strict(inputs), **static(params, to_strict))


def recorded(op: Op, inputs: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """The entry of an operation as a complete instruction, with its inputs as rules meet them."""
    active = check.active(op, inputs)

    def function(*xs: Any) -> list[Any]:
        out = op.function(
            *(xs[active.index(i)] if i in active else x for i, x in enumerate(inputs)), **params
        )
        return list(out) if op.outputs else [out]

    program = trace(
        function, [inputs[i] for i in active], [False] * len(active), ReplayTape("record")
    )
    (entry,) = (e for e in program.entries if codes[e[0]][0] is op)
    return entry


def pull(entry: Any, g: Any, convert: Callable[[Any], Any]) -> list[Any]:
    """The cotangents that the rules of an entry give, with its arrays converted."""
    op, arity = codes[entry[0]]
    params = static(entry[2 + arity] or {}, convert)
    values = entry[3 + arity :]
    wanted = tuple(slot != 0 for slot in entry[2 : 2 + arity])
    *inputs, out = map(convert, map(seen, values, amounts[entry[0]]))
    if op.joint:
        return list(op.rule(0)(convert(g), out, *inputs, wanted=wanted, **params))
    pulled = []
    for i, has in enumerate(wanted):
        if has:
            extra = {} if isinstance(op.vjp, tuple) else {"argnum": i}
            pulled.append(op.rule(i)(convert(g), out, *inputs, **extra, **params))
    return pulled


def seen(value: Any, amount: int) -> Any:
    """What rules see of a value, by how much they read."""
    return {NOTHING: None, SHAPE: getattr(value, "shape", None), WHOLE: value}[amount]


def static(params: dict[str, Any], convert: Callable[[Any], Any]) -> dict[str, Any]:
    """Parameters with the dtypes of a namespace."""
    return {name: convert(value) for name, value in params.items()}


@every_operation
def test_forward(name):
    count = 0
    for op, inputs, params in CASES[name]:
        expected = op.function(*inputs, **params)
        count += ran(partial(forward, op, inputs, params), expected)
    assert (count == 0) == (name in BEYOND.split())


@every_operation
def test_reverse(name):
    count = total = 0
    for op, inputs, params in CASES[name]:
        if not check.active(op, inputs):
            continue
        total += 1
        entry = recorded(op, inputs, params)
        out = entry[-1]
        rng = np.random.default_rng(1)
        if op.outputs:
            g = tuple(check.random_like(rng, o) if check.inexact(o) else None for o in out)
        else:
            g = check.random_like(rng, out)
        expected = pull(entry, g, lambda value: value)
        count += ran(partial(pull, entry, g, to_strict), expected)
    assert not total or (count == 0) == (name in BEYOND_IN_REVERSE.split())
