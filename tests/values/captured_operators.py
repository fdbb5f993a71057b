"""Captures operator after operator, each warmed up, and prints how each capture ended: a virtual GPU refuses what a real one refuses, in
the same words. `recorded/captured_operators.txt` is what an H200 printed, with a new process after each failure.
"""

import gc

import torch
import torch.nn.functional as F
import torch.utils.checkpoint

# What is computed without gradients.
FORWARD = """
torch.linalg.eigh(s)
torch.linalg.eigvalsh(s)
torch.linalg.svd(x)
torch.linalg.svdvals(x)
torch.linalg.qr(x)
torch.linalg.inv(x)
torch.linalg.inv_ex(x)
torch.linalg.cholesky(spd)
torch.linalg.cholesky_ex(spd)
torch.linalg.solve(x, x)
torch.linalg.solve_ex(x, x)
torch.linalg.lstsq(x, x)
torch.linalg.eig(x)
torch.linalg.det(x)
torch.linalg.slogdet(x)
torch.linalg.pinv(x)
torch.linalg.lu(x)
torch.linalg.lu_factor(x)
torch.linalg.matrix_exp(x)
torch.linalg.cond(x)
torch.linalg.matrix_norm(x, 2)
torch.linalg.matrix_norm(x, 'nuc')
torch.linalg.matrix_rank(x)
torch.linalg.svd(b)
torch.linalg.eigh(b + b.mT)
torch.linalg.inv(b)
torch.linalg.cholesky(b @ b.mT + 4 * eye)
torch.cholesky_solve(x, spd)
torch.linalg.solve_triangular(x, x, upper=True)
torch.ormqr(x, x[0], x)
torch.linalg.householder_product(x, x[0])
torch.lobpcg(spd9, 1)
torch.fft.fft(x)
torch.fft.irfft2(torch.fft.rfft2(x))
torch.stft(x.flatten(), 8, return_complex=True)
torch.mode(big)
torch.sparse.mm(sp, x)
sp.to_dense()
(sp + sp).coalesce()
csr @ x
F.ctc_loss(lp, tg, il, tl)
F.grid_sample(im, gr)
F.unfold(im, 2)
torch.renorm(x, 2, 0, 1.)
F.cross_entropy(im, lab)
torch.multinomial(big.float().abs() + 1, 5)
torch.bernoulli(x.sigmoid())
torch.poisson(x.abs())
torch._standard_gamma(x.abs() + 1)
torch.distributions.Dirichlet(x.abs() + 1, validate_args=False).rsample()
torch.randint(5, (4,), device='cuda')
torch.normal(x, x.abs())
x.clone().index_put_((idx,), x, accumulate=True)
x.scatter_reduce(0, idx.view(4,1).expand(4,4), x, 'amax')
torch.segment_reduce(x, 'sum', lengths=torch.tensor([1, 3], device='cuda'))
torch.searchsorted(x.sort().values, x)
torch.combinations(x[0])
torch.tril_indices(4, 4, device='cuda')
torch.block_diag(x, x)
torch.nonzero_static(x > 0, size=16)
F.interpolate(im, scale_factor=2.)
x.cumsum(0)
x.logcumsumexp(0)
torch.argwhere(x > 0)
torch.isin(idx, idx)
torch.rot90(x)
F.adaptive_avg_pool2d(im, 2)
F.conv2d(im, torch.ones(2, 4, 1, 1, device='cuda'))
F.conv_transpose2d(im, torch.ones(4, 2, 1, 1, device='cuda'))
gru(x.unsqueeze(0))[0]
mha(x.unsqueeze(0), x.unsqueeze(0), x.unsqueeze(0))[0]
torch._int_mm(i8, i8)
x.half() @ x.half()
torch.bmm(b, b)
torch.einsum('ij,kj->ik', x, x)
torch.kron(x, x)
"""

