"""Fit the rate of an enzyme's reaction, and see which observations the answer hangs on.

The data are those of Treloar (1974) on Puromycin. Bates and Watts (1988) publish the fit: a largest
rate of 212.7 with a standard error of 6.95, and a constant of 0.0641 with one of 0.0083.
"""

import argparse

import numpy as np
from plot import Chart

import tapegrad as tg
from tapegrad.scipy.optimize import curve_fit

CONCENTRATION = np.array([0.02, 0.02, 0.06, 0.06, 0.11, 0.11, 0.22, 0.22, 0.56, 0.56, 1.1, 1.1])
RATE = np.array([76.0, 47, 97, 107, 123, 139, 159, 152, 191, 201, 207, 200])


def model(concentration, largest, constant):
    return largest * concentration / (constant + concentration)


def fit(rate):
    return curve_fit(model, CONCENTRATION, rate, p0=(200.0, 0.1))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--picture", metavar="FILE", default="enzyme.png")
    options = parser.parse_args(arguments)

    found, covariance = fit(RATE)
    errors = np.sqrt(np.diag(covariance))
    for name, value, error in zip(("largest rate", "constant"), found, errors, strict=True):
        print(f"{name:12} {value:9.4f}, standard error {error:.4f}")
    # the answer's own derivative: through the solver, by the implicit function theorem
    influence = tg.jacobian(lambda rate: fit(rate)[0])(RATE)
    most = np.argmax(np.abs(influence[1]))
    print(f"the constant moves most with the rate at {CONCENTRATION[most]}")

    x = np.linspace(0, 1.2, 200)
    slopes = tg.jacobian(lambda p: model(x, p[0], p[1]))(found)
    spread = 2 * np.sqrt(np.einsum("ip,pq,iq->i", slopes, covariance, slopes))
    chart = Chart("Rate by concentration, and a fit with two standard errors", (0, 1.2), (0, 260))
    chart.band("fitted", x, model(x, *found) - spread, model(x, *found) + spread)
    chart.dots("observed", CONCENTRATION, RATE)
    chart.save(options.picture)
    print(f"{options.picture} shows data and fit")
    return found, influence


if __name__ == "__main__":
    main()
