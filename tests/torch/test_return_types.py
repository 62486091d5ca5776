"""Results with names, as PyTorch names and prints them."""

from __future__ import annotations

import copy
import pickle

import pytest

import tapegrad as tg
import tapegrad.torch as torch

A = torch.tensor([[3.0, 1.0], [2.0, 4.0]])

CALLS = {
    "aminmax": lambda: torch.aminmax(A),
    "cummax": lambda: torch.cummax(A, 0),
    "cummin": lambda: torch.cummin(A, 0),
    "frexp": lambda: torch.frexp(A),
    "geqrf": lambda: torch.geqrf(A),
    "histogram": lambda: torch.histogram(A, 3),
    "histogramdd": lambda: torch.histogramdd(A, [2, 2]),
    "kthvalue": lambda: A.kthvalue(1),
    "linalg_cholesky_ex": lambda: torch.linalg.cholesky_ex(A),
    "linalg_eig": lambda: torch.linalg.eig(A),
    "linalg_eigh": lambda: torch.linalg.eigh(A),
    "linalg_inv_ex": lambda: torch.linalg.inv_ex(A),
    "linalg_ldl_factor": lambda: torch.linalg.ldl_factor(A),
    "linalg_ldl_factor_ex": lambda: torch.linalg.ldl_factor_ex(A),
    "linalg_lstsq": lambda: torch.linalg.lstsq(A, A),
    "linalg_lu": lambda: torch.linalg.lu(A),
    "linalg_lu_factor": lambda: torch.linalg.lu_factor(A),
    "linalg_lu_factor_ex": lambda: torch.linalg.lu_factor_ex(A),
    "linalg_qr": lambda: torch.linalg.qr(A),
    "linalg_slogdet": lambda: torch.linalg.slogdet(A),
    "linalg_solve_ex": lambda: torch.linalg.solve_ex(A, A),
    "linalg_svd": lambda: torch.linalg.svd(A),
    "lu_unpack": lambda: torch.lu_unpack(*torch.linalg.lu_factor(A)),
    "max": lambda: A.max(0),
    "median": lambda: A.median(0),
    "min": lambda: torch.min(A, dim=0),
    "mode": lambda: A.mode(0),
    "nanmedian": lambda: A.nanmedian(0),
    "qr": lambda: torch.qr(A),
    "slogdet": lambda: torch.slogdet(A),
    "sort": lambda: A.sort(),
    "svd": lambda: A.svd(),
    "topk": lambda: A.topk(1),
    "triangular_solve": lambda: torch.triangular_solve(A, A),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_function_names_its_result(name):
    result = CALLS[name]()
    assert type(result) is getattr(torch.return_types, name)
    assert str(type(result)) == f"<class 'torch.return_types.{name}'>"
    assert repr(result).startswith(f"torch.return_types.{name}(\n")


def test_how_one_prints():
    text = "torch.return_types.max(\nvalues=tensor([3., 4.]),\nindices=tensor([0, 1]))"
    assert repr(A.max(0)) == str(A.max(0)) == text


def test_a_sequence_makes_one():
    made = torch.return_types.max((1, 2))
    assert (made.values, made.indices, made.n_fields) == (1, 2, 2)
    with pytest.raises(TypeError, match=r"max\(\) takes a 2-sequence \(3-sequence given\)"):
        torch.return_types.max((1, 2, 3))


def test_copies_and_pickles():
    result = A.max(0)
    for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert type(other) is torch.return_types.max
        assert other.values.tolist() == [3.0, 4.0]


def test_out():
    out = torch.empty(2), torch.empty(2, dtype=torch.int64)
    result = torch.max(A, 0, out=out)
    assert type(result) is torch.return_types.max
    assert result.values is out[0]


def test_through_transforms():
    value = tg.vmap(lambda row: row.sort())(A)
    assert type(value) is torch.return_types.sort
    assert value.indices.tolist() == [[1, 0], [0, 1]]
