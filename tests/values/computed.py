"""What operators compute on the virtual GPU, eagerly and at replays, is what the CPU computes; asserted by the program itself."""

import sys

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel


def same(gpu, cpu, tolerance=1e-5):
    torch.testing.assert_close(gpu.detach().cpu(), cpu.detach(), rtol=tolerance, atol=tolerance)


def both(build, *inputs):
    """A module and inputs, on the CPU and on the GPU."""
    torch.manual_seed(0)
    module = build()
    torch.manual_seed(0)
    other = build().cuda()
    return module, inputs, other, [it.cuda() for it in inputs]


def compare(function, *inputs, kind=torch.float32, tolerance=1e-4):
    """A function and its gradients in a type on the GPU, with those of float32 on the CPU."""
    found = []
    for device, dtype in (("cpu", torch.float32), ("cuda", kind)):
        # Both are given what the type holds.
        given = [it.detach().to(kind).to(device, dtype).requires_grad_() for it in inputs]
        output = function(*given)
        factors = torch.linspace(-1, 1, output.numel()).reshape(output.shape).to(device)
        gradients = torch.autograd.grad((output.float() * factors).sum(), given)
        found.append([it.float() for it in (output, *gradients)])
    for wanted, mine in zip(*found, strict=True):
        same(mine, wanted, tolerance)


HALVES = ((torch.float32, 1e-4), (torch.float16, 1e-2), (torch.bfloat16, 8e-2))


def eager():
    x = torch.arange(12.0).reshape(3, 4)
    same(x.cuda() * 2 + 1, x * 2 + 1)
    same(x.cuda().t() @ x.cuda(), x.t() @ x)
    assert x.cuda().sum().item() == 66.0
    assert torch.nonzero(x.cuda() > 5).shape == (6, 2)
    same(x.cuda()[x.cuda() > 5], x[x > 5])
    written = x.cuda()
    written[written > 5] = torch.zeros(6, device="cuda")
    same(written, x.masked_fill(x > 5, 0))
    assert torch.bincount(torch.tensor([1, 4]).cuda()).tolist() == [0, 1, 0, 0, 1]
    counted = torch.tensor([0, 2, 2, 3], dtype=torch.int32).cuda().histc(bins=4, min=0, max=3)
    assert counted.tolist() == [1, 0, 2, 1] and counted.dtype == torch.int32
    same(x.cuda().to(torch.float16).cpu(), x.half())
    for size in (7, 3000):
        drawn = torch.randint(size // 3, (2, size))
        assert torch.equal(drawn.cuda().mode().values.cpu(), drawn.mode().values)
    assert str(x.cuda()[0]) == "tensor([0., 1., 2., 3.], device='cuda:0')"


def modules():
    image = torch.randn(2, 3, 8, 8)
    for build in (
        lambda: nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2)),
        lambda: nn.Sequential(nn.ConvTranspose2d(3, 4, 3), nn.GroupNorm(2, 4), nn.GELU()),
    ):
        module, inputs, other, there = both(build, image)
        wanted, found = module(*inputs), other(*there)
        same(found, wanted, 1e-4)
        wanted.square().sum().backward()
        found.square().sum().backward()
        for mine, theirs in zip(module.parameters(), other.parameters(), strict=False):
            same(theirs.grad, mine.grad, 1e-3)


def recurrent():
    """cuDNN's networks, which the CPU does not have, forwards and backwards."""
    sequence = torch.randn(5, 2, 3)
    lengths = torch.tensor([5, 3])
    for kind, options in (
        (nn.LSTM, {"num_layers": 2}),
        (nn.LSTM, {"bidirectional": True, "proj_size": 2}),
        (nn.GRU, {"batch_first": True}),
        (nn.RNN, {"bias": False}),
    ):
        module, inputs, other, there = both(lambda it=kind, o=options: it(3, 4, **o), sequence)
        for found, wanted in (
            (other(*there)[0], module(*inputs)[0]),
            (packed(other, there[0], lengths), packed(module, inputs[0], lengths)),
        ):
            same(found, wanted, 1e-4)
            found.square().sum().backward()
            wanted.square().sum().backward()
        for mine, theirs in zip(module.parameters(), other.parameters(), strict=True):
            same(theirs.grad, mine.grad, 1e-4)


