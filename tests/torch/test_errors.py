"""Errors of tensor functions: PyTorch's types, and the phrases that users search for."""

import pytest

import tapegrad.torch as torch

ONES = torch.ones(2, 3)
LONG = torch.arange(6).reshape(2, 3)
Z = torch.tensor([1 + 2j])

CASES = {
    "reshape": (
        lambda: ONES.reshape(4),
        RuntimeError,
        r"shape '\[4\]' is invalid for input of size 6",
    ),
    "two unknown": (
        lambda: ONES.reshape(-1, -1),
        RuntimeError,
        "only one dimension can be inferred",
    ),
    "unknown of nothing": (
        lambda: torch.ones(0).reshape(0, -1),
        RuntimeError,
        "unspecified dimension size -1 can be any value",
    ),
    "view": (lambda: ONES.t().view(6), RuntimeError, r"Use .reshape\(...\) instead"),
    "dim": (
        lambda: ONES.sum(2),
        IndexError,
        r"Dimension out of range \(expected to be in range of \[-2, 1\], but got 2\)",
    ),
    "dim of a number": (lambda: torch.tensor(1.0).sum(1), IndexError, r"range of \[-1, 0\]"),
    "dim twice": (lambda: ONES.sum((0, 0)), RuntimeError, "dim 0 appears multiple times"),
    "expand": (
        lambda: ONES.expand(2, 4),
        RuntimeError,
        r"expanded size of the tensor \(4\) must match the existing size \(3\)",
    ),
    "expand to fewer": (lambda: ONES.expand(3), RuntimeError, "must be greater or equal"),
    "permute": (lambda: ONES.permute(0), RuntimeError, "number of dimensions in the tensor input"),
    "permute twice": (lambda: ONES.permute(0, 0), RuntimeError, "duplicate dims are not allowed"),
    "transposed": (lambda: torch.ones(1, 1, 1).t(), RuntimeError, "expects a tensor with <= 2"),
    "matrices": (lambda: torch.ones(2).mT, RuntimeError, "only supported on matrices or batches"),
    "narrow": (lambda: ONES.narrow(0, 1, 2), RuntimeError, r"exceeds dimension size \(2\)"),
    "select": (lambda: ONES.select(0, 2), IndexError, "index 2 out of range for tensor of size"),
    "split": (lambda: ONES.split([1, 2]), RuntimeError, "split_sizes to sum exactly to 2"),
    "chunk": (lambda: ONES.chunk(0), RuntimeError, "`chunks` to be greater than 0, got: 0"),
    "unfold": (lambda: ONES.unfold(1, 4, 1), RuntimeError, "maximum size for tensor at dimension"),
    "iterate": (lambda: iter(torch.tensor(1.0)), TypeError, "iteration over a 0-d tensor"),
    "len": (lambda: len(torch.tensor(1.0)), TypeError, r"len\(\) of a 0-d tensor"),
    "step": (lambda: ONES[::-1], ValueError, "step must be greater than zero"),
    "index": (lambda: ONES[5], IndexError, "out of bounds"),
    "cat axes": (
        lambda: torch.cat([ONES, torch.ones(2)]),
        RuntimeError,
        "Tensors must have same number of dimensions: got 2 and 1",
    ),
    "cat sizes": (
        lambda: torch.cat([ONES, torch.ones(2, 4)]),
        RuntimeError,
        "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4",
    ),
    "cat nothing": (lambda: torch.cat([]), RuntimeError, "expected a non-empty list of Tensors"),
    "stack": (
        lambda: torch.stack([ONES, torch.ones(2)]),
        RuntimeError,
        r"stack expects each tensor to be equal size, but got \[2, 3\] at entry 0 and \[2\]",
    ),
    "in place shape": (
        lambda: torch.ones(3).add_(ONES),
        RuntimeError,
        r"output with shape \[3\] doesn't match the broadcast shape \[2, 3\]",
    ),
    "in place dtype": (
        lambda: torch.arange(3).mul_(1.5),
        RuntimeError,
        "result type Float can't be cast to the desired output type Long",
    ),
    "in place on a leaf": (
        lambda: torch.ones(2, requires_grad=True).add_(1),
        RuntimeError,
        "a leaf Variable that requires grad is being used in an in-place operation",
    ),
    "in place on a view of a leaf": (
        lambda: torch.ones(2, requires_grad=True)[0].add_(1),
        RuntimeError,
        "a view of a leaf Variable that requires grad is being used in an in-place operation",
    ),
    "in place on expanded": (
        lambda: torch.ones(1).expand(3).add_(1),
        RuntimeError,
        "more than one element of the written-to tensor refers to a single memory location",
    ),
    "out": (
        lambda: torch.exp(torch.ones(2, requires_grad=True), out=torch.ones(2)),
        RuntimeError,
        "functions with out=... arguments don't support automatic differentiation",
    ),
    "integer requires grad": (
        lambda: torch.tensor([1], requires_grad=True),
        Exception,
        "floating point",
    ),
    "requires_grad_": (
        lambda: LONG.requires_grad_(),
        RuntimeError,
        "only Tensors of floating point dtype can require gradients",
    ),
    "not a leaf": (
        lambda: (torch.ones(2, requires_grad=True) * 2).requires_grad_(False),
        RuntimeError,
        "you can only change requires_grad flags of leaf variables",
    ),
    "backward of many": (
        lambda: (torch.ones(2, requires_grad=True) * 2).backward(),
        RuntimeError,
        "grad can be implicitly created only for scalar outputs",
    ),
    "backward of constants": (
        lambda: ONES.sum().backward(),
        RuntimeError,
        "element 0 of tensors does not require grad and does not have a grad_fn",
    ),
    "backward of complex": (
        lambda: (torch.tensor([1 + 1j], requires_grad=True) * 2).backward(),
        RuntimeError,
        "grad can be implicitly created only for real scalar outputs",
    ),
    "shape of gradient": (
        lambda: (torch.ones(2, requires_grad=True) * 2).backward(torch.ones(3)),
        RuntimeError,
        r"grad_output\[0\] has a shape of torch.Size\(\[3\]\) and output\[0\] has a shape of",
    ),
    "unused": (
        lambda: torch.autograd.grad(
            torch.ones(1, requires_grad=True).sum(), torch.ones(1, requires_grad=True)
        ),
        RuntimeError,
        "appears to not have been used in the graph. Set allow_unused=True",
    ),
    "bool": (lambda: bool(ONES), RuntimeError, "more than one value is ambiguous"),
    "bool of nothing": (lambda: bool(torch.ones(0)), RuntimeError, "no values is ambiguous"),
    "item": (
        lambda: ONES.item(),
        RuntimeError,
        "a Tensor with 6 elements cannot be converted to Scalar",
    ),
    "mean": (lambda: LONG.mean(), RuntimeError, "Input dtype must be either a floating point or"),
    "max of nothing": (lambda: torch.ones(0).max(), RuntimeError, "Expected reduction dim"),
    "max along nothing": (lambda: torch.ones(0, 2).max(0), IndexError, "to have non-zero size"),
    "topk": (lambda: ONES.topk(5), RuntimeError, "selected index k out of range"),
    "quantile": (lambda: LONG.quantile(0.5), RuntimeError, "must be either float or double"),
    "clamp": (lambda: ONES.clamp(), RuntimeError, "At least one of 'min' or 'max'"),
    "masked_fill": (
        lambda: ONES.masked_fill(LONG, 1.0),
        RuntimeError,
        "masked_fill_ only supports boolean masks",
    ),
    "where": (
        lambda: torch.where(LONG, ONES, ONES),
        RuntimeError,
        "expected condition to be a boolean tensor",
    ),
    "gather dtype": (lambda: ONES.gather(0, ONES), RuntimeError, "Expected dtype int64 for index"),
    "gather beyond": (
        lambda: ONES.gather(0, LONG),
        RuntimeError,
        "index 5 is out of bounds for dimension 0 with size 2",
    ),
    "index_select": (
        lambda: ONES.index_select(0, torch.tensor([3])),
        IndexError,
        "index out of range in self",
    ),
    "scatter": (
        lambda: ONES.scatter_reduce(0, LONG * 0, ONES, "max"),
        RuntimeError,
        "reduce argument must be either sum, prod, mean, amax or amin, got max",
    ),
    "mm": (
        lambda: torch.mm(ONES, ONES),
        RuntimeError,
        r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)",
    ),
    "dtypes of a product": (lambda: ONES @ LONG.t(), RuntimeError, "to have the same dtype"),
    "dot": (lambda: torch.dot(torch.ones(2), torch.ones(3)), RuntimeError, "inconsistent tensor"),
    "div": (
        lambda: torch.div(ONES, 2, rounding_mode="up"),
        RuntimeError,
        "expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'",
    ),
    "sign": (lambda: Z.sign(), NotImplementedError, "torch.sign is not intended"),
    "imag": (lambda: ONES.imag, RuntimeError, "not implemented for tensors with non-complex"),
    "unsigned": (
        lambda: torch.tensor([1], dtype=torch.uint16) + torch.tensor([1], dtype=torch.int32),
        RuntimeError,
        "Promotion for uint16, uint32, uint64 types is not supported",
    ),
    "dtype": (
        lambda: torch.from_numpy(__import__("numpy").array(["x"])),
        TypeError,
        "can't convert np.ndarray of type",
    ),
    "ragged": (lambda: torch.tensor([[1], [1, 2]]), ValueError, r"length 1 at dim 1 \(got 2\)"),
    "device": (lambda: torch.device("abc"), RuntimeError, "Expected one of cpu, cuda, ipu"),
    "negative size": (lambda: torch.ones(-1), RuntimeError, "negative dimension -1"),
    "arange": (lambda: torch.arange(0, 1, 0), RuntimeError, "step must be nonzero"),
    "randint": (lambda: torch.randint(3, 3, (2,)), RuntimeError, "'from' to be less than 'to'"),
    "multinomial": (
        lambda: torch.ones(2).multinomial(3),
        RuntimeError,
        "without replacement",
    ),
    "normal_": (lambda: torch.ones(2).normal_(0, -1), RuntimeError, "std >= 0.0"),
    "operand": (lambda: torch.add(ONES, "x"), TypeError, "argument 'other' must be Tensor"),
    "a list": (lambda: ONES - [1], TypeError, "unsupported operand"),
    "assigned grad": (
        lambda: setattr(torch.ones(2, requires_grad=True), "grad", ONES),
        RuntimeError,
        "attempting to assign a gradient of size",
    ),
    "hook": (lambda: ONES.register_hook(print), RuntimeError, "doesn't require gradient"),
    "retain_grad": (lambda: ONES.retain_grad(), RuntimeError, "requires_grad=False"),
    "finfo": (lambda: torch.finfo(torch.int64), TypeError, "requires a floating point input"),
    "default dtype": (
        lambda: torch.set_default_dtype(torch.int64),
        TypeError,
        "only floating-point types are supported as the default type",
    ),
    "product": (
        lambda: ONES @ ONES,
        RuntimeError,
        r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)",
    ),
    "product added": (
        lambda: torch.addmm(torch.ones(2), ONES, ONES),
        RuntimeError,
        r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)",
    ),
    "product of a stack": (
        lambda: torch.ones(2, 3, 4) @ torch.ones(3, 4),
        RuntimeError,
        r"mat1 and mat2 shapes cannot be multiplied \(6x4 and 3x4\)",
    ),
    "product of stacks": (
        lambda: torch.ones(2, 3, 4) @ torch.ones(2, 3, 4),
        RuntimeError,
        r"first two dimensions of batch2 tensor to be: \[2, 4\] but got: \[2, 3\]",
    ),
    "product of stacks of two sizes": (
        lambda: torch.ones(2, 3, 4) @ torch.ones(5, 4, 3),
        RuntimeError,
        r"size of tensor a \(2\) must match the size of tensor b \(5\) at non-singleton dim",
    ),
    "product with a vector": (
        lambda: ONES.clone().requires_grad_() @ torch.ones(2),
        RuntimeError,
        r"size mismatch, got input \(2\), mat \(2x3\), vec \(2\)",
    ),
    "product of vectors": (
        lambda: torch.ones(3) @ torch.ones(2),
        RuntimeError,
        r"expected tensor \[3\] and src \[2\] to have the same number of elements",
    ),
    "product of a number": (
        lambda: torch.tensor(1.0) @ torch.ones(1),
        RuntimeError,
        "both arguments to matmul need to be at least 1D, but they are 0D and 1D",
    ),
    "bits": (lambda: ONES & ONES, NotImplementedError, "bitwise_and_cpu.*'Float'"),
    "bits shifted": (lambda: ONES << 1, NotImplementedError, "lshift_cpu.*'Float'"),
    "bits inverted": (lambda: ~ONES, TypeError, "only implemented on integer and Boolean-type"),
    "equation": (
        lambda: torch.einsum("ij,jk", ONES, ONES),
        RuntimeError,
        r"einsum\(\): subscript j has size 2 for operand 1 which does not broadcast with previou",
    ),
    "equation, repeated": (
        lambda: torch.einsum("ii", ONES),
        RuntimeError,
        "subscript i is repeated for operand 0 but the sizes don't match, 3 != 2",
    ),
    "equation, axes": (
        lambda: torch.einsum("ijk", ONES),
        RuntimeError,
        r"number of subscripts in the equation \(3\) does not match the number of dimensions \(2\)",
    ),
    "equation, operands": (
        lambda: torch.einsum("ij,jk", ONES),
        RuntimeError,
        "fewer operands were provided than specified in the equation",
    ),
    "equation, output": (
        lambda: torch.einsum("ij->k", ONES),
        RuntimeError,
        "output subscript k does not appear in the equation for any input operand",
    ),
    "ragged rows": (
        lambda: torch.tensor([[1, 2], [1]]),
        ValueError,
        r"expected sequence of length 2 at dim 1 \(got 1\)",
    ),
    "ragged numbers": (lambda: torch.tensor([1, [2]]), TypeError, "cannot be interpreted as an in"),
    "ragged lists": (lambda: torch.tensor([[1], 2]), TypeError, "not a sequence"),
    "text": (lambda: torch.tensor("a"), TypeError, r"new\(\): invalid data type 'str'"),
    "nothing": (lambda: torch.tensor(None), RuntimeError, "Could not infer dtype of NoneType"),
    "float": (lambda: float(ONES), ValueError, "only one element tensors can be converted to Py"),
    "item of many": (
        lambda: ONES.item(),
        RuntimeError,
        "Tensor with 6 elements cannot be conv",
    ),
    "mask": (
        lambda: ONES.masked_fill(LONG, 1),
        RuntimeError,
        "masked_fill_ only supports boolean masks, but got mask with dtype long int",
    ),
    "condition": (
        lambda: torch.where(ONES, 1, 0),
        RuntimeError,
        "where expected condition to be a boolean tensor, but got a tensor with dtype Float",
    ),
    "argmax of nothing": (
        lambda: torch.ones(0).argmax(),
        IndexError,
        r"argmax\(\): Expected reduction dim to be specified for input.numel\(\) == 0.",
    ),
    "sum of a text": (
        lambda: torch.sum("a"),
        TypeError,
        r"sum\(\): argument 'input' \(position 1\)",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_errors_say_what_pytorch_says(case):
    call, kind, text = CASES[case]
    with pytest.raises(kind, match=text):
        call()


def test_a_second_backward():
    x = torch.ones(2, requires_grad=True)
    loss = (x * x).sum()
    loss.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        loss.backward()


def test_a_saved_tensor_that_was_modified():
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y.mul_(2)
    with pytest.raises(
        RuntimeError, match=r"modified by an inplace operation.*output 0 of Exp, .*version 1; "
    ):
        y.sum().backward()
