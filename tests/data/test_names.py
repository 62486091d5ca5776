"""The names that programs import from the data, vision and file modules of other frameworks."""

from importlib import import_module

import pytest

import tapegrad.torch as torch
from tapegrad.folders import get_data_root
from tapegrad.nn.utils import clip_grad_norm_

NAMES = {
    "tapegrad.torch.serialization": """
        DEFAULT_PROTOCOL MAGIC_NUMBER PROTOCOL_VERSION load save
    """,
    "tapegrad.torch.utils": """
        DataLoader Dataset TensorDataset clip_grad_norm_ clip_grad_value_ default_collate
        get_data_root get_project_root
    """,
    "tapegrad.data": """
        DataLoader Dataset TensorDataset clip_grad_norm_ clip_grad_value_ default_collate
    """,
    "tapegrad.vision.datasets": """
        BICUBIC BILINEAR CIFAR10 CIFAR100 DatasetFolder EasyMNIST FLIP_LEFT_RIGHT
        FLIP_TOP_BOTTOM FashionMNIST Flowers102 ImageFolder LANCZOS LFWPeople MNIST NEAREST
        OxfordIIITPet SVHN check_md5 default_loader download_file extract_archive
    """,
    "tapegrad.vision.transforms": """
        AutoAugment AutoContrast BICUBIC BILINEAR Brightness CenterCrop ColorJitter Compose
        Contrast ConvertImageDtype Equalize FLIP_LEFT_RIGHT FLIP_TOP_BOTTOM FiveCrop
        GaussianBlur Grayscale Hue InterpolationMode Invert LANCZOS Lambda NEAREST Normalize
        PILToTensor Pad Posterize RandAugment RandomAffine RandomCrop RandomErasing
        RandomGrayscale RandomHorizontalFlip RandomPerspective RandomResizedCrop
        RandomRotation RandomVerticalFlip Resize SanitizeBoundingBox Saturation Sharpness
        Solarize TenCrop ToPILImage ToTensor Transform TrivialAugmentWide
    """,
}


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module in NAMES for name in NAMES[module].split()]
)
def test_the_name_is_there(module, name):
    assert getattr(import_module(module), name) is not None


def test_names_in_two_places_are_one_thing():
    assert torch.utils.get_data_root is get_data_root
    assert torch.utils.data.clip_grad_norm_ is torch.utils.clip_grad_norm_ is clip_grad_norm_
    assert torch.utils.DataLoader is torch.utils.data.DataLoader
    assert not hasattr(torch.utils, "nonsense")
    assert not hasattr(torch.utils.data, "nonsense")
