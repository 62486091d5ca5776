"""`torch.backends.cuda`."""

from dataclasses import dataclass


@dataclass
class Products:
    """How matrices are multiplied on a GPU."""

    allow_tf32: bool = False
    allow_fp16_reduced_precision_reduction: bool = True
    allow_bf16_reduced_precision_reduction: bool = True


matmul = Products()


def is_built() -> bool:
    """Whether PyTorch's own kernels for CUDA are here: they are not."""
    return False
