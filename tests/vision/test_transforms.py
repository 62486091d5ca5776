"""Transforms: beside torchvision's results, and what they do with probability and to a degree."""

import re

import numpy as np
import pytest
from PIL import Image

import tapegrad.torch as torch
from tapegrad import nn
from tapegrad.vision import transforms

from .cases import RECORDED, array, cases, image, result

recorded = np.load(RECORDED)


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case[0])
def test_same_as_torchvision(case):
    name, form, _, function, *_ = case
    got, expected = result(transforms, torch, *case[1:]), recorded[name]
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if form == "float32":
        np.testing.assert_allclose(got, expected, atol=2e-6)
    elif form == "uint8" and function == "resize":  # where a sum ends in about .5
        wrong = np.abs(got.astype(int) - expected)
        assert wrong.max() <= 1
        assert wrong.mean() < 0.05
    else:
        np.testing.assert_array_equal(got, expected)


def test_grey_in_three_channels():
    assert transforms.functional.rgb_to_grayscale(torch.ones(1, 2, 2), 3).shape == (3, 2, 2)


def test_arrays_give_arrays():
    pixels = array("RGB").transpose(2, 0, 1)
    for name, args in (("hflip", ()), ("rotate", (30,)), ("adjust_hue", (0.1,))):
        got = getattr(transforms.functional, name)(pixels, *args)
        assert type(got) is np.ndarray
        assert np.array_equal(
            got, getattr(transforms.functional, name)(torch.tensor(pixels), *args).numpy()
        )
    assert all(type(x) is np.ndarray for x in transforms.FiveCrop(4)(pixels))


@pytest.mark.parametrize(
    ("mode", "dtype", "factor"),
    [
        *(("L", np.uint8, 1 / 255), ("RGB", np.uint8, 1 / 255), ("RGBA", np.uint8, 1 / 255)),
        *(("1", bool, 1), ("I", np.int32, 1), ("F", np.float32, 1), ("I;16", np.int16, 1)),
    ],
)
def test_to_tensor(mode, dtype, factor):
    img = image("RGB").convert("L" if mode == "I;16" else mode)
    img = Image.fromarray(np.asarray(img).astype(np.uint16)) if mode == "I;16" else img
    x = transforms.ToTensor()(img)
    pixels = np.asarray(img).astype(np.float64)
    pixels = pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)
    np.testing.assert_allclose(x.numpy(), pixels * factor, rtol=1e-6)
    assert x.is_contiguous()
    assert x.dtype is (
        torch.float32 if dtype in (np.uint8, bool) else torch.from_numpy(np.zeros(1, dtype)).dtype
    )


def test_to_tensor_of_arrays():
    assert transforms.ToTensor()(np.zeros((4, 5, 3), np.uint8)).shape == (3, 4, 5)
    assert transforms.ToTensor()(np.full((4, 5), 255, np.uint8)).tolist() == [[[1.0] * 5] * 4]
    assert transforms.ToTensor()(np.ones((4, 5, 2), np.int64)).dtype is torch.int64
    with pytest.raises(TypeError, match="pic should be PIL Image or ndarray"):
        transforms.ToTensor()(torch.ones(3, 2, 2))
    with pytest.raises(ValueError, match=r"should be 2/3 dimensional\. Got 4"):
        transforms.ToTensor()(np.zeros((1, 2, 2, 3)))


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "LA", "I", "F", "CMYK", "HSV"])
def test_there_and_back(mode):
    img = image("RGB").convert(mode)
    back = transforms.ToPILImage(mode)(transforms.PILToTensor()(img))
    assert back.mode == mode
    assert np.array_equal(np.asarray(back), np.asarray(img))


def test_to_pil_image():
    assert (
        np.asarray(transforms.ToPILImage()(torch.full((1, 2, 2), 0.5))).tolist() == [[127, 127]] * 2
    )
    assert transforms.ToPILImage()(np.zeros((2, 2, 3), np.uint8)).mode == "RGB"
    with pytest.raises(ValueError, match="should not have > 4 channels"):
        transforms.ToPILImage()(torch.ones(5, 2, 2))
    with pytest.raises(ValueError, match=r"Incorrect mode \(RGB\)"):
        transforms.ToPILImage("RGB")(np.zeros((2, 2), np.uint8))
    with pytest.raises(TypeError, match="Input type int64 is not supported"):
        transforms.ToPILImage()(np.zeros((2, 2), np.int64))
    with pytest.raises(TypeError, match="pic should be Tensor or ndarray"):
        transforms.ToPILImage()([1])


