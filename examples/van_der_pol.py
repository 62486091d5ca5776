"""Find the damping for which Van der Pol's oscillator has a period of 10.

The period is the time between two events, and events' times are differentiable: so Newton's method
finds the damping. At a damping of 1 the period is 6.66328686, a published number.
"""

import argparse

import numpy as np
from plot import Chart

import tapegrad as tg
from tapegrad.scipy.integrate import solve_ivp
from tapegrad.scipy.optimize import root_scalar

PERIOD = 10.0


class Rises:
    """The event that the first state becomes positive."""

    direction = 1

    def __call__(self, _t, y):
        return y[0]


def oscillation(damping, stop, **options):
    return solve_ivp(
        lambda _t, y: [y[1], damping * (1 - y[0] ** 2) * y[1] - y[0]],
        (0.0, stop),
        [2.0, 0.0],
        "DOP853",
        events=Rises(),
        rtol=1e-9,
        atol=1e-9,
        **options,
    )


def period(damping):
    """The time between the last two of five crossings; by then the oscillation is periodic."""
    crossings = oscillation(damping, 60.0).t_events[0]
    return crossings[4] - crossings[3]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--picture", metavar="FILE", default="van_der_pol.png")
    options = parser.parse_args(arguments)

    print(f"period at a damping of 1: {period(1.0):.7f}")
    slope = tg.grad(period)(1.0)
    print(f"its derivative: {slope:.6f}")
    found = root_scalar(lambda damping: period(damping) - PERIOD, x0=3.0, method="newton")
    print(f"the period is {PERIOD} at a damping of {found.root:.7f} ({found.iterations} steps)")

    chart = Chart("Van der Pol's oscillator", (0, 30), (-2.6, 3.4))
    times = np.linspace(0, 30, 1500)
    for damping in (0.2, 1.0, found.root):
        chart.line(f"damping {damping:.3g}", times, oscillation(damping, 30.0, t_eval=times).y[0])
    chart.save(options.picture)
    print(f"{options.picture} shows oscillations")
    return found.root, slope


if __name__ == "__main__":
    main()
