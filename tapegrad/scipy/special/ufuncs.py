"""The ufuncs of `scipy.special` that are operations."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy
import scipy.special

from ...numpy.dispatch import Function, implements_ufunc
from ...ops import elementary, rounding
from ...ops.huber import huber as huber_loss
from ...ops.specials import (
    bessel,
    bessel_fixed,
    elliptic,
    error,
    hypergeometric,
    incomplete,
    information,
    integrals,
    logistic,
    orthogonal,
    student,
)
from ...ops.specials import (
    gamma as gammas,
)

__all__ = [
    "airy",
    "beta",
    "betainc",
    "betaincc",
    "betainccinv",
    "betaincinv",
    "betaln",
    "binom",
    "boxcox",
    "boxcox1p",
    "cbrt",
    "cosdg",
    "cosm1",
    "cotdg",
    "dawsn",
    "digamma",
    "ellipe",
    "ellipeinc",
    "ellipj",
    "ellipk",
    "ellipkinc",
    "ellipkm1",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfi",
    "erfinv",
    "eval_chebyc",
    "eval_chebys",
    "eval_chebyt",
    "eval_chebyu",
    "eval_gegenbauer",
    "eval_genlaguerre",
    "eval_hermite",
    "eval_hermitenorm",
    "eval_jacobi",
    "eval_laguerre",
    "eval_legendre",
    "eval_sh_chebyt",
    "eval_sh_chebyu",
    "eval_sh_jacobi",
    "eval_sh_legendre",
    "exp1",
    "exp2",
    "exp10",
    "expi",
    "expit",
    "expm1",
    "expn",
    "exprel",
    "fresnel",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
    "gammaln",
    "gammasgn",
    "hankel1",
    "hankel1e",
    "hankel2",
    "hankel2e",
    "huber",
    "hyp0f1",
    "hyp1f1",
    "hyp2f1",
    "hyperu",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "inv_boxcox",
    "inv_boxcox1p",
    "iv",
    "ive",
    "j0",
    "j1",
    "jn",
    "jv",
    "jve",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kl_div",
    "kn",
    "kv",
    "kve",
    "log1p",
    "log_expit",
    "log_ndtr",
    "loggamma",
    "logit",
    "modstruve",
    "ndtr",
    "ndtri",
    "ndtri_exp",
    "owens_t",
    "poch",
    "powm1",
    "pseudo_huber",
    "psi",
    "rel_entr",
    "rgamma",
    "round",
    "shichi",
    "sici",
    "sindg",
    "spence",
    "stdtr",
    "stdtrit",
    "struve",
    "tandg",
    "wofz",
    "wrightomega",
    "xlog1py",
    "xlogy",
    "y0",
    "y1",
    "yn",
    "yv",
    "yve",
]


def ufunc_of(name: str) -> Any:
    """SciPy's ufunc; under SCIPY_ARRAY_API, `scipy.special` has a function around it."""
    found = getattr(scipy.special, name)
    if isinstance(found, numpy.ufunc):
        return found
    return getattr(import_module("scipy.special._ufuncs"), name)


def _face(name: str, operation: Function) -> Function:
    return implements_ufunc(ufunc_of(name), operation)


# The gamma function and its kin

beta = _face("beta", gammas.beta)
betaln = _face("betaln", gammas.betaln)
binom = _face("binom", gammas.binom)
digamma = psi = _face("psi", gammas.digamma)
gamma = _face("gamma", gammas.gamma)
gammaln = _face("gammaln", gammas.gammaln)
gammasgn = _face("gammasgn", gammas.gammasgn)
loggamma = _face("loggamma", gammas.loggamma)
poch = _face("poch", gammas.poch)
rgamma = _face("rgamma", gammas.rgamma)

# Incomplete gamma and beta functions

betainc = _face("betainc", incomplete.betainc)
betaincc = _face("betaincc", incomplete.betaincc)
betainccinv = _face("betainccinv", incomplete.betainccinv)
betaincinv = _face("betaincinv", incomplete.betaincinv)
gammainc = _face("gammainc", incomplete.gammainc)
gammaincc = _face("gammaincc", incomplete.gammaincc)
gammainccinv = _face("gammainccinv", incomplete.gammainccinv)
gammaincinv = _face("gammaincinv", incomplete.gammaincinv)
stdtr = _face("stdtr", student.stdtr)
stdtrit = _face("stdtrit", student.stdtrit)

# The error function and its kin

dawsn = _face("dawsn", error.dawsn)
erf = _face("erf", error.erf)
erfc = _face("erfc", error.erfc)
erfcinv = _face("erfcinv", error.erfcinv)
erfcx = _face("erfcx", error.erfcx)
erfi = _face("erfi", error.erfi)
erfinv = _face("erfinv", error.erfinv)
fresnel = _face("fresnel", error.fresnel)
log_ndtr = _face("log_ndtr", error.log_ndtr)
ndtr = _face("ndtr", error.ndtr)
ndtri = _face("ndtri", error.ndtri)
ndtri_exp = _face("ndtri_exp", error.ndtri_exp)
owens_t = _face("owens_t", error.owens_t)
wofz = _face("wofz", error.wofz)

# Logarithms, entropies and losses

entr = _face("entr", information.entr)
huber = _face("huber", huber_loss)
kl_div = _face("kl_div", information.kl_div)
pseudo_huber = _face("pseudo_huber", information.pseudo_huber)
rel_entr = _face("rel_entr", information.rel_entr)
xlog1py = _face("xlog1py", information.xlog1py)
xlogy = _face("xlogy", information.xlogy)

