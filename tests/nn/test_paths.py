"""Names and modules are where programs written for PyTorch or Riemann look for them."""

from importlib import import_module

import pytest

import tapegrad.torch as torch
from tapegrad import nn

RIEMANN = {
    "nn": """AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d
        AdaptiveMaxPool2d AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d BCEWithLogitsLoss
        BatchNorm1d BatchNorm2d BatchNorm3d CELU Conv1d Conv2d Conv3d CrossEntropyLoss Dropout
        Dropout2d Dropout3d ELU Embedding Flatten GELU HuberLoss KAN KANLinear L1Loss LayerNorm
        LeakyReLU Linear LogSoftmax MSELoss MaxPool1d MaxPool2d MaxPool3d Module ModuleDict
        ModuleList MultiheadAttention NLLLoss PReLU Parameter ParameterDict ParameterList RReLU
        ReLU RemovableHandle SELU Sequential SiLU Sigmoid SmoothL1Loss Softmax Softplus Tanh
        Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder
        TransformerEncoderLayer""",
    "nn.Module": """add_module apply buffers children clear_cache copy cpu cuda deepcopy
        delete_buffer delete_parameter delete_submodule double enable_cache eval extra_repr float
        forward get_buffer get_parameter get_submodule half has_buffer has_parameter has_submodule
        load_state_dict modules named_buffers named_modules named_parameters parameters
        register_buffer register_buffers_batch register_forward_hook register_forward_pre_hook
        register_full_backward_hook register_full_backward_pre_hook register_parameter
        register_parameters_batch requires_grad_ set_buffer set_parameter set_submodule state_dict
        to train type zero_grad""",
    "nn.functional": """adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d
        adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d avg_pool1d avg_pool2d avg_pool3d
        batch_norm binary_cross_entropy_with_logits celu conv1d conv2d conv3d cross_entropy dropout
        dropout2d dropout3d elu embedding embedding2 fold gelu huber_loss l1_loss layer_norm
        leaky_relu linear log_softmax max_pool1d max_pool2d max_pool3d mse_loss nll_loss one_hot
        prelu relu rrelu selu sigmoid silu smooth_l1_loss softmax softplus tanh unfold unfold2d
        unfold3d""",
    "nn.init": """calculate_gain constant_ dirac_ eye_ kaiming_normal_ kaiming_uniform_ normal_
        ones_ orthogonal_ sparse_ trunc_normal_ uniform_ xavier_normal_ xavier_uniform_ zeros_""",
    "optim": "Adagrad Adam AdamW GD LBFGS Optimizer RMSprop SGD",
    "optim.Optimizer": "add_param_group load_state_dict state_dict step zero_grad",
    "optim.lr_scheduler.LRScheduler": "get_last_lr get_lr load_state_dict state_dict step",
    "optim.lr_scheduler": """CosineAnnealingLR ExponentialLR LRScheduler MultiStepLR Optimizer
        ReduceLROnPlateau StepLR""",
    "utils": "DataLoader Dataset TensorDataset clip_grad_norm_ clip_grad_value_ default_collate",
}

MODULES = {
    "nn.attention": "SDPBackend sdpa_kernel",
    "nn.attention.bias": "causal_lower_right causal_upper_left",
    "nn.common_types": "_ratio_2_t _scalar_or_tuple_any_t _size_1_t _size_2_t _size_3_opt_t",
    "nn.functional": "scaled_dot_product_attention",
    "nn.grad": "conv1d_input conv1d_weight conv2d_input conv2d_weight conv3d_input conv3d_weight",
    "nn.modules": "Module Linear",
    "nn.modules.activation": "ReLU MultiheadAttention",
    "nn.modules.adaptive": "AdaptiveLogSoftmaxWithLoss",
    "nn.modules.batchnorm": "_BatchNorm _NormBase BatchNorm2d SyncBatchNorm",
    "nn.modules.channelshuffle": "ChannelShuffle",
    "nn.modules.container": "ModuleDict ModuleList ParameterDict ParameterList Sequential",
    "nn.modules.conv": "_ConvNd _ConvTransposeNd Conv2d",
    "nn.modules.distance": "CosineSimilarity PairwiseDistance",
    "nn.modules.dropout": "_DropoutNd Dropout",
    "nn.modules.flatten": "Flatten Unflatten",
    "nn.modules.fold": "Fold Unfold",
    "nn.modules.instancenorm": "_InstanceNorm InstanceNorm2d",
    "nn.modules.lazy": "LazyModuleMixin",
    "nn.modules.linear": "Bilinear Identity LazyLinear Linear NonDynamicallyQuantizableLinear",
    "nn.modules.loss": "_Loss _WeightedLoss MSELoss CrossEntropyLoss TripletMarginLoss CTCLoss",
    "nn.modules.module": "Module register_module_forward_hook",
    "nn.modules.normalization": "GroupNorm LayerNorm LocalResponseNorm RMSNorm",
    "nn.modules.padding": "ConstantPad2d ZeroPad2d",
    "nn.modules.pixelshuffle": "PixelShuffle PixelUnshuffle",
    "nn.modules.pooling": "_AdaptiveAvgPoolNd _MaxPoolNd MaxPool2d",
    "nn.modules.rnn": "GRU GRUCell LSTM LSTMCell RNN RNNBase RNNCell RNNCellBase",
    "nn.modules.sparse": "Embedding EmbeddingBag",
    "nn.modules.transformer": "_get_activation_fn _get_clones Transformer TransformerEncoderLayer",
    "nn.modules.upsampling": "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
    "nn.modules.utils": """_ntuple _pair _quadruple _single _triple
        consume_prefix_in_state_dict_if_present""",
    "nn.parameter": "Buffer Parameter UninitializedBuffer UninitializedParameter",
    "nn.utils.clip_grad": "clip_grad_norm_ clip_grad_value_",
    "nn.utils.parametrizations": "orthogonal spectral_norm weight_norm",
    "nn.utils.parametrize": "cached is_parametrized register_parametrization",
    "nn.utils.prune": "l1_unstructured remove",
    "nn.utils.rnn": "PackedSequence pack_padded_sequence pad_packed_sequence pad_sequence",
    "nn.utils.stateless": "functional_call",
    "optim.adam": "Adam",
    "optim.lbfgs": "LBFGS",
    "optim.lr_scheduler": "LambdaLR OneCycleLR SequentialLR",
    "optim.optimizer": "Optimizer required",
    "optim.sgd": "SGD",
    "optim.swa_utils": "AveragedModel SWALR update_bn",
}


