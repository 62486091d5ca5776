"""Names that PyTorch's files use: storages, and the globals of its pickles."""

from __future__ import annotations

from typing import Any

from ..dtypes import ALL, dtype

DEFAULT_PROTOCOL = 2
"""The protocol of pickle that files are written in."""

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001
"""What files began with before PyTorch 1.6; they are not read."""

STORAGES = {
    "float64": "DoubleStorage",
    "float32": "FloatStorage",
    "float16": "HalfStorage",
    "bfloat16": "BFloat16Storage",
    "int64": "LongStorage",
    "int32": "IntStorage",
    "int16": "ShortStorage",
    "int8": "CharStorage",
    "uint8": "ByteStorage",
    "bool": "BoolStorage",
    "complex64": "ComplexFloatStorage",
    "complex128": "ComplexDoubleStorage",
}
"""The class of storage of each dtype; newer dtypes have only an untyped one."""

DTYPE_OF_STORAGE: dict[str, dtype] = {STORAGES[d.name]: d for d in ALL if d.name in STORAGES}


class Global:
    """A name that a pickle refers to. It pickles as a reference to that name."""

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name

    def __reduce_ex__(self, protocol: Any) -> str:
        return self.name

    def __call__(self, *_: Any) -> Any:
        """Nothing here: pickle wants to see that what it writes can be called."""
        raise TypeError(f"{self.module}.{self.name} is a name in a file")
