"""The errors of distributions: PyTorch's words."""

from __future__ import annotations

from typing import Any


def nothing_to_check(constraint: Any) -> NotImplementedError:
    return NotImplementedError(
        f"{constraint!r} depends on the parameters of a distribution: ask an instance's."
    )


def too_few_axes(wanted: int, got: int) -> ValueError:
    return ValueError(f"Expected value.dim() >= {wanted} but got {got}")


def invalid_parameter(name: str, value: Any, owner: Any, constraint: Any) -> ValueError:
    return ValueError(
        f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
        f"distribution {owner!r} to satisfy the constraint {constraint!r}, but found invalid "
        f"values:\n{value}"
    )


def outside_support(value: Any, owner: Any, support: Any) -> ValueError:
    return ValueError(
        f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be "
        f"within the support ({support!r}) of the distribution {owner!r}, but found invalid "
        f"values:\n{value}"
    )


def value_no_tensor() -> ValueError:
    return ValueError("The value argument to log_prob must be a Tensor")


def value_of_wrong_shape(what: str, value: Any, shape: Any) -> ValueError:
    return ValueError(f"Value is not broadcastable with {what}: {value.shape} vs {shape}.")


def event_of_wrong_shape(value: Any, event: Any) -> ValueError:
    return ValueError(
        f"The right-most size of value must match event_shape: {value.shape} vs {event}."
    )


def parameters_no_numbers() -> ValueError:
    return ValueError(
        "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
        "__torch_function__."
    )


def one_of(kind: str, *names: str) -> ValueError:
    shown = ", ".join(f"`{name}`" for name in names[:-1])
    return ValueError(
        f"Exactly one of {shown} or `{names[-1]}` must be specified to make a {kind}."
        if len(names) > 2
        else f"Either {shown} or `{names[-1]}` must be specified, but not both."
    )


def no_axes(name: str, axes: int = 1) -> ValueError:
    word = {1: "one", 2: "two"}[axes]
    return ValueError(f"{name} must be at least {word}-dimensional.")


def has_no(kind: str, what: str) -> NotImplementedError:
    return NotImplementedError(f"{kind} has no {what}.")


def undefined_axes(kind: str) -> ValueError:
    return ValueError(f"{kind}: cannot enumerate over support with inhomogeneous cardinality.")


def no_divergence(p: Any, q: Any) -> NotImplementedError:
    return NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type "
        f"{type(q).__name__}\nregister_kl adds one."
    )


def divergence_of_shapes() -> ValueError:
    return ValueError("KL(p || q) needs two distributions with the same event_shape and parts.")


def no_distribution_class(kind: Any) -> TypeError:
    return TypeError(f"Expected a subclass of Distribution but got {kind}")


def reinterpreted_too_many(wanted: int, has: int) -> ValueError:
    return ValueError(
        "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
        f"actual {wanted} vs {has}"
    )


def not_invertible(transform: Any) -> NotImplementedError:
    return NotImplementedError(f"{transform!r} is not a bijection: it has no inverse.")


def no_transform(constraint: Any, registry: str) -> NotImplementedError:
    return NotImplementedError(
        f"Cannot transform {type(constraint).__name__} constraints\n{registry}.register adds one."
    )


def bad_cache(size: int) -> ValueError:
    return ValueError(f"cache_size must be 0 or 1, not {size}")


def bad_mixture(what: str) -> ValueError:
    return ValueError(f"MixtureSameFamily: {what}")


def undefined_default(value: Any) -> ValueError:
    return ValueError(f"set_default_validate_args takes True or False, not {value!r}")


def one_covariance() -> ValueError:
    return ValueError(
        "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
    )


def no_matrix(name: str) -> ValueError:
    return ValueError(
        f"{name} must be at least two-dimensional, with optional leading batch dimensions"
    )


def no_transforms(given: Any) -> ValueError:
    return ValueError(f"transforms must be a Transform or list, but was {given}")


def base_too_small(axes: int, shape: Any) -> ValueError:
    return ValueError(
        f"base_distribution needs to have shape with size at least {axes}, but got {shape}."
    )


def different_numel() -> ValueError:
    return ValueError("in_shape, out_shape have different numbers of elements")


def fewer_trials() -> NotImplementedError:
    return NotImplementedError("KL between Binomials where q.total_count > p.total_count")


SAMPLE_N = "sample_n will be deprecated. Use .sample((n,)) instead"

NEARLY_SINGULAR = (
    "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim."
)

SINGULAR = "Singular sample detected: raise df or max_try_correction."


def too_few_degrees(df: Any, n: int) -> ValueError:
    return ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {n - 1}.")


def too_small_matrices(dim: int) -> ValueError:
    return ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")


def no_columns(n: int) -> ValueError:
    return ValueError(f"cov_factor must be a batch of matrices with shape {n} x m")


def no_diagonal(shape: Any) -> ValueError:
    return ValueError(f"cov_diag must be a batch of vectors with shape {shape}")


def unlike_batches(loc: Any, factor: Any, diagonal: Any) -> ValueError:
    return ValueError(
        f"Incompatible batch shapes: loc {loc.shape}, cov_factor {factor.shape}, "
        f"cov_diag {diagonal.shape}"
    )


def no_such_diagonal(diag: int, n: int) -> ValueError:
    return ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")


def no_triangle(count: int) -> ValueError:
    return ValueError(
        f"The size of last dimension is {count} which cannot be expressed as the lower triangular "
        "part of a square D x D matrix."
    )


def too_few_dimensions() -> ValueError:
    return ValueError("Too few dimensions on input")


def no_flat_triangle() -> ValueError:
    return ValueError("Input is not a flattened lower-diagonal number")


def not_square() -> ValueError:
    return ValueError("Input is not square")


def two_event_dims() -> ValueError:
    return ValueError("Please use either .domain.event_dim or .codomain.event_dim")


def parts_of_length(dim: int, got: int, wanted: int) -> AssertionError:
    return AssertionError(f"x.size({dim}) = {got} must equal length {wanted}")


def no_transform_parts() -> AssertionError:
    return AssertionError("All elements of tseq must be Transform instances")


def lengths_of_parts(lengths: int, parts: int) -> AssertionError:
    return AssertionError(f"lengths ({lengths}) must match transforms ({parts})")


def different_families() -> NotImplementedError:
    return NotImplementedError(
        "The cross KL-divergence between different exponential families cannot be computed using "
        "Bregman divergences.\nregister_kl adds one."
    )
