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
    return NotImplementedError(f"Cannot {registry} to {constraint!r} constraints")


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
