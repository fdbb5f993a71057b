"""Runs PyTorch's operators that call NVIDIA's libraries: each eagerly and, where a capture permits it, in a graph.

Prints a line for each that fails, and `ok <how many ran>` when none did.
"""

import contextlib
import os
import sys
import traceback

import torch
import torch.nn.functional as F
from torch import nn

CHECKS = []


def check(capture=True):
    """Registers a function that makes the operator's inputs and returns the operator."""

    def register(make):
        CHECKS.append((make.__name__, make, capture))
        return make

    return register


def each(name, cases, capture=True):
    """Registers one check for each case: a function of the case that returns the operator."""

    def register(make):
        for label, case in cases.items():
            CHECKS.append((f"{name}[{label}]", lambda case=case: make(case), capture))
        return make

    return register


def gpu(*shape, dtype=torch.float32, grad=False):
    return torch.randn(*shape, device="cuda", dtype=dtype, requires_grad=grad)


def train(module, *inputs):
    """An operator that runs a module forwards and backwards."""

    def step():
        out = module(*inputs)
        out = out[0] if isinstance(out, tuple) else out
        out.sum().backward()

    return step


DTYPES = {
    str(dtype)[6:]: dtype for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64)
}
COMPLEX = {str(dtype)[6:]: dtype for dtype in (torch.complex64, torch.complex128)}


# Linear algebra that looks at its status on the host. It comes first: on the virtual GPU, which does not compute, a
# status reads as success only in memory that nothing else was written to.


def positive(n=8, batch=(), dtype=torch.float32):
    return torch.eye(n, device="cuda", dtype=dtype).expand(*batch, n, n).contiguous()


BATCHES = {"one": (), "batch": (3,)}


@each(
    "checked",
    {
        f"{name} {label} {dtype}": (name, batch, getattr(torch, dtype))
        for name in ("cholesky", "lu", "inv", "svd", "svdvals", "eigh", "eigvalsh", "pinv")
        for label, batch in BATCHES.items()
        for dtype in ("float32", "complex64")
    },
    capture=False,
)
def checked(case):
    name, batch, dtype = case
    a = positive(batch=batch, dtype=dtype)
    return lambda: getattr(torch.linalg, name)(a)


@check(capture=False)
def least_squares():
    a, b = positive(), gpu(8, 2)
    return lambda: torch.linalg.lstsq(a, b)


@check(capture=False)
def solve_and_ldl():
    a, b = positive(), gpu(8, 2)

    def solve():
        torch.linalg.solve(a, b)
        torch.linalg.ldl_factor_ex(a)

    return solve


@each("svd driver", {driver: driver for driver in ("gesvd", "gesvdj", "gesvda")}, capture=False)
def svd_driver(driver):
    a = positive()
    return lambda: torch.linalg.svd(a, driver=driver)


# Products.


@each("matmul", {**DTYPES, **COMPLEX})
def matmul(dtype):
    a, b = gpu(32, 32, dtype=dtype), gpu(32, 32, dtype=dtype)
    return lambda: a @ b


@each("bmm", {**DTYPES, **COMPLEX})
def bmm(dtype):
    a = gpu(4, 16, 16, dtype=dtype)
    return lambda: torch.bmm(a, a)


@each("addmm", {**DTYPES, **COMPLEX})
def addmm(dtype):
    bias, a = gpu(16, dtype=dtype), gpu(16, 16, dtype=dtype)
    return lambda: torch.addmm(bias, a, a)


@each("linear", DTYPES)
def linear(dtype):
    return train(nn.Linear(16, 32, device="cuda", dtype=dtype), gpu(8, 16, dtype=dtype, grad=True))


@each("vectors", {**DTYPES, **COMPLEX})
def vectors(dtype):
    a, b = gpu(16, 16, dtype=dtype), gpu(16, dtype=dtype)
    return lambda: (
        a @ b,
        torch.dot(b, b),
        torch.vdot(b, b),
        torch.outer(b, b),
        torch.addr(a, b, b),
    )


@check()
def baddbmm():
    a = gpu(4, 16, 16)
    return lambda: torch.baddbmm(a, a, a)


@check()
def addmm_with_activation():
    bias, a = gpu(16, dtype=torch.bfloat16), gpu(16, 16, dtype=torch.bfloat16)
    return lambda: torch._addmm_activation(bias, a, a, use_gelu=True)


