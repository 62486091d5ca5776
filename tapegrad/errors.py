"""Every deliberate error, with what happened, where, and what to do instead."""

from __future__ import annotations

from typing import Any


class TapegradError(RuntimeError):
    """Base class of errors about tapes and transforms."""


class EscapedValueError(TapegradError):
    """A value was used after the transform that made it had ended."""


class NotDifferentiableError(TypeError):
    """A derivative was asked of something that has none."""


class ImperativeError(TapegradError):
    """`backward()` was called on a value of a trace, which has no leaves."""


class ConcretizationError(TapegradError, TypeError):
    """A value that differs between the lanes of `vmap` was read as a single one."""


class ConversionError(TypeError):
    """A traced value was to become a plain number or array, and would have lost its derivative."""


def describe(x: Any) -> str:
    """A short description of an array: its dtype and shape, never its elements."""
    shape = getattr(x, "shape", None)
    if shape is None:
        return type(x).__name__
    return f"{x.dtype}{list(shape)}"


def escaped(x: Any) -> EscapedValueError:
    return EscapedValueError(
        f"a traced value ({describe(x)}) was used after the transform that made it had ended. "
        "Return it from the function (with has_aux=True beside a result to differentiate) instead "
        "of storing it outside, or store tapegrad.stop_gradient(value)."
    )


def other_thread(x: Any) -> TapegradError:
    return TapegradError(
        f"a value ({describe(x)}) of a transform that runs in another thread was used in this one. "
        "Call the transform inside the thread, or pass the plain array in."
    )


def explain(error: Exception, op: Any, data: list[Any]) -> None:
    """Add an operation's name and its inputs' shapes and dtypes to an error of its forward."""
    inputs = ", ".join(describe(x) for x in data)
    error.add_note(f"in the operation {op.name!r} on {inputs}")


def integer_input(name: str, where: str, dtype: Any) -> TypeError:
    return TypeError(
        f"{name} needs inputs of floating point, but {where} has dtype {dtype}. "
        "Convert it, for example with x.astype(float) or by writing 2.0 instead of 2."
    )


def complex_result(name: str, dtype: Any) -> TypeError:
    return TypeError(
        f"{name} needs a real result, but the function returned {dtype}. Take its real part or "
        "abs(), or pass holomorphic=True if the function is holomorphic."
    )


def no_rule(name: str) -> TypeError:
    return TypeError(
        f"numpy.{name} has no rule for traced arrays. Write it with other functions of "
        "tapegrad.numpy, wrap it with tapegrad.custom_vjp, or pass tapegrad.stop_gradient(x) if no "
        "derivative should go through it."
    )


def no_batch_rule(name: str) -> TypeError:
    return TypeError(
        f"the operation {name!r} has no rule for vmap. Call it on one lane at a time in a Python "
        "loop, or give it a rule with tapegrad.custom_vjp."
    )


def many_lanes(what: str, purpose: str) -> ConcretizationError:
    return ConcretizationError(
        f"{what} of a value that differs between the lanes of {purpose} is not possible. Use "
        "functions of tapegrad.numpy in place of those of math, and its arrays (zeros, array, ...) "
        "to be filled; its where to choose element by element, its take to index a plain array, "
        "tapegrad.cond and while_loop to branch and repeat, or a Python loop in place of vmap; "
        "shapes must not depend on values either."
    )


def structure_mismatch(name: str, expected: Any, got: Any) -> TypeError:
    expected, got = ("one array" if s is None else s for s in (expected, got))
    return TypeError(
        f"{name}: the structures differ. Expected {expected}, but got {got}. "
        "Give one array of the same shape for each array."
    )


def shape_mismatch(name: str, where: str, expected: Any, got: Any) -> ValueError:
    return ValueError(
        f"{name}: {where} must have shape {tuple(expected)}, but has shape {tuple(got)}."
    )


def gone(count: int, imperative: bool) -> EscapedValueError:
    values = "a value that is" if count == 1 else f"{count} values that are"
    ended = (
        "was computed in a transform that has ended, or has raised: return values from the "
        "function instead of storing them, or store tapegrad.stop_gradient(value)."
    )
    if not imperative:  # there was no backward()
        return EscapedValueError(
            f"the result depends on {values} neither an entry nor a leaf of the tape. It {ended}"
        )
    return EscapedValueError(
        f"Trying to backward through the graph a second time, or through {values} neither an entry "
        "nor a leaf of the tape. Either an earlier backward() has used it up: call that one with "
        "retain_graph=True, compute the result again, or detach what is not to be differentiated. "
        f"Or it {ended}"
    )


