"""`torch.backends.mkldnn`."""


def is_available() -> bool:
    """Whether it is used: it is not."""
    return False