@check()
def integer_matmul():
    a = torch.ones(32, 32, dtype=torch.int8, device="cuda")
    return lambda: torch._int_mm(a, a)


@check()
def scaled_matmul():
    a, scale = gpu(32, 32).to(torch.float8_e4m3fn), torch.ones((), device="cuda")
    return lambda: torch._scaled_mm(a, a.t(), scale, scale, out_dtype=torch.bfloat16)


@check()
def einsum_and_bilinear():
    a, weight = gpu(4, 8), gpu(5, 8, 8)
    return lambda: (torch.einsum("ij,kj->ik", a, a), F.bilinear(a, a, weight))


# Convolutions.

CONVOLUTIONS = {
    "1d": (nn.Conv1d, 1, {}),
    "2d": (nn.Conv2d, 2, {}),
    "3d": (nn.Conv3d, 3, {}),
    "1d transposed": (nn.ConvTranspose1d, 1, {}),
    "2d transposed": (nn.ConvTranspose2d, 2, {}),
    "3d transposed": (nn.ConvTranspose3d, 3, {}),
    "groups": (nn.Conv2d, 2, {"groups": 2}),
    "depthwise": (nn.Conv2d, 2, {"groups": 8}),
    "strided, dilated, padded": (nn.Conv2d, 2, {"stride": 2, "dilation": 2, "padding": 2}),
    "no bias": (nn.Conv2d, 2, {"bias": False}),
}


@each("convolution", CONVOLUTIONS)
def convolution(case):
    kind, rank, options = case
    return train(kind(8, 8, 3, device="cuda", **options), gpu(2, 8, *[12] * rank, grad=True))


@each("convolution", {label: dtype for label, dtype in DTYPES.items() if label != "float32"})
def convolution_dtype(dtype):
    return train(
        nn.Conv2d(8, 8, 3, device="cuda", dtype=dtype), gpu(2, 8, 12, 12, dtype=dtype, grad=True)
    )


@check()
def convolution_channels_last():
    module = nn.Conv2d(8, 8, 3, device="cuda").to(memory_format=torch.channels_last)
    images = gpu(2, 8, 12, 12).to(memory_format=torch.channels_last).requires_grad_()
    return train(module, images)


@check()
def convolution_benchmark():
    step = train(nn.Conv2d(8, 8, 3, device="cuda"), gpu(2, 8, 14, 14, grad=True))

    def measured():
        with torch.backends.cudnn.flags(enabled=True, benchmark=True):
            step()

    return measured


@check()
def convolution_fused():
    images, weight, bias = gpu(2, 8, 12, 12), gpu(8, 8, 3, 3), gpu(8)
    return lambda: torch.cudnn_convolution_relu(images, weight, bias, (1, 1), (0, 0), (1, 1), 1)


# Normalisation, pooling, embedding, dropout.


@each(
    "normalisation",
    {
        "batch 1d": lambda: (nn.BatchNorm1d(8), (4, 8, 12)),
        "batch 2d": lambda: (nn.BatchNorm2d(8), (4, 8, 12, 12)),
        "batch 3d": lambda: (nn.BatchNorm3d(8), (4, 8, 6, 6, 6)),
        "instance": lambda: (nn.InstanceNorm2d(8), (4, 8, 12, 12)),
        "layer": lambda: (nn.LayerNorm(12), (4, 8, 12)),
        "group": lambda: (nn.GroupNorm(2, 8), (4, 8, 12)),
        "rms": lambda: (nn.RMSNorm(12), (4, 8, 12)),
    },
)
def normalisation(case):
    module, shape = case()
    return train(module.cuda(), gpu(*shape, grad=True))


@check()
def batch_norm_half_channels_last():
    module = nn.BatchNorm2d(8).cuda()
    images = (
        gpu(4, 8, 12, 12, dtype=torch.half).to(memory_format=torch.channels_last).requires_grad_()
    )
    return train(module, images)


@check()
def batch_norm_inference():
    module, images = nn.BatchNorm2d(8).cuda().eval(), gpu(4, 8, 12, 12)
    return lambda: module(images)


@check()
def pooling():
    images = gpu(2, 4, 12, 12, grad=True)
    return (
        lambda: (
            F.max_pool2d(images, 2) + F.avg_pool2d(images, 2) + F.adaptive_avg_pool2d(images, 6)
        )
        .sum()
        .backward()
    )


