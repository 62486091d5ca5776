"""Errors about factors, systems, spectra and norms of matrices."""

from __future__ import annotations

from typing import Any

from .types import SCALARS


class LinAlgError(RuntimeError):
    """A matrix for which a function of `torch.linalg` has no result, such as a singular one."""


def withdrawn(name: str, instead: str) -> RuntimeError:
    return RuntimeError(
        f"torch.{name}: This function was deprecated since version 1.9 and is now removed.\n"
        f"Use {instead}."
    )


def sizes_of_cholesky(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        "Incompatible matrix sizes for cholesky_solve: each A matrix is "
        f"{a[-1]} by {a[-1]} but each b matrix is {b[-2]} by {b[-1]}"
    )


def no_matrices(name: str) -> RuntimeError:
    return RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")


def not_square(name: str, shape: Any) -> RuntimeError:
    return RuntimeError(
        f"{name}: A must be batches of square matrices, but they are {shape[-2]} by {shape[-1]} "
        "matrices"
    )


def not_inexact(name: str, d: Any) -> RuntimeError:
    return RuntimeError(
        f"{name}: Expected a floating point or complex tensor as input. Got {SCALARS[d.name]}\n"
        "Convert it first, for example with .double()."
    )


def mixed_dtypes(name: str, a: Any, b: Any, names: str = "A B") -> RuntimeError:
    first, second = names.split()
    return RuntimeError(
        f"{name}: Expected {first} and {second} to have the same dtype, but found {first} of type "
        f"{SCALARS[a.name]} and {second} of type {SCALARS[b.name]} instead\n"
        "Convert one of them with .to(dtype)."
    )


def sizes_of_system(name: str, a: Any, b: Any, left: bool) -> RuntimeError:
    equation = "AX = B" if left else "XA = B"
    return RuntimeError(
        f"{name}: Incompatible shapes of A and B for the equation {equation} "
        f"({a[-2]}x{a[-1]} and {b[-2]}x{b[-1]})"
    )


def element(place: Any) -> str:
    """The part of a message that says which matrix of a stack is meant."""
    return "" if place is None else f"(Batch element {place}): "


def not_invertible(name: str, place: Any, row: int) -> LinAlgError:
    return LinAlgError(
        f"{name}: {element(place)}The diagonal element {row} is zero, the inversion could not be "
        "completed because the input matrix is singular.\n"
        "Use torch.linalg.pinv, or lstsq, for matrices that may be singular."
    )


def singular(name: str, place: Any, _row: int) -> LinAlgError:
    return LinAlgError(
        f"{name}: {element(place)}The solver failed because the input matrix is singular.\n"
        "Use torch.linalg.lstsq for matrices that may be singular."
    )


def not_converged(name: str) -> LinAlgError:
    return LinAlgError(
        f"{name}: The algorithm failed to converge because the input matrix contained non-finite "
        "values, or is ill-conditioned.\nLook for them with torch.isfinite."
    )


def zero_pivot(name: str, place: Any, row: int) -> RuntimeError:
    return RuntimeError(
        f"{name}: {element(place)}U[{row},{row}] is zero and using it on lu_solve would result in "
        "a division by zero. If you still want to perform the factorization, consider calling "
        "linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
    )


def not_positive_definite(name: str, place: Any, order: int) -> LinAlgError:
    return LinAlgError(
        f"{name}: {element(place)}The factorization could not be completed because the input is "
        f"not positive-definite (the leading minor of order {order} is not positive-definite).\n"
        "Add a small multiple of the identity where rounding is to blame."
    )


def not_full_rank(name: str) -> LinAlgError:
    return LinAlgError(
        f"{name}: The least squares solution could not be computed because the input matrix does "
        "not have full rank.\nUse driver='gelsd' for matrices of lower rank."
    )


def no_pivoting(name: str) -> RuntimeError:
    return RuntimeError(
        f"{name}: LU without pivoting is not implemented on the CPU\nLeave pivot=True."
    )


def bad_mode(given: str) -> RuntimeError:
    return RuntimeError(
        f"qr received unrecognized mode '{given}' but expected one of 'reduced' (default), 'r', or "
        "'complete'"
    )


def bad_triangle(given: str) -> RuntimeError:
    return RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {given}")


def bad_driver(given: str) -> RuntimeError:
    return RuntimeError(
        "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), not "
        f"{given}"
    )


def no_driver() -> RuntimeError:
    return RuntimeError(
        "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with "
        "cuSOLVER backend.\nLeave it away."
    )