@pytest.mark.parametrize(
    ("x", "to", "expected"),
    [  # recorded from torchvision 0.28.0
        (torch.tensor([0.0, 0.5, 1.0]), torch.uint8, [0, 127, 255]),
        (torch.tensor([0, 128, 255], dtype=torch.uint8), torch.float32, [0.0, 128 / 255, 1.0]),
        (torch.tensor([0, 128, 255], dtype=torch.uint8), torch.int32, [0, 1 << 30, 255 << 23]),
        (torch.tensor([0, 1 << 30], dtype=torch.int32), torch.uint8, [0, 128]),
        (torch.tensor([0.25], dtype=torch.float64), torch.float32, [0.25]),
    ],
)
def test_convert_image_dtype(x, to, expected):
    got = transforms.ConvertImageDtype(to)(x)
    assert got.dtype is to
    np.testing.assert_allclose(got.tolist(), expected, rtol=1e-6)


def test_convert_image_dtype_refuses_what_would_overflow():
    with pytest.raises(RuntimeError, match=r"The cast from torch\.float32 to torch\.int32 cannot"):
        transforms.ConvertImageDtype(torch.int32)(torch.ones(1))


def test_normalize():
    x = torch.tensor([[[1.0]], [[2.0]]])
    assert transforms.Normalize((0.5, 1.0), (0.5, 2.0))(x).tolist() == [[[1.0]], [[0.5]]]
    assert x.tolist() == [[[1.0]], [[2.0]]]
    assert transforms.Normalize([1.0], [2.0], inplace=True)(x) is x
    assert x.tolist() == [[[0.0]], [[0.5]]]
    with pytest.raises(TypeError, match="should be a float tensor"):
        transforms.Normalize(0.5, 0.5)(torch.ones(1, 2, 2, dtype=torch.uint8))
    with pytest.raises(ValueError, match="std evaluated to zero"):
        transforms.Normalize(0.5, 0.0)(x)
    with pytest.raises(ValueError, match=r"size \(\.\.\., C, H, W\)"):
        transforms.Normalize(0.5, 1.0)(torch.ones(2))
    with pytest.raises(TypeError, match="img should be Tensor Image"):
        transforms.Normalize(0.5, 1.0)(image("L"))


@pytest.mark.parametrize(
    "transform",
    [
        transforms.Normalize(0.5, 0.25),
        transforms.Resize(3),
        transforms.RandomRotation((20, 20), interpolation=2),
        transforms.GaussianBlur(3, 1.0),
        transforms.Pad(1),
        transforms.CenterCrop(3),
        transforms.Brightness(0.5),
        transforms.Saturation(0.5),
    ],
)
def test_gradients_flow(transform):
    generator = np.random.default_rng(0)
    pixels = generator.uniform(0.2, 0.8, (3, 5, 6))
    x = torch.tensor(pixels, requires_grad=True)
    transform(x).sum().backward()
    step = 1e-6 * generator.standard_normal(x.shape)
    forth = (
        transform(torch.tensor(pixels + step)).sum() - transform(torch.tensor(pixels - step)).sum()
    )
    assert abs(forth.item() / 2 - (x.grad.numpy() * step).sum()) < 1e-11


def test_linear_transformation():
    x = torch.arange(4.0).reshape(1, 2, 2)
    got = transforms.LinearTransformation(2 * torch.eye(4), torch.ones(4))(x)
    assert got.tolist() == [[[-2, 0], [2, 4]]]
    with pytest.raises(ValueError, match="should be square"):
        transforms.LinearTransformation(torch.ones(2, 3), torch.ones(2))


def test_boxes():
    boxes = torch.tensor([[0, 0, 4, 4], [1, 1, 1, 5], [-1, 0, 3, 3], [2, 2, 99, 5]])
    target = {"boxes": boxes, "labels": torch.arange(4), "id": 7}
    img, got = transforms.SanitizeBoundingBox()(image("RGB"), target)
    assert img.size == (16, 12)
    assert got["boxes"].tolist() == [[0, 0, 4, 4]]
    assert got["labels"].tolist() == [0]
    assert got["id"] == 7
    with pytest.raises(ValueError, match="needs an image and a dict with 'boxes'"):
        transforms.SanitizeBoundingBox()(img, {})


