"""The words of errors, which users search for, and the types that PyTorch raises."""

import re
import warnings

import numpy as np
import pytest

import tapegrad.torch as torch

F = torch.nn.functional
LABELS = torch.tensor([0, 1])


def ones(*shape):
    return torch.ones(*shape)


def attend(**masks):
    """Attention of 2 heads, for a batch of 2, of 3 queries and 5 keys."""
    layer = torch.nn.MultiheadAttention(4, 2)
    return layer(ones(3, 2, 4), ones(5, 2, 4), ones(5, 2, 4), **masks)


CASES = [
    (lambda: F.silu(torch.tensor([1])), NotImplementedError, "\"silu_cpu\" not implemented"),
    (lambda: F.gelu(ones(2), approximate="erf"), RuntimeError, "either none or tanh"),
    (lambda: F.softshrink(ones(2), -1), RuntimeError, "lambda must be greater or equal to 0"),
    (lambda: F.glu(ones(3)), RuntimeError, "Halving dimension must be even"),
    (lambda: F.prelu(ones(2, 3), ones(2)), RuntimeError, "Mismatch of parameter numbers"),
    (lambda: F.mse_loss(ones(2), ones(2), reduction="all"), ValueError, "not a valid value"),
    (lambda: attend(attn_mask=ones(3, 3)), RuntimeError, "The shape of the 2D attn_mask is"),
    (lambda: attend(attn_mask=ones(2, 3, 5)), RuntimeError, "[2, 3, 5]), but should be (4, 3, 5)"),
    (lambda: attend(attn_mask=ones(1, 1, 3, 5)), AssertionError, "2-D or 3-D but found 4-D tensor"),
    (lambda: attend(key_padding_mask=ones(5, 2)), AssertionError, "to be (2, 5), but got (5, 2)"),
    (lambda: F.cross_entropy(ones(2, 3), torch.tensor([0, 3])), IndexError, "Target 3 is out of"),
    (lambda: F.cross_entropy(ones(3, 3), LABELS), ValueError, "to match target batch_size (2)"),
    (lambda: F.cross_entropy(ones(2, 3), ones(2)), RuntimeError, "expected target dtype to be"),
    (
        lambda: F.cross_entropy(ones(2, 3), LABELS, label_smoothing=2.0),
        RuntimeError,
        "label_smoothing must be between 0.0 and 1.0. Got: 2.0",
    ),
    (
        lambda: F.nll_loss(ones(2, 3), LABELS, ones(2)),
        RuntimeError,
        "weight tensor should be defined either for all 3 classes or no classes",
    ),
    (
        lambda: F.binary_cross_entropy(2 * ones(2), ones(2)),
        RuntimeError,
        "all elements of input should be between 0 and 1",
    ),
    (
        lambda: F.binary_cross_entropy_with_logits(ones(2), ones(3)),
        ValueError,
        "must be the same as input size",
    ),
    (lambda: F.linear(ones(2, 3), ones(4, 5)), RuntimeError, "shapes cannot be multiplied (2x3 an"),
    (
        lambda: F.linear(ones(2, 3), ones(4, 3).double()),
        RuntimeError,
        "mat1 and mat2 must have the same dtype, but got Float and Double",
    ),
    (
        lambda: F.conv2d(ones(1, 3, 5, 5), ones(2, 1, 3, 3)),
        RuntimeError,
        "expected input[1, 3, 5, 5] to have 1 channels, but got 3 channels instead",
    ),
    (
        lambda: F.conv2d(ones(1, 1, 2, 2), ones(1, 1, 3, 3)),
        RuntimeError,
        "Kernel size can't be greater than actual input size",
    ),
    (
        lambda: F.conv2d(ones(5, 5), ones(1, 1, 3, 3)),
        RuntimeError,
        "Expected 3D (unbatched) or 4D (batched) input to conv2d",
    ),
    (
        lambda: F.conv1d(ones(1, 1, 5), ones(1, 1, 3), stride=2, padding="same"),
        RuntimeError,
        "padding='same' is not supported for strided convolutions",
    ),
    (
        lambda: F.conv1d(ones(1, 1, 5), ones(1, 1, 3).double()),
        RuntimeError,
        "should be the same",
    ),
    (
        lambda: F.conv_transpose1d(ones(1, 1, 5), ones(1, 1, 3), output_padding=1),
        RuntimeError,
        "output padding must be smaller than either stride or dilation",
    ),
    (
        lambda: F.max_pool2d(ones(1, 1, 4, 4), 2, padding=2),
        RuntimeError,
        "pad should be at most half of effective kernel size",
    ),
    (lambda: F.avg_pool2d(ones(1, 1, 2, 2), 3), RuntimeError, "Output size is too small"),
    (
        lambda: F.pad(ones(1, 2, 3), (3, 0), "reflect"),
        RuntimeError,
        "Padding size should be less than the corresponding input dimension",
    ),
    (lambda: F.pad(ones(2), (1, 1, 1, 1)), RuntimeError, "two times the input dimension"),
    (
        lambda: F.batch_norm(ones(1, 3), None, None, training=True),
        ValueError,
        "Expected more than 1 value per channel when training, got input size torch.Size([1, 3])",
    ),
    (
        lambda: F.layer_norm(ones(2, 4), (5,)),
        RuntimeError,
        "Given normalized_shape=[5], expected input with shape [*, 5], but got input of size[2, 4]",
    ),
    (lambda: F.group_norm(ones(2, 4), 3), RuntimeError, "to be divisible by num_groups"),
    (lambda: F.embedding(torch.tensor([3]), ones(3, 2)), IndexError, "index out of range in self"),
    (lambda: F.one_hot(torch.tensor([3]), 2), RuntimeError, "must be smaller than num_classes"),
    (lambda: F.dropout(ones(2), 1.5), ValueError, "has to be between 0 and 1, but got 1.5"),
    (
        lambda: F.scaled_dot_product_attention(
            ones(1, 2, 2), ones(1, 2, 2), ones(1, 2, 2), ones(2, 2), is_causal=True
        ),
        RuntimeError,
        "Explicit attn_mask should not be set when is_causal=True",
    ),
    (
        lambda: F.interpolate(ones(1, 1, 4), scale_factor=2, mode="bilinear"),
        NotImplementedError,
        "(got bilinear)",
    ),
    (lambda: F.interpolate(ones(1, 1, 4)), ValueError, "either size or scale_factor should be"),
    (
        lambda: F.grid_sample(ones(1, 1, 4, 4), ones(1, 2, 2, 3), align_corners=True),
        RuntimeError,
        "expected grid to have size 2 in last dimension",
    ),
    (
        lambda: F.fold(ones(1, 4, 3), (3, 3), 2),
        RuntimeError,
        "expected size of input's dimension 2 to match the calculated number of sliding blocks",
    ),
    (
        lambda: F.ctc_loss(ones(2, 1, 3), torch.tensor([[1]]), (3,), (1,)),
        RuntimeError,
        "Expected input_lengths to have value at most 2, but got value 3",
    ),
    (
        lambda: F.multi_head_attention_forward(
            ones(1, 1, 3), ones(1, 1, 3), ones(1, 1, 3), 3, 2,
            None, None, None, None, False, 0.0, ones(3, 3), None,
        ),
        AssertionError,
        "embed_dim 3 not divisible by num_heads 2",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "words"), CASES)
def test_error(call, kind, words):
    with pytest.raises(kind, match=re.escape(words)):
        call()


WARNINGS = [
    (lambda: F.mse_loss(ones(2, 1), ones(2)), "is different to the input size"),
    (lambda: F.softmax(ones(2, 2)), "Implicit dimension choice for softmax has been deprecated"),
    (lambda: F.l1_loss(ones(2), ones(2), size_average=False), "please use reduction='sum'"),
    (lambda: F.kl_div(ones(2), ones(2)), "'batchmean' divides only by the batch size"),
    (lambda: F.upsample(ones(1, 1, 2), 4), "is deprecated"),
]


@pytest.mark.parametrize(("call", "words"), WARNINGS)
def test_warning(call, words):
    with pytest.warns(UserWarning, match=re.escape(words)):
        call()


def test_equal_sizes_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        F.mse_loss(ones(2), ones(2))
    assert np.isfinite(F.l1_loss(ones(2), ones(2)).item())
