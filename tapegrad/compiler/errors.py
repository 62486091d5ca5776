"""What the compiler's errors and warnings say."""

from __future__ import annotations

from typing import Any

from ..errors import ConcretizationError, TapegradError


class CompilerError(AssertionError):
    """The compiler itself is wrong: please report it."""


class NotCompiledError(TapegradError):
    """What a function does cannot be a program: it runs as it is."""


class RecompilationWarning(UserWarning):
    """A compiled function is called with ever new shapes, dtypes or static values."""


class ImpureWarning(UserWarning):
    """A function is not compiled since it does not do the same each time."""


IMPURE = (
    "it ran twice, and computed with other constants the second time. It reads values that no tape "
    "sees: of arrays made inside (x.raw), of a random number generator that is not tapegrad's, or "
    "of a variable that changes. Pass those as arguments"
)


def not_pure(name: str, reason: str) -> str:
    return f"{name} is not compiled: {reason.rstrip('.')}."


def skipped(name: str, what: str) -> str:
    return (
        f"{name} {what}: it does so while it is recorded, and then no more. Return what is to be "
        "kept or printed."
    )


def ill_formed(what: str, fault: str) -> CompilerError:
    return CompilerError(f"The compiler made an ill-formed program: {what}: {fault}.")


def bad_backend(backend: Any, known: tuple[str, ...]) -> ValueError:
    return ValueError(f"compile: backend must be one of {', '.join(known)}, but is {backend!r}.")


def bad_argnum(name: str, argnum: Any, count: int) -> IndexError:
    return IndexError(
        f"compile: {name} names argument {argnum}, but the call has {count} positional arguments."
    )


def unhashable_static(where: str, value: Any) -> TypeError:
    return TypeError(
        f"compile: {where} is static and must be hashable, but is a {type(value).__name__}. "
        "Pass a tuple in place of a list, or pass arrays as ordinary arguments."
    )


def no_program() -> RuntimeError:
    return RuntimeError(
        "The compiled function has no program yet. Call it once, or give the arguments that you "
        "would call it with."
    )


def no_machine_code(reason: str) -> RuntimeError:
    return RuntimeError(
        f'compile: backend="llvm" is not possible here: {reason.rstrip(".")}. With "auto", NumPy '
        "runs the programs where there is no machine code."
    )


def recompiled(name: str, count: int, what: str) -> str:
    return (
        f"{name} was compiled for the {count}th time, because {what} Every new combination is "
        "compiled anew: keep shapes and dtypes fixed (pad, or compile what is inside the loop), "
        "and pass numbers that change as arrays, such as numpy.float64(rate)."
    )


def value_in_loop(name: str, error: Exception) -> Exception:
    return type(error)(
        f"in the body of {name}, which stands for every turn: {error} Use tapegrad.cond to branch, "
        "and draw random numbers outside, one for each turn."
    )


def no_pair(name: str, result: Any) -> TypeError:
    return TypeError(
        f"{name}: the function must return a pair (carry, y), but returned a "
        f"{type(result).__name__}. Return (carry, None) where there is no y."
    )


def carry_changes(name: str, index: int, before: str, after: str) -> TypeError:
    return TypeError(
        f"{name}: what is carried must stay as it is, but array number {index} of it has {before} "
        f"before a turn and {after} after it. Convert it in the body, or begin with the other."
    )


def no_turns(name: str, what: str) -> ValueError:
    return ValueError(
        f"{name}: the number of turns is not clear: {what}. All arrays in xs need a first axis of "
        "the same length."
    )


def bad_predicate(name: str, shape: Any) -> TypeError:
    return TypeError(
        f"{name}: the condition must be a single truth value, but has shape {shape}. Reduce it "
        "with all() or any()."
    )


def branches_differ(first: Any, second: Any) -> TypeError:
    return TypeError(
        f"cond: both functions must return the same, but one gives {first} and the other {second}."
    )


def value_read(what: str) -> ConcretizationError:
    return ConcretizationError(
        f"{what} reads numbers that are others in each call (single truth values and integers may "
        "be read: they become guards). Return the array, and read it outside; choose with where or "
        "tapegrad.cond"
    )


def hooked() -> NotCompiledError:
    return NotCompiledError("a leaf has hooks, which backward() would have to call")


def cannot_trace(error: Exception) -> NotCompiledError:
    return NotCompiledError(f"{type(error).__name__}: {error}")


def side_effect(what: str) -> NotCompiledError:
    return NotCompiledError(
        f"it changes {what}, which no program would do again. Return values instead of storing "
        "them, and count outside"
    )


def graph_from_outside(name: str) -> NotCompiledError:
    return NotCompiledError(f"it calls backward(), and the graph of {name} begins outside of it")


def becomes_differentiable(name: str) -> NotCompiledError:
    return NotCompiledError(f"it leaves a value with a graph in {name}. Store x.detach()")


def not_in_memory(name: str) -> str:
    return f"{name} is no array of NumPy's"


def shared_memory(name: str) -> str:
    return f"{name} shares memory with another array that it can reach"


def too_many_objects() -> str:
    return "it can reach so many objects that looking at them would take longer than it does"


def too_many_states(most: int) -> str:
    return f"what it can reach was different in more than {most} calls"


def unreachable_leaf() -> str:
    return (
        "it reads a tensor that requires a gradient and cannot be found from it: let the function "
        "close over it, or pass it"
    )


def writes_outside(name: str) -> str:
    return f"it writes to the array {name}, which no program would do again. Return it instead"


def changes_outside(name: str, most: int) -> str:
    return (
        f"{name}, which it reads from outside, was another one in {most} calls, each of which "
        "recorded it anew. Pass it as an argument: an array, such as numpy.float64(rate)"
    )


def no_operations(dtype: Any) -> str:
    return f"there are no operations on arrays of {dtype}"
