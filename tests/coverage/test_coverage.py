"""Every function does what its line on the page says; the line is made anew from running it."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest

import tapegrad as tg

from . import page
from .faces import FACES
from .measure import measure, quiet

PAGE = (Path(__file__).parents[2] / "docs" / "coverage.md").read_text()
LINES = page.lines_of(PAGE)
FUNCTIONS = [(face, name) for face in FACES for name in sorted(face.names)]

NUMPY = """
abs absolute fabs acos arccos asin arcsin atan arctan acosh arccosh asinh arcsinh atanh arctanh
cbrt cos cosh sin sinh tan tanh exp exp2 expm1 log log10 log1p log2 negative positive reciprocal
sqrt square deg2rad degrees rad2deg radians conj conjugate sinc i0 real imag angle nan_to_num
real_if_close ceil floor trunc rint sign fix around round add subtract multiply divide
true_divide power pow float_power maximum minimum fmax fmin fmod mod remainder hypot arctan2
atan2 logaddexp logaddexp2 copysign floor_divide divmod modf frexp ldexp heaviside nextafter
clip sum prod mean std var max min amax amin ptp median nansum nanprod nanmean nanstd nanvar
nanmax nanmin nanmedian average percentile nanpercentile quantile nanquantile cumsum cumprod
nancumsum nancumprod cumulative_sum cumulative_prod trapezoid diff ediff1d gradient cov corrcoef
dot vdot inner outer matmul matvec vecmat vecdot tensordot einsum kron cross trace convolve
correlate reshape ravel transpose permute_dims matrix_transpose swapaxes moveaxis rollaxis
expand_dims squeeze broadcast_to broadcast_arrays atleast_1d atleast_2d atleast_3d concatenate
concat stack vstack hstack dstack column_stack row_stack block append split array_split hsplit
vsplit dsplit unstack tile repeat roll rot90 flip fliplr flipud pad resize delete insert
trim_zeros diag diagonal diagflat tril triu vander meshgrid full full_like array asarray copy
astype ascontiguousarray asanyarray linspace logspace geomspace take take_along_axis choose
compress extract select where piecewise sort partition sort_complex unique unique_values union1d
fill_diagonal put_along_axis interp bincount histogram unwrap polyval polyadd polysub polymul
polydiv polyder polyint polyfit poly roots apply_along_axis apply_over_axes
"""
LINALG = """
cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm
matrix_power matrix_transpose multi_dot norm outer pinv qr slogdet solve svd svdvals tensordot
tensorinv tensorsolve trace vecdot vector_norm
"""
FFT = """
fft ifft rfft ihfft fft2 ifft2 rfft2 fftn ifftn rfftn irfft hfft irfft2 irfftn fftshift ifftshift
"""
DIFFERENTIABLE = [
    (module, name)
    for module, names in (("numpy", NUMPY), ("numpy.linalg", LINALG), ("numpy.fft", FFT))
    for name in names.split()
]
OUT_OF_REACH = {"array", "asanyarray", "asarray", "ascontiguousarray", "full"}
"""Functions of plain NumPy that do not ask their arguments, but convert them: they raise."""


def test_there_are_274_differentiable_names_of_numpy():
    assert len(set(DIFFERENTIABLE)) == 274


@pytest.mark.parametrize(("module", "name"), DIFFERENTIABLE)
def test_differentiable_names_of_numpy_are_right_to_second_order(module, name):
    plain = "no" if name in OUT_OF_REACH else "yes"
    cells = LINES[module, name].strip("| ").split(" | ")
    assert cells[1:4] == ["yes", "yes", "yes"]
    assert cells[-1] == plain


@pytest.mark.parametrize(
    ("face", "name"), [pytest.param(f, n, id=f"{f.title}.{n}") for f, n in FUNCTIONS]
)
def test_a_function_does_what_the_page_says(face, name):
    found = page.line(name, measure(face.probes[name], face.ours, face.original))
    assert found == LINES.get((face.title, name)), "run python -m tests.coverage > docs/coverage.md"


def test_the_page_has_these_functions_and_no_others():
    assert LINES.keys() == {(face.title, name) for face, name in FUNCTIONS}
    assert page.page_of(LINES) == PAGE, "run python -m tests.coverage > docs/coverage.md"


def test_probes_are_of_functions_that_take_recorded_arrays():
    for face in FACES:
        assert face.probes.keys() == face.names


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.title)
def test_functions_without_derivative_refuse_tracked_arrays(face):
    for name in face.refused:
        refused = []

        def program(x, name=name, refused=refused):
            for count in range(1, 7):
                try:
                    getattr(face.ours, name)(*[x] * count)
                except TypeError as error:
                    refused.append("traced" in str(error))
            return tg.numpy.sum(x)

        with quiet():
            tg.grad(program)(numpy.array([0.3, 0.4]))
        assert any(refused), name
