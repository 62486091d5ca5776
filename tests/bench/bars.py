"""The promises: what over what, and at most how much."""

from functools import partial

from . import compat, compiling, footprint, loading, networks, numerics, programs
from .timing import medians

RATIOS = [
    ("record, arrays of 10", partial(programs.recording, (10,)), {"numpy": 3.5}),
    ("record, arrays of 100 x 100", partial(programs.recording, (100, 100)), {"numpy": 1.5}),
    ("chain of 1000 scalars", programs.scalar_chain, {"torch": 1 / 4, "autograd": 1 / 20}),
    *(
        (
            f"gradient of Rosenbrock, n = {n}",
            partial(programs.rosenbrock_gradient, n),
            {"numpy": 6, "torch": 1 / 4, "autograd": 1 / 8},
        )
        for n in (2, 10, 100)
    ),
    (
        "Hessian of Rosenbrock, n = 10",
        partial(programs.rosenbrock_hessian, 10),
        {"torch": 1 / 5},
    ),
    (
        "Hessian of Rosenbrock, n = 100",
        partial(programs.rosenbrock_hessian, 100),
        {"torch.func": 1},
    ),
    ("step of MLP 784-200-10", programs.perceptron_step, {"numpy": 1.2, "torch": 1}),
    ("Hessian product of MLP 20-64-64-1", programs.perceptron_hvp, {"torch.func": 1, "jax": 1}),
    ("Jacobian of tanh(W x), n = 200", programs.tanh_jacobian, {"torch.func": 1}),
    *(
        (
            f"autograd's names: Gaussian process, n = {n}",
            partial(compat.gaussian_process, n),
            {"autograd": 1 / 3},
        )
        for n in (20, 200)
    ),
    ("autograd's names: ODE with a network", compat.neural_ode, {"autograd": 1 / 3}),
    ("loader of pictures with transforms", loading.pictures, {"torch": 1 / 3}),
    ("loader of arrays", loading.arrays, {"torch": 1 / 6}),
    *(
        (name, build, {"torch": 1, "jax": 1})
        for name, build in (
            (
                "Gaussian process by Cholesky, n = 200",
                partial(numerics.likelihood, numerics.by_cholesky),
            ),
            (
                "Gaussian process by solve and slogdet, n = 200",
                partial(numerics.likelihood, numerics.by_solve),
            ),
            ("eigh, 100 x 100", numerics.eigenvectors),
            ("fft, n = 1024", numerics.spectrum),
            ("rfft and irfft, n = 1024", numerics.filtered),
        )
    ),
    *networks.RATIOS,
]
"""Rows: a name, its programs, and the bars on tapegrad's time over the others'."""

NUMBERS = [
    ("time an operation, 1,000,000 over 100,000", footprint.growth_of_time, 2, "x"),
    ("memory an entry of 1,000,000", footprint.bytes_an_entry, 200, "bytes"),
    (
        "gradient above 1,000,000 entries over above 100",
        footprint.small_gradient_above_many,
        2,
        "x",
    ),
    ("import beyond NumPy", footprint.import_milliseconds, 60, "ms"),
    *networks.NUMBERS,
    *compiling.NUMBERS,
]
"""Rows: a name, a measurement, its bar and its unit."""


def main(wanted):
    """Print the rows whose name contains one of the words in `wanted` (all rows if none)."""

    def chosen(name):
        return not wanted or any(word in name for word in wanted)

    print(f"{'':50} {'measured':>14} {'bar':>10}")
    name = "record, scalars"
    if chosen(name):
        seconds = medians(programs.recording(()))["tapegrad"]
        show(name, seconds / 100 * 1e6, 0.8, "us an operation")
    for name, build, bars in RATIOS:
        if chosen(name):
            times = medians(build())
            for other, bar in bars.items():
                if other in times:
                    show(f"{name}, over {other}", times["tapegrad"] / times[other], bar, "x")
                else:
                    print(f"{name + ', over ' + other:50} {other} is not installed")
    for name, measure, bar, unit in NUMBERS:
        if chosen(name):
            measured = measure()
            if measured is None:
                print(f"{name:50} lacks what it needs")
            else:
                show(name, measured, bar, unit)


def show(name, measured, bar, unit):
    verdict = "" if measured <= bar else "  MISSED"
    print(f"{name:50} {measured:14.3f} {bar:10.3f}  {unit}{verdict}", flush=True)
