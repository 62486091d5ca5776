"""The operation table on the stand-in: nothing goes to the host, and nothing waits."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.ops
from tapegrad.ops.elementary import exp

from ..ops import check
from . import table
from .standin import DeviceArray, RefusedError, counts, lenient, to_device, to_host, xp

for module in pkgutil.walk_packages(tapegrad.ops.__path__, "tapegrad.ops."):
    import_module(module.name)  # those that define operations when they are first used, too

CASES: dict[str, list] = {}
for _, op, inputs, params in check.cases():
    CASES.setdefault(op.name, []).append((op, inputs, params))

PLACE = table.Place(to_device, to_host)

WAITING = {
    *("cofactor", "cofactor_change", "cumprod", "det", "prod", "vonmises_ppf"),
    *("expm", "expm_frechet"),  # in CuPy's own function, which reads the norm
}
"""Operations that read a value, since what serves every value takes far longer than to wait."""

ON_THE_HOST = """
airy betaincc betainccinv column_order continuous_riccati dawsn discrete_quantile
discrete_riccati ellipe ellipem1 erfi eval_chebyc eval_chebys eval_chebyt eval_chebyu
eval_gegenbauer eval_genlaguerre eval_hermite eval_hermitenorm eval_jacobi eval_laguerre
eval_legendre eval_sh_chebyt eval_sh_chebyu eval_sh_jacobi eval_sh_legendre fresnel
general_eigenpairs hankel1 hankel1e hankel2 hankel2e hyp0f1 hyp1f1 hyp2f1 hyperu
indefinite_order isnat iv ive jv jve kn kv kve ldl ldl_systems logm lu matrix_power modstruve
ndtri_exp owens_t powm1 row_order schur signm solve_banded solve_toeplitz spacing sparse_eigsh
sparse_matmul sparse_solve spence spherical_in spherical_jn spherical_kn sqrtm stdtr stdtrit
struve sylvester wofz wrightomega yv yve
"""
"""Operations that CuPy has nothing for: they say so."""

RULES_ON_THE_HOST = """
bessel_i1 bessel_ratio betainc betaincinv ellipk ellipkm1 i1e j1 yn
"""
"""Operations whose rules use those."""

PARTLY = {"bessel_ratio", "eigh", "real_transform"}
"""Operations that run on a device for some parameters."""

UNDER_TEST = sorted(CASES.keys() - {"transfer"})  # which is about the device that it is for


def run(what, name, tolerance=1e-9):
    """A check of all samples of an operation; how many ran, and how many say it is the host's."""
    ran = refused = 0
    for op, inputs, params in CASES[name]:
        counts.clear()
        with np.errstate(all="ignore"):
            try:
                what(op, inputs, params, PLACE, tolerance)
            except TypeError as error:
                if "computed on the CPU alone" not in str(error):
                    raise
                refused += 1
                continue
        ran += 1
        assert not counts["downloads"], f"{name} copies to the host"
        assert not counts["waits"] or name in WAITING, f"{name} waits for the device"
    return ran, refused


def judge(ran, refused, on_the_host, name):
    if name in PARTLY and not on_the_host:
        assert ran
        assert refused
    else:
        assert bool(refused) == on_the_host
        assert not (ran and refused)


@pytest.mark.parametrize("name", UNDER_TEST)
def test_forward(name):
    judge(*run(table.forward, name), name in ON_THE_HOST.split(), name)


@pytest.mark.parametrize("name", UNDER_TEST)
def test_derivatives(name):
    ran, refused = run(table.derivatives, name)
    host = ON_THE_HOST.split() + RULES_ON_THE_HOST.split()
    if any(check.active(op, inputs) for op, inputs, _ in CASES[name]):
        judge(ran, refused, name in host, name)


@pytest.mark.parametrize("name", UNDER_TEST)
def test_batch_rule(name):
    judge(*run(table.batch, name), name in ON_THE_HOST.split(), name)


@pytest.mark.parametrize("name", ["sin", "hypot", "relu", "greater", "where", "stack", "getitem"])
def test_numpys_functions_may_answer_for_the_device(name):
    """CuPy lets NumPy's ufuncs through, and runs its own: another way, the same results."""
    with lenient():
        run(table.forward, name)
        run(table.derivatives, name)


FAMILIES = (
    *("exp", "matmul", "sum", "getitem", "softmax", "solve", "layer_norm", "cross_entropy"),
    *("where", "max_pool", "attention", "lstm"),
)

PLANTS = {
    "an ndarray": np.asarray,
    "a number": lambda g: float(g.reshape(-1)[0]),
    "an item": lambda g: g.reshape(-1)[0].item(),
    "a look": lambda g: bool((g == 0).any()),
    "NumPy's function": np.sum,
    "an ndarray beside it": lambda g: g * np.ones(g.shape),
}


@pytest.mark.parametrize("plant", PLANTS)
@pytest.mark.parametrize("name", FAMILIES)
def test_what_is_planted_in_a_rule_fails(name, plant, monkeypatch):
    op = CASES[name][0][0]

    def with_plant(rule):
        def planted(g, *args, **kwargs):
            first = g[0] if isinstance(g, tuple | list) else g
            raw = getattr(first, "raw", first)
            if isinstance(raw, DeviceArray):  # not the host's, beside which it runs
                PLANTS[plant](raw)
            return rule(g, *args, **kwargs)

        return None if rule is None else planted

    rules = op.vjp
    changed = with_plant(rules) if callable(rules) else tuple(map(with_plant, rules))
    monkeypatch.setattr(op, "vjp", changed)
    with pytest.raises(
        (AssertionError, RefusedError), match=r"waits for|copies to|Implicit|numpy\.|Unsupp"
    ):
        run(table.derivatives, name)


@pytest.mark.parametrize(
    "plant",
    [
        lambda x: x * np.ones(3),
        lambda x: np.ones(3) * x,
        lambda x: np.exp(x),
        lambda x: np.sum(x),
        lambda x: xp.add(x, np.ones(3)),
        lambda x: x[np.array([0, 1])],
        lambda x: x.__setitem__(0, np.ones(1)),
        lambda x: xp.concatenate([x, np.ones(3)]),
    ],
)
def test_the_stand_in_refuses_the_host(plant):
    with pytest.raises(TypeError):
        plant(xp.ones(3))


def test_the_stand_in_counts():
    counts.clear()
    x = xp.asarray(np.ones((2, 3)))
    y = (x + 1) * x.T.reshape(2, 3)
    assert counts == {"uploads": 1, "launches": 2}
    assert float(y[0, 0]) == 2.0
    assert bool(xp.all(y == 2))
    y.get()
    assert counts == {"uploads": 1, "launches": 4, "waits": 3, "downloads": 1}


def test_recorded_arrays_of_the_device_stay_there():
    y, pullback = tg.vjp(exp, xp.ones(3))
    assert type(y) is xp.ndarray
    assert type(pullback(xp.ones(3))[0]) is xp.ndarray
