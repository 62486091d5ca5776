"""Errors about dtypes, promotion and devices."""

from __future__ import annotations

from typing import Any


def no_such_dtype(given: Any) -> TypeError:
    return TypeError(
        f"can't convert np.ndarray of type {given}. The only supported types are: float64, "
        "float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, "
        "uint16, uint8, and bool.\nConvert it first, as with array.astype(numpy.float32)."
    )


def no_common_dtype(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
        f"{SCALARS[a.name]} and {SCALARS[b.name]}.\nConvert one of them with .to(dtype)."
    )


def no_such_device(given: str, kinds: list[str]) -> RuntimeError:
    return RuntimeError(
        f"Expected one of {', '.join(kinds)} device type at start of device string: {given}\n"
        "Write it as 'cpu', 'cuda' or 'cuda:0'."
    )


SCALARS = {
    "bool": "Bool",
    "uint8": "Byte",
    "uint16": "UInt16",
    "uint32": "UInt32",
    "uint64": "UInt64",
    "int8": "Char",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "float32": "Float",
    "float64": "Double",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
}
"""PyTorch's older names of the dtypes, which its errors use."""


NATIVE = {
    "bool": "bool",
    "uint8": "unsigned char",
    "int8": "signed char",
    "int16": "short int",
    "int32": "int",
    "int64": "long int",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "float32": "float",
    "float64": "double",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}
"""The names of C++ for dtypes, which some of PyTorch's errors use."""


def not_tensor(name: str, argument: str, given: Any, place: int | None = None) -> TypeError:
    where = "" if place is None else f" (position {place})"
    return TypeError(
        f"{name}(): argument '{argument}'{where} must be Tensor, not {type(given).__name__}\n"
        "Make one with torch.tensor(...) or torch.as_tensor(...)."
    )


def ragged(data: Any) -> Exception:
    advice = "Pad the lists, for example with torch.nn.utils.rnn.pad_sequence."
    level, axis = list(data), 1
    while level:
        sizes = [len(x) if isinstance(x, list | tuple) else None for x in level]
        for x, n in zip(level, sizes, strict=True):
            if n == sizes[0]:
                continue
            if n is None:
                return TypeError(f"not a sequence\n{advice}")
            if sizes[0] is None:
                kind = type(x).__name__
                return TypeError(f"{kind!r} object cannot be interpreted as an integer\n{advice}")
            text = f"expected sequence of length {sizes[0]} at dim {axis} (got {n})"
            return ValueError(f"{text}\n{advice}")
        level = [y for x in level if isinstance(x, list | tuple) for y in x]
        axis += 1
    return ValueError(f"expected sequences of equal lengths at every level\n{advice}")


def text_in_tensor(data: Any) -> Exception:
    if isinstance(data, str):
        return TypeError("new(): invalid data type 'str'")
    return ValueError("too many dimensions 'str'\nA tensor is made of numbers, not of texts.")


def no_bits() -> TypeError:
    return TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")


def not_one_number() -> ValueError:
    return ValueError(
        "only one element tensors can be converted to Python scalars\n"
        "Choose one with an index, reduce it, or call .tolist()."
    )


def not_numbers(data: Any) -> Exception:
    if data is None or isinstance(data, dict | set):
        return RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    return TypeError(
        f"must be real number, not {type(data).__name__}: a tensor is made of numbers, nested "
        "lists of them, arrays or tensors."
    )


def different_dtypes(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"expected m1 and m2 to have the same dtype, but got: {a} != {b}\n"
        "Convert one of them with .to(dtype)."
    )


def not_one_element(size: int) -> RuntimeError:
    return RuntimeError(
        f"a Tensor with {size} elements cannot be converted to Scalar\n"
        "Choose one with an index, reduce it, or call .tolist()."
    )


def ambiguous(size: int) -> RuntimeError:
    if not size:
        return RuntimeError("Boolean value of Tensor with no values is ambiguous")
    return RuntimeError(
        "Boolean value of Tensor with more than one value is ambiguous\n"
        "Call .any() or .all(), or choose with torch.where."
    )


