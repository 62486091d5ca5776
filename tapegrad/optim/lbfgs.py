"""L-BFGS: the inverse Hessian from the last differences of gradients, with a line search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
from numpy import ndarray

from ..core.modes import enable_grad
from ..core.versions import stamp
from ..torch.tensor import Tensor, wrap, writable
from . import checks, errors
from .line_search import Evaluate, Point, strong_wolfe
from .optimizer import Closure, Optimizer, Parameters
from .values import plain

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """The quasi-Newton method with limited memory, for one group of parameters.

    Each `step` makes up to `max_iter` iterations and calls its closure up to `max_eval` times.
    ``line_search_fn="strong_wolfe"`` looks for steps that satisfy Wolfe's conditions; without it,
    steps have the length `lr`.
    """

    def __init__(
        self,
        params: Parameters,
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        checks.rate(lr)
        super().__init__(
            params,
            {
                "lr": lr,
                "max_iter": max_iter,
                "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
                "tolerance_grad": tolerance_grad,
                "tolerance_change": tolerance_change,
                "history_size": history_size,
                "line_search_fn": line_search_fn,
            },
        )
        if len(self.param_groups) != 1:
            raise errors.lbfgs_groups()

    def step(self, closure: Closure | None = None) -> Any:
        """Iterate. `closure` computes the loss and the gradients anew; gives the first loss."""
        if closure is None:
            raise errors.closure_needed()
        options = self.param_groups[0]
        if options["line_search_fn"] not in (None, "strong_wolfe"):
            raise errors.unknown_line_search()
        params = options["params"]
        run = Run(params, {**options, "lr": plain(options["lr"])}, self.state[params[0]], closure)
        return run.iterate()


class Run:
    """One `step`: the parameters as one vector, what the closure gave, and the history."""

    def __init__(
        self, params: list[Tensor], options: dict[str, Any], state: dict[str, Any], closure: Closure
    ) -> None:
        self.params = params
        self.options = options
        self.state = state
        self.closure = closure
        self.evaluations = 0

    def evaluate(self) -> tuple[Any, Point]:
        """Call the closure: what it gave, and the loss with the gradient as one vector."""
        with enable_grad():
            loss = self.closure()
        self.evaluations += 1
        return loss, Point(float(loss), self.gradient())

    def gradient(self) -> ndarray:
        """The gradients of all parameters, as one vector of real numbers."""
        parts = []
        for p in self.params:
            grad = numpy.zeros_like(p.raw) if p.grad is None else p.grad.raw
            parts.append(as_real(numpy.asarray(grad).reshape(-1)))
        return numpy.concatenate(parts)

    def move(self, step: float, direction: ndarray) -> None:
        """Add a multiple of a vector to the parameters."""
        start = 0
        for p in self.params:
            raw = writable(p)
            stop = start + raw.size * (2 if raw.dtype.kind == "c" else 1)
            part = direction[start:stop] * direction.dtype.type(step)
            if raw.dtype.kind == "c":
                part = part.view(raw.dtype)
            raw += part.reshape(raw.shape).astype(raw.dtype, copy=False)
            stamp(raw, "step")
            start = stop

    def evaluate_at(self, step: float, direction: ndarray) -> Point:
        """The loss and the gradient at a distance; the parameters are put back."""
        before = [numpy.array(p.raw) for p in self.params]
        self.move(step, direction)
        point = self.evaluate()[1]
        for p, raw in zip(self.params, before, strict=True):
            writable(p)[...] = raw
            stamp(p.raw, "step")
        return point

    def iterate(self) -> Any:
        """Make the iterations of one step."""
        options, state = self.options, self.state
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        loss, now = self.evaluate()
        state["func_evals"] += 1
        if largest(now.gradient) <= options["tolerance_grad"]:
            return loss
        history = History.load(state, options["history_size"])
        for iteration in range(1, options["max_iter"] + 1):
            state["n_iter"] += 1
            first = state["n_iter"] == 1
            direction = history.direction(now.gradient, first)
            before = now.loss
            length = options["lr"]
            if first:
                length *= min(1.0, 1.0 / float(numpy.sum(numpy.abs(now.gradient))))
            history.remember(direction, length, now)
            slope = float(now.gradient @ direction)
            if slope > -options["tolerance_change"]:
                break
            last = iteration == options["max_iter"]
            evaluated = self.evaluations
            if options["line_search_fn"] is None:
                self.move(length, direction)
                if not last:
                    now = self.evaluate()[1]
            else:
                evaluate: Evaluate = self.evaluate_at
                length, now = strong_wolfe(
                    evaluate, length, direction, now, slope, options["max_eval"] - evaluated
                )
                history.length = length
                self.move(length, direction)
            state["func_evals"] += self.evaluations - evaluated
            if (
                last
                or self.evaluations >= options["max_eval"]
                or largest(now.gradient) <= options["tolerance_grad"]
                or largest(direction * length) <= options["tolerance_change"]
                or abs(now.loss - before) < options["tolerance_change"]
            ):
                break
        history.store(state)
        return loss


@dataclass
class History:
    """What is known of earlier iterations.

    `gradients` are the last differences of gradients, `steps` the steps that led to them, `inverse`
    the reciprocals of their products, `scale` the multiple of the identity to begin with.
    """

    size: int
    gradients: list[ndarray]
    steps: list[ndarray]
    inverse: list[Any]
    scale: Any = 1.0
    last_direction: ndarray | None = None
    length: float = 0.0
    last_gradient: ndarray | None = None
    last_loss: float = 0.0

    @classmethod
    def load(cls, state: dict[str, Any], size: int) -> History:
        """The history in an optimiser's state."""
        if "d" not in state:
            return cls(size, [], [], [])
        known = {name: as_raw(value) for name, value in state.items()}
        return cls(
            size,
            known["old_dirs"],
            known["old_stps"],
            known["ro"],
            known["H_diag"],
            known["d"],
            known["t"],
            known["prev_flat_grad"],
            known["prev_loss"],
        )

    def store(self, state: dict[str, Any]) -> None:
        """Put the history into an optimiser's state, under PyTorch's names."""
        state["d"] = as_tensors(self.last_direction)
        state["t"] = self.length
        state["old_dirs"] = as_tensors(self.gradients)
        state["old_stps"] = as_tensors(self.steps)
        state["ro"] = as_tensors(self.inverse)
        state["H_diag"] = as_tensors(self.scale)
        state["prev_flat_grad"] = as_tensors(self.last_gradient)
        state["prev_loss"] = self.last_loss

    def direction(self, gradient: ndarray, first: bool) -> ndarray:
        """The direction to go: against the gradient, corrected by the history."""
        if first or self.last_direction is None or self.last_gradient is None:
            self.gradients, self.steps, self.inverse, self.scale = [], [], [], 1.0
            return -gradient
        change = gradient - self.last_gradient
        step = self.last_direction * self.length
        product = change @ step
        if product > 1e-10:
            if len(self.gradients) == self.size:
                for known in (self.gradients, self.steps, self.inverse):
                    known.pop(0)
            self.gradients.append(change)
            self.steps.append(step)
            self.inverse.append(1 / product)
            self.scale = product / (change @ change)
        known = [*zip(self.gradients, self.steps, self.inverse, strict=True)]
        result = -gradient
        shares = []
        for change, step, inverse in reversed(known):
            shares.append((step @ result) * inverse)
            result -= shares[-1] * change
        result *= self.scale
        for (change, step, inverse), share in zip(known, reversed(shares), strict=True):
            result += (share - (change @ result) * inverse) * step
        return result

    def remember(self, direction: ndarray, length: float, now: Point) -> None:
        """Note what the next direction is computed from."""
        self.last_direction, self.length = direction, length
        self.last_gradient, self.last_loss = now.gradient, now.loss


def largest(x: ndarray) -> float:
    """The largest absolute value."""
    return float(numpy.max(numpy.abs(x), initial=0.0))


def as_real(line: ndarray) -> ndarray:
    """A vector's real numbers: of a complex one, the parts in turn."""
    return line.view(line.real.dtype) if line.dtype.kind == "c" else line


def as_raw(x: Any) -> Any:
    """A part of the state without tensors; its lists may be changed."""
    if isinstance(x, list):
        return [as_raw(y) for y in x]
    if isinstance(x, Tensor):
        return x.raw if x.raw.ndim else x.raw[()]
    return x


def as_tensors(x: Any) -> Any:
    """A part of the state with tensors for arrays."""
    if isinstance(x, list):
        return [as_tensors(y) for y in x]
    return wrap(numpy.asarray(x)) if isinstance(x, ndarray | numpy.generic) else x
