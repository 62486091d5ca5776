"""A call of every function of `scipy.special` that takes recorded arrays.

Orders, degrees and counts that are whole, or in which no derivative is known, are held constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from .of_numpy import POSITIVE, M, X, Z
from .probe import Probes

PROBES, OTHER_NAMES = Probes(), Probes()
probe, same = PROBES.probe, PROBES.same

UNIT = numpy.array([0.31, 0.55, 0.82, 0.17])
OTHER = numpy.array([1.3, 0.9, 2.2, 1.7])
WHOLE = numpy.array([2, 0, 3, 1])


def of_degree(names: str, *inputs: Any) -> None:
    """Functions whose first argument is whole, and held constant."""
    for name in names.split():
        probe(name, _held(name), *inputs)


def _held(name: str) -> Callable[..., Any]:
    return lambda module, *xs: getattr(module, name)(WHOLE, *xs)


def degree_last(name: str) -> Callable[..., Any]:
    return lambda module, x: getattr(module, name)(x, WHOLE)


# the gamma function and its kin
same("beta betaln poch gammainc gammaincc", POSITIVE, OTHER)
same("binom", 3 + POSITIVE, OTHER)
same("digamma psi gamma gammaln gammasgn loggamma rgamma factorial", POSITIVE)
probe("polygamma", lambda sp, x: sp.polygamma(2, x), POSITIVE)
probe("multigammaln", lambda sp, x: sp.multigammaln(2 + x, 3), POSITIVE)
same("zeta", 1 + OTHER, POSITIVE)
same("comb perm", 3 + POSITIVE, OTHER)
same("gammaincinv gammainccinv", POSITIVE, UNIT)
same("betainc betaincc betaincinv betainccinv", POSITIVE, OTHER, UNIT)

# distributions
same("stdtr", OTHER, X)
same("stdtrit", OTHER, UNIT)
of_degree("pdtr pdtrc", OTHER)
same("chdtr chdtrc", OTHER, POSITIVE)
same("chdtri", OTHER, UNIT)
same("fdtr fdtrc", OTHER, 1 + POSITIVE, POSITIVE)
same("fdtri", OTHER, 1 + POSITIVE, UNIT)
same("gdtr gdtrc", OTHER, 1 + POSITIVE, POSITIVE)
same("gdtrix", OTHER, 1 + POSITIVE, UNIT)
for name in ("bdtr", "bdtrc", "nbdtr", "nbdtrc"):
    probe(name, lambda sp, p, name=name: getattr(sp, name)(WHOLE, 6, p), UNIT)

# the error function and its kin
same("dawsn erf erfc erfcx erfi fresnel log_ndtr ndtr", X)
same("erfcinv erfinv ndtri ndtri_exp", -UNIT)
same("erfcinv ndtri", UNIT)
same("owens_t", X, OTHER)
same("wofz", Z)

# logarithms, entropies, losses, logistic functions
same("entr exprel log_expit expit softplus cosm1 sindg cosdg tandg cotdg exp10", POSITIVE)
same("rel_entr kl_div huber pseudo_huber xlogy xlog1py boxcox boxcox1p", POSITIVE, OTHER)
same("powm1 agm", POSITIVE, OTHER)
same("radian", POSITIVE, OTHER, UNIT)
same("inv_boxcox inv_boxcox1p", UNIT, OTHER)
same("logit", UNIT)
same("logsumexp softmax log_softmax", M, axis=1)
same("cbrt exp2 expm1 log1p round sinc", POSITIVE)

# Bessel functions
same("jv jve jn iv ive kv kve yv yve", OTHER, POSITIVE)
of_degree("hankel1 hankel1e hankel2 hankel2e", POSITIVE)
of_degree("kn yn", POSITIVE)
same("airy i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e y0 y1", POSITIVE)
of_degree("spherical_jn spherical_in spherical_kn spherical_yn", POSITIVE)
probe("struve", lambda sp, x: sp.struve(1.5, x), POSITIVE)
probe("modstruve", lambda sp, x: sp.modstruve(1.5, x), POSITIVE)

same("jvp yvp ivp kvp", OTHER, POSITIVE, n=2)
for name in ("h1vp", "h2vp"):
    probe(name, lambda sp, z, name=name: getattr(sp, name)(WHOLE, z, 1), POSITIVE)

# integrals
same("ellipeinc ellipkinc ellipj", POSITIVE, UNIT)
same("voigt_profile", X, POSITIVE, OTHER)
probe("diric", lambda sp, x: sp.diric(x, 3), POSITIVE)
same("ellipe ellipk ellipkm1", UNIT)
same("exp1 expi spence shichi sici wrightomega", POSITIVE)
of_degree("expn", POSITIVE)
probe("lambertw", lambda sp, x: sp.lambertw(x), POSITIVE)

# hypergeometric functions
probe("hyp0f1", lambda sp, x: sp.hyp0f1(0.7, x), POSITIVE)
probe("hyp1f1", lambda sp, x: sp.hyp1f1(0.7, 1.9, x), X)
probe("hyp2f1", lambda sp, x: sp.hyp2f1(0.7, 1.2, 1.9, x), UNIT)
probe("hyperu", lambda sp, x: sp.hyperu(0.7, 1.9, x), POSITIVE)

# orthogonal polynomials
of_degree("eval_chebyc eval_chebys eval_chebyt eval_chebyu eval_sh_chebyt eval_sh_chebyu", UNIT)
of_degree("eval_hermite eval_hermitenorm eval_laguerre eval_legendre eval_sh_legendre", UNIT)
probe("eval_gegenbauer", lambda sp, x: sp.eval_gegenbauer(WHOLE, 1.3, x), UNIT)
probe("eval_genlaguerre", lambda sp, x: sp.eval_genlaguerre(WHOLE, 1.3, x), UNIT)
probe("eval_jacobi", lambda sp, x: sp.eval_jacobi(WHOLE, 1.3, 0.4, x), UNIT)
probe("eval_sh_jacobi", lambda sp, x: sp.eval_sh_jacobi(WHOLE, 2.5, 1.5, x), UNIT)
probe("sph_harm_y", lambda sp, u, v: sp.sph_harm_y(3, 1, u, v), UNIT, OTHER)

# the names of PyTorch and JAX
OTHER_NAMES.same("bessel_j0 bessel_j1 bessel_y0 bessel_y1 airy_ai spherical_bessel_j0", POSITIVE)
OTHER_NAMES.same(
    "modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1", POSITIVE
)
OTHER_NAMES.same("scaled_modified_bessel_k0 scaled_modified_bessel_k1", POSITIVE)
OTHER_NAMES.probe("bessel_jn", lambda sp, x: sp.bessel_jn(x, v=2), POSITIVE)
for letter in "tuvw":
    for shifted in ("", "shifted_"):
        name = f"{shifted}chebyshev_polynomial_{letter}"
        OTHER_NAMES.probe(name, degree_last(name), UNIT)
for name in ("hermite_polynomial_h", "hermite_polynomial_he"):
    OTHER_NAMES.probe(name, degree_last(name), UNIT)
for name in ("laguerre_polynomial_l", "legendre_polynomial_p"):
    OTHER_NAMES.probe(name, degree_last(name), UNIT)
