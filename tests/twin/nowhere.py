"""Results whose memory is nowhere have the forms of a GPU's. Prints the operators of which they have not, and how many were asked for."""

import torch
from cgsan_agent.twin.results import Nowhere
from torch.utils._pytree import tree_flatten

aten = torch.ops.aten
BATCH, SIZE = 3, 5


def tensor(*sizes, dtype=torch.float32):
    return torch.zeros(sizes, device="cuda", dtype=dtype)


state = tensor(BATCH, SIZE)
of_gru = tensor(BATCH, 3 * SIZE), tensor(BATCH, 3 * SIZE)
of_lstm = tensor(BATCH, 4 * SIZE), tensor(BATCH, 4 * SIZE)
images = tensor(2, 4, 6, 6)
two = tensor(2, 4)
count = tensor(2, dtype=torch.int32)
sgd = {
    "weight_decay": 0.0,
    "momentum": 0.0,
    "lr": 0.1,
    "dampening": 0.0,
    "nesterov": False,
    "maximize": False,
    "is_first_step": True,
}
CALLS = [
    (aten._thnn_fused_gru_cell.default, (*of_gru, state)),
    (aten._thnn_fused_gru_cell_backward.default, (state, tensor(BATCH, 5 * SIZE), True)),
    (aten._thnn_fused_gru_cell_backward.default, (state, tensor(BATCH, 5 * SIZE), False)),
    (aten._thnn_fused_lstm_cell.default, (*of_lstm, state)),
    (
        aten._thnn_fused_lstm_cell_backward_impl.default,
        (state, state, state, state, of_lstm[0], True),
    ),
    (
        aten._thnn_fused_lstm_cell_backward_impl.default,
        (state, state, state, state, of_lstm[0], False),
    ),
    (aten.mm.default, (tensor(2, 3), tensor(3, 4))),
    (aten._pack_padded_sequence.default, (tensor(6, BATCH, SIZE), torch.tensor([6, 4, 1]), False)),
    (
        aten._pack_padded_sequence.default,
        (tensor(6, BATCH, SIZE).transpose(0, 1), torch.tensor([6, 4, 1]), True),
    ),
    (aten._fused_sgd_.default, ([state], [state], []), sgd),
    (aten._masked_softmax.default, (tensor(2, 3, 4, 4), tensor(4, 4, dtype=torch.bool), 3, 0)),
    (aten._logcumsumexp.default, (state, 0)),
    (aten._standard_gamma.default, (state + 1,)),
    (aten._standard_gamma_grad.default, (state + 1, state + 1)),
    (aten._sample_dirichlet.default, (state + 1,)),
    (aten._dirichlet_grad.default, (state + 1, state + 1, state + 1)),
    (aten.binomial.default, (state + 1, state)),
    (aten._aminmax.default, (state,)),
    (aten._aminmax.dim, (state, 1, True)),
    (aten.batch_norm_stats.default, (images, 1e-5)),
    (aten.batch_norm_stats.default, (images.bfloat16(), 1e-5)),
    (
        aten.batch_norm_gather_stats_with_counts.default,
        (images, two, two, None, None, 0.1, 1e-5, two[:, 0]),
    ),
    (aten.batch_norm_update_stats.default, (images, None, None, 0.1)),
    (aten.batch_norm_elemt.default, (images, None, None, two[0], two[0], 1e-5)),
    (
        aten.batch_norm_backward_reduce.default,
        (images, images, two[0], two[0], two[0], True, True, True),
    ),
    (
        aten.batch_norm_backward_elemt.default,
        (images, images, two[0], two[0], None, two[0], two[0], count),
    ),
    (aten.cudnn_grid_sampler.default, (images, tensor(2, 5, 7, 2))),
    (aten.cudnn_grid_sampler_backward.default, (images, tensor(2, 5, 7, 2), tensor(2, 4, 5, 7))),
    (aten.sum.dim_IntList, (tensor(8, 1, dtype=torch.bfloat16), [0], True)),
]


def forms(results):
    return [
        it if it is None else (it.shape, it.stride(), it.dtype, it.device)
        for it in tree_flatten(results)[0]
    ]


nowhere = Nowhere()
for operator, arguments, *keywords in CALLS:
    made = nowhere(operator, arguments, dict(*keywords), state.device)
    wanted = operator(*arguments, **dict(*keywords))
    if forms(made) != forms(wanted):
        print(operator, forms(made), forms(wanted))
print(len(CALLS))
