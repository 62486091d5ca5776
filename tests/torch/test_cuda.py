"""`torch.cuda` where there is no GPU: harmless, and it says why."""

import pytest

import tapegrad.torch as torch
from tapegrad.backend import gpu

pytestmark = pytest.mark.skipif(gpu()[0] is not None, reason="there is a GPU here")


def test_nothing_is_there():
    assert not torch.cuda.is_available()
    assert not torch.cuda.CUPY_AVAILABLE
    assert torch.cuda.device_count() == 0
    assert torch.cuda.memory_allocated() == torch.cuda.memory_reserved() == 0
    torch.cuda.empty_cache()
    torch.cuda.manual_seed_all(0)
    assert torch.cuda.get_default_device() == torch.device("cpu")


@pytest.mark.parametrize(
    "ask",
    [
        torch.cuda.current_device,
        torch.cuda.synchronize,
        torch.cuda.get_device_name,
        lambda: torch.cuda.set_device(0),
        lambda: torch.ones(2, device="cuda"),
        lambda: torch.ones(2).to("cuda:0"),
        lambda: torch.cuda.set_default_device("cuda"),
    ],
)
def test_asking_for_one_says_why_not(ask):
    with pytest.raises(RuntimeError, match=r"Found no NVIDIA driver on your system.*: .+\n"):
        ask()
