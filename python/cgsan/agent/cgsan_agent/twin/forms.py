"""The forms of results of operators that have no meta kernel, as the CUDA kernels of PyTorch 2.11 make them."""

import torch

# What the cell of a GRU keeps for its backward pass, in multiples of its hidden size.
GRU_KEPT = 5


# Operators that read lengths on the host: of tensors of the CPU, they are given what these hold.
FROM_HOST = frozenset(("aten::_pack_padded_sequence",))


def of(operator):
    """What gives results of the right form for an operator: it itself, if it has a meta kernel."""
    if not operator._schema.returns:
        return _nothing
    return _FORMS.get(operator._schema.name, operator)


def _nothing(*_, **__):
    return None


def _like_first(tensor, *_, **__):
    return torch.empty_like(tensor)


def _like_second(_, tensor, *__, **___):
    return torch.empty_like(tensor)


def _packed(padded, lengths, _batch_first):
    lengths = lengths.tolist()
    sizes = [sum(it > at for it in lengths) for at in range(max(lengths, default=0))]
    return padded.new_empty((sum(lengths), *padded.shape[2:])), torch.tensor(sizes)


def _rnn_backward(inputs, weights, _stride, _buffer, hidden, cell, *rest):
    mask = rest[-1]
    given = [torch.empty_like(it) if it is not None else None for it in (inputs, hidden, cell)]
    return *given, [torch.empty_like(it) for it in weights] if mask[3] else []


def _channels(tensor):
    dtype = torch.float32 if tensor.dtype in (torch.float16, torch.bfloat16) else tensor.dtype
    return tensor.new_empty((tensor.shape[1],), dtype=dtype)


def _two_of_channels(tensor, *_):
    return _channels(tensor), _channels(tensor)


def _norm_backward_reduced(
    grad, _inputs, _mean, _invstd, weight, wants_sums, wants_weight, wants_bias
):
    sums = (_channels(grad), _channels(grad)) if wants_sums else (None, None)
    return *sums, *(
        grad.new_empty((grad.shape[1],), dtype=weight.dtype) if it else None
        for it in (wants_weight, wants_bias)
    )


def _sampled(image, grid):
    return image.new_empty((image.shape[0], image.shape[1], *grid.shape[1:3]))


def _sampled_backward(image, grid, _grad):
    return torch.empty_like(image), torch.empty_like(grid)


def _least_and_most(tensor, dim=None, keepdim=False):
    if dim is None:
        return tensor.new_empty(()), tensor.new_empty(())
    reduced = tensor.sum(dim, keepdim).to(tensor.dtype)
    return torch.empty_like(reduced), torch.empty_like(reduced)


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
    "aten::_cudnn_rnn_backward": _rnn_backward,
    "aten::_pack_padded_sequence": _packed,
    "aten::_transformer_encoder_layer_fwd": _like_first,
    "aten::_masked_softmax": _like_first,
    "aten::_masked_softmax_backward": _like_first,
    "aten::_logcumsumexp": _like_first,
    "aten::_standard_gamma": _like_first,
    "aten::_standard_gamma_grad": _like_first,
    "aten::_sample_dirichlet": _like_first,
    "aten::_dirichlet_grad": _like_first,
    "aten::binomial": _like_first,
    "aten::_aminmax": _least_and_most,
    "aten::batch_norm_stats": _two_of_channels,
    "aten::batch_norm_gather_stats": _two_of_channels,
    "aten::batch_norm_gather_stats_with_counts": _two_of_channels,
    "aten::batch_norm_update_stats": _two_of_channels,
    "aten::batch_norm_elemt": _like_first,
    "aten::batch_norm_backward_reduce": _norm_backward_reduced,
    "aten::batch_norm_backward_elemt": _like_second,
    "aten::cudnn_grid_sampler": _sampled,
    "aten::cudnn_grid_sampler_backward": _sampled_backward,
}