# Logistic functions, powers, exponentials

boxcox = _face("boxcox", logistic.boxcox)
boxcox1p = _face("boxcox1p", logistic.boxcox1p)
cosdg = _face("cosdg", logistic.cosdg)
cosm1 = _face("cosm1", logistic.cosm1)
cotdg = _face("cotdg", logistic.cotdg)
exp10 = _face("exp10", logistic.exp10)
expit = _face("expit", logistic.expit)
exprel = _face("exprel", logistic.exprel)
inv_boxcox = _face("inv_boxcox", logistic.inv_boxcox)
inv_boxcox1p = _face("inv_boxcox1p", logistic.inv_boxcox1p)
log_expit = _face("log_expit", logistic.log_expit)
logit = _face("logit", logistic.logit)
powm1 = _face("powm1", logistic.powm1)
sindg = _face("sindg", logistic.sindg)
tandg = _face("tandg", logistic.tandg)

# Bessel functions

hankel1 = _face("hankel1", bessel.hankel1)
hankel1e = _face("hankel1e", bessel.hankel1e)
hankel2 = _face("hankel2", bessel.hankel2)
hankel2e = _face("hankel2e", bessel.hankel2e)
iv = _face("iv", bessel.iv)
ive = _face("ive", bessel.ive)
jv = jn = _face("jv", bessel.jv)
jve = _face("jve", bessel.jve)
kn = _face("kn", bessel.kn)
kv = _face("kv", bessel.kv)
kve = _face("kve", bessel.kve)
yn = _face("yn", bessel.yn)
yv = _face("yv", bessel.yv)
yve = _face("yve", bessel.yve)

# Bessel functions of fixed order

airy = _face("airy", bessel_fixed.airy)
i0 = _face("i0", bessel_fixed.i0)
i0e = _face("i0e", bessel_fixed.i0e)
i1 = _face("i1", bessel_fixed.i1)
i1e = _face("i1e", bessel_fixed.i1e)
j0 = _face("j0", bessel_fixed.j0)
j1 = _face("j1", bessel_fixed.j1)
k0 = _face("k0", bessel_fixed.k0)
k0e = _face("k0e", bessel_fixed.k0e)
k1 = _face("k1", bessel_fixed.k1)
k1e = _face("k1e", bessel_fixed.k1e)
modstruve = _face("modstruve", bessel_fixed.modstruve)
struve = _face("struve", bessel_fixed.struve)
y0 = _face("y0", bessel_fixed.y0)
y1 = _face("y1", bessel_fixed.y1)

# Integrals

ellipe = _face("ellipe", integrals.ellipe)
ellipeinc = _face("ellipeinc", elliptic.ellipeinc)
ellipj = _face("ellipj", elliptic.ellipj)
ellipk = _face("ellipk", integrals.ellipk)
ellipkinc = _face("ellipkinc", elliptic.ellipkinc)
ellipkm1 = _face("ellipkm1", integrals.ellipkm1)
exp1 = _face("exp1", integrals.exp1)
expi = _face("expi", integrals.expi)
expn = _face("expn", integrals.expn)
shichi = _face("shichi", integrals.shichi)
sici = _face("sici", integrals.sici)
spence = _face("spence", integrals.spence)
wrightomega = _face("wrightomega", integrals.wrightomega)

# Hypergeometric functions

hyp0f1 = _face("hyp0f1", hypergeometric.hyp0f1)
hyp1f1 = _face("hyp1f1", hypergeometric.hyp1f1)
hyp2f1 = _face("hyp2f1", hypergeometric.hyp2f1)
hyperu = _face("hyperu", hypergeometric.hyperu)

# Orthogonal polynomials

eval_chebyc = _face("eval_chebyc", orthogonal.eval_chebyc)
eval_chebys = _face("eval_chebys", orthogonal.eval_chebys)
eval_chebyt = _face("eval_chebyt", orthogonal.eval_chebyt)
eval_chebyu = _face("eval_chebyu", orthogonal.eval_chebyu)
eval_gegenbauer = _face("eval_gegenbauer", orthogonal.eval_gegenbauer)
eval_genlaguerre = _face("eval_genlaguerre", orthogonal.eval_genlaguerre)
eval_hermite = _face("eval_hermite", orthogonal.eval_hermite)
eval_hermitenorm = _face("eval_hermitenorm", orthogonal.eval_hermitenorm)
eval_jacobi = _face("eval_jacobi", orthogonal.eval_jacobi)
eval_laguerre = _face("eval_laguerre", orthogonal.eval_laguerre)
eval_legendre = _face("eval_legendre", orthogonal.eval_legendre)
eval_sh_chebyt = _face("eval_sh_chebyt", orthogonal.eval_sh_chebyt)
eval_sh_chebyu = _face("eval_sh_chebyu", orthogonal.eval_sh_chebyu)
eval_sh_jacobi = _face("eval_sh_jacobi", orthogonal.eval_sh_jacobi)
eval_sh_legendre = _face("eval_sh_legendre", orthogonal.eval_sh_legendre)

# NumPy's too

cbrt = _face("cbrt", elementary.cbrt)
exp2 = _face("exp2", elementary.exp2)
expm1 = _face("expm1", elementary.expm1)
log1p = _face("log1p", elementary.log1p)
round = _face("round", rounding.rint)