def rows_of_least_squares() -> RuntimeError:
    return RuntimeError(
        "torch.linalg.lstsq: input.size(-2) should match other.size(-2)\n"
        "Both need a row for each equation."
    )


def bad_order(name: str, order: Any) -> RuntimeError:
    return RuntimeError(f"{name}: Order {order} not supported.")


def empty_norm(order: Any) -> RuntimeError:
    return RuntimeError(
        f"linalg.vector_norm cannot compute the {order} norm on an empty tensor because the "
        "operation does not have an identity"
    )


def same_dims(dims: Any) -> RuntimeError:
    return RuntimeError(
        f"linalg.matrix_norm: dims must be different. Got ({', '.join(map(str, dims))})"
    )


def narrowing(name: str, source: Any, to: Any) -> RuntimeError:
    return RuntimeError(
        f"{name}: the dtype of the input ({SCALARS[source.name]}) should be convertible without "
        f"narrowing to the specified dtype ({SCALARS[to.name]})"
    )


def norm_dims(dims: Any) -> RuntimeError:
    return RuntimeError(
        f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}\n"
        "Use torch.linalg.vector_norm for the norm of all elements over more axes."
    )


def norm_axes(n: int) -> RuntimeError:
    return RuntimeError(
        "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
        f"{n}D.\nUse torch.linalg.vector_norm, or name dim."
    )


def too_few_matrices(n: int) -> RuntimeError:
    return RuntimeError(f"multi_dot(): expected at least 2 tensors but got {n}")


def chain_sizes(i: int, a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"multi_dot(): tensors {i} and {i + 1} with shapes {list(a)} and {list(b)} cannot be "
        "multiplied"
    )


def not_positive_ind(ind: int) -> RuntimeError:
    return RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")


def tensor_sizes(what: str, own: int, other: int) -> RuntimeError:
    return RuntimeError(
        f"Expected self to satisfy the requirement prod(self.shape[{what}:]) == "
        f"prod(self.shape[:{what}]), but got {own} != {other}"
    )


def reflectors_too_wide() -> RuntimeError:
    return RuntimeError(
        "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to "
        "input.shape[-1]"
    )


def too_many_reflectors() -> RuntimeError:
    return RuntimeError(
        "torch.linalg.householder_product: input.shape[-1] must be greater than or equal to "
        "tau.shape[-1]"
    )


def zero_block(name: str, place: Any, row: int) -> LinAlgError:
    return LinAlgError(
        f"{name}: {element(place)}The diagonal block {row} of D is zero, and using it on ldl_solve "
        "would result in a division by zero.\nCall ldl_factor_ex for the factors all the same."
    )


def vector_on_the_right() -> RuntimeError:
    return RuntimeError(
        "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. "
        "In this case linalg.solve is equivalent to B / A.squeeze(-1)"
    )


def no_pseudo_inverse(d: Any, shape: Any) -> RuntimeError:
    return RuntimeError(
        f"linalg.pinv({SCALARS[d.name]}{{{list(shape)}}}): expected a tensor with 2 or more "
        "dimensions of float, double, cfloat or cdouble types"
    )


def kind_of_norm(name: str, is_complex: bool, to: Any) -> RuntimeError:
    kind = "complex" if is_complex else "real"
    return RuntimeError(
        f"{name}: dtype should be {kind} for {kind} inputs, but got {SCALARS[to.name]}"
    )


def not_a_factor(i: int, n: int) -> RuntimeError:
    return RuntimeError(
        f"multi_dot(): tensor {i} must be 2D but got {n}D\n"
        "The first and the last one may be vectors."
    )


def cross_lengths(dim: int, a: int, b: int) -> RuntimeError:
    return RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {a} and {b}")


def too_few_powers() -> RuntimeError:
    return RuntimeError("N must be greater than 1.")


def nuclear_dims(dims: Any) -> RuntimeError:
    return RuntimeError(f"norm: the nuclear norm is that of matrices: dim must be two, not {dims}")


def no_such_norm(p: str) -> RuntimeError:
    return RuntimeError(f"only valid string values for p are 'fro' and 'nuc', found {p}")


def renorm_axes(n: int) -> RuntimeError:
    return RuntimeError(f"renorm: input needs at least 2 dimensions, got {n} dimensions")


def bad_rank(q: int, largest: int) -> ValueError:
    return ValueError(
        f"q(={q}) must be non-negative integer and not greater than min(m, n)={largest}"
    )


def bad_iterations(niter: int) -> ValueError:
    return ValueError(f"niter(={niter}) must be non-negative integer")
