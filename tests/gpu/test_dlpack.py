"""Memory of devices is shared with other libraries, without a copy, by DLPack."""

from __future__ import annotations

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
import tapegrad.torch as torch
from tapegrad.torch.utils.dlpack import from_dlpack, to_dlpack

from .standin import DeviceArray, counts, to_device, to_host, xp

pytestmark = pytest.mark.usefixtures("gpus")


class Foreign:
    """An array of another library on the GPU."""

    def __init__(self, inner):
        self.inner = inner

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return self.inner.__dlpack__(max_version=max_version)

    def __dlpack_device__(self):
        return 2, 0


def test_tensors_go_out_and_come_back():
    t = torch.arange(3.0, device="cuda")
    counts.clear()
    assert t.__dlpack_device__() == (2, 0)
    shared = xp.from_dlpack(t)
    shared += 1
    assert t.tolist() == [1.0, 2.0, 3.0]
    back = torch.from_dlpack(shared)
    assert back.is_cuda
    back.mul_(2)
    assert to_host(shared).tolist() == t.tolist() == [2.0, 4.0, 6.0]
    assert not counts["uploads"]
    assert not counts["downloads"]
    with pytest.raises(BufferError, match="require gradient"):
        xp.from_dlpack(t.clone().requires_grad_())


def test_arrays_of_another_library():
    source = np.arange(3.0, dtype=np.float32)
    t = torch.from_dlpack(Foreign(source))
    assert t.device == torch.device("cuda", 0)
    x = tnp.from_dlpack(Foreign(source))
    assert type(x) is DeviceArray
    x[0] = 7.0
    assert t.tolist() == [7.0, 1.0, 2.0]
    g = tg.grad(lambda x: (x * x).sum())(x)
    assert to_host(g).tolist() == [14.0, 2.0, 4.0]
    assert tnp.from_dlpack(source).base is not None


def test_recorded_arrays_share_their_values():
    seen = []

    def f(x):
        seen.append(xp.from_dlpack(tg.stop_gradient(x)))
        with pytest.raises(TypeError, match=r"x.__dlpack__\(\)"):
            xp.from_dlpack(x)
        return x.sum()

    x = to_device(np.ones(2))
    tg.grad(f)(x)
    assert to_host(seen[0]).tolist() == [1.0, 1.0]


def test_capsules():
    for device in ("cpu", "cuda"):
        t = torch.ones(2, device=device)
        shared = from_dlpack(to_dlpack(t))
        assert shared.device == t.device
        shared.add_(1)
        assert t.tolist() == [2.0, 2.0]
    versioned = from_dlpack(t.__dlpack__(max_version=(1, 0)))
    assert versioned.device == t.device
    capsule = to_dlpack(torch.ones(2))
    from_dlpack(capsule)
    with pytest.raises(BufferError, match="can be taken once"):
        from_dlpack(capsule)
    with pytest.raises(TypeError, match="or a capsule of to_dlpack, not list"):
        from_dlpack([1.0])


def test_copies_that_are_asked_for():
    t = torch.ones(2, device="cuda")
    assert torch.from_dlpack(t, device="cpu").device == torch.device("cpu")
    other = torch.from_dlpack(t, copy=True)
    other.add_(1)
    assert t.tolist() == [1.0, 1.0]
    with pytest.raises(BufferError, match="would have to copy"):
        torch.from_dlpack(t, device="cpu", copy=False)


def test_without_a_gpu(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("tapegrad.backend.gpu", lambda: (None, "there is none"))
        with pytest.raises(BufferError, match=r"no GPU can be used here: there is none\. Copy"):
            tnp.from_dlpack(Foreign(np.ones(2)))
