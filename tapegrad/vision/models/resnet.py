"""Residual networks (K. He et al., Deep residual learning for image recognition, 2015).

The names of parameters are torchvision's, so its weights can be loaded.
"""

from __future__ import annotations

from typing import Any

from ... import torch
from ...nn import init
from ...nn.modules.activation import ReLU
from ...nn.modules.batchnorm import BatchNorm2d
from ...nn.modules.container import Sequential
from ...nn.modules.conv import Conv2d
from ...nn.modules.linear import Linear
from ...nn.modules.module import Module
from ...nn.modules.pooling import AdaptiveAvgPool2d, MaxPool2d

__all__ = ["ResNet", "resnet18", "resnet34", "resnet50", "resnet101", "resnet152"]


class BasicBlock(Module):
    """Two convolutions 3 x 3, added to what comes in."""

    expansion = 1

    def __init__(self, inplanes: int, planes: int, stride: int = 1, downsample: Any = None) -> None:
        super().__init__()
        self.conv1 = Conv2d(inplanes, planes, 3, stride, 1, bias=False)
        self.bn1 = BatchNorm2d(planes)
        self.relu = ReLU(inplace=True)
        self.conv2 = Conv2d(planes, planes, 3, 1, 1, bias=False)
        self.bn2 = BatchNorm2d(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Any) -> Any:
        """The block's result, ``(n, planes, h / stride, w / stride)``."""
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


class Bottleneck(Module):
    """Convolutions 1 x 1, 3 x 3 and 1 x 1, added to what comes in; the stride is in the second."""

    expansion = 4

    def __init__(self, inplanes: int, planes: int, stride: int = 1, downsample: Any = None) -> None:
        super().__init__()
        self.conv1 = Conv2d(inplanes, planes, 1, bias=False)
        self.bn1 = BatchNorm2d(planes)
        self.conv2 = Conv2d(planes, planes, 3, stride, 1, bias=False)
        self.bn2 = BatchNorm2d(planes)
        self.conv3 = Conv2d(planes, planes * self.expansion, 1, bias=False)
        self.bn3 = BatchNorm2d(planes * self.expansion)
        self.relu = ReLU(inplace=True)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Any) -> Any:
        """The block's result, ``(n, 4 planes, h / stride, w / stride)``."""
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


class ResNet(Module):
    """A residual network of four stages, whose numbers of blocks are `layers`."""

    def __init__(
        self,
        block: type[BasicBlock] | type[Bottleneck],
        layers: list[int],
        num_classes: int = 1000,
        zero_init_residual: bool = False,
    ) -> None:
        super().__init__()
        self.inplanes = 64
        self.conv1 = Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = BatchNorm2d(64)
        self.relu = ReLU(inplace=True)
        self.maxpool = MaxPool2d(3, 2, 1)
        self.layer1 = self._stage(block, 64, layers[0], 1)
        self.layer2 = self._stage(block, 128, layers[1], 2)
        self.layer3 = self._stage(block, 256, layers[2], 2)
        self.layer4 = self._stage(block, 512, layers[3], 2)
        self.avgpool = AdaptiveAvgPool2d((1, 1))
        self.fc = Linear(512 * block.expansion, num_classes)
        for module in self.modules():
            if isinstance(module, Conv2d):
                init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
            elif zero_init_residual and isinstance(module, Bottleneck):
                init.zeros_(module.bn3.weight)
            elif zero_init_residual and isinstance(module, BasicBlock):
                init.zeros_(module.bn2.weight)

    def _stage(self, block: Any, planes: int, blocks: int, stride: int) -> Sequential:
        out = planes * block.expansion
        downsample = None
        if stride != 1 or self.inplanes != out:
            downsample = Sequential(
                Conv2d(self.inplanes, out, 1, stride, bias=False), BatchNorm2d(out)
            )
        first = block(self.inplanes, planes, stride, downsample)
        self.inplanes = out
        return Sequential(first, *(block(out, planes) for _ in range(blocks - 1)))

    def forward(self, x: Any) -> Any:
        """Scores of the classes for images (n, 3, h, w)."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


def made(block: Any, layers: list[int], weights: Any, options: Any) -> ResNet:
    """A residual network with random weights."""
    if weights is not None:
        raise ValueError(
            "no weights come with this package. Pass weights=None, and load torchvision's from a "
            "file: model.load_state_dict(torch.load(path))."
        )
    options.pop("progress", None)
    return ResNet(block, layers, **options)


def resnet18(*, weights: Any = None, **options: Any) -> ResNet:
    """The residual network of 18 layers."""
    return made(BasicBlock, [2, 2, 2, 2], weights, options)


def resnet34(*, weights: Any = None, **options: Any) -> ResNet:
    """The residual network of 34 layers."""
    return made(BasicBlock, [3, 4, 6, 3], weights, options)


def resnet50(*, weights: Any = None, **options: Any) -> ResNet:
    """The residual network of 50 layers."""
    return made(Bottleneck, [3, 4, 6, 3], weights, options)


def resnet101(*, weights: Any = None, **options: Any) -> ResNet:
    """The residual network of 101 layers."""
    return made(Bottleneck, [3, 4, 23, 3], weights, options)


def resnet152(*, weights: Any = None, **options: Any) -> ResNet:
    """The residual network of 152 layers."""
    return made(Bottleneck, [3, 8, 36, 3], weights, options)