LARGE = array("RGB").repeat(3, 0).repeat(3, 1)
IMAGES = [Image.fromarray(LARGE), torch.tensor(LARGE.transpose(2, 0, 1).copy())]
RANDOM = [
    transforms.RandomCrop(5, padding=2, padding_mode="reflect"),
    transforms.RandomCrop((40, 55), pad_if_needed=True),
    transforms.RandomCrop((30, 60), pad_if_needed=True),
    transforms.RandomResizedCrop(6),
    transforms.RandomHorizontalFlip(),
    transforms.RandomVerticalFlip(),
    transforms.RandomInvert(),
    transforms.RandomAutocontrast(),
    transforms.RandomEqualize(),
    transforms.RandomPosterize(2),
    transforms.RandomSolarize(100),
    transforms.RandomAdjustSharpness(2),
    transforms.RandomGrayscale(),
    transforms.RandomRotation(30, expand=True),
    transforms.RandomAffine(20, (0.1, 0.2), (0.8, 1.2), (5, 10, -5, 5), fill=3),
    transforms.RandomPerspective(),
    transforms.ColorJitter(0.4, 0.4, 0.4, 0.1),
    transforms.GaussianBlur(3),
    transforms.ElasticTransform(),
    transforms.AutoAugment(transforms.AutoAugmentPolicy.CIFAR10),
    transforms.AutoAugment(transforms.AutoAugmentPolicy.SVHN, fill=5),
    transforms.AutoAugment(),
    transforms.RandAugment(4),
    transforms.TrivialAugmentWide(),
    transforms.AugMix(),
    transforms.RandomApply([transforms.RandomInvert(1.0)]),
]


@pytest.mark.parametrize("transform", RANDOM, ids=lambda t: type(t).__name__)
@pytest.mark.parametrize("img", IMAGES, ids=["picture", "tensor"])
def test_random_transforms(transform, img):
    def drawn():
        torch.manual_seed(3)
        return [np.asarray(transform(img)) for _ in range(25)]

    first = drawn()
    assert all(x.dtype == np.uint8 for x in first)
    assert any(a.shape != first[0].shape or (a != first[0]).any() for a in first)
    assert all(np.array_equal(a, b) for a, b in zip(first, drawn(), strict=True))


def test_how_often():
    torch.manual_seed(0)
    x = torch.tensor([[[1.0, 2.0]]])
    flipped = sum(transforms.RandomHorizontalFlip(0.3)(x)[0, 0, 0].item() == 2 for _ in range(2000))
    assert abs(flipped / 2000 - 0.3) < 0.04


def test_random_erasing():
    torch.manual_seed(0)
    x = torch.ones(3, 10, 10)
    sizes = [
        (transforms.RandomErasing(1.0, (0.1, 0.2))(x) == 0).sum().item() / 300 for _ in range(200)
    ]
    assert all(0.05 < size < 0.25 for size in sizes)
    assert (x == 1).all()
    coloured = transforms.RandomErasing(1.0, value=(2, 3, 4))(x)
    assert set(coloured[1].flatten().tolist()) == {1.0, 3.0}
    assert transforms.RandomErasing(1.0, value="random")(x).unique().numel() > 10
    assert transforms.RandomErasing(0.0)(x) is x
    assert transforms.RandomErasing(1.0, inplace=True)(x) is x


def test_parameters_are_within_limits():
    torch.manual_seed(1)
    for _ in range(100):
        i, j, h, w = transforms.RandomResizedCrop.get_params(image("RGB"), (0.3, 0.9), (0.5, 2.0))
        assert 0 <= i <= 12 - h
        assert 0 <= j <= 16 - w
        assert 0.2 < h * w / 192 < 1
        angle, moved, scale, shear = transforms.RandomAffine.get_params(
            (-10, 20), (0.5, 0.25), (0.5, 2), (1, 2, 3, 4), (16, 12)
        )
        assert -10 <= angle <= 20
        assert abs(moved[0]) <= 8
        assert abs(moved[1]) <= 3
        assert 0.5 <= scale <= 2
        assert 1 <= shear[0] <= 2
        assert 3 <= shear[1] <= 4
    assert transforms.RandomResizedCrop.get_params(torch.ones(1, 2, 50), (1, 1), (1, 1)) == (
        0,
        24,
        2,
        2,
    )


def test_compositions():
    flip = transforms.RandomHorizontalFlip(1.0)
    chain = transforms.Compose([flip, flip, transforms.ToTensor()])
    assert torch.equal(chain(image("L")), transforms.ToTensor()(image("L")))
    assert transforms.Lambda(lambda x: x + 1)(1) == 2
    assert transforms.RandomOrder([flip, transforms.ToTensor()]) is not None
    assert (
        transforms.RandomChoice(
            [transforms.Lambda(lambda x: 1), transforms.Lambda(lambda x: 2)], p=[0, 1]
        )(0)
        == 2
    )
    assert transforms.RandomOrder([transforms.Lambda(lambda x: x + 1)] * 3)(0) == 3
    x = torch.rand(3, 6, 6)
    assert nn.Sequential(transforms.CenterCrop(4), transforms.Normalize(0.5, 0.5))(x).shape == (
        3,
        4,
        4,
    )