@check()
def embedding():
    module, words = nn.Embedding(32, 8).cuda(), torch.zeros(4, 5, dtype=torch.long, device="cuda")
    return train(module, words)


@check()
def dropout():
    a = gpu(64, grad=True)
    return lambda: (F.dropout(a) + F.alpha_dropout(a)).sum().backward()


@check()
def softmax_and_cross_entropy():
    logits, target = gpu(8, 16, grad=True), torch.zeros(8, dtype=torch.long, device="cuda")
    return lambda: F.cross_entropy(logits, target).backward()


@check()
def grids():
    images, theta = gpu(2, 3, 8, 8, grad=True), gpu(2, 2, 3, grad=True)
    return (
        lambda: F.grid_sample(
            images, F.affine_grid(theta, (2, 3, 8, 8), align_corners=False), align_corners=False
        )
        .sum()
        .backward()
    )


# Recurrent networks.


@each(
    "recurrent",
    {
        "lstm": (nn.LSTM, {}),
        "lstm two ways": (nn.LSTM, {"bidirectional": True, "batch_first": True}),
        "lstm projected": (nn.LSTM, {"proj_size": 8}),
        "lstm without bias": (nn.LSTM, {"bias": False}),
        "lstm with dropout": (nn.LSTM, {"dropout": 0.5}),
        "gru": (nn.GRU, {}),
        "gru two ways": (nn.GRU, {"bidirectional": True}),
        "tanh": (nn.RNN, {}),
        "relu": (nn.RNN, {"nonlinearity": "relu"}),
    },
)
def recurrent(case):
    kind, options = case
    return train(kind(16, 16, 2, **options).cuda(), gpu(5, 5, 16, grad=True))


@check()
def recurrent_half():
    return train(nn.LSTM(16, 16).cuda().half(), gpu(5, 3, 16, dtype=torch.half, grad=True))


@check(capture=False)
def recurrent_packed():
    module = nn.LSTM(16, 16).cuda()
    packed = nn.utils.rnn.pack_padded_sequence(gpu(5, 3, 16), torch.tensor([5, 3, 2]))
    return lambda: module(packed)


# Attention.


@each(
    "attention",
    {
        f"{backend} {'with' if backward else 'without'} gradient": (backend, backward)
        for backend in ("FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION", "MATH")
        for backward in (False, True)
    },
)
def attention(case):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    backend, backward = case
    q, k, v = (gpu(2, 4, 64, 64, dtype=torch.bfloat16, grad=backward) for _ in range(3))

    def attend():
        with sdpa_kernel(getattr(SDPBackend, backend)):
            out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        if backward:
            out.sum().backward()

    return attend


@check()
def multihead_attention():
    module, words = nn.MultiheadAttention(32, 4, batch_first=True).cuda(), gpu(2, 8, 32, grad=True)
    return lambda: module(words, words, words)[0].sum().backward()


@check()
def transformer_layer():
    return train(
        nn.TransformerEncoderLayer(32, 4, 64, batch_first=True).cuda(), gpu(2, 8, 32, grad=True)
    )


# Transforms.


@check()
def fourier():
    real, complex_ = gpu(8, 32), gpu(8, 32, dtype=torch.complex64)

    def transform():
        torch.fft.fft(complex_)
        torch.fft.ifft(complex_)
        torch.fft.irfft(torch.fft.rfft(real))
        torch.fft.irfft2(torch.fft.rfft2(real))
        torch.fft.fftn(complex_)
        torch.fft.hfft(complex_)

    return transform


@check()
def fourier_double_and_gradient():
    a = gpu(8, 31, dtype=torch.float64, grad=True)
    return lambda: torch.fft.rfft(a).abs().sum().backward()


@check()
def short_time_fourier():
    a, window = gpu(2, 400), torch.ones(64, device="cuda")
    return lambda: torch.stft(a, 64, window=window, return_complex=True)


# Linear algebra.


@each("factor", BATCHES)
def factor(batch):
    a = positive(batch=batch)

    def decompose():
        torch.linalg.cholesky_ex(a)
        torch.linalg.lu_factor_ex(a)
        torch.linalg.inv_ex(a)
        torch.geqrf(a)

    return decompose


@each("solve", BATCHES)
def solve(batch):
    a, b = positive(batch=batch), gpu(*batch, 8, 2)

    def solve():
        torch.linalg.solve_ex(a, b)
        torch.linalg.solve_triangular(a, b, upper=True)

    return solve


