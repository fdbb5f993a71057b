"""What operators compute on the virtual GPU, eagerly and at replays, is what the CPU computes; asserted by the program itself."""

import torch
from torch import nn


def same(gpu, cpu, tolerance=1e-5):
    torch.testing.assert_close(gpu.detach().cpu(), cpu.detach(), rtol=tolerance, atol=tolerance)


def both(build, *inputs):
    """A module and inputs, on the CPU and on the GPU."""
    torch.manual_seed(0)
    module = build()
    torch.manual_seed(0)
    other = build().cuda()
    return module, inputs, other, [it.cuda() for it in inputs]


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
    same(torch.linalg.matrix_exp(x[:, :3].cuda()), torch.linalg.matrix_exp(x[:, :3]))
    # Autograd's zeros have no memory.
    leaf = torch.ones(2, device="cuda", requires_grad=True)
    (zeros,) = torch.autograd.grad(leaf.sgn().sum(), leaf)
    assert (zeros + leaf.detach()).tolist() == [1, 1]


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


def training():
    def run(device):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).to(device)
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        x = torch.linspace(0, 1, 12).reshape(3, 4).to(device)
        losses = []
        for _ in range(4):
            optimizer.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
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


def random_numbers():
    torch.manual_seed(3)
    on_cpu = torch.rand(2).tolist()
    torch.manual_seed(3)
    torch.rand(2, device="cuda")
    assert torch.rand(2).tolist() == on_cpu, "CUDA's draws are not the CPU's"
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
    cells()
    half_to_float()
    synchronized()
    sparse()
    of_the_gpu_alone()
    attention()
    training()
    replays()
    random_numbers()
    captured_random_numbers()
    exchanged_states()
    print("all computed")


if __name__ == "__main__":
    main()
