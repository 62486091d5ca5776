"""`Optimizer`: parameters in groups with options, a state for each, and steps by a rule."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy

from ..core.array import Traced, grad_of
from ..core.modes import enable_grad, no_grad
from ..core.op import table
from ..core.versions import stamp
from ..torch.device import Devices
from ..torch.inplace import write
from ..torch.tensor import Tensor, TracedTensor, core, wrap, writable
from ..torch.utils.hooks import Hooks, RemovableHandle, add
from . import errors
from .arithmetic import Pure
from .groups import check_group, check_new, load_state, pack_state, required
from .rule import Options, Rule
from .together import Update, update_in_place
from .updating import Memory, update_pure
from .values import PLAIN, copied, filled, follow, number, plain, recorded

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]

Parameters = Iterable[Any]
"""Tensors, pairs of a name and a tensor, or dictionaries that are groups of them."""

Closure = Callable[[], Any]

State = dict[str, Any]

DOUBLE = numpy.dtype(numpy.float64)

before_all: Hooks = {}
after_all: Hooks = {}


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have ``hook(optimizer, args, kwargs)`` called before each step of any optimiser."""
    return add(before_all, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have ``hook(optimizer, args, kwargs)`` called after each step of any optimiser."""
    return add(after_all, hook)


def hooked(step: Callable[..., Any]) -> Any:
    """A method `step` that calls the hooks, and lets schedulers know."""

    @functools.wraps(step)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        self: Optimizer = args[0]
        if self._opt_called is False:
            self._opt_called = True
        if not (before_all or after_all or self.before_step or self.after_step):
            return step(*args, **kwargs)
        for hook in (*before_all.values(), *self.before_step.values()):
            changed = hook(self, args, kwargs)
            if changed is not None:
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise errors.hook_result(step, changed)
                args, kwargs = changed
        result = step(*args, **kwargs)
        for hook in (*self.after_step.values(), *after_all.values()):
            hook(self, args, kwargs)
        return result

    wrapper.__dict__["hooked"] = True
    return wrapper


class Optimizer:
    """What all optimisers share. A subclass has a `rule`, or a method `step` of its own.

    `params` are tensors, pairs of a name and a tensor, or dictionaries: groups with a key `params`
    and options of their own, for which `defaults` stand in.

    >>> import tapegrad.torch as torch
    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.8000], requires_grad=True)
    """

    rule: ClassVar[Rule | None] = None
    by_rows: ClassVar[bool] = False
    always: ClassVar[Options] = {}
    """Options that the rule reads and that cannot be chosen."""

    _opt_called: bool | None = None  # whether there was a step since the first scheduler came

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in cls.__dict__.keys() & {"step"}:
            setattr(cls, name, hooked(cls.__dict__[name]))

    def __init__(self, params: Parameters, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.make_hooks()
        if isinstance(params, Tensor):
            raise errors.single_tensor(params)
        self.state: defaultdict[Any, State] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise errors.no_parameters()
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def make_hooks(self) -> None:
        """Begin without hooks, and without scratch memory."""
        self.before_step: Hooks = {}
        self.after_step: Hooks = {}
        self.before_saving: Hooks = {}
        self.after_saving: Hooks = {}
        self.before_loading: Hooks = {}
        self.after_loading: Hooks = {}
        self.memory = Memory()

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in ("defaults", "state", "param_groups")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "before_step" not in self.__dict__:
            self.make_hooks()
        self.__dict__.update(state)
        for group in self.param_groups:  # saved by a version that had fewer options
            for name, default in self.defaults.items():
                group.setdefault(name, default)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines += [""] * (i > 0) + [f"Parameter Group {i}"]
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters to optimise: `param_group` has a key `params`, and options."""
        check_group(param_group, bool(self.defaults.get("differentiable")))
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise errors.required_option(name)
            param_group.setdefault(name, default)
        check_new(param_group, self.param_groups)
        if self.rule is not None and any("by_rows" in vars(p) for p in param_group["params"]):
            if not self.by_rows:
                raise errors.no_rows(type(self).__name__)
            if param_group.get("weight_decay"):
                raise errors.decay_of_rows()
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Make the gradient of each parameter None, or zero."""
        for group in self.param_groups:
            for p in group["params"]:
                grad = p.grad
                if grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                elif isinstance(grad, TracedTensor):
                    write(grad.detach_(), 0, "zero_grad")
                else:
                    memory = writable(grad)
                    grad.slot, grad.tape = 0, None
                    memory[...] = 0
                    stamp(memory, "zero_grad")

    @hooked
    def step(self, closure: Closure | None = None) -> Any:
        """Change the parameters by their gradients. `closure`, if given, computes these before.

        Gives what the closure gives.
        """
        if self.rule is None:
            raise errors.no_step(type(self).__name__)
        loss = self.evaluate(closure)
        for group in self.param_groups:
            if group.get("capturable"):
                raise errors.capturable()
            if group.get("differentiable"):
                with enable_grad():
                    self.step_recorded(self.rule, group)
            elif any(isinstance(p, TracedTensor) for p in group["params"]):
                with no_grad():
                    self.step_recorded(self.rule, group)
            else:
                self.step_in_place(self.rule, group)
        return loss

    def evaluate(self, closure: Closure | None) -> Any:
        """What a closure gives, which computes gradients."""
        if closure is None:
            return None
        with enable_grad():
            return closure()

    def step_in_place(self, rule: Rule, group: dict[str, Any]) -> None:
        """Change the parameters of a group in their own memory."""
        options = {
            name: value if type(value) in PLAIN else plain(value)
            for name, value in group.items()
            if name != "params"
        }
        options.update(self.always)
        memory = self.memory
        before: Any = None
        there: list[Update] = []
        for p in group["params"]:
            grad = grad_of(p)
            if grad is None:
                continue
            numbers, arrays = self.state_of(p, rule, options)
            if Devices.used:
                follow(p, arrays)
            if numbers != before:  # else all is as for the parameter before
                before = numbers
                step = memory.step(rule, options, numbers)
            buffers = memory.buffers_of(p, arrays)
            if buffers.there:
                there.append(Update(buffers.raw, grad.raw, buffers.state, step.c))
            else:
                step.apply(buffers, grad.raw)
            stamp(buffers.raw, "step")
            self.count(p, step.after)
        if there:
            update_in_place(rule, there, options)

    def step_recorded(self, rule: Rule, group: dict[str, Any]) -> None:
        """Change the parameters of a group so that a gradient flows through the step."""
        options = {name: recorded(value) for name, value in group.items() if name != "params"}
        for p in group["params"]:
            grad = p.grad
            if grad is None:
                continue
            numbers, arrays = self.state_of(p, rule, group)
            if isinstance(p, TracedTensor):
                numbers = self.traced_numbers(p, numbers)
            before = {name: copied(array) for name, array in arrays.items()}
            numbers, c = rule.coefficients(Pure, options, numbers)
            new, after = update_pure(rule, copied(p), copied(grad), before, c, options)
            for name, value in after.items():
                write(arrays[name], wrap(value), "step")
            write(p, wrap(new), "step")
            self.count(p, numbers)

    def state_of(
        self, p: Tensor, rule: Rule, options: Options
    ) -> tuple[dict[str, Any], dict[str, Tensor]]:
        """The numbers and the arrays of a parameter's state, which begins now if it has none."""
        names = rule.arrays(options, p.raw.shape)
        state = self.state.get(p)
        if not state:
            state = self.begin(p, rule, options)
        numbers = {name: state[name].raw.item() for name in rule.numbers(options)}
        return numbers, {name: state[name] for name in names}

    def begin(self, p: Tensor, rule: Rule, options: Options) -> State:
        """Begin a parameter's state."""
        state = {name: number(value) for name, value in rule.numbers(options).items()}
        for name, (shape, fill) in rule.arrays(options, p.raw.shape).items():
            state[name] = filled(p, shape, plain(fill))
        if state:
            self.state[p] = state
        return state

    def traced_numbers(self, p: Tensor, numbers: dict[str, Any]) -> dict[str, Any]:
        """The numbers of a state as values of the tape that its parameter is on.

        They are in double precision, as the numbers are that they stand for.
        """
        state = self.state.get(p, {})
        cast = table["astype"].function
        return {
            name: cast(core(state[name]), to=DOUBLE, source=state[name].raw.dtype)
            if name in state
            else value
            for name, value in numbers.items()
        }

    def numbers(self, options: Options) -> set[str]:
        """The names of the numbers in a parameter's state."""
        return {"step"} if self.rule is None else {"step", *self.rule.numbers(options)}

    def count(self, p: Tensor, numbers: Any) -> None:
        """Store the numbers of a parameter's state."""
        state = self.state[p]
        for name, value in numbers.items():
            if isinstance(value, Traced):
                write(state[name], value, "step")
            else:
                state[name].raw[...] = plain(value)

    def state_dict(self) -> dict[str, Any]:
        """The state by the parameters' places, and the groups' options: all that a run needs to go
        on exactly."""
        for hook in self.before_saving.values():
            hook(self)
        result = pack_state(self.state, self.param_groups)
        for hook in self.after_saving.values():
            changed = hook(self, result)
            if changed is not None:
                result = changed
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a state that `state_dict` gave, also of an optimiser of other parameters."""
        state_dict = state_dict.copy()
        for hook in self.before_loading.values():
            changed = hook(self, state_dict)
            if changed is not None:
                state_dict = changed
        state, groups = load_state(state_dict, self.param_groups, self.numbers)
        self.__setstate__({"state": state, "param_groups": groups})
        for hook in self.after_loading.values():
            hook(self)

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have ``hook(optimizer, args, kwargs)`` called before each step; it may give new ones."""
        return add(self.before_step, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have ``hook(optimizer, args, kwargs)`` called after each step."""
        return add(self.after_step, hook)

    def register_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Have ``hook(optimizer)`` called before `state_dict` collects."""
        return add(self.before_saving, hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Have ``hook(optimizer, state_dict)`` called on what `state_dict` collected."""
        return add(self.after_saving, hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Have ``hook(optimizer, state_dict)`` called on a copy of what is to be loaded."""
        return add(self.before_loading, hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Have ``hook(optimizer)`` called after a state was loaded."""
        return add(self.after_loading, hook, prepend)
