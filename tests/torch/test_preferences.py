"""Preferences, memory, `torch.jit`, and other names that programs begin with."""

import pytest

import tapegrad.torch as torch
from tapegrad.torch.utils import checkpoint


def test_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    assert torch.get_num_threads() == 3
    torch.set_num_threads(before)
    torch.set_num_interop_threads(2)
    assert torch.get_num_interop_threads() == 2
    with pytest.raises(RuntimeError, match="set_num_threads expects a positive integer"):
        torch.set_num_threads(0)


def test_deterministic_algorithms():
    torch.use_deterministic_algorithms(True, warn_only=True)
    assert torch.are_deterministic_algorithms_enabled()
    assert torch.is_deterministic_algorithms_warn_only_enabled()
    assert torch.get_deterministic_debug_mode() == 1
    torch.set_deterministic_debug_mode("error")
    assert torch.get_deterministic_debug_mode() == 2
    torch.set_deterministic_debug_mode(0)
    assert not torch.are_deterministic_algorithms_enabled()
    with pytest.raises(RuntimeError, match="invalid value of debug_mode, expected one of"):
        torch.set_deterministic_debug_mode("no")


def test_precision_of_products():
    assert torch.get_float32_matmul_precision() == "highest"
    torch.set_float32_matmul_precision("high")
    assert torch.get_float32_matmul_precision() == "high"
    torch.set_float32_matmul_precision("highest")
    with pytest.raises(RuntimeError, match="Invalid float32 matmul precision 'low'"):
        torch.set_float32_matmul_precision("low")


def test_other_preferences():
    torch.set_warn_always(True)
    assert torch.is_warn_always_enabled()
    torch.set_warn_always(False)
    assert not torch.set_flush_denormal(True)
    torch.set_default_tensor_type(torch.DoubleTensor)
    assert torch.ones(1).dtype is torch.float64
    torch.set_default_tensor_type("torch.FloatTensor")
    assert torch.ones(1).dtype is torch.float32


def test_numbers_drawn_in_a_fork_are_not_missed():
    torch.manual_seed(0)
    right = torch.rand(2)
    torch.manual_seed(0)
    with torch.random.fork_rng():
        torch.manual_seed(9)
        torch.rand(5)
    assert torch.equal(torch.rand(2), right)


def test_buffers_and_storages():
    memory = bytearray(8)
    x = torch.frombuffer(memory, dtype=torch.float32)
    x[1] = 1.0
    assert memory[4:] == b"\x00\x00\x80?"
    assert torch.frombuffer(b"\x01\x02\x03", dtype=torch.uint8, count=1, offset=1).tolist() == [2]
    part = x[1:]
    assert part.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    assert part.untyped_storage().nbytes() == len(part.untyped_storage()) == 8
    assert torch.is_storage(x.untyped_storage())


def test_functions_of_pythons_numbers():
    x = torch.tensor([1.0, 2.0])
    assert x.apply_(lambda v: v + 1) is x
    assert x.map_(torch.tensor(10.0), lambda a, b: a * b).tolist() == [20, 30]
    assert x.map2_(x, x, lambda a, b, c: a + b + c).tolist() == [60, 90]
    with pytest.raises(RuntimeError, match=r"Can't call apply_\(\) on Variable that requires grad"):
        torch.ones(1, requires_grad=True).apply_(abs)


def test_what_a_tensor_is():
    x = torch.tensor([1.0, 2.0])
    assert x.to_dense() is x
    assert x.share_memory_() is x
    assert x.new([1, 2]).dtype is torch.float32
    assert tuple(x.new(2, 3).shape) == (2, 3)
    assert tuple(x.resize_as(torch.ones(2, 1)).shape) == (2, 1)
    assert [part.tolist() for part in x.split(split_size=1)] == [[1], [2]]
    assert torch.typename(x) == "torch.FloatTensor"
    assert torch.typename([]) == "list"
    assert isinstance(x.layout, torch.layout)
    assert torch.binomial(torch.tensor([5.0]), torch.tensor([1.0])).tolist() == [5]


def test_functions_for_the_compiler_run_as_they_are():
    @torch.jit.script
    def f(x):
        return -1 if torch.jit.is_scripting() else x + 1

    @torch.jit.ignore
    def g(x):
        return x

    assert f(torch.ones(1)).item() == 2
    assert torch.jit.trace(g, torch.ones(1)) is g
    with pytest.raises(RuntimeError, match=r"load it into the model made by its class"):
        torch.jit.save(f, "a.pt")


def test_contexts_that_make_no_difference():
    first, second = checkpoint.noop_context_fn()
    with torch.autograd.set_multithreading_enabled(False), first, second:
        pass
    with checkpoint.set_checkpoint_early_stop(False):
        x = torch.ones(1, requires_grad=True)
        checkpoint.checkpoint(torch.exp, x, use_reentrant=False).sum().backward()
    assert x.grad.item() == pytest.approx(2.7182817)
