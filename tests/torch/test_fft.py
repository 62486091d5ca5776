"""Fourier transforms. Values are PyTorch's."""

import pytest

import tapegrad.torch as torch

from .values import C, W, X, same

CASES = [
    (
        lambda: torch.fft.fft(X[0]),
        (
            "complex64",
            [complex(-0.25, 0.0), complex(2.375, 1.94855714), complex(2.375, -1.94855714)],
        ),
    ),
    (lambda: torch.fft.ifft(C), ("complex64", [complex(0.5, 0.75), complex(0.5, 1.25)])),
    (
        lambda: torch.fft.rfft(X, dim=0),
        (
            "complex64",
            [
                [complex(4.5, 0.0), complex(-1.5, 0.0), complex(-0.75, 0.0)],
                [complex(-1.5, 0.0), complex(-2.5, 0.0), complex(1.25, 0.0)],
            ],
        ),
    ),
    (lambda: torch.fft.irfft(torch.fft.rfft(X[0]), n=3), ("float32", [1.5, -2.0, 0.25])),
    (
        lambda: torch.fft.fft2(X),
        (
            "complex64",
            [
                [complex(2.25, 0.0), complex(5.625, 0.649519086), complex(5.625, -0.649519086)],
                [complex(-2.75, 0.0), complex(-0.875, 3.24759531), complex(-0.875, -3.24759531)],
            ],
        ),
    ),
    (
        lambda: torch.fft.fftn(X, dim=(0,), norm="ortho"),
        (
            "complex64",
            [
                [complex(3.18198037, 0.0), complex(-1.06066012, 0.0), complex(-0.530330062, 0.0)],
                [complex(-1.06066012, 0.0), complex(-1.76776695, 0.0), complex(0.883883476, 0.0)],
            ],
        ),
    ),
    (
        lambda: torch.fft.rfft(X[0], n=5),
        (
            "complex64",
            [
                complex(-0.25, 0.0),
                complex(0.679711759, 1.75516677),
                complex(3.19528818, 1.41333461),
            ],
        ),
    ),
    (lambda: torch.fft.hfft(C), ("float32", [1.0, 1.0])),
    (
        lambda: torch.fft.ihfft(X[0]),
        ("complex64", [complex(-0.0833333731, -0.0), complex(0.791666687, -0.649519026)]),
    ),
    (
        lambda: torch.fft.fftfreq(5, 0.5),
        ("float32", [0.0, 0.400000006, 0.800000012, -0.800000012, -0.400000006]),
    ),
    (lambda: torch.fft.rfftfreq(4), ("float32", [0.0, 0.25, 0.5])),
    (lambda: torch.fft.fftshift(torch.arange(5)), ("int64", [3, 4, 0, 1, 2])),
    (lambda: torch.fft.ifftshift(torch.arange(5)), ("int64", [2, 3, 4, 0, 1])),
    (
        lambda: torch.fft.fft(W[0]),
        ("complex64", [complex(3.0, 0.0), complex(-1.5, 0.866025388), complex(-1.5, -0.866025388)]),
    ),
]


@pytest.mark.parametrize(("compute", "expected"), CASES)
def test_values(compute, expected):
    same(compute(), expected)


def test_gradient_of_the_spectrum():
    x = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
    torch.fft.rfft(x).abs().square().sum().backward()
    same(x.grad, ("float32", [2.50000024, -6.5, 0.999999762]))
