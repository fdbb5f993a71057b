"""Cells of LSTM and GRU, which are one kernel each on a GPU (PyTorch's `RNN.cu`, whose order of gates and workspaces these have)."""

import torch

from .precision import precision_of


def lstm(results, input_gates, hidden_gates, cx, input_bias=None, hidden_bias=None):
    gates = _sum(input_gates, input_bias) + _sum(hidden_gates, hidden_bias)
    i, f, c, o = gates.chunk(4, 1)
    i, f, c, o = i.sigmoid(), f.sigmoid(), c.tanh(), o.sigmoid()
    cy = f * cx.to(gates.dtype) + i * c
    return o * cy.tanh(), cy, torch.cat((i, f, c, o), 1)


def lstm_backward(results, grad_hy, grad_cy, cx, cy, workspace, has_bias):
    wide = precision_of(workspace.dtype)
    i, f, c, o = workspace.to(wide).chunk(4, 1)
    of_hy, of_cy = (0 if it is None else it.to(wide) for it in (grad_hy, grad_cy))
    squashed = cy.to(wide).tanh()
    of_cell = of_hy * o * (1 - squashed.square()) + of_cy
    of_gates = torch.cat(
        (
            of_cell * c * (1 - i) * i,
            of_cell * cx.to(wide) * (1 - f) * f,
            of_cell * i * (1 - c.square()),
            of_hy * squashed * (1 - o) * o,
        ),
        1,
    )
    return of_gates, of_cell * f, of_gates.sum(0) if has_bias else None


def gru(results, input_gates, hidden_gates, hx, input_bias=None, hidden_bias=None):
    ir, iz, i = _sum(input_gates, input_bias).chunk(3, 1)
    hr, hz, h = _sum(hidden_gates, hidden_bias).chunk(3, 1)
    x = hx.to(i.dtype)
    r, z = (ir + hr).sigmoid(), (iz + hz).sigmoid()
    n = (i + r * h).tanh()
    return n + z * (x - n), torch.cat((r, z, n, x, h), 1)


def gru_backward(results, grad_hy, workspace, has_bias):
    wide = precision_of(workspace.dtype)
    r, z, n, x, h = workspace.to(wide).chunk(5, 1)
    gradient = grad_hy.to(wide)
    of_z = gradient * (x - n) * (1 - z) * z
    of_n = gradient * (1 - z) * (1 - n.square())
    of_r = of_n * h * (1 - r) * r
    of_input, of_hidden = torch.cat((of_r, of_z, of_n), 1), torch.cat((of_r, of_z, of_n * r), 1)
    of_biases = (of_input.sum(0), of_hidden.sum(0)) if has_bias else (None, None)
    return of_input, of_hidden, gradient * z, *of_biases


def _sum(gates, bias):
    wide = gates.to(precision_of(gates.dtype))
    return wide if bias is None else wide + bias.to(wide.dtype)


SUBSTITUTES = {
    "aten::_thnn_fused_lstm_cell": lstm,
    "aten::_thnn_fused_lstm_cell_backward_impl": lstm_backward,
    "aten::_thnn_fused_gru_cell": gru,
    "aten::_thnn_fused_gru_cell_backward": gru_backward,
}
