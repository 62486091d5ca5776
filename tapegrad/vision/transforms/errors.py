"""What transforms say when they are used wrongly: torchvision's words, and advice."""

from __future__ import annotations

from typing import Any


def not_an_image(img: Any) -> TypeError:
    return TypeError(
        f"img should be PIL Image, Tensor or array. Got {type(img)}. Open a file by PIL.Image.open."
    )


def not_a_tensor(img: Any) -> TypeError:
    return TypeError(
        f"img should be Tensor Image. Got {type(img)}. Put transforms.ToTensor() before this one."
    )


def not_a_picture(pic: Any) -> TypeError:
    return TypeError(f"pic should be PIL Image or ndarray. Got {type(pic)}.")


def not_convertible(pic: Any) -> TypeError:
    return TypeError(f"pic should be Tensor or ndarray. Got {type(pic)}.")


def picture_axes(ndim: int) -> ValueError:
    return ValueError(f"pic should be 2/3 dimensional. Got {ndim} dimensions.")


def picture_channels(channels: int) -> ValueError:
    return ValueError(f"pic should not have > 4 channels. Got {channels} channels.")


def picture_mode(mode: Any, known: Any, dtype: Any) -> ValueError:
    return ValueError(
        f"Incorrect mode ({mode}) supplied for input type {dtype}. Should be {known}: pass another "
        "mode, or none."
    )


def picture_dtype(dtype: Any) -> TypeError:
    return TypeError(f"Input type {dtype} is not supported. Convert it to uint8 or float32.")


def image_axes(shape: Any) -> TypeError:
    return TypeError(
        f"Tensor is not a torch image: it needs axes (..., channels, height, width), but its shape "
        f"is {tuple(shape)}."
    )


def channels(permitted: Any, found: int) -> TypeError:
    return TypeError(
        f"Input image tensor permitted channel values are {permitted}, but found {found}"
    )


def only_bytes(dtype: Any) -> TypeError:
    return TypeError(f"Only torch.uint8 image tensors are supported, but found {dtype}")


def unsafe_cast(source: Any, to: Any) -> RuntimeError:
    return RuntimeError(f"The cast from {source} to {to} cannot be performed safely.")


def not_floating(dtype: Any) -> TypeError:
    return TypeError(
        f"Input tensor should be a float tensor. Got {dtype}. Put ToTensor() or "
        "ConvertImageDtype(torch.float32) before Normalize."
    )


def normalise_axes(size: Any) -> ValueError:
    return ValueError(
        f"Expected tensor to be a tensor image of size (..., C, H, W). Got tensor.size() = {size}"
    )


def zero_std(dtype: Any) -> ValueError:
    return ValueError(
        f"std evaluated to zero after conversion to {dtype}, leading to division by zero."
    )


def out_of_range(name: str, value: float, low: float, high: float) -> ValueError:
    return ValueError(f"{name} ({value}) is not in [{low}, {high}].")


def negative(name: str, value: float) -> ValueError:
    return ValueError(f"{name} ({value}) is not non-negative.")


def bad(what: str, given: Any) -> ValueError:
    return ValueError(f"{what}. Got {given!r}.")


def bad_type(what: str, given: Any) -> TypeError:
    return TypeError(f"{what}. Got {type(given)}.")


def two_sizes(given: Any) -> ValueError:
    return ValueError(f"Please provide only two dimensions (h, w) for size. Got {given!r}.")


def crop_too_large(crop: Any, image: Any) -> ValueError:
    return ValueError(f"Requested crop size {crop} is bigger than input size {image}")


def random_crop_too_large(crop: Any, image: Any) -> ValueError:
    return ValueError(
        f"Required crop size {crop} is larger than input image size {image}. Pass padding, or "
        "pad_if_needed=True."
    )


def no_such_mode(mode: str, known: Any) -> NotImplementedError:
    return NotImplementedError(
        f"interpolation={mode!r} of tensors is not supported, only {known}. Use a PIL image."
    )


def fill_channels(given: int, wanted: int) -> ValueError:
    return ValueError(
        "The number of elements in 'fill' does not match the number of channels of the image "
        f"({given} != {wanted})"
    )


def no_boxes() -> ValueError:
    return ValueError(
        "SanitizeBoundingBox needs an image and a dict with 'boxes', (n, 4) as x1, y1, x2, y2."
    )


def several_images() -> TypeError:
    return TypeError(
        "a chain transforms one image; labels that are numbers may come with it, masks and boxes "
        "may not. Transform these in the data set, with the functions of transforms.functional."
    )


def noise_of_integers(dtype: Any) -> ValueError:
    return ValueError(
        f"Input tensor is expected to be in float dtype, got dtype={dtype}. Put "
        "ToDtype(torch.float32, scale=True) before this one."
    )


def no_batch(images: Any, labels: Any) -> ValueError:
    return ValueError(
        "expected a batch of images (n, channels, height, width) with labels (n,) or weights of "
        f"classes (n, k), but got shapes {images} and {labels}. Mix after batches are made, in a "
        "collate_fn or in the loop."
    )