def cells():
    """Cells of LSTM and GRU, which are kernels of their own on a GPU; also in half precision."""
    for kind in (nn.LSTMCell, nn.GRUCell):
        module, inputs, other, there = both(lambda kind=kind: kind(3, 4), torch.randn(2, 3))
        for cell, given in ((module, inputs), (other, there)):
            state = None
            for _ in range(2):
                state = cell(*given, state)
            cell.state = torch.cat(state) if isinstance(state, tuple) else state
            cell.state.square().sum().backward()
        same(other.state, module.state)
        for mine, theirs in zip(module.parameters(), other.parameters(), strict=True):
            same(theirs.grad, mine.grad)
        with torch.autocast("cuda"):
            assert other(*there)[0].isfinite().all()


def half_to_float():
    logits = torch.randn(4, 8)
    targets = torch.tensor([0, 7, 3, 3])
    wanted, found = logits.half().float().requires_grad_(), logits.cuda().half().requires_grad_()
    loss = nn.functional.cross_entropy(wanted, targets)
    loss.backward()
    with torch.autocast("cuda"):
        other = nn.functional.cross_entropy(found, targets.cuda())
        same(torch.softmax(found, 1), torch.softmax(wanted, 1))
    other.backward()
    same(other, loss, 1e-3)
    same(found.grad, wanted.grad.half(), 1e-3)
    for function in (torch.softmax, torch.log_softmax):
        gradients = []
        for given in (wanted, found):
            output = function(given, 1, dtype=torch.float32)
            gradients += torch.autograd.grad(output[:, 1].sum(), given)
        same(gradients[1].float(), gradients[0], 1e-3)


def normalizations():
    """Their statistics are of float32 on a GPU; in evaluation, CUDA returns what the CPU does not."""
    weight, bias = torch.randn(2, 4)
    for kind, tolerance in HALVES:
        options = {"kind": kind, "tolerance": tolerance}
        for shape in ((6, 4), (3, 4, 5), (2, 4, 3, 5), (2, 4, 3, 3, 2)):
            image = torch.randn(shape)
            for training in (True, False):
                for running_in in (kind, torch.float32):

                    def norm(image, weight, bias, training=training, running_in=running_in):
                        dtype = running_in if image.is_cuda else torch.float32
                        mean, variance = torch.tensor(
                            [[0.25] * 4, [1.25] * 4], dtype=dtype, device=image.device
                        )
                        if running_in != image.dtype:
                            weight, bias = weight.float(), bias.float()
                        out = nn.functional.batch_norm(
                            image, mean, variance, weight, bias, training
                        )
                        changed = torch.cat((mean, variance)).float()
                        return torch.cat((out.float().flatten(), changed))

                    compare(norm, image, weight, bias, **options)
            if len(shape) > 2:
                compare(
                    lambda *it: nn.functional.instance_norm(it[0], weight=it[1], bias=it[2]),
                    image,
                    weight,
                    bias,
                    **options,
                )
                compare(
                    lambda *it: nn.functional.group_norm(it[0], 2, *it[1:]),
                    image,
                    weight,
                    bias,
                    **options,
                )
        compare(
            lambda it, *rest: nn.functional.layer_norm(it, (4,), *rest),
            torch.randn(5, 4),
            weight,
            bias,
            **options,
        )


def log_sigmoid():
    x = torch.linspace(-30, 30, 61)
    for kind, tolerance in HALVES:
        compare(nn.functional.logsigmoid, x, kind=kind, tolerance=tolerance)
    out = torch.empty(61, device="cuda")
    same(torch.ops.aten.log_sigmoid.out(x.cuda(), out=out), nn.functional.logsigmoid(x))


