"""The errors and warnings of schedulers."""

from __future__ import annotations

from typing import Any

HELP = "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"

STEP_OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
    "initialization. Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. "
    f"See more details at {HELP}"
)

STEPS_IN_WRONG_ORDER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, "
    "you should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  "
    "Failure to do this will result in PyTorch skipping the first value of the learning rate "
    f"schedule. See more details at {HELP}"
)

EPOCH_IS_DEPRECATED = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
    "possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if "
    "epoch is different from None, the closed form is used instead of the new chainable form, "
    "where available."
)

GET_LR_OUTSIDE_STEP = (
    "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."
)


def not_an_optimizer(x: Any) -> TypeError:
    return TypeError(f"{type(x).__name__} is not an Optimizer")


def no_initial_rate(group: int) -> KeyError:
    return KeyError(
        f"param 'initial_lr' is not specified in param_groups[{group}] when resuming scheduler "
        "with last_epoch >= 0. Load the optimizer's state first; for a fresh run, leave out "
        "last_epoch."
    )


def no_rates(name: str) -> NotImplementedError:
    return NotImplementedError(f"{name} has no method get_lr()")


def wrong_number_of_values(name: str, values: int, groups: int) -> ValueError:
    return ValueError(
        f"{name} must have the same length as optimizer.param_groups. {name} has {values} values, "
        f"param_groups has {groups}."
    )


def wrong_number_of_lambdas(given: int, groups: int) -> ValueError:
    return ValueError(f"Expected {groups} lr_lambdas, but got {given}")


def no_function(x: Any) -> TypeError:
    return TypeError(f"lr_lambda should be a function, but got {type(x).__name__}")


def factor_out_of_range(which: str) -> ValueError:
    return ValueError(f"{which} factor expected to be between 0 and 1.")


def start_factor_out_of_range() -> ValueError:
    return ValueError(
        "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
    )


def not_positive_integer(name: str, value: Any) -> ValueError:
    return ValueError(f"Expected positive integer {name}, but got {value}")


def bad_multiple(value: Any) -> ValueError:
    return ValueError(f"Expected integer T_mult >= 1, but got {value}")


def bad_lowest_rate(value: Any) -> ValueError:
    return ValueError(f"Expected float or int eta_min, but got {value} of type {type(value)}")


def negative_epoch(epoch: Any) -> ValueError:
    return ValueError(f"Expected non-negative epoch, but got {epoch}")


def unknown_mode() -> ValueError:
    return ValueError("mode is invalid and scale_fn is None")


def no_momentum() -> ValueError:
    return ValueError(
        "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
    )


def number_of_steps_missing() -> ValueError:
    return ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")


def bad_share(value: Any) -> ValueError:
    return ValueError(f"Expected float between 0 and 1 pct_start, but got {value}")


def unknown_strategy(name: Any) -> ValueError:
    return ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {name}")


def too_many_steps(step: int, total: int) -> ValueError:
    return ValueError(f"Tried to step {step} times. The specified number of total steps is {total}")


def no_schedulers(name: str, needed: str) -> ValueError:
    return ValueError(f"{name} expects at least one {needed}, but got no scheduler.")


def scheduler_without_optimizer(name: str, index: int) -> TypeError:
    return TypeError(f"{name} at index {index} should have `optimizer` as its attribute.")


def plateau_in_composition(name: str, index: int) -> ValueError:
    return ValueError(
        f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs "
        f"to be specified when calling `step`, but got one at index {index} in the given "
        "schedulers sequence."
    )


def different_optimizers(name: str, scheduler: Any, index: int, optimizer: Any) -> ValueError:
    return ValueError(
        f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
        f"{type(scheduler).__name__} at index {index} has {scheduler.optimizer}, which is "
        f"different from {type(optimizer).__name__}."
    )


def wrong_number_of_milestones(schedulers: int, milestones: int) -> ValueError:
    return ValueError(
        "Sequential Schedulers expects number of schedulers provided to be one more than the "
        f"number of milestone points, but got number of schedulers {schedulers} and the number of "
        f"milestones to be equal to {milestones}"
    )


def factor_too_large() -> ValueError:
    return ValueError("Factor should be < 1.0.")


def wrong_number_of_lowest_rates(groups: int, given: int) -> ValueError:
    return ValueError(f"expected {groups} min_lrs, got {given}")


def unknown_plateau_mode(what: str, mode: str) -> ValueError:
    return ValueError(f"{what} {mode} is unknown!")


def groups_since_plateau(groups: int, rates: int) -> RuntimeError:
    return RuntimeError(
        f"The number of param groups in the `optimizer` ({groups}) differs from when "
        f"`ReduceLROnPlateau` was initialized ({rates}), usually due to a new param group being "
        "added to the optimizer. Please modify the `min_lrs` field to match the length of the "
        "`optimizer` param groups."
    )


def bad_anneal_epochs(value: Any) -> ValueError:
    return ValueError(f"anneal_epochs must be equal or greater than 0, got {value}")


def bad_decay(value: Any) -> ValueError:
    return ValueError(
        f"Invalid decay value {value} provided. Please provide a value in [0,1] range."
    )


def two_averages() -> AssertionError:
    return AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