@each("cholesky_solve", BATCHES, capture=False)
def cholesky_solve(batch):
    a, b = positive(batch=batch), gpu(*batch, 8, 2)
    return lambda: torch.cholesky_solve(b, a)


@each("qr", BATCHES)
def qr(batch):
    a = gpu(*batch, 8, 4)
    return lambda: torch.linalg.qr(a)


@each("determinant", BATCHES)
def determinant(batch):
    a = positive(batch=batch)
    return lambda: (torch.linalg.det(a), torch.linalg.slogdet(a))


@check()
def householder():
    a, tau, b = gpu(8, 8), gpu(8), gpu(8, 2)
    return lambda: (torch.linalg.householder_product(a, tau), torch.ormqr(a, tau, b))


# Sparse matrices.


def sparse(n=16):
    rows, values = torch.arange(n + 1, device="cuda"), torch.ones(n, device="cuda")
    return torch.sparse_csr_tensor(rows, torch.arange(n, device="cuda"), values, (n, n))


@check()
def sparse_compressed():
    a, b, v = sparse(), gpu(16, 16), gpu(16)
    return lambda: (a @ b, a @ v, torch.sparse.sampled_addmm(a, b, b))


@check(capture=False)
def sparse_products():
    a, b = sparse(), gpu(16, 16)
    rows = torch.arange(16, device="cuda")
    places, values = torch.stack([rows, rows]), torch.ones(16, device="cuda")
    coordinates = torch.sparse_coo_tensor(places, values, (16, 16), is_coalesced=True)

    def multiply():
        torch.sparse.mm(coordinates, b)
        a @ a
        torch.add(a, a)
        torch.triangular_solve(b, a)

    return multiply


@check()
def semi_structured():
    dense = torch.tensor([0, 0, 1, 1], device="cuda").tile((64, 16)).half()
    a, b = (
        torch.sparse.SparseSemiStructuredTensorCUSPARSELT.from_dense(dense),
        gpu(64, 64, dtype=torch.half),
    )
    return lambda: a @ b


# Losses, random numbers, compiled kernels.


@check(capture=False)
def connectionist_loss():
    logits = gpu(50, 4, 20, grad=True)
    targets, inputs, lengths = (
        torch.ones(40, dtype=torch.int32),
        torch.full((4,), 50),
        torch.full((4,), 10),
    )

    def native_and_cudnn():
        scores = F.log_softmax(logits, 2)
        F.ctc_loss(scores, targets.cuda(), inputs, lengths).backward(retain_graph=True)
        F.ctc_loss(scores, targets.cuda(), inputs.int().cuda(), lengths.int().cuda()).backward()

    return native_and_cudnn


@check()
def random_numbers():
    a = gpu(64).sigmoid()

    def draw():
        torch.rand(8, device="cuda")
        torch.randn(8, device="cuda")
        torch.bernoulli(a)
        torch.empty(8, device="cuda").exponential_()
        torch.multinomial(a, 4, replacement=True)

    return draw


@check()
def kernels_compiled_at_run_time():
    a, n = gpu(64), torch.ones(64, dtype=torch.int64, device="cuda")
    return lambda: (torch.special.i1(a), torch.special.bessel_j0(a), torch.gcd(n, n))


@check(capture=False)
def own_kernel_compiled_at_run_time():
    kernel = torch.cuda.jiterator._create_jit_fn(
        "template <typename T> T add_one(T x) { return x + 1; }"
    )
    a = gpu(64)
    return lambda: kernel(a)


# Training.


@each(
    "optimizer",
    {
        f"{name} {label}": (name, options)
        for name in ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad")
        for label, options in {
            "foreach": {"foreach": True},
            "fused": {"fused": True},
            "capturable": {"capturable": True},
        }.items()
        if not (
            (name == "RMSprop" and label == "fused")
            or (name in ("SGD", "Adagrad") and label == "capturable")
            or (name == "Adagrad" and label == "fused")
        )
    },
)
def optimizer(case):
    name, options = case
    module, batch = nn.Linear(8, 8).cuda(), gpu(4, 8)
    if "capturable" not in options and name in ("Adam", "AdamW", "RMSprop"):
        options = {**options, "capturable": True}
    optimizer = getattr(torch.optim, name)(module.parameters(), **options)

    def step():
        optimizer.zero_grad(set_to_none=False)
        module(batch).sum().backward()
        optimizer.step()

    return step