def bags():
    """Bags of embeddings, of which CUDA keeps more than the CPU; also empty ones, and indices that do not count."""
    indices, offsets = torch.tensor([1, 2, 4, 5, 4, 3, 2, 9]), torch.tensor([0, 0, 3, 8])
    table, weights = torch.randn(10, 3), torch.randn(8)

    def bag(*tensors, **options):
        table, *weights = tensors
        return nn.functional.embedding_bag(
            indices.to(table.device),
            table,
            offsets.to(table.device),
            per_sample_weights=weights[0] if weights else None,
            **options,
        )

    for kind, tolerance in HALVES[:2]:
        for mode in ("sum", "mean", "max"):
            for options in ({}, {"padding_idx": 2}, {"include_last_offset": True}):
                compare(
                    lambda it, m=mode, o=options: bag(it, mode=m, **o),
                    table,
                    kind=kind,
                    tolerance=tolerance,
                )
        compare(
            lambda *it: bag(*it, mode="sum", padding_idx=4),
            table,
            weights,
            kind=kind,
            tolerance=tolerance,
        )
    leaf = table.cuda().requires_grad_()
    factors = torch.tensor([[2.0], [4.0], [8.0], [1.0]], device="cuda")
    summed = bag(leaf, mode="sum", scale_grad_by_freq=True) * factors
    # The CPU divides by the frequencies of others.
    found = torch.autograd.grad(summed.sum(), leaf)[0]
    assert found[:, 0].tolist() == [0, 4, 6, 8, 6, 8, 0, 0, 0, 8], found
    (found,) = torch.autograd.grad(bag(leaf, sparse=True).square().sum(), leaf)
    mine = table.clone().requires_grad_()
    same(found.to_dense(), torch.autograd.grad(bag(mine).square().sum(), mine)[0])


def synchronized():
    """The steps of batch normalization over ranks, here with the statistics of two halves, against all at once."""
    x, gradient = torch.randn(6, 3, 4), torch.randn(6, 3, 4)
    norm = nn.BatchNorm1d(3)
    nn.init.normal_(norm.weight)
    there = x.clone().requires_grad_()
    wanted = norm(there)
    wanted.backward(gradient)
    weight, bias = norm.weight.detach().cuda(), norm.bias.detach().cuda()
    x, gradient = x.cuda(), gradient.cuda()
    parts = [torch.batch_norm_stats(it, norm.eps) for it in (x[:2].contiguous(), x[2:])]
    mean, invstd = (torch.stack(it) for it in zip(*parts, strict=True))
    running = torch.zeros(3, device="cuda"), torch.ones(3, device="cuda")
    counts = torch.tensor([8.0, 16.0], device="cuda")
    mean, invstd = torch.batch_norm_gather_stats_with_counts(
        x, mean, invstd, *running, norm.momentum, norm.eps, counts
    )
    same(torch.batch_norm_elemt(x, weight, bias, mean, invstd, norm.eps), wanted)
    same(running[0], norm.running_mean)
    same(running[1], norm.running_var)
    sums = torch.batch_norm_backward_reduce(gradient, x, mean, invstd, weight, True, True, True)
    same(sums[2], norm.weight.grad, 1e-4)
    same(sums[3], norm.bias.grad, 1e-4)
    count = counts.to(torch.int32)
    found = torch.batch_norm_backward_elemt(gradient, x, mean, invstd, weight, *sums[:2], count)
    same(found, there.grad, 1e-4)


def sparse():
    dense = torch.randn(4, 4)
    for matrix in (torch.eye(4).to_sparse(), torch.eye(4).to_sparse_csr()):
        same(matrix.cuda() @ dense.cuda(), dense)


def sparse_results():
    """Kernels count how many values a sparse result has."""
    torch.manual_seed(3)
    x, y = (torch.randn(5, 6).relu() for _ in range(2))
    weight = torch.randn(6, 4).relu()
    uncoalesced = torch.tensor([[0, 1, 1, 0], [0, 2, 2, 0]]), torch.arange(1.0, 5.0), (5, 6)

    def softmax(device):
        given = x.to(device).to_sparse().requires_grad_()
        torch.sparse.softmax(given, 1).to_dense().square().sum().backward()
        return given.grad

    def product(device):
        given = x.to(device).to_sparse().requires_grad_()
        torch.sparse.mm(given, weight.to(device).to_sparse()).to_dense().square().sum().backward()
        return given.grad

    for operator in (
        lambda device: torch.sparse_coo_tensor(*uncoalesced, device=device).coalesce(),
        lambda device: x.to(device).to_sparse() * y.to(device).to_sparse(),
        lambda device: x.to(device).to_sparse_csr() + y.to(device).to_sparse_csr(),
        lambda device: x.to(device).to_sparse_csr() @ weight.to(device).to_sparse_csr(),
        lambda device: torch.sparse.sum(x.to(device).to_sparse(), 1),
        lambda device: x.to(device).to_sparse().index_select(0, torch.tensor([1, 1]).to(device)),
        lambda device: torch.sparse.sampled_addmm(
            x.to(device).to_sparse_csr(), weight.to(device)[:5], weight.to(device).t()
        ),
        softmax,
        product,
    ):
        same(operator("cuda").to_dense(), operator("cpu").to_dense())
    for optimizer in (torch.optim.SparseAdam, torch.optim.Adagrad):
        trained = []
        for device in ("cpu", "cuda"):
            torch.manual_seed(3)
            table = nn.Embedding(10, 4, sparse=True).to(device)
            update = optimizer(table.parameters(), lr=0.1)
            for _ in range(3):
                update.zero_grad()
                table(torch.tensor([1, 2, 2, 7], device=device)).square().sum().backward()
                update.step()
            trained.append(table.weight)
        same(trained[1], trained[0])


