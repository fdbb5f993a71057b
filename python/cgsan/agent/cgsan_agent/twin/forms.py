"""The forms of results of operators that have no meta kernel: the cells of recurrent networks, as `RNN.cu` of PyTorch 2.11 makes them."""

import torch

# What the cell of a GRU keeps for its backward pass, in multiples of its hidden size.
GRU_KEPT = 5


def of(operator):
    """What gives results of the right form for an operator: it itself, if it has a meta kernel."""
    return _FORMS.get(operator._schema.name, operator)


def _lstm(gates, _hidden_gates, cell, *_biases):
    return torch.empty_like(cell), torch.empty_like(cell), torch.empty_like(gates)


def _lstm_backward(_grad_hidden, _grad_cell, cell, _new_cell, kept, has_bias):
    gates = torch.empty_like(kept)
    return gates, torch.empty_like(cell), gates.sum(0) if has_bias else None


def _gru(_gates, _hidden_gates, hidden, *_biases):
    batch, size = hidden.shape
    return torch.empty_like(hidden), hidden.new_empty((batch, GRU_KEPT * size))


def _gru_backward(grad, kept, has_bias):
    batch, size = kept.shape[0], kept.shape[1] // GRU_KEPT
    gates, hidden_gates = (kept.new_empty((batch, 3 * size)) for _ in range(2))
    biases = (gates.sum(0), hidden_gates.sum(0)) if has_bias else (None, None)
    return gates, hidden_gates, torch.empty_like(grad), *biases


_FORMS = {
    "aten::_thnn_fused_lstm_cell": _lstm,
    "aten::_thnn_fused_lstm_cell_backward_impl": _lstm_backward,
    "aten::_thnn_fused_gru_cell": _gru,
    "aten::_thnn_fused_gru_cell_backward": _gru_backward,
}
