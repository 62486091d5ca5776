"""Names of PyTorch's that are not here: why, and what to use in their place."""

from __future__ import annotations

from . import errors

STORAGES = (
    "tensors lie in NumPy's arrays, not in storages: x.numpy() is the memory, and torch.save "
    "writes it"
)
QUANTISED = "there is no quantisation: torch.bfloat16 and torch.int8 are the narrow dtypes"
EIGHT_BITS = "no floats are narrower than torch.float16 and torch.bfloat16: use one of these"
FEW_BITS = "integers have 8 bits at least: use torch.int8 or torch.uint8"
LAYOUTS = (
    "there are no sparse layouts: keep indices and values as tensors (x.index_add adds rows up), "
    "or use tapegrad.scipy.sparse"
)
NESTED = "there are no nested tensors: pad with torch.nn.utils.rnn.pad_sequence, and mask"
LIBRARIES = "it calls one library's kernel: torch.nn.functional has the operation"
GRAPHS = "graphs are not in PyTorch's form: tapegrad.compile compiles, tapegrad.record gives one"
SCRIPTS = "nothing is scripted: torch.jit gives functions and modules back as they are"
PROFILES = "use Python's cProfile, or time.perf_counter around what is to be measured"
SYMBOLS = "sizes are Python's numbers: use int(), float(), max(), min() and math.sqrt()"
DOWNLOADS = "nothing is downloaded: torch.load reads the files of state dicts"
CELLS = (
    "torch.nn has the module (RNN, LSTM, GRU and their cells), torch.func.functional_call calls it"
)

REASONS = {
    name: reason
    for names, reason in (
        ("chalf complex32", errors.HALF_COMPLEX),
        ("float4_e2m1fn_x2 float8_e4m3fn float8_e4m3fnuz float8_e5m2", EIGHT_BITS),
        ("float8_e5m2fnuz float8_e8m0fnu", EIGHT_BITS),
        ("int1 int2 int3 int4 int5 int6 int7 uint1 uint2 uint3 uint4 uint5 uint6 uint7", FEW_BITS),
        ("bit bits16 bits1x8 bits2x4 bits4x2 bits8", FEW_BITS),
        ("ao qint32 qint8 qscheme quantization quint2x4 quint4x2 quint8", QUANTISED),
        ("dequantize int_repr q_scale q_zero_point quantize_per_channel", QUANTISED),
        ("quantize_per_tensor quantize_per_tensor_dynamic", QUANTISED),
        ("fake_quantize_per_channel_affine fake_quantize_per_tensor_affine", QUANTISED),
        ("BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage", STORAGES),
        ("ComplexFloatStorage DoubleStorage FloatStorage HalfStorage IntStorage", STORAGES),
        ("LongStorage ShortStorage Storage TypedStorage storage", STORAGES),
        ("sparse sparse_bsc sparse_bsr sparse_coo sparse_csc sparse_csr", LAYOUTS),
        ("dsmm hsmm hspmm resize_as_sparse_ saddmm smm spmm sspaddmm", LAYOUTS),
        ("jagged nested", NESTED),
        ("cudnn_batch_norm cudnn_convolution miopen_batch_norm mkldnn_convolution", LIBRARIES),
        ("convolution", "use torch.conv1d, conv2d, conv3d or their transposes"),
        ("export fx library package", GRAPHS),
        ("CompilationUnit ScriptFunction ScriptModule", SCRIPTS),
        ("fork wait futures", "nothing runs behind the program: use concurrent.futures"),
        ("monitor profiler", PROFILES),
        ("quasirandom", "scipy.stats.qmc has Sobol's and other sequences: torch.from_numpy"),
        ("SymBool SymFloat SymInt sym_float sym_int sym_max sym_min sym_sqrt", SYMBOLS),
        ("hub", DOWNLOADS),
        ("gru gru_cell lstm lstm_cell rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell", CELLS),
        ("mps mtia xpu", "devices are 'cpu' and 'cuda': torch.cuda.is_available() says whether"),
        ("functional", "its functions are in torch itself"),
        ("overrides", "subclasses of Tensor are plain tensors to functions: wrap them in a class"),
        ("classes ops", "operators are functions in torch and torch.nn.functional"),
        ("cond", "conditions on values are Python's: if"),
        ("while_loop", "loops on values are Python's: while"),
    )
    for name in names.split()
}
"""By name."""

UTILITIES = {
    "benchmark": PROFILES,
    "tensorboard": "log numbers with Python's csv or json, or draw them with matplotlib",
    "model_zoo": DOWNLOADS,
    "cpp_extension": "operations are written in Python: see docs/adding-an-op.md",
    "swap_tensors": "assign to parameters: module.weight = torch.nn.Parameter(...)",
    "collect_env": "python -m pip list says what is installed",
}
"""By name in `torch.utils`."""