@pytest.mark.parametrize("path", RIEMANN)
def test_names_of_riemann(path):
    found = torch
    for part in path.split("."):
        found = getattr(found, part)
    assert [name for name in RIEMANN[path].split() if not hasattr(found, name)] == []


@pytest.mark.parametrize("path", MODULES)
def test_names_in_modules(path):
    module = import_module(f"tapegrad.torch.{path}")
    assert [name for name in MODULES[path].split() if not hasattr(module, name)] == []


def test_gradients_of_convolutions():
    x = torch.arange(18.0).reshape(1, 2, 3, 3)
    w = torch.arange(8.0).reshape(2, 1, 2, 2)
    options = {"stride": 2, "padding": 1, "groups": 2}
    g = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]], [[-1.0, 0.5], [0.0, 2.0]]]])
    assert nn.grad.conv2d_input((1, 2, 3, 3), w, g, **options).tolist() == [
        [
            [[3.0, 4.0, 6.0], [3.0, 0.0, 4.0], [9.0, 8.0, 12.0]],
            [[-7.0, 3.0, 3.5], [0.0, 8.0, 10.0], [0.0, 12.0, 14.0]],
        ]
    ]
    assert nn.grad.conv2d_weight(x, (2, 1, 2, 2), g, **options).tolist() == [
        [[[16.0, 29.0], [30.0, 54.0]]],
        [[[26.0, 28.0], [37.0, 30.5]]],
    ]


def test_gradients_of_convolutions_are_differentiable():
    w = torch.tensor([[[1.0, 2.0]]], requires_grad=True)
    g = torch.tensor([[[1.0, 3.0]]], requires_grad=True)
    nn.grad.conv1d_input((1, 1, 3), w, g).sum().backward()
    assert w.grad.tolist() == [[[4.0, 4.0]]]
    assert g.grad.tolist() == [[[3.0, 3.0]]]


def test_attention_by_any_algorithm():
    q, k = torch.ones(1, 2, 4), torch.ones(1, 3, 4)
    v = torch.arange(3.0).reshape(1, 3, 1)
    with nn.attention.sdpa_kernel(nn.attention.SDPBackend.MATH):
        mask = nn.attention.bias.causal_lower_right(2, 3)
        out = nn.functional.scaled_dot_product_attention(q, k, v, mask)
    assert out.tolist() == [[[0.5], [1.0]]]
    mask = nn.attention.bias.causal_upper_left(2, 3)
    out = nn.functional.scaled_dot_product_attention(q, k, v, mask)
    assert out.tolist() == [[[0.0], [0.5]]]


def test_attention_by_no_algorithm():
    with (
        pytest.raises(TypeError, match="Backend must be an instance of SDPBackend, got 'flash'"),
        nn.attention.sdpa_kernel(["flash"]),
    ):
        pass


def test_prefix_of_names_in_a_state():
    state = nn.Sequential(nn.Linear(1, 1)).state_dict()
    nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "0.")
    assert [*state] == ["weight", "bias"]
    nn.Linear(1, 1).load_state_dict(state)
    assert "0" not in state._metadata


def test_plain_gradient_descent():
    w = torch.tensor([1.0], requires_grad=True)
    optimizer = torch.optim.GD([w], lr=0.5, weight_decay=0.2)
    (3 * w).sum().backward()
    optimizer.step()
    assert w.tolist() == pytest.approx([1 - 0.5 * (3 + 0.2)])
