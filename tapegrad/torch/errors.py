"""The errors of the PyTorch face: PyTorch's own words, and a line of advice."""

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
        f"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {a} "
        f"and {b}.\nConvert one of them with .to(dtype)."
    )


def no_such_device(given: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected one of cpu, cuda, meta device type at start of device string: {given}\n"
        "Write it as 'cpu', 'cuda' or 'cuda:0'."
    )


def leaf_changed() -> RuntimeError:
    return RuntimeError(
        "a leaf Variable that requires grad is being used in an in-place operation.\n"
        "Change it inside `with torch.no_grad():`, or change a clone."
    )


def view_of_leaf_changed() -> RuntimeError:
    return RuntimeError(
        "a view of a leaf Variable that requires grad is being used in an in-place operation.\n"
        "Change it inside `with torch.no_grad():`, or change a view of a clone."
    )


def does_not_broadcast(own: Any, shape: Any) -> RuntimeError:
    return RuntimeError(
        f"output with shape {list(own)} doesn't match the broadcast shape {list(shape)}\n"
        "An in-place operation can't enlarge a tensor: use the one that gives a new tensor."
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


def cannot_store(source: Any, to: Any) -> RuntimeError:
    return RuntimeError(
        f"result type {SCALARS[source.name]} can't be cast to the desired output type "
        f"{SCALARS[to.name]}\nUse the operation that gives a new tensor, or .to(dtype)."
    )


def out_requires_grad(name: str) -> RuntimeError:
    return RuntimeError(
        f"{name}(): functions with out=... arguments don't support automatic differentiation, but "
        "one of the arguments requires grad.\nLeave out= away, or compute under torch.no_grad()."
    )


def out_of_wrong_shape(own: Any, shape: Any) -> RuntimeError:
    return RuntimeError(
        f"the tensor given as out has shape {list(own)}, and the result {list(shape)}: resizing it "
        "is not supported.\nGive an empty tensor, or one of the result's shape."
    )


def not_tensor(name: str, argument: str, given: Any) -> TypeError:
    return TypeError(
        f"{name}(): argument '{argument}' must be Tensor, not {type(given).__name__}\n"
        "Make one with torch.tensor(...) or torch.as_tensor(...)."
    )


def negative_step() -> ValueError:
    return ValueError(
        "step must be greater than zero\nUse torch.flip(x, dims) to turn an axis round."
    )


def bad_index(error: IndexError, shape: Any, key: Any) -> IndexError:
    return IndexError(f"{error} (of a tensor of shape {list(shape)})")


def ragged(data: Any) -> ValueError:
    return ValueError(
        "expected sequence of equal lengths at every level, but the nested lists have different "
        "ones.\nPad them, for example with torch.nn.utils.rnn.pad_sequence."
    )


def not_numbers(data: Any) -> TypeError:
    return TypeError(
        f"must be real number, not {type(data).__name__}: a tensor is made of numbers, nested "
        "lists of them, arrays or tensors."
    )


def no_grad_fn(index: int) -> RuntimeError:
    return RuntimeError(
        f"element {index} of tensors does not require grad and does not have a grad_fn\n"
        "It was made without requires_grad=True, under no_grad, or by detach()."
    )


def not_scalar() -> RuntimeError:
    return RuntimeError(
        "grad can be implicitly created only for scalar outputs\n"
        "Reduce the result first, for example with .sum() or .mean(), or pass gradient=."
    )


def complex_output(d: Any) -> RuntimeError:
    return RuntimeError(
        "grad can be implicitly created only for real scalar outputs but got "
        f"{d}\nTake .real or .abs() first, or pass gradient=."
    )


def gradient_of_wrong_shape(index: int, given: Any, wanted: Any) -> RuntimeError:
    return RuntimeError(
        f"Mismatch in shape: grad_output[{index}] has a shape of torch.Size({list(given)}) and "
        f"output[{index}] has a shape of torch.Size({list(wanted)}).\n"
        "Give the gradient in the shape of the output."
    )


def wrong_number_of_gradients(outputs: int, given: int) -> RuntimeError:
    return RuntimeError(
        f"got {outputs} tensors and {given} gradients\nGive one gradient for each output, or None."
    )


def unused_input() -> RuntimeError:
    return RuntimeError(
        "One of the differentiated Tensors appears to not have been used in the graph. Set "
        "allow_unused=True if this is the desired behavior."
    )


def input_without_grad() -> RuntimeError:
    return RuntimeError(
        "One of the differentiated Tensors does not require grad\n"
        "Make it a leaf with requires_grad_() before it is used."
    )


def no_inputs() -> RuntimeError:
    return RuntimeError(
        "`inputs` argument to `backward()` cannot be empty.\nLeave it away for all leaves."
    )


def materialized_but_unused() -> ValueError:
    return ValueError(
        "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
        "allow_unused=False."
    )


def only_leaves() -> RuntimeError:
    return RuntimeError(
        "you can only change requires_grad flags of leaf variables. If you want to use a computed "
        "variable in a subgraph that doesn't require differentiation use var_no_grad = "
        "var.detach()."
    )


def integer_requires_grad() -> RuntimeError:
    return RuntimeError(
        "only Tensors of floating point and complex dtype can require gradients\n"
        "Convert first, for example with .float()."
    )


def wrong_grad(wanted: str) -> RuntimeError:
    return RuntimeError(f"assigned grad has data of a different {wanted}")


GRAD_OF_COMPUTED = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
    "attribute won't be populated during autograd.backward(). If you indeed want the .grad field "
    "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor."
)