def recurrent_in_half_precision():
    """Under autocast the weights are cast in one piece, and come without their shapes."""
    for kind, options in ((nn.LSTM, {"proj_size": 2}), (nn.GRU, {"bidirectional": True})):
        network = kind(3, 4, num_layers=2, **options).cuda()
        x = torch.randn(5, 2, 3, device="cuda")
        with torch.autocast("cuda"):
            found = network(x)[0]
        found.float().square().sum().backward()
        gradients = [it.grad.clone() for it in network.parameters()]
        network.zero_grad()
        wanted = network(x)[0]
        same(found.float(), wanted.cpu(), 1e-2)
        wanted.square().sum().backward()
        for mine, theirs in zip(gradients, network.parameters(), strict=True):
            same(mine, theirs.grad.cpu(), 5e-2)


def recurrent_with_dropout():
    """The backward pass drops what the forward pass dropped; each pass, and each replay, draws anew."""
    network = nn.RNN(4, 4, num_layers=2, nonlinearity="relu", bias=False, dropout=0.5).cuda()
    with torch.no_grad():
        for name, weight in network.named_parameters():
            # Both layers pass on what they are given.
            weight.copy_(torch.eye(4) if "_ih_" in name else torch.zeros(4, 4))
    x = torch.rand(8, 6, 4, device="cuda").add_(1).requires_grad_()

    def run():
        out = network(x)[0]
        return out, *torch.autograd.grad(out.sum(), x)

    def passed(found):
        out, gradient = found
        same(gradient, (out / x).cpu())
        assert 0.3 < (out != 0).double().mean().item() < 0.7
        return (out != 0).tolist()

    drawn = [passed(run()) for _ in range(2)]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = run()
    for _ in range(2):
        graph.replay()
        drawn.append(passed(found))
    assert all(it not in drawn[at + 1 :] for at, it in enumerate(drawn))


def packed(module, sequence, lengths):
    is_first = module.batch_first
    if is_first:
        sequence = sequence.transpose(0, 1)
    given = nn.utils.rnn.pack_padded_sequence(sequence, lengths, batch_first=is_first)
    return module(given)[0].data


def of_the_gpu_alone():
    """Operators that the CPU has by another name, and those that read on the host what to do next."""
    image, grid = torch.randn(1, 2, 4, 4), torch.rand(1, 3, 3, 2) * 2 - 1
    leaf, mine = image.cuda().requires_grad_(), image.clone().requires_grad_()
    for x, place in ((leaf, grid.cuda()), (mine, grid)):
        nn.functional.grid_sample(x, place, align_corners=True).square().sum().backward()
    same(leaf.grad, mine.grad)
    x = torch.randn(3, 8)
    module, inputs, other, there = both(lambda: nn.RMSNorm(8), x)
    leaf, mine = there[0].requires_grad_(), inputs[0].requires_grad_()
    for norm, it in ((other, leaf), (module, mine)):
        norm(it).square().sum().backward()
    same(leaf.grad, mine.grad)
    same(other.weight.grad, module.weight.grad)
    assert torch.allclose(x.cuda(), x.cuda() + 1e-9)
    assert not torch.allclose(x.cuda(), x.cuda() + 1)
    assert torch.isin(torch.arange(5).cuda(), torch.tensor([1, 4]).cuda()).tolist() == [
        0,
        1,
        0,
        0,
        1,
    ]
    many = torch.arange(20), torch.arange(0, 60, 2)
    assert torch.isin(*(it.cuda() for it in many)).tolist() == torch.isin(*many).tolist()
    same(torch.linalg.matrix_exp(x[:, :3].cuda()), torch.linalg.matrix_exp(x[:, :3]))
    # Autograd's zeros have no memory.
    leaf = torch.ones(2, device="cuda", requires_grad=True)
    (zeros,) = torch.autograd.grad(leaf.sgn().sum(), leaf)
    assert (zeros + leaf.detach()).tolist() == [1, 1]


