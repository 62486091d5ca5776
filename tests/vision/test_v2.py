"""The second version of the transforms."""

import numpy as np
import pytest
from PIL import Image

import tapegrad.torch as torch
from tapegrad.vision import transforms
from tapegrad.vision.transforms import v2

PIXELS = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
usual = v2.Compose(
    [
        v2.ToImage(),
        v2.RandomResizedCrop((4, 4), antialias=True),
        v2.RandomHorizontalFlip(p=0.5),
        v2.ToDtype(torch.float32, scale=True),
        v2.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225]),
    ]
)


def test_the_usual_chain():
    x = usual(Image.fromarray(PIXELS))
    assert x.shape == (3, 4, 4)
    assert x.dtype == torch.float32


def test_names_of_the_first_version_are_the_same_things():
    assert v2.Resize is transforms.Resize
    assert v2.functional.resize is transforms.functional.resize
    assert {"Resize", "ToDtype", "functional"} <= set(v2.__all__)
    for name in v2.__all__:
        assert getattr(v2, name) is not None
    for name in v2.functional.__all__:
        assert callable(getattr(v2.functional, name))
    assert not hasattr(v2, "RandomIoUCrop")
    assert not hasattr(v2.functional, "nothing")


def test_images_as_tensors():
    for form in (Image.fromarray(PIXELS), PIXELS):
        x = v2.ToImage()(form)
        assert x.dtype == torch.uint8
        assert x.tolist() == PIXELS.transpose(2, 0, 1).tolist()
        assert v2.ToImage()(x) is x
    assert v2.ToImage()(PIXELS[:, :, 0]).shape == (1, 2, 3)
    with pytest.raises(TypeError, match="pic should be PIL Image or ndarray"):
        v2.ToImage()("text")


def test_dtypes():
    x = v2.ToImage()(PIXELS)
    assert v2.ToDtype(torch.float32)(x).max() == 17
    assert v2.ToDtype(torch.float32, scale=True)(x).max() == torch.tensor(17) / 255
    assert v2.ToDtype(torch.uint8, scale=True)(torch.ones(1, 1, 1)).item() == 255
    picture = Image.fromarray(PIXELS)
    assert v2.ToDtype(torch.float32)(picture) is picture
    with pytest.raises(TypeError, match="a chain transforms one image"):
        v2.ToDtype({torch.Tensor: torch.float32})
    assert repr(v2.ToDtype(torch.float32)) == "ToDtype(dtype=torch.float32, scale=False)"


def test_labels_come_along():
    for label in (3, "cat", None, torch.tensor(3), np.int64(3)):
        for sample in ((PIXELS, label), [PIXELS, label]):
            out = usual(sample)
            assert type(out) is type(sample)
            assert out[0].shape == (3, 4, 4)
            assert out[1] is label
        assert usual(PIXELS, label)[1] is label
    for other in (torch.ones(2, 3), PIXELS, {"boxes": 1}):
        with pytest.raises(TypeError, match="masks and boxes may not"):
            usual(PIXELS, other)
    with pytest.raises(ValueError, match="at least one transform"):
        v2.Compose([])
    with pytest.raises(TypeError, match="should be a sequence"):
        v2.Compose(v2.Identity())


def test_three_channels():
    assert v2.RGB()(torch.ones(2, 1, 4, 5)).shape == (2, 3, 4, 5)
    assert v2.RGB()(torch.ones(1, 4, 5)).shape == (3, 4, 5)
    assert v2.RGB()(Image.new("L", (2, 2))).mode == "RGB"
    x = torch.ones(3, 4, 5)
    assert v2.RGB()(x) is v2.ToPureTensor()(x) is x


def test_noise():
    torch.manual_seed(0)
    noisy = v2.GaussianNoise(0.1, 0.2, clip=False)(torch.zeros(1, 100, 100))
    assert abs(noisy.mean().item() - 0.1) < 0.01
    assert abs(noisy.std().item() - 0.2) < 0.01
    clipped = v2.GaussianNoise(sigma=3)(torch.zeros(1, 9, 9))
    assert clipped.min() == 0
    assert clipped.max() == 1
    with pytest.raises(ValueError, match="expected to be in float dtype"):
        v2.GaussianNoise()(torch.zeros(1, 2, 2, dtype=torch.uint8))
    with pytest.raises(ValueError, match="sigma shouldn't be negative"):
        v2.GaussianNoise(sigma=-1)(torch.zeros(1, 2, 2))
    with pytest.raises(TypeError, match="img should be Tensor Image"):
        v2.GaussianNoise()(Image.new("L", (2, 2)))


@pytest.mark.parametrize("kind", [v2.MixUp, v2.CutMix])
def test_mixtures(kind):
    torch.manual_seed(1)
    images = torch.arange(3.0).reshape(3, 1, 1, 1).expand(3, 1, 16, 16)
    mix = kind(num_classes=3)
    for _ in range(5):
        mixed, labels = mix(images, torch.arange(3))
        assert labels.sum(1).tolist() == pytest.approx([1, 1, 1])
        shares = labels.diagonal()
        means = mixed.mean((1, 2, 3))
        others = torch.tensor([2.0, 0.0, 1.0])
        expected = shares * torch.arange(3.0) + (1 - shares) * others
        np.testing.assert_allclose(means.numpy(), expected.numpy(), atol=1e-6)
    given = kind()(images, torch.eye(3))[1]
    assert given.shape == (3, 3)
    with pytest.raises(ValueError, match="num_classes must be passed"):
        kind()(images, torch.arange(3))
    with pytest.raises(ValueError, match="expected a batch of images"):
        mix(images[0], torch.tensor(0))
    assert images[0].sum() == 0