def hook_without_grad() -> RuntimeError:
    return RuntimeError("cannot register a hook on a tensor that doesn't require gradient")


def hook_on_computed() -> RuntimeError:
    return RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")


def retain_without_grad() -> RuntimeError:
    return RuntimeError("can't retain_grad on Tensor that has requires_grad=False")


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


def no_cuda() -> RuntimeError:
    return RuntimeError(
        "Found no NVIDIA driver on your system, or no CuPy to use it.\n"
        "Leave the device away, or install the extra cuda12 or cuda13."
    )


def ambiguous_size(shape: Any) -> RuntimeError:
    return RuntimeError(
        f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
        "dimension size -1 can be any value and is ambiguous"
    )


def invalid_shape(shape: Any, size: int) -> RuntimeError:
    return RuntimeError(
        f"shape '{list(shape)}' is invalid for input of size {size}\n"
        "The product of the lengths must be the number of elements."
    )


def not_viewable() -> RuntimeError:
    return RuntimeError(
        "view size is not compatible with input tensor's size and stride (at least one dimension "
        "spans across two contiguous subspaces). Use .reshape(...) instead."
    )


def wrong_permutation(n: int, given: int) -> RuntimeError:
    return RuntimeError(
        "permute(sparse_coo): number of dimensions in the tensor input does not match the length "
        f"of the desired ordering of dimensions i.e. input.dim() = {n} is not equal to "
        f"len(dims) = {given}"
    )


def not_a_matrix(name: str, n: int) -> RuntimeError:
    return RuntimeError(
        f"{name}() expects a tensor with <= 2 dimensions, but self is {n}D\n"
        "Use .mT for a stack of matrices, or .transpose(dim0, dim1)."
    )


def not_matrices(name: str, n: int) -> RuntimeError:
    return RuntimeError(
        f"tensor.{name} is only supported on matrices or batches of matrices. Got {n}-D tensor."
    )


def expand_to_fewer(own: Any, to: Any) -> RuntimeError:
    return RuntimeError(
        f"expand(torch.FloatTensor{{{list(own)}}}, size={list(to)}): the number of sizes provided "
        f"({len(to)}) must be greater or equal to the number of dimensions in the tensor "
        f"({len(own)})"
    )


def expand_leading(to: Any) -> RuntimeError:
    return RuntimeError(
        "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0"
    )


def expand_mismatch(n: int, m: Any, axis: int, to: Any, own: Any) -> RuntimeError:
    return RuntimeError(
        f"The expanded size of the tensor ({n}) must match the existing size ({m}) at "
        f"non-singleton dimension {axis}.  Target sizes: {list(to)}.  Tensor sizes: {list(own)}"
    )


def split_sizes(lengths: Any, size: int, at: int) -> RuntimeError:
    return RuntimeError(
        f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at "
        f"dimension {at}), but got split_sizes={list(lengths)}"
    )


def too_few_axes(name: str, least: int, n: int) -> RuntimeError:
    return RuntimeError(
        f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with "
        f"{n} dimensions!"
    )


def uneven_split(name: str, sections: int, at: int, size: int) -> RuntimeError:
    return RuntimeError(
        f"torch.{name} attempted to split along dimension {at}, but the size of the dimension "
        f"{size} is not divisible by the split_size {sections}!"
    )


def unfold_too_large(length: int, size: int) -> RuntimeError:
    return RuntimeError(f"maximum size for tensor at dimension 0 is {length} but size is {size}")


def bad_rounding(mode: str) -> RuntimeError:
    return RuntimeError(
        f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{mode}'"
    )


def mean_of_integers(d: Any) -> RuntimeError:
    return RuntimeError(
        "mean(): could not infer output dtype. Input dtype must be either a floating point or "
        f"complex dtype. Got: {SCALARS[d.name]}\nConvert first, for example with .float()."
    )


def empty_reduction(name: str, dim: Any) -> Exception:
    if dim is None:
        return RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify "
            "the reduction dim with the 'dim' argument."
        )
    return IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")


def cat_axes(n: int, other: int) -> RuntimeError:
    return RuntimeError(
        f"Tensors must have same number of dimensions: got {n} and {other}\n"
        "Add an axis with .unsqueeze(dim), or use torch.stack."
    )