def of_views_and_overwritten_arguments():
    """Views that conjugate or negate, and an argument that an operator overwrites before its own kernel runs."""
    x = torch.randn(3, 6, dtype=torch.complex64)
    for function in (
        lambda it: it.conj() + 1,
        lambda it: it.conj().imag * 2,
        torch.fft.hfft,
        lambda it: torch.linalg.lu(it)[1],
    ):
        same(function(x.cuda()), function(x))


def of_tensors_of_the_host():
    """A number beside a tensor that the host gives."""
    x = torch.zeros(4, device="cuda")
    x.index_put_((torch.tensor([1, 2]),), torch.tensor(3.0))
    assert x.tolist() == [0, 3, 3, 0]


def of_half_precision():
    """Operators that the CPU has for wider types alone."""
    image, volume, scores = torch.randn(2, 3, 8, 8), torch.randn(1, 2, 4, 4, 4), torch.randn(3, 5)
    labels = torch.tensor([1, 0, 4])
    several = torch.tensor([[1, 3, -1, 0, 0], [0, -1, 2, 1, 1], [4, 2, 0, -1, 3]])
    functional = nn.functional
    for function, given in (
        (
            lambda it: functional.interpolate(
                it, scale_factor=0.5, mode="bilinear", antialias=True
            ),
            image,
        ),
        (
            lambda it: functional.interpolate(it, scale_factor=0.5, mode="bicubic", antialias=True),
            image,
        ),
        (lambda it: functional.avg_pool3d(it, 2), volume),
        (lambda it: functional.multi_margin_loss(it, labels.to(it.device)), scores),
        (lambda it: functional.multilabel_margin_loss(it, several.to(it.device)), scores),
        (lambda it: torch.trace(it), scores),
        (lambda it: torch.fft.irfft(torch.fft.rfft(it)), image),
        (lambda it: torch.view_as_real(torch.fft.fft(it)), image),
    ):
        compare(function, given, kind=torch.float16, tolerance=2e-2)


def products():
    """Products with other types of their results, and of numbers of eight bits with scales."""
    left, right, bias = torch.randn(16, 32).half(), torch.randn(32, 16).half(), torch.randn(16, 16)
    wanted = left.float() @ right.float()
    for found in (
        torch.mm(left.cuda(), right.cuda(), out_dtype=torch.float32),
        torch.bmm(left.cuda()[None], right.cuda()[None], out_dtype=torch.float32)[0],
        torch.addmm(bias.cuda(), left.cuda(), right.cuda(), out_dtype=torch.float32) - bias.cuda(),
    ):
        same(found, wanted)
    narrow, other = left.to(torch.float8_e4m3fn), right.t().contiguous().to(torch.float8_e4m3fn)
    scales = torch.rand(16, 1), torch.rand(1, 16)
    found = torch._scaled_mm(
        narrow.cuda(),
        other.cuda().t(),
        scale_a=scales[0].cuda(),
        scale_b=scales[1].cuda(),
        out_dtype=torch.bfloat16,
    )
    wanted = narrow.float() * scales[0] @ (other.t().float() * scales[1])
    same(found.float(), wanted.bfloat16().float(), 2e-2)


def weights_of_four_bits():
    numbers = torch.randint(0, 16, (32, 64))
    packed = (numbers[:, ::2] << 4 | numbers[:, 1::2]).to(torch.uint8)
    x, scales = torch.randn(4, 64).bfloat16(), torch.randn(2, 32, 2).bfloat16()
    there = torch.ops.aten._convert_weight_to_int4pack(packed.cuda(), 2)
    found = torch.ops.aten._weight_int4pack_mm(x.cuda(), there, 32, scales.cuda())
    scale, zero = (it.float().t().repeat_interleave(32, 1) for it in scales.unbind(-1))
    wanted = x.float() @ ((numbers - 8) * scale + zero).t()
    same(found.float(), wanted.bfloat16().float(), 2e-2)


