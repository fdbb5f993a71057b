"""Batch normalization over several ranks: the steps between its collectives, which only a GPU has (PyTorch's `Normalization.cuh`)."""

import torch

from .precision import precision_of


def statistics(results, input, eps):
    wide, over = input.to(precision_of(input.dtype)), _all_but_channels(input)
    return wide.mean(over), (wide.var(over, correction=0) + eps).rsqrt()


def gathered(results, input, mean, invstd, running_mean, running_var, momentum, eps, count):
    """Of the ranks' statistics, one row each, those of all their elements; `count` is a number or one for each rank."""
    counts = torch.as_tensor(count, dtype=mean.dtype).expand(len(mean)).unsqueeze(1)
    total = counts.sum()
    of_all = (mean * counts).sum(0) / total
    squares = ((invstd.pow(-2) - eps + (mean - of_all).square()) * counts).sum(0)
    for running, now in ((running_mean, of_all), (running_var, squares / (total - 1))):
        if running is not None:
            running.copy_((1 - momentum) * running + momentum * now)
    return of_all, (squares / total + eps).rsqrt()


def normalized(results, input, weight, bias, mean, invstd, eps):
    out = (input.to(mean.dtype) - _rows(mean, input)) * _rows(invstd, input)
    out = out if weight is None else out * _rows(weight, input)
    return (out if bias is None else out + _rows(bias, input)).to(input.dtype)


def sums_backward(results, grad_out, input, mean, invstd, weight, input_g, weight_g, bias_g):
    gradient, over = grad_out.to(mean.dtype), _all_but_channels(input)
    of_output = gradient.sum(over)
    of_deviation = (gradient * (input.to(mean.dtype) - _rows(mean, input))).sum(over)
    return (
        of_output if input_g else None,
        of_deviation if input_g else None,
        of_deviation * invstd if weight_g else None,
        of_output if bias_g else None,
    )


def backward(results, grad_out, input, mean, invstd, weight, sum_dy, sum_dy_xmu, count):
    total = count.sum()
    deviation = input.to(mean.dtype) - _rows(mean, input)
    of_deviation = _rows(sum_dy_xmu / total * invstd.square(), input)
    factor = invstd if weight is None else invstd * weight
    gradient = grad_out.to(mean.dtype) - _rows(sum_dy / total, input) - deviation * of_deviation
    return (gradient * _rows(factor, input)).to(input.dtype)


def _all_but_channels(tensor):
    return [at for at in range(tensor.dim()) if at != 1]


def _rows(of_channels, like):
    """Numbers of the channels, to be used with a tensor that has those in its second dimension."""
    return of_channels.reshape(-1, *(1,) * (like.dim() - 2))


SUBSTITUTES = {
    "aten::batch_norm_stats": statistics,
    "aten::batch_norm_gather_stats": gathered,
    "aten::batch_norm_gather_stats_with_counts": gathered,
    "aten::batch_norm_elemt": normalized,
    "aten::batch_norm_backward_reduce": sums_backward,
    "aten::batch_norm_backward_elemt": backward,
}