def numpy_of_tracked() -> RuntimeError:
    return RuntimeError(
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
    )


def no_cuda(reason: str) -> RuntimeError:
    return RuntimeError(
        "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and "
        "installed a driver from http://www.nvidia.com/Download/index.aspx\n"
        f"What was found: {reason}.\n"
        "Leave the device away, or choose it by torch.cuda.is_available()."
    )


def no_backend(kind: str) -> NotImplementedError:
    backend = kind.upper() if len(kind) <= 3 else kind.capitalize()
    return NotImplementedError(
        f"Could not run 'aten::empty.memory_format' with arguments from the '{backend}' backend.\n"
        "Tensors are on 'cpu' or 'cuda' here: leave the device away, or choose one of these."
    )


def no_such_gpu(index: int, count: int) -> RuntimeError:
    return RuntimeError(
        f"CUDA error: invalid device ordinal\nThere is no cuda:{index}: torch.cuda.device_count() "
        f"is {count}, and numbers begin at 0."
    )


def several_devices(first: Any, second: Any) -> RuntimeError:
    return RuntimeError(
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"{first} and {second}!\n"
        "Move one of them to the other's device: x.to(y.device). A tensor without axes may stay."
    )


def not_on_gpu(name: str) -> NotImplementedError:
    return NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the 'CUDA' backend.\n"
        "It runs on the CPU alone here: call it with x.cpu(), and move the result by .to(x.device)."
    )


def grad_elsewhere() -> RuntimeError:
    return RuntimeError(
        "assigned grad has data located on a different device\n"
        "Move it to the device of its tensor: x.grad = grad.to(x.device)."
    )


def no_cuda_device(where: Any) -> ValueError:
    return ValueError(f"Expected a cuda device, but got: {where}")


def events_without_times() -> RuntimeError:
    return RuntimeError(
        "Both events must be created with argument 'enable_timing=True': "
        "torch.cuda.Event(enable_timing=True)."
    )


def events_not_recorded() -> RuntimeError:
    return RuntimeError(
        "Both events must be recorded before calculating elapsed time.\n"
        "Call event.record() before and after the work."
    )


def index_elsewhere(own: Any) -> RuntimeError:
    return RuntimeError(
        "indices should be either on cpu or on the same device as the indexed tensor "
        f"({own})\nMove the index: x[index.to(x.device)]."
    )


def numpy_of_gpu(place: Any) -> TypeError:
    return TypeError(
        f"can't convert {place} device type tensor to numpy. Use Tensor.cpu() to copy the tensor "
        "to host memory first."
    )


def complex_of_two(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected object of scalar type {SCALARS[a.name]} but got scalar type "
        f"{SCALARS[b.name]} for second argument"
    )


def not_for(name: str, d: Any) -> NotImplementedError:
    advice = "take .abs(), .real or .imag" if d.is_complex else "convert first, as with .float()"
    return NotImplementedError(
        f"\"{name}\" not implemented for '{SCALARS[d.name]}'\nOther dtypes have one: {advice}."
    )


def refused(text: str, d: Any) -> Exception:
    """Of a kernel's name, or of a sentence, which is a RuntimeError's if it names no other."""
    if " " not in text:
        return not_for(text, d)
    sentence = text.removeprefix("NotImplementedError: ")
    return RuntimeError(text) if sentence == text else NotImplementedError(sentence)


HALF_COMPLEX = (
    "NumPy has no complex numbers of half precision: use torch.complex64, or convert a tensor "
    "with .float() first"
)


def half_complex(name: str) -> RuntimeError:
    return RuntimeError(f"{name} would give a tensor of torch.complex32. {HALF_COMPLEX}.")


def absent(module: str, name: str, reasons: dict[str, str]) -> AttributeError:
    text = f"module {module!r} has no attribute {name!r}"
    return AttributeError(f"{text}: {reasons[name]}." if name in reasons else text)