def of_cudnn_alone():
    image, weight, bias = torch.randn(2, 4, 6, 6), torch.randn(4, 4, 3, 3), torch.randn(4)
    there = [it.cuda() for it in (image, weight, bias)]
    steps = [1, 1], [0, 0], [1, 1]
    wanted = nn.functional.conv2d(image, weight, bias)
    same(torch.cudnn_convolution_relu(*there, *steps, 1), wanted.relu(), 1e-4)
    z = torch.randn(2, 4, 4, 4)
    found = torch.cudnn_convolution_add_relu(*there[:2], z.cuda(), 2.0, there[2], *steps, 1)
    same(found, (wanted + 2 * z).relu(), 1e-4)
    theta = torch.randn(2, 2, 3)
    found = torch.ops.aten.cudnn_affine_grid_generator(theta.cuda(), 2, 3, 4, 4)
    same(found, nn.functional.affine_grid(theta, [2, 3, 4, 4], align_corners=True))
    scores, targets = torch.randn(12, 4, 6), torch.randint(1, 6, (20,), dtype=torch.int32)
    lengths = [12] * 4, [5] * 4
    compare(
        lambda it: nn.functional.ctc_loss(it.log_softmax(2), targets, *lengths, reduction="sum"),
        scores,
        tolerance=1e-3,
    )


def attention():
    query, key, value = (torch.randn(2, 4, 5, 8) for _ in range(3))
    wanted = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    leaf = query.cuda().requires_grad_()
    found = nn.functional.scaled_dot_product_attention(
        leaf, key.cuda(), value.cuda(), is_causal=True
    )
    same(found, wanted, 1e-4)
    found.sum().backward()
    mine = query.clone().requires_grad_()
    nn.functional.scaled_dot_product_attention(mine, key, value, is_causal=True).sum().backward()
    same(leaf.grad, mine.grad, 1e-4)


def attention_with_dropout():
    """The backward pass drops the weights that the forward pass dropped, also at each replay, which draws others."""
    query, key = torch.randn(2, 2, 3, 32, 32)
    factors = torch.randn(2, 3, 32, 32)
    there = factors.cuda()
    for backend, kind, tolerance in (
        (SDPBackend.EFFICIENT_ATTENTION, torch.float32, 1e-4),
        (SDPBackend.FLASH_ATTENTION, torch.bfloat16, 8e-2),
        (SDPBackend.CUDNN_ATTENTION, torch.float16, 2e-2),
    ):
        values = torch.eye(32).expand(2, 3, 32, 32)
        leaves = [it.to("cuda", kind).requires_grad_() for it in (query, key, values.clone())]

        def run(leaves=leaves, backend=backend):
            with sdpa_kernel(backend):
                # With these values, the weights themselves.
                out = nn.functional.scaled_dot_product_attention(*leaves, dropout_p=0.3)
            return out, *torch.autograd.grad((out * there).float().sum(), leaves)

        masks = []

        def check(found, leaves=leaves, tolerance=tolerance, masks=masks):
            q, k, v = (it.detach().cpu().double().requires_grad_() for it in leaves)
            masks.append(found[0].detach().cpu() != 0)
            weights = (q @ k.transpose(2, 3) / 32**0.5).softmax(3) * masks[-1] / 0.7
            wanted = weights @ v
            same(found[0].double(), wanted, tolerance)
            for mine, theirs in zip(
                found[1:],
                torch.autograd.grad((wanted * factors).sum(), (q, k, v)),
                strict=True,
            ):
                same(mine.double(), theirs, tolerance)

        torch.manual_seed(1)
        for _ in range(2):
            check(run())
        torch.manual_seed(1)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            found = run()
        for _ in range(2):
            graph.replay()
            check(found)
        assert torch.equal(masks[0], masks[2]) and torch.equal(masks[1], masks[3])
        assert not torch.equal(masks[0], masks[1])
        assert 0.25 < 1 - masks[0].double().mean() < 0.35, masks[0].double().mean()


def training():
    def run(device):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).to(device)
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        x = torch.linspace(0, 1, 12).reshape(3, 4).to(device)
        # What the optimizer multiplies by is another number at each step.
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.8)
        losses = []
        for _ in range(8):
            optimizer.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        return torch.tensor(losses)

    same(run("cuda"), run("cpu"), 1e-4)