# What is computed with gradients, and derived where it has some.
BACKWARD = """
F.alpha_dropout(x)
x.amax(0)
amp(x)
F.adaptive_max_pool2d(x.view(1, 1, 4, 4), 2)
torch.baddbmm(x[None], x[None], y[None])
F.binary_cross_entropy(x.sigmoid(), y.sigmoid().detach())
F.binary_cross_entropy_with_logits(x, y)
torch.binomial(y.abs() * 5, y.sigmoid())
torch.sparse.mm(sp, x)
bn(x)
x + torch.empty_like(x).cauchy_()
torch.cdist(x, y)
F.cross_entropy(x, t)
F.cross_entropy(x, t, label_smoothing=.1)
F.cross_entropy(x, t, weight=x[0].detach().abs())
torch.linalg.cholesky_ex(x @ x.T + 4 * torch.eye(4, device='cuda'))[0]
torch.utils.checkpoint.checkpoint(torch.tanh, x, use_reentrant=False)
torch.utils.checkpoint.checkpoint(torch.tanh, x, use_reentrant=False, preserve_rng_state=False)
torch.utils.checkpoint.checkpoint(torch.tanh, x, use_reentrant=True)
clip(x)
F.conv2d(x.view(1, 1, 4, 4), x[:2, :2].reshape(1, 1, 2, 2))
F.conv1d(x[None], x[:, :2].reshape(1, 4, 2))
F.conv3d(x.view(1, 1, 1, 4, 4), x[:2, :2].reshape(1, 1, 1, 2, 2))
F.cosine_embedding_loss(x, y, torch.ones(4, device='cuda'))
F.ctc_loss(x.unsqueeze(1).log_softmax(-1), t[:2].unsqueeze(0) % 3 + 1, (4,), (2,))
F.ctc_loss(x.unsqueeze(1).log_softmax(-1), t[:2].unsqueeze(0) % 3 + 1, torch.tensor([4]), torch.tensor([2]))
x.cummax(0).values
x.cumprod(0)
torch.autograd.grad((x ** 3).sum(), x, create_graph=True)[0]
F.dropout(x)
torch.einsum('ij,jk->ik', x, y)
F.embedding(t, x)
F.embedding_bag(t, x, torch.tensor([0, 2], device='cuda'))
F.embedding_bag(t, x, torch.tensor([0, 2], device='cuda'), mode='max')
x + torch.empty_like(x).exponential_()
torch.fft.rfft(x).abs()
F.fold(x[None], 2, 1)
F.fractional_max_pool2d(x.view(1, 1, 4, 4), 2, output_size=2)
torch._standard_gamma(x.abs() + 1)
x.gather(0, t4)
x + torch.empty_like(x).geometric_(.5)
F.group_norm(x, 2)
F.gaussian_nll_loss(x, y, torch.ones(4, 4, device='cuda'))
torch.func.grad(lambda v: v.sin().sum())(x)
F.grid_sample(x.view(1, 1, 4, 4), torch.zeros(1, 2, 2, 2, device='cuda'))
gru(x[None])[0]
F.gumbel_softmax(x)
F.gumbel_softmax(x, hard=True)
F.hinge_embedding_loss(x, y.sign())
F.huber_loss(x, y)
x.index_add(0, t, x)
x.index_select(0, t)
x[t]
x[:, t]
F.instance_norm(x.view(1, 4, 4))
F.interpolate(x.view(1, 1, 4, 4), scale_factor=2, mode='bicubic')
torch.linalg.inv_ex(x)[0]
torch.func.jvp(torch.sin, (x,), (y,))[1]
F.kl_div(x.log_softmax(-1), y.softmax(-1), reduction='batchmean')
x.kthvalue(2).values
F.l1_loss(x, y)
torch.lerp(x, y, .3)
F.layer_norm(x, (4,))
x.logdet()
x + torch.empty_like(x).log_normal_()
F.logsigmoid(x)
F.lp_pool2d(x.view(1, 1, 4, 4), 2, 2)
lstm(x[None])[0]
x.max()
x.median()
x.median(0).values
x.masked_fill(x > 0, 0.)
mha(x[None], x[None], x[None])[0]
F.multilabel_margin_loss(x, t4)
F.multilabel_soft_margin_loss(x, y.gt(0).float())
F.multi_margin_loss(x, t)
F.max_pool2d(x.view(1, 1, 4, 4), 2)
F.max_unpool2d(*F.max_pool2d(x.view(1, 1, 4, 4), 2, return_indices=True), 2)
F.margin_ranking_loss(x, y, y.sign())
x.masked_scatter(x > 0, y)
F.mse_loss(x, y)
x.masked_select(x > 0)
x[torch.multinomial(x.softmax(-1).detach(), 1).flatten()]
x[torch.multinomial(x.softmax(-1).detach(), 2, replacement=True)[:, 0]]
F.nll_loss(x.log_softmax(-1), t)
x.norm()
F.normalize(x)
x.det()
F.pad(x[None], (1, 1), mode='reflect')
F.pdist(x)
F.pixel_shuffle(x.view(1, 4, 2, 2), 2)
F.poisson_nll_loss(x, y.abs())
torch.poisson(x.abs())
x.prod()
x.prod(0)
torch.linalg.qr(x)[0]
x.quantile(.5)
x + torch.randint_like(x, 5)
torch.renorm(x, 2, 0, 1.)
F.rms_norm(x, (4,))
F.rrelu(x, training=True)
x.scatter_add(0, t4, x)
F.scaled_dot_product_attention(x[None, None], x[None, None], x[None, None], is_causal=True)
F.scaled_dot_product_attention(x[None, None], x[None, None], x[None, None], dropout_p=.5)
F.smooth_l1_loss(x, y)
torch.linalg.slogdet(x)[1]
F.soft_margin_loss(x, y.sign())
x.sort().values
lin(x)
x.scatter_reduce(0, t4, x, 'prod')
x.std()
torch.stft(x.flatten(), 8, return_complex=True).abs()
x.take(t)
tel(x[None])
x.topk(2).values
F.triplet_margin_loss(x, y, x * 2)
F.triplet_margin_with_distance_loss(x, y, x * 2)
x.var(0)
torch.func.vmap(torch.sin)(x)
torch.where(x > 0, x, y)
"""

