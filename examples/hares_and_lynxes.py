"""Fit the equations of Lotka and Volterra to a century-old record of hares and lynxes.

The Hudson's Bay Company bought so many thousand pelts in the years from 1900 to 1920. The residuals
and their Jacobian come from an ODE solver. The rates found are 0.55, 0.028, 0.80 and 0.024 in the
published Bayesian fits.
"""

import argparse

import numpy as np
from plot import Chart

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.scipy.integrate import odeint
from tapegrad.scipy.optimize import least_squares

YEARS = np.arange(1900.0, 1921.0)
HARES = [30.0, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22.0, 25.4, 27.1]
HARES += [40.3, 57.0, 76.6, 52.3, 19.5, 11.2, 7.6, 14.6, 16.2, 24.7]
LYNXES = [4.0, 6.1, 9.8, 35.2, 59.4, 41.7, 19.0, 13.0, 8.3, 9.1, 7.4]
LYNXES += [8.0, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7, 10.1, 8.6]
PELTS = np.array([HARES, LYNXES]).T
NAMES = ("birth of hares", "predation", "death of lynxes", "growth of lynxes")


def change(numbers, _year, rates):
    hares, lynxes = numbers
    birth, predation, death, growth = rates
    return [birth * hares - predation * hares * lynxes, growth * hares * lynxes - death * lynxes]


def numbers(logs, years):
    """Hares and lynxes in some years: four rates and two first numbers are given as logarithms."""
    values = tnp.exp(logs)
    return odeint(change, values[4:], years, (values[:4],), rtol=1e-7, atol=1e-7)


def residuals(logs):
    return tnp.ravel(tnp.log(numbers(logs, YEARS)) - np.log(PELTS))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--picture", metavar="FILE", default="hares_and_lynxes.png")
    options = parser.parse_args(arguments)

    start = np.log([0.5, 0.03, 0.9, 0.03, 30.0, 4.0])
    fit = least_squares(residuals, start)
    variance = 2 * fit.cost / (PELTS.size - start.size)
    covariance = variance * np.linalg.inv(fit.jac.T @ fit.jac)
    rates, errors = np.exp(fit.x), np.sqrt(np.diag(covariance))
    for name, rate, error in zip(NAMES, rates, errors, strict=False):
        print(f"{name:16} {rate:.4f}, give or take {error:.0%}")

    years = np.linspace(YEARS[0], YEARS[-1], 241)
    curves = numbers(fit.x, years)
    # how far off the curves are, to first order: their logarithms' Jacobian carries the errors over
    slopes = tg.jacobian(lambda logs: tnp.log(numbers(logs, years)))(fit.x)
    spread = np.exp(2 * np.sqrt(np.einsum("tip,pq,tiq->ti", slopes, covariance, slopes)))
    title = "Thousands of pelts, and a fit with two standard errors"
    chart = Chart(title, (YEARS[0], YEARS[-1]), (0, 110))
    for i, name in enumerate(("hares", "lynxes")):
        chart.band(
            f"{name}, fitted", years, curves[:, i] / spread[:, i], curves[:, i] * spread[:, i]
        )
        chart.dots(f"{name}, bought", YEARS, PELTS[:, i])
    chart.save(options.picture)
    print(f"{options.picture} shows data and fit")
    return rates


if __name__ == "__main__":
    main()