def replays():
    x = torch.zeros(4, device="cuda")
    weight = torch.full((4,), 3.0, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * weight
        y += 1
    for value in (1.0, 2.0):
        x.fill_(value)
        graph.replay()
        assert y.tolist() == [value * 3 + 1] * 4


def operators_of_python_in_replays():
    """Each of Python's operators goes on with what a graph's input has by then, however often the graph has been replayed."""
    number = torch.full((4,), 200, dtype=torch.int32, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = (
            number >> 1,
            number << 2,
            number & 12,
            number | 3,
            number ^ 5,
            number // 3,
            number % 7,
        )
    for value in (200, 200, 200, 1000, 77):
        number.fill_(value)
        graph.replay()
        wanted = value >> 1, value << 2, value & 12, value | 3, value ^ 5, value // 3, value % 7
        assert [it[0].item() for it in found] == list(wanted), (value, found)


def factors_in_replays():
    """The parts that one operator makes by calling others."""
    matrix, pivots = torch.linalg.lu_factor(torch.randn(3, 3))
    given = matrix.cuda(), pivots.cuda()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = torch.lu_unpack(*given)
    for _ in range(3):
        made = torch.linalg.lu_factor(torch.randn(3, 3))
        for into, value in zip(given, made, strict=True):
            into.copy_(value)
        graph.replay()
        for one, other in zip(found, torch.lu_unpack(*made), strict=True):
            same(one, other)


def random_numbers():
    torch.manual_seed(3)
    on_cpu = torch.rand(2).tolist()
    torch.manual_seed(3)
    torch.rand(2, device="cuda")
    assert torch.rand(2).tolist() == on_cpu, "CUDA's draws are not the CPU's"
    # A generator of the host's is none of the GPU's.
    failed = []
    sys.unraisablehook = failed.append
    torch.randperm(4, generator=torch.Generator().manual_seed(3))
    sys.unraisablehook = sys.__unraisablehook__
    assert not failed, failed
    # What an H100 prints: the guide's example.
    generator = torch.Generator("cuda").manual_seed(1234)

    def draw():
        return torch.randint(1024, (1,), generator=generator, device="cuda")

    assert [draw().item(), draw().item()] == [840, 565]
    graph = torch.cuda.CUDAGraph()
    graph.register_generator_state(generator)
    with torch.cuda.graph(graph):
        drawn = draw()
    found = []
    for _ in range(4):
        graph.replay()
        found.append(drawn.item())
    assert found == [216, 574, 727, 457]


def random_numbers_of_a_loop():
    """What is drawn again and again in the same memory is what is drawn in memory of its own each time."""
    source = torch.ones(6, 1001, device="cuda")
    query = torch.randn(1, 2, 32, 32, device="cuda", requires_grad=True)

    def draw():
        with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):
            out = nn.functional.scaled_dot_product_attention(query, query, query, dropout_p=0.3)
        (gradient,) = torch.autograd.grad(out.sum(), query)
        return (
            nn.functional.dropout(source, 0.4),
            nn.functional.dropout(source.half().t(), 0.4),
            torch.rand(40, device="cuda"),
            out.detach(),
            gradient,
        )

    torch.manual_seed(5)
    apart = [draw() for _ in range(6)]
    torch.manual_seed(5)
    for wanted in apart:
        for one, other in zip(draw(), wanted, strict=True):
            assert torch.equal(one, other)


def captured_random_numbers():
    """A graph draws what the same operators draw eagerly, each behind the other, and moves the generator on."""
    for draw in (
        lambda: torch.rand(2000, device="cuda"),
        lambda: torch.empty(3, 5, device="cuda").t().normal_(1, 2),
        lambda: torch.randn(5, dtype=torch.float64, device="cuda"),
        lambda: torch.randint(-7, 1 << 40, (4,), device="cuda"),
        lambda: torch.empty(4, dtype=torch.int64, device="cuda").random_(),
        lambda: torch.randperm(100, device="cuda"),
        lambda: torch.full((9,), 0.3, device="cuda").bernoulli(),
        lambda: torch.empty(9, device="cuda").bernoulli_(0.3),
        lambda: torch.empty(9, device="cuda").exponential_(2),
        lambda: torch.empty(9, device="cuda").geometric_(0.5),
        lambda: torch.empty(9, device="cuda").cauchy_(),
        lambda: torch.empty(9, device="cuda").log_normal_(),
        lambda: torch.poisson(torch.ones(9, device="cuda")),
        lambda: torch._standard_gamma(torch.ones(9, device="cuda")),
        lambda: torch._standard_gamma(torch.ones(9, device="cuda").double()),
        lambda: torch.poisson(torch.full((9,), 100.0, device="cuda")),
        lambda: torch.binomial(*(torch.full((9,), it, device="cuda") for it in (90.0, 0.7))),
        lambda: torch.multinomial(torch.ones(2, 6, device="cuda"), 3, replacement=True),
        lambda: nn.functional.rrelu(torch.randn(900, device="cuda"), training=True),
        lambda: torch.multinomial(torch.ones(2, 6, device="cuda"), 3),
        lambda: nn.functional.dropout(torch.ones(300_000, device="cuda"), 0.4),
        lambda: nn.functional.dropout(torch.ones(48, device="cuda").half(), 0.4),
    ):
        torch.manual_seed(7)
        wanted = [(draw(), torch.randn(3, device="cuda")) for _ in range(2)]
        torch.manual_seed(7)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            found = draw(), torch.randn(3, device="cuda")
        for eager in wanted:
            graph.replay()
            for mine, theirs in zip(eager, found, strict=True):
                assert torch.equal(mine, theirs), (mine[:3], theirs[:3])
    scale = torch.full((2000,), 3.0, device="cuda")
    drawn = torch.distributions.Normal(scale - 1, scale).sample()
    assert abs(drawn.mean().item() - 2) < 0.3 < drawn.std().item() - 2


def rewound_random_numbers():
    """In a capture the program may set a generator back, as a checkpoint does to drop what the forward pass dropped."""

    def draw():
        kept = torch.cuda.get_rng_state()
        drawn = [
            torch.rand(4, device="cuda"),
            nn.functional.dropout(torch.ones(900, device="cuda")),
        ]
        now = torch.cuda.get_rng_state()
        torch.cuda.set_rng_state(kept)
        again = [torch.rand(4, device="cuda")]
        torch.cuda.set_rng_state(now)
        return drawn + again

    torch.manual_seed(7)
    wanted = [draw() for _ in range(3)]
    torch.manual_seed(7)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = draw()
    for eager in wanted:
        graph.replay()
        assert all(map(torch.equal, found, eager)), (found, eager)
        assert torch.equal(found[0], found[2])


def exchanged_states():
    """Draws from two states that one generator takes in turn: a graph moves on the states, not the generator."""

    def draw(generator, states):
        drawn = []
        for state in (*states, states[0]):
            generator.graphsafe_set_state(state)
            drawn.append(torch.rand(5, device="cuda", generator=generator))
        return drawn

    def generator_and_states():
        generator = torch.Generator("cuda").manual_seed(5)
        states = generator.graphsafe_get_state(), generator.clone_state()
        states[1].manual_seed(6)
        return generator, states

    eager, captured = generator_and_states(), generator_and_states()
    graph = torch.cuda.CUDAGraph()
    for state in captured[1]:
        graph.register_generator_state(state)
    with torch.cuda.graph(graph):
        found = draw(*captured)
    for _ in range(3):
        wanted = draw(*eager)
        graph.replay()
        assert all(map(torch.equal, found, wanted)), (found, wanted)
        assert [it.get_offset() for it in captured[1]] == [it.get_offset() for it in eager[1]]


def main():
    eager()
    modules()
    recurrent()
    recurrent_in_half_precision()
    recurrent_with_dropout()
    cells()
    half_to_float()
    normalizations()
    log_sigmoid()
    bags()
    synchronized()
    sparse()
    sparse_results()
    of_the_gpu_alone()
    of_views_and_overwritten_arguments()
    of_tensors_of_the_host()
    of_half_precision()
    products()
    weights_of_four_bits()
    of_cudnn_alone()
    attention()
    attention_with_dropout()
    training()
    replays()
    operators_of_python_in_replays()
    factors_in_replays()
    random_numbers()
    random_numbers_of_a_loop()
    captured_random_numbers()
    rewound_random_numbers()
    exchanged_states()
    print("all computed")


if __name__ == "__main__":
    main()
