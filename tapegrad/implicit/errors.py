"""What implicit derivatives and SciPy's optimisers say when they cannot go on."""

from __future__ import annotations

from typing import Any

from ..errors import ConvergenceError, describe


def no_solution(name: str, why: str) -> ConvergenceError:
    return ConvergenceError(
        f"{name}: the solver failed ({why}), and an answer that is none has no derivative. Start "
        "it nearer to a solution, give it more iterations, or loosen its tolerance."
    )


def linear_failure(name: str, info: Any) -> ConvergenceError:
    return ConvergenceError(
        f"{name}: the linear solve for the derivative did not converge (info={info}). Pass a "
        "better preconditioned solver as linear=, such as functools.partial("
        'scipy.sparse.linalg.gmres, M=..., restart=...), or linear="dense".'
    )


def singular_condition(name: str) -> ConvergenceError:
    return ConvergenceError(
        f"{name}: the Jacobian of the condition is singular at the solution (a multiple root, a "
        "flat minimum, dependent constraints), so that the solution has no derivative there."
    )


def not_square(name: str, unknowns: int, equations: int) -> ValueError:
    return ValueError(
        f"{name}: {unknowns} unknowns cannot be determined by {equations} equations. Give as many "
        "of the one as of the other, or minimise the sum of squares."
    )


def complex_unknown(name: str, dtype: Any) -> TypeError:
    return TypeError(
        f"{name} solves for real unknowns, but the start has dtype {dtype}. Solve for the real and "
        "the imaginary part."
    )


def bad_solver_argument(name: str, argument: str, expected: str, got: Any) -> TypeError:
    return TypeError(f"{name}: {argument} must be {expected}, but is {describe(got)}.")


def not_one_number(name: str, shapes: list[Any]) -> TypeError:
    what = f"results of shapes {shapes}" if len(shapes) != 1 else f"a result of shape {shapes[0]}"
    return TypeError(
        f"{name} needs a function whose result is one number, but this one gave {what}. Reduce it, "
        "for example with .sum()."
    )


def bounds_count(name: str, unknowns: int, bounds: int) -> ValueError:
    return ValueError(
        f"{name}: there are {unknowns} unknowns, but bounds for {bounds}. Give a pair (lower, "
        "upper) for each, with None for none."
    )


def bad_linear(name: str, choices: tuple[str, ...], got: Any) -> ValueError:
    return ValueError(
        f"{name}: linear must be {', '.join(map(repr, choices))}, a sparsity pattern, or a "
        f"function of an operator and a vector such as scipy.sparse.linalg.gmres, not {got!r}."
    )


def one_run(name: str) -> TypeError:
    return TypeError(
        f"{name} under vmap is one run a lane, which full_output=True cannot describe. Leave it "
        "out, or loop over the lanes in Python."
    )