def test_crops():
    five = transforms.FiveCrop((4, 5))(image("RGB"))
    assert [x.size for x in five] == [(5, 4)] * 5
    ten = transforms.TenCrop(4)(IMAGES[1])
    assert torch.equal(ten[5], IMAGES[1].flip(-1)[:, :4, :4])
    with pytest.raises(ValueError, match="is bigger than input size"):
        transforms.FiveCrop(20)(image("L"))


@pytest.mark.parametrize(
    ("transform", "text"),
    [  # recorded from torchvision 0.28.0
        (
            transforms.Resize(5),
            "Resize(size=5, interpolation=bilinear, max_size=None, antialias=True)",
        ),
        (transforms.CenterCrop(5), "CenterCrop(size=(5, 5))"),
        (transforms.Normalize((0.5,), (0.5,)), "Normalize(mean=(0.5,), std=(0.5,))"),
        (transforms.RandomHorizontalFlip(), "RandomHorizontalFlip(p=0.5)"),
        (transforms.ToTensor(), "ToTensor()"),
        (transforms.Pad(1), "Pad(padding=1, fill=0, padding_mode=constant)"),
        (transforms.Compose([transforms.ToTensor()]), "Compose(\n    ToTensor()\n)"),
    ],
)
def test_text(transform, text):
    assert repr(transform) == text


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: transforms.Resize([1, 2, 3]), "it should have 1 or 2 values"),
        (lambda: transforms.Resize(1.5), "Size should be int or sequence"),
        (
            lambda: transforms.CenterCrop((1, 2, 3)),
            "Please provide only two dimensions (h, w) for size",
        ),
        (lambda: transforms.Pad((1, 2, 3)), "Padding must be an int or a 1, 2, or 4 element tuple"),
        (
            lambda: transforms.Pad(1, padding_mode="x"),
            "Padding mode should be either constant, edge",
        ),
        (lambda: transforms.ColorJitter(hue=0.6), "hue values should be between (-0.5, 0.5)"),
        (lambda: transforms.ColorJitter(-1), "it must be non negative"),
        (
            lambda: transforms.RandomRotation(-1),
            "If degrees is a single number, it must be positive",
        ),
        (
            lambda: transforms.RandomAffine(1, (2, 0)),
            "translation values should be between 0 and 1",
        ),
        (lambda: transforms.RandomAffine(1, None, (0, 1)), "scale values should be positive"),
        (
            lambda: transforms.GaussianBlur(2),
            "Kernel size value should be an odd and positive number",
        ),
        (lambda: transforms.RandomErasing(2), "probability should be between 0 and 1"),
        (lambda: transforms.RandomErasing(value="x"), "it should be 'random'"),
        (lambda: transforms.AugMix(11), "The severity must be between 1 and 10"),
        (lambda: transforms.RandomCrop(30)(image("L")), "is larger than input image size"),
        (
            lambda: transforms.functional.adjust_hue(image("L"), 1),
            "hue_factor (1) is not in [-0.5, 0.5]",
        ),
        (
            lambda: transforms.functional.rotate(IMAGES[1], 3, 3),
            "interpolation='bicubic' of tensors",
        ),
        (
            lambda: transforms.functional.pad(image("RGB"), 1, (1, 2)),
            "does not match the number of channels",
        ),
        (lambda: transforms.functional.hflip(3), "img should be PIL Image, Tensor or array"),
        (
            lambda: transforms.functional.invert(torch.ones(2, 3, 3)),
            "permitted channel values are [1, 3]",
        ),
        (
            lambda: transforms.functional.equalize(torch.ones(1, 3, 3)),
            "Only torch.uint8 image tensors",
        ),
        (lambda: transforms.Lambda(3), "Argument lambd should be callable"),
    ],
)
def test_errors(make, text):
    with pytest.raises((ValueError, TypeError, NotImplementedError), match=re.escape(text)):
        make()


def test_ranges_the_wrong_way_round():
    with pytest.warns(UserWarning, match=r"should be of kind \(min, max\)"):
        transforms.RandomResizedCrop(3, (1.0, 0.5))