def cat_sizes(axis: int, n: int, m: int, index: int) -> RuntimeError:
    return RuntimeError(
        f"Sizes of tensors must match except in dimension {axis}. Expected size {n} but got size "
        f"{m} for tensor number {index} in the list."
    )


def stack_sizes(first: Any, other: Any, index: int) -> RuntimeError:
    return RuntimeError(
        f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
        f"{list(other)} at entry {index}"
    )


def not_blocks(n: int) -> RuntimeError:
    return RuntimeError(
        f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input 0 has {n} "
        "dimensions"
    )


def not_condition(d: Any) -> RuntimeError:
    return RuntimeError(
        f"where expected condition to be a boolean tensor, but got a tensor with dtype {d}"
    )


def not_mask(name: str, d: Any) -> RuntimeError:
    return RuntimeError(
        f"{name} only supports boolean masks, but got mask with dtype {d}\nConvert it with .bool()."
    )


def value_with_axes(n: int) -> RuntimeError:
    return RuntimeError(
        "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
        f"{n} dimension(s)."
    )


def not_integer_index(name: str) -> RuntimeError:
    return RuntimeError(
        f"{name}(): Expected dtype int64 for index\nConvert it, for example with .long()."
    )


def index_axes(name: str) -> RuntimeError:
    return RuntimeError("Index tensor must have the same number of dimensions as input tensor")


def index_beyond(index: int, axis: int, size: int) -> RuntimeError:
    return RuntimeError(f"index {index} is out of bounds for dimension {axis} with size {size}")


def index_out_of_range(name: str) -> IndexError:
    return IndexError(f"{name}(): index out of range in self")


def index_not_vector(name: str) -> IndexError:
    return IndexError(f"{name}(): Index is supposed to be a vector")


def scatter_dtype(name: str) -> RuntimeError:
    return RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")


def bad_reduction(reduce: str) -> RuntimeError:
    return RuntimeError(
        f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}."
    )


def copy_dtype(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"index_copy_(): self and source expected to have the same dtype, but got (self) {a} and "
        f"(source) {b}"
    )


def put_dtype(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        "Index put requires the source and destination dtypes match, got "
        f"{SCALARS[a.name]} for the destination and {SCALARS[b.name]} for the source."
    )


def take_beyond(size: int) -> IndexError:
    return IndexError(f"out of range: tried to access an element of a tensor of {size} elements")


def negative_size(shape: Any) -> RuntimeError:
    return RuntimeError(
        f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}"
    )


def bad_indexing(given: str) -> RuntimeError:
    return RuntimeError(
        f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {given}'
    )


def complex_of_two(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected object of scalar type {SCALARS[a.name]} but got scalar type "
        f"{SCALARS[b.name]} for second argument"
    )


def integer_division(name: str) -> RuntimeError:
    return RuntimeError(
        f"Integer division with {name} is no longer supported.\nConvert to floats first."
    )


def not_for(name: str, d: Any) -> RuntimeError:
    return RuntimeError(f"\"{name}\" not implemented for '{SCALARS[d.name]}'")


def bad_interpolation(name: str, given: str) -> RuntimeError:
    return RuntimeError(
        f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but "
        f"got {given}"
    )


def boundaries_axes(n: int) -> RuntimeError:
    return RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({n})")


def wrong_axes(name: str, what: str, wanted: int, given: int) -> RuntimeError:
    shape = {1: "a vector", 2: "a matrix", 3: "a 3D tensor"}[wanted]
    return RuntimeError(
        f"{name}: Expected {what} to be {shape}, but it has {given} dimensions\n"
        "Use torch.matmul for vectors, matrices and stacks of any shape."
    )


def shapes_of_product(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})"
    )


def shapes_of_stacks(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but got: "
        f"[{b[0]}, {b[1]}]."
    )


def dot_sizes(a: int, b: int) -> RuntimeError:
    return RuntimeError(
        f"inconsistent tensor size, expected tensor [{a}] and src [{b}] to have the same number of "
        f"elements, but got {a} and {b} elements respectively"
    )


def cross_size(axis: int, n: int) -> RuntimeError:
    return RuntimeError(
        f"linalg.cross: inputs dimension {axis} must have length 3. Got {n} and {n}"
    )


def contracted_sizes(i: int, n: int, j: int, m: int) -> RuntimeError:
    return RuntimeError(
        f"contracted dimensions need to match, but first has size {n} in dim {i} and second has "
        f"size {m} in dim {j}"
    )


def shared_elements() -> RuntimeError:
    return RuntimeError(
        "unsupported operation: more than one element of the written-to tensor refers to a single "
        "memory location. Please clone() the tensor before performing the operation."
    )


def bad_transform_size(n: int) -> RuntimeError:
    return RuntimeError(f"Invalid number of data points ({n}) specified")
