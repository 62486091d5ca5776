"""Making sparse matrices of recorded elements."""

import numpy as np
import pytest
import scipy.sparse

import tapegrad as tg
import tapegrad.numpy as tnp
import tapegrad.scipy.sparse as sparse

DATA = np.array([1.0, 2.0, 3.0, 4.0])
A = scipy.sparse.csr_array(np.array([[1.0, 0.0], [2.0, 3.0]]))

MAKERS = {
    "coo": lambda s, d: s.coo_array((d, ([0, 1, 2, 0], [1, 0, 1, 1])), shape=(3, 2)),
    "csr": lambda s, d: s.csr_array((d, [0, 1, 0, 1], [0, 2, 3, 4]), shape=(3, 2)),
    "csc": lambda s, d: s.csc_matrix((d, [0, 1, 0, 2], [0, 2, 4]), shape=(3, 2)),
    "dense": lambda s, d: s.csr_matrix(d.reshape(2, 2)),
    "diagonal": lambda s, d: s.diags_array(d),
    "diagonals": lambda s, d: s.diags_array([d[:3], d], offsets=[1, 0]),
    "shaped diagonals": lambda s, d: s.diags_array([d[:2], d[:3]], offsets=[-1, 0], shape=(3, 5)),
    "vstack": lambda s, d: s.vstack([s.csr_array(d.reshape(2, 2)), A]),
    "hstack": lambda s, d: s.hstack([A, s.diags_array(d[:2])]),
    "block_diag": lambda s, d: s.block_diag([s.diags_array(d), A]),
    "block_array": lambda s, d: s.block_array([[s.diags_array(d[:2]), None], [None, A]]),
    "bmat": lambda s, d: s.bmat([[A, s.diags_array(d[:2])]]),
    "tril": lambda s, d: s.tril(s.csr_array(d.reshape(2, 2))),
    "triu": lambda s, d: s.triu(s.csr_array(d.reshape(2, 2)), k=1),
    "kron": lambda s, d: s.kron(s.diags_array(d[:2]), A),
    "kron of dense": lambda s, d: s.kron(A, d.reshape(2, 2)),
    "once more": lambda s, d: s.csr_array(s.diags_array(d)),
}


@pytest.mark.parametrize("name", MAKERS)
def test_makers(name):
    make = MAKERS[name]

    def dense(s, data):
        return make(s, data).toarray()

    expected = dense(scipy.sparse, DATA)
    np.testing.assert_array_equal(dense(sparse, DATA), expected)
    assert scipy.sparse.issparse(make(sparse, DATA))
    np.testing.assert_array_equal(tg.record(lambda d: dense(sparse, d))(DATA)[0], expected)
    columns = [dense(scipy.sparse, unit) for unit in np.eye(4)]
    constant = dense(scipy.sparse, np.zeros(4))  # every maker is affine in the elements
    jacobian = tg.jacobian(lambda d: dense(sparse, d))(DATA)
    np.testing.assert_array_equal(jacobian, np.stack(columns, -1) - constant[..., None])


def test_one_number_throughout():
    def loss(x):
        matrix = sparse.diags_array([x, -2 * x], offsets=[1, 0], shape=(4, 4))
        return matrix @ np.array([1.0, 2.0, 3.0, 4.0])

    np.testing.assert_array_equal(tg.jacobian(loss)(1.0), [0.0, -1.0, -2.0, -8.0])


def test_errors():
    with pytest.raises(TypeError, match=r"pass shape=\(rows, columns\)"):
        tg.grad(lambda d: sparse.coo_array((d, ([0], [0]))).sum())(DATA)
    with pytest.raises(ValueError, match=r"at offset 1 has 3 elements, .* shape \(4,\)"):
        tg.grad(lambda d: sparse.diags_array([d, d], offsets=[0, 1]).sum())(DATA)
    with pytest.raises(TypeError, match=r"scipy\.sparse\._extract\.find has no rule"):
        tg.grad(lambda d: sparse.find(sparse.diags_array(d))[2].sum())(DATA)
    with pytest.raises(TypeError, match="expm has no rule"):
        tg.grad(lambda d: sparse.linalg.expm(sparse.diags_array(d)).sum())(DATA)


def test_a_heat_equation_with_a_recorded_conductivity():
    def solution(conductivity):
        from tapegrad.scipy.sparse.linalg import spsolve

        inner = -conductivity[1:-1]
        matrix = sparse.diags_array(
            [inner, conductivity[1:] + conductivity[:-1], inner], offsets=[-1, 0, 1]
        )
        return tnp.sum(spsolve(matrix.tocsc(), np.ones(9)) ** 2)

    x = np.linspace(1.0, 2.0, 10)
    h = 1e-6
    slope = [(solution(x + h * e) - solution(x - h * e)) / (2 * h) for e in np.eye(10)]
    np.testing.assert_allclose(tg.grad(solution)(x), slope, rtol=1e-7, atol=1e-5)