def random_in_lanes() -> TapegradError:
    return TapegradError(
        "random numbers were drawn inside vmap. Say what is meant: randomness='different' for "
        "numbers of its own in each lane, or randomness='same' for the same in all."
    )


def missing_data_file(directory: Any, name: str) -> FileNotFoundError:
    return FileNotFoundError(
        f"there is no file {name} or {name}.gz in {directory}. Give the directory that holds "
        "MNIST's four files, or have them fetched: tapegrad.vision.download_mnist()."
    )


def bad_data_file(path: Any, why: str) -> ValueError:
    return ValueError(f"{path} is damaged or not what it should be: {why}. Fetch it again.")


def download_failed(target: Any, reasons: list[str]) -> ConnectionError:
    return ConnectionError(
        f"could not fetch {target.name}:\n  "
        + "\n  ".join(reasons)
        + f"\nTry again later (what has "
        f"arrived is kept), or put the file into {target.parent} yourself."
    )


def no_view(dtype: Any) -> TypeError:
    return TypeError(
        f"a recorded array cannot be viewed as another type ({dtype}): the tape knows numbers, not "
        "bytes. Use x.astype(dtype) to convert the values, or x.copy() for a copy."
    )


def no_ndarray_method(name: str, instead: str) -> TypeError:
    return TypeError(f"recorded arrays have no method {name}(). {instead}")


def no_argument(function: str, argument: str, instead: str) -> TypeError:
    return TypeError(f"numpy.{function} of traced arrays does not take {argument}. {instead}")


def not_on_graph(what: str, x: Any) -> NotDifferentiableError:
    return NotDifferentiableError(
        f"{what} needs a value that depends on an imperative leaf, but this one ({describe(x)}) "
        "does not require grad: it is a constant, was computed under no_grad, or comes from vmap."
    )


def gradient_needed(name: str, shape: tuple[int, ...]) -> TypeError:
    return TypeError(
        f"{name} of a result of shape {tuple(shape)} needs its cotangent: pass gradient, an array "
        "of that shape, or reduce the result to a scalar, for example with .sum()."
    )


def computed_leaf(x: Any) -> ValueError:
    return ValueError(
        f"only a leaf can be made to require grad or not to: this value ({describe(x)}) was "
        "computed from tracked ones. Use detach(x) first."
    )


def backward_of_lanes(purpose: str) -> ImperativeError:
    return ImperativeError(
        f"backward() inside {purpose} would give a leaf one gradient a lane. Use tapegrad.grad or "
        "vjp inside and return what they give, or call backward() on the result outside."
    )


def real_transform_of_complex(x: Any) -> TypeError:
    return TypeError(
        f"the transform of a real array got a complex one ({describe(x)}). Take its real part, or "
        "use the complex transform (fft, fftn), which has all frequencies."
    )


def not_in_scipy_face(function: str, what: str, instead: str) -> TypeError:
    return TypeError(f"scipy.{function} of traced arrays does not take {what}. {instead}")


def no_scipy_rule(name: str, reason: str = "") -> TypeError:
    return TypeError(
        f"{name} has no rule for traced arrays{reason and f': {reason}'}. Write it with other "
        "functions of tapegrad.numpy and tapegrad.scipy, wrap it with tapegrad.custom_vjp or "
        "tapegrad.custom_jvp, or pass "
        "tapegrad.stop_gradient(x) if no derivative should go through it."
    )


def no_parameter_derivative(function: str, argument: str, reason: str) -> NotDifferentiableError:
    return NotDifferentiableError(
        f"{function} has no derivative in its argument {argument} here: {reason}. Pass "
        f"tapegrad.stop_gradient({argument}) if it is to be held constant."
    )


def complex_eigenvalues() -> ValueError:
    return ValueError(
        "the real Schur decomposition of a traced matrix with complex eigenvalues has blocks on "
        'the diagonal, for which there is no derivative. Pass output="complex".'
    )


def integer_image(function: str, dtype: Any) -> TypeError:
    return TypeError(
        f"scipy.{function} gives {dtype} here, which has no derivative, but was asked for one. "
        "Convert the image, for example with image.astype(float)."
    )


def lost_imaginary_part(name: str, where: str, expected: Any, got: Any) -> TypeError:
    return TypeError(
        f"{name}: {where} must be {expected}, as the array it belongs to, but is {got}: its "
        "imaginary part would be lost. Take its real part."
    )