# Optimizers that are captured at a step.
OPTIMIZERS = """
Adadelta(P)
Adadelta(P, capturable=True)
Adafactor(P)
Adagrad(P)
Adam(P)
Adam(P, capturable=True, amsgrad=True)
Adam(P, capturable=True)
Adam(P, fused=True)
Adam(P, fused=True, capturable=True)
Adam(P, foreach=False, capturable=True)
Adamax(P)
Adamax(P, capturable=True)
AdamW(P, capturable=True)
ASGD(P)
ASGD(P, capturable=True)
LBFGS(P)
Muon([w])
NAdam(P)
NAdam(P, capturable=True)
RAdam(P)
RAdam(P, capturable=True)
RMSprop(P)
RMSprop(P, capturable=True)
Rprop(P)
Rprop(P, capturable=True)
SGD(P, .1)
SGD(P, .1, fused=True)
SGD(P, .1, momentum=.9)
SGD(P, .1, momentum=.9, nesterov=True, weight_decay=.1)
"""


def names():
    """What the expressions above are about."""
    torch.manual_seed(0)
    x = torch.randn(4, 4, device="cuda")
    y = torch.randn(4, 4, device="cuda")
    eye = torch.eye(4, device="cuda")
    t = torch.tensor([0, 1, 2, 3], device="cuda")
    names = {
        "F": F,
        "torch": torch,
        "x": x,
        "y": y,
        "eye": eye,
        "s": x + x.T,
        "spd": x @ x.T + 4 * eye,
        "spd9": 9 * torch.eye(9, device="cuda"),
        "b": torch.randn(3, 4, 4, device="cuda"),
        "big": torch.randint(5, (4000,), device="cuda"),
        "idx": torch.tensor([0, 1, 1, 3], device="cuda"),
        "sp": eye.to_sparse(),
        "csr": eye.to_sparse_csr(),
        "i8": torch.ones(32, 32, dtype=torch.int8, device="cuda"),
        "lp": torch.randn(5, 1, 3, device="cuda").log_softmax(-1),
        "tg": torch.tensor([[1, 2]], device="cuda"),
        "il": torch.tensor([5], device="cuda"),
        "tl": torch.tensor([2], device="cuda"),
        "im": torch.randn(1, 4, 4, 4, device="cuda"),
        "gr": torch.zeros(1, 2, 2, 2, device="cuda"),
        "lab": torch.zeros(1, 4, 4, dtype=torch.long, device="cuda"),
        "t": t,
        "t4": t.repeat(4, 1),
        "bn": torch.nn.BatchNorm1d(4).cuda(),
        "gru": torch.nn.GRU(4, 4).cuda(),
        "lstm": torch.nn.LSTM(4, 4).cuda(),
        "tel": torch.nn.TransformerEncoderLayer(4, 2, 8).cuda(),
        "mha": torch.nn.MultiheadAttention(4, 2).cuda(),
        "lin": torch.nn.Linear(4, 4).cuda(),
    }
    return names | {"amp": in_half_precision(names["lin"]), "clip": clipping(names["lin"])}


def in_half_precision(layer):
    def computes(x):
        with torch.autocast("cuda", torch.float16, cache_enabled=False):
            return layer(x)

    return computes


def clipping(layer):
    def computes(x):
        layer(x).sum().backward()
        torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
        torch.nn.utils.clip_grad_value_(layer.parameters(), 1.0)
        return layer(x)

    return computes


def forward(expression, names):
    code = compile(expression, expression, "eval")

    def runs():
        with torch.no_grad():
            eval(code, names)

    return runs


def backward(expression, names):
    code = compile(expression, expression, "eval")
    x = names["x"].requires_grad_()

    def runs():
        x.grad = None
        result = eval(code, names)
        if result.requires_grad:
            result.float().sum().backward()

    return runs


def step(expression, names):
    parameters = [torch.nn.Parameter(names[it].clone()) for it in ("x", "y")]
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    optimizer = eval(f"torch.optim.{expression}", names | {"P": parameters, "w": parameters[0]})
    if isinstance(optimizer, torch.optim.LBFGS):
        return lambda: optimizer.step(lambda: (parameters[0] ** 2).sum())
    return optimizer.step


def captured(runs, stream):
    """How the capture of a function ends."""
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(2):
            runs()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph, stream=stream):
            runs()
    except Exception as error:
        first = error
        while first.__context__ is not None:
            first = first.__context__
        return f"{type(first).__name__}: {str(first).splitlines()[0]}"
    graph.replay()
    torch.cuda.synchronize()
    return "captured"


def main():
    stream = torch.cuda.Stream()
    torch.randn(1, device="cuda")
    generator = torch.cuda.default_generators[0]
    state = generator.clone_state()
    for table, made in ((FORWARD, forward), (BACKWARD, backward), (OPTIMIZERS, step)):
        for expression in table.split("\n")[1:-1]:
            end = captured(made(expression, names()), stream)
            print(f"{expression}: {end}", flush=True)
            if end != "captured":
                # A capture that fails leaves the generator behind as if it went on, and a graph that no other capture should end.
                gc.collect()
                generator.graphsafe_set_state(state.clone_state())


if __name__ == "__main__":
    main()
