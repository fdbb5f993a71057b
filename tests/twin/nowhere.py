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
    (aten.sum.dim_IntList, (tensor(8, 1, dtype=torch.bfloat16), [0], True)),
]


def forms(results):
    return [
        it if it is None else (it.shape, it.stride(), it.dtype, it.device)
        for it in tree_flatten(results)[0]
    ]


nowhere = Nowhere()
for operator, arguments in CALLS:
    made = nowhere(operator, arguments, {}, state.device)
    wanted = operator(*arguments)
    if forms(made) != forms(wanted):
        print(operator, forms(made), forms(wanted))
print(len(CALLS))
