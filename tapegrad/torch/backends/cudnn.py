"""`torch.backends.cudnn`."""

enabled = False
benchmark = False
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """Whether cuDNN is used: it is not."""
    return False


def version() -> None:
    """The version of cuDNN: None, as it is not used."""
