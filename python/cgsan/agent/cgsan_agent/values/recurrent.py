"""Recurrent networks of cuDNN, by the CPU's operators.

Which elements it drops out is known to cuDNN alone: here they follow from a seed and from how many networks have drawn, which lie where
its state of random numbers does. What a network drew is left in its reserve, for the backward pass.
"""

import torch

from .below_autograd import gradients
from .precision import precision_of
from .random_numbers import drawing

aten = torch.ops.aten

# Kinds of networks as cuDNN numbers them (`cudnnRNNMode_t`).
RELU, TANH, LSTM, GRU = range(4)
OPERATORS = {RELU: aten.rnn_relu, TANH: aten.rnn_tanh, GRU: aten.gru, LSTM: aten.lstm}


def forward(
    results,
    input,
    weight,
    weight_stride0,
    weight_buf,
    hx,
    cx,
    mode,
    hidden_size,
    proj_size,
    num_layers,
    batch_first,
    dropout,
    train,
    bidirectional,
    batch_sizes,
    dropout_state,
):
    layers = num_layers, dropout, train, bidirectional

    def run():
        return _network(
            mode, weight_stride0, layers, batch_first, batch_sizes, input, hx, cx, weight
        )

    if _drops_out(layers):
        drawn = _two_numbers(dropout_state)
        _two_numbers(results[3]).copy_(drawn)
        output, hidden, cell = drawing(*drawn.tolist(), run)
        drawn[1] += 1
    else:
        output, hidden, cell = run()
    # What else it keeps for the backward pass is computed again there.
    return output, hidden, cell, None, None


def backward(
    results,
    input,
    weight,
    weight_stride0,
    weight_buf,
    hx,
    cx,
    output,
    grad_output,
    grad_hy,
    grad_cy,
    mode,
    hidden_size,
    proj_size,
    num_layers,
    batch_first,
    dropout,
    train,
    bidirectional,
    batch_sizes,
    dropout_state,
    reserve,
    output_mask,
):
    layers = num_layers, dropout, train, bidirectional
    has_cell = cx is not None

    def run(input, hx, *rest):
        cell, weights = (rest[0], rest[1:]) if has_cell else (None, rest)
        return _network(
            mode, weight_stride0, layers, batch_first, batch_sizes, input, hx, cell, weights
        )

    given = [input, hx, *([cx] if has_cell else []), *weight]

    def differentiate():
        return gradients(run, given, (grad_output, grad_hy, grad_cy))

    if _drops_out(layers):
        of_input, of_hidden, *rest = drawing(*_two_numbers(reserve).tolist(), differentiate)
    else:
        of_input, of_hidden, *rest = differentiate()
    of_cell = rest.pop(0) if has_cell else None
    return of_input, of_hidden, of_cell, rest


def _network(mode, weight_stride0, layers, batch_first, batch_sizes, input, hx, cx, weight):
    """The output, the last hidden state and the last cell, which only an LSTM has."""
    narrow = input.dtype
    wide = precision_of(narrow)
    input, hx, *weight = (it.to(wide) for it in (input, hx, *weight))
    has_biases = weight_stride0 >= 4
    directions = 2 if layers[-1] else 1
    weight = [
        _matrix(it, at, weight_stride0, directions, input, hx, cx) for at, it in enumerate(weight)
    ]
    state = [hx, cx.to(wide)] if mode == LSTM else hx
    operator = OPERATORS[mode]
    if batch_sizes:
        sizes = torch.tensor(batch_sizes)
        found = operator.data(input, sizes, state, weight, has_biases, *layers)
    else:
        found = operator.input(input, state, weight, has_biases, *layers, batch_first)
    output, hidden, *cell = (it.to(narrow) for it in found)
    return output, hidden, cell[0] if cell else None


def _matrix(weight, at, stride, directions, input, hx, cx):
    """A weight as a matrix, a bias as a vector: under autocast, both come as a column of all their numbers."""
    layer, kind = at // stride // directions, at % stride
    if kind == 0:
        return weight.reshape(-1, input.shape[-1] if layer == 0 else hx.shape[-1] * directions)
    if kind == 1:
        return weight.reshape(-1, hx.shape[-1])
    # The last one of an odd number projects the output.
    is_projection = kind == stride - 1 and stride % 2 == 1
    return weight.reshape(-1, cx.shape[-1]) if is_projection else weight.reshape(-1)


def _drops_out(layers):
    count, probability, train, _ = layers
    return probability and train and count > 1


def _two_numbers(memory):
    """The first 16 bytes of what cuDNN alone knows: a seed, and how many networks had drawn."""
    return memory[:16].view(torch.int64)


def dropout_state(results, dropout, train, dropout_seed, **_options):
    _two_numbers(results[0]).copy_(torch.tensor([dropout_seed, 0]))
    return (None,)


def flatten_weight(results, *_arguments):
    """The virtual GPU has copied the weights."""
    return (None,)


SUBSTITUTES = {
    "aten::_cudnn_rnn": forward,
    "aten::_cudnn_rnn_backward": backward,
    "aten::_cudnn_init_dropout_state": dropout_state,
    "aten::_cudnn_rnn_flatten_weight": flatten_weight,
}