def other_arithmetic(kind: type) -> TypeError:
    return TypeError(
        f"a {kind.__module__}.{kind.__name__} has an arithmetic of its own, which no derivative "
        "knows. Use numpy.asarray(x) for a matrix; for a masked array x.filled(value), and "
        "tapegrad.numpy.where(mask, other, x) where elements are to be left out."
    )


def no_numbers(op: str, dtype: Any) -> TypeError:
    return TypeError(
        f"the operation {op!r} on a traced array gives {dtype}, and a derivative would be lost "
        "without a word. Convert the other arrays, for example with x.astype(float), or pass "
        "tapegrad.stop_gradient(x) where no derivative is wanted."
    )


class ConvergenceError(TapegradError):
    """A solver did not find what it was to find, so that there is nothing to differentiate."""


class ModifiedError(TapegradError):
    """An array that an entry saved was written in place since.

    `entry` and `value` are these; `by` is the operation that wrote last; `version` says how often
    it was written, `later` how often since the entry saved it.
    """

    def __init__(self, entry: Any, op: str, value: Any, by: str, version: int, later: int) -> None:
        super().__init__(
            "one of the variables needed for gradient computation has been modified by an inplace "
            f"operation: an array ({describe(value)}) that {op!r} saved is at version {version}; "
            f"expected version {version - later} instead. It was changed by {by!r}. Use the "
            "operation that gives a new array, or change a clone."
        )
        self.entry = entry
        self.value = value
        self.by = by
        self.version = version
        self.later = later


def complex_argument(name: str, dtype: Any) -> TypeError:
    return TypeError(
        f"{name} takes real arguments, but got a traced or plain array of {dtype}. Take its real "
        "part, or its absolute value."
    )


def solver_failed(solver: str, message: str) -> TapegradError:
    return TapegradError(
        f"{solver} failed, so there is nothing to differentiate: {message.strip()} Change its "
        "tolerances, its method or its limits until it succeeds on plain arrays."
    )


def integer_result(name: str, dtype: Any) -> TypeError:
    return TypeError(
        f"{name} needs a result of floating point, but the function returned {dtype}, through "
        "which nothing is differentiated (a comparison, a position, a count, a conversion). Leave "
        "out what made it so, or multiply it by 1.0 if the derivative is to be zero."
    )


def equal_eigenvalues(gap: float) -> ArithmeticError:
    return ArithmeticError(
        f"two of the eigenvalues that eigsh found are only {gap:.3g} apart, so that their "
        "eigenvectors have no derivatives. Those of the eigenvalues do, and so have functions of "
        "the vectors of a dense matrix: use numpy.linalg.eigh."
    )


def hook_size(hook: Any, expected: Any, got: Any) -> TapegradError:
    name = getattr(hook, "__name__", type(hook).__name__)
    return TapegradError(
        f"hook '{name}' has changed the size of value: from {list(expected)} to {list(got)}. It "
        "has to return a gradient of the shape that it got, or None."
    )


def not_on_device(name: str, library: str) -> TypeError:
    return TypeError(
        f"{name} is computed on the CPU alone: {library} has nothing of the kind, and nothing is "
        f"copied unasked. Take the arrays to the host first, as {library}'s .get() does, and bring "
        f"back what comes out with {library}.asarray."
    )


def no_scipy(name: str) -> ModuleNotFoundError:
    return ModuleNotFoundError(f"{name} needs SciPy, which is not installed: pip install scipy")


def memory_on_gpu(reason: str) -> BufferError:
    return BufferError(
        f"The memory to share is on a GPU, and no GPU can be used here: {reason}. Copy the array "
        "to the host in its own library first."
    )


def item_of_ndarray(cause: Exception) -> TypeError:
    kind = ConcretizationError if isinstance(cause, ConcretizationError) else ConversionError
    return kind(
        "a traced value was to become an element of a plain ndarray (by a[i] = x, a.fill(x) or "
        "numpy.fromiter), which no tape sees. Make the array with tapegrad.numpy (zeros, empty, "
        "zeros_like, ...) inside the function: its elements can be set. Or collect the values in a "
        "list, and pass it to tapegrad.numpy.array or stack."
    )


def check_filling(error: BaseException | None) -> None:
    """Raise a clearer error where NumPy's says that it could not set an element to a traced value.

    NumPy's own speaks of a sequence, since arrays have a length, and has ours as its cause.
    """
    cause = error.__cause__ if isinstance(error, ValueError) else None
    if isinstance(cause, ConversionError | ConcretizationError):
        raise item_of_ndarray(cause) from error
