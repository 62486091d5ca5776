"""Functions that make tensors of sparse layouts in PyTorch. They raise, and say what to use."""

from __future__ import annotations

from typing import Any

from . import errors
from .tensor import Tensor

__all__ = [
    "sparse_bsc_tensor",
    "sparse_bsr_tensor",
    "sparse_compressed_tensor",
    "sparse_coo_tensor",
    "sparse_csc_tensor",
    "sparse_csr_tensor",
]


def refusing(name: str) -> Any:
    """A function that raises."""

    def function(*args: Any, **kwargs: Any) -> Any:
        raise errors.no_sparse(name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Raises: there are no sparse layouts."
    return function


sparse_bsc_tensor = refusing("torch.sparse_bsc_tensor")
sparse_bsr_tensor = refusing("torch.sparse_bsr_tensor")
sparse_compressed_tensor = refusing("torch.sparse_compressed_tensor")
sparse_coo_tensor = refusing("torch.sparse_coo_tensor")
sparse_csc_tensor = refusing("torch.sparse_csc_tensor")
sparse_csr_tensor = refusing("torch.sparse_csr_tensor")

for _name in ("to_sparse", "to_sparse_coo", "to_sparse_csr", "to_sparse_csc"):
    setattr(Tensor, _name, refusing(f"Tensor.{_name}"))