@check(capture=False)
def gradient_scaler():
    module, batch = nn.Linear(8, 8).cuda(), gpu(4, 8)
    optimizer, scaler = torch.optim.SGD(module.parameters()), torch.amp.GradScaler("cuda")

    def step():
        with torch.autocast("cuda"):
            loss = module(batch).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    return step


@check()
def autocast():
    module, images = (
        nn.Sequential(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.Linear(8 * 36, 4)).cuda(),
        gpu(2, 3, 8, 8),
    )

    def step():
        with torch.autocast("cuda", torch.bfloat16, cache_enabled=False):
            module(images).sum().backward()

    return step


@check(capture=False)
def graphed_callables():
    module = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8)).cuda()
    graphed = torch.cuda.make_graphed_callables(module, (gpu(4, 8, grad=True),))
    return train(graphed, gpu(4, 8, grad=True))


# Several processes, of which there is one.


def group():
    import torch.distributed as dist

    if not dist.is_initialized():
        store = dist.HashStore()
        dist.init_process_group(
            "nccl", store=store, rank=0, world_size=1, device_id=torch.device("cuda:0")
        )
    return dist


@check()
def collectives():
    dist, a, b = group(), gpu(64), gpu(64)

    def communicate():
        dist.all_reduce(a)
        dist.all_reduce(a, op=dist.ReduceOp.AVG)
        dist.broadcast(a, 0)
        dist.reduce(a, 0)
        dist.all_gather_into_tensor(b, a)
        dist.all_gather([b], a)
        dist.reduce_scatter_tensor(b, a)
        dist.all_to_all_single(b, a)
        dist.gather(a, [b], 0)
        dist.scatter(b, [a], 0)

    return communicate


@check(capture=False)
def collectives_move_bytes():
    dist, a, b = group(), torch.full((64,), 7.0).cuda(), torch.zeros(64).cuda()

    def communicate():
        dist.all_gather_into_tensor(b, a)
        assert b.cpu().tolist() == [7.0] * 64

    return communicate


@check(capture=False)
def barrier_and_objects():
    dist = group()

    def communicate():
        dist.barrier()
        objects = [None]
        dist.all_gather_object(objects, {"a": 1})
        assert objects == [{"a": 1}]
        dist.destroy_process_group(dist.new_group([0]))

    return communicate


@check(capture=False)
def data_parallel():
    group()
    module = nn.parallel.DistributedDataParallel(nn.Linear(8, 8).cuda())
    return train(module, gpu(4, 8))


# Tools.


@check()
def ranges():
    a = gpu(8)

    def mark():
        with torch.cuda.nvtx.range("range"):
            torch.cuda.nvtx.mark("mark")
            a.add_(1)

    return mark


@check(capture=False)
def profiler():
    from torch.profiler import ProfilerActivity, profile

    a = gpu(8, 8)

    def measure():
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as result:
            a @ a
            torch.cuda.synchronize()
        assert any("mm" in event.key for event in result.key_averages())

    return measure


@check(capture=False)
def questions():
    def ask():
        torch.cuda.memory_summary()
        torch.cuda.get_device_properties(0)
        torch.cuda.mem_get_info()
        torch.cuda.list_gpu_processes()
        assert torch.backends.cudnn.is_available() and torch.backends.cudnn.version() > 90000

    return ask


def eagerly(operator):
    for _ in range(2):
        operator()
    torch.cuda.synchronize()


def in_a_graph(operator):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            operator()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        operator()
    graph.replay()
    torch.cuda.synchronize()


def main():
    wanted = sys.argv[1:]
    ran, failed = 0, 0
    for name, make, capture in CHECKS:
        if wanted and not any(word in name for word in wanted):
            continue
        ran += 1
        try:
            eagerly(make())
            if capture:
                in_a_graph(make())
        except Exception as error:
            failed += 1
            text = str(error).splitlines()
            print(f"failed {name}: {type(error).__name__}: {text[0] if text else ''}", flush=True)
            if wanted or os.environ.get("OPERATORS_VERBOSE"):
                traceback.print_exc()
    with contextlib.suppress(Exception):
        torch.distributed.destroy_process_group()
    if failed:
        sys.exit(f"{failed} of {ran} failed")
    print(f"ok {ran}")


if __name__ == "__main__":
    main()
