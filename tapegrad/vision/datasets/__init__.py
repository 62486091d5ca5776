"""Data sets of images, with the names and the folders of `torchvision.datasets`."""

from ..transforms.modes import (
    BICUBIC,
    BILINEAR,
    FLIP_LEFT_RIGHT,
    FLIP_TOP_BOTTOM,
    LANCZOS,
    NEAREST,
)
from .base import StandardTransform, VisionDataset
from .cifar import CIFAR10, CIFAR100
from .errors import UnsafeArchiveError
from .files import check_md5, download_file, extract_archive
from .folder import DatasetFolder, ImageFolder, default_loader, make_dataset
from .labelled import SVHN, Flowers102, LFWPeople, OxfordIIITPet
from .made import Digits, FakeData
from .mnist import EMNIST, KMNIST, MNIST, QMNIST, EasyMNIST, FashionMNIST

__all__ = [
    "BICUBIC",
    "BILINEAR",
    "CIFAR10",
    "CIFAR100",
    "EMNIST",
    "FLIP_LEFT_RIGHT",
    "FLIP_TOP_BOTTOM",
    "KMNIST",
    "LANCZOS",
    "MNIST",
    "NEAREST",
    "QMNIST",
    "SVHN",
    "DatasetFolder",
    "Digits",
    "EasyMNIST",
    "FakeData",
    "FashionMNIST",
    "Flowers102",
    "ImageFolder",
    "LFWPeople",
    "OxfordIIITPet",
    "StandardTransform",
    "UnsafeArchiveError",
    "VisionDataset",
    "check_md5",
    "default_loader",
    "download_file",
    "extract_archive",
    "make_dataset",
]
