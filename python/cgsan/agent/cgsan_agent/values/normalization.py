"""Normalization as CUDA's kernels do it: in float32 where elements are of half precision, with statistics of that type.

The CPU's operators want statistics in the type of the elements, and return none where they normalize with running ones.
"""

import torch

from .precision import in_precision, widened

aten = torch.ops.aten


def _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, epsilon):
    """The output, and the mean and the reciprocal deviation that it was normalized with."""
    given = widened((input, weight, bias, running_mean, running_var))
    output, mean, deviation = aten.native_batch_norm(*given, training, momentum, epsilon)
    if not training:
        return output, given[3], (given[4] + epsilon).rsqrt()
    for running, updated in zip((running_mean, running_var), given[3:], strict=True):
        if running is not None and updated is not running:
            running.copy_(updated)
    return output, mean, deviation


def _only_if_kept(results, values):
    """The values of results that have memory: statistics of cuDNN in evaluation have none, nor has a workspace values."""
    kept = [
        None if place is None or not place.numel() else value
        for place, value in zip(results, values, strict=False)
    ]
    return (values[0], *kept[1:])


def batch_norm(results, *arguments):
    return _only_if_kept(results, _batch_norm(*arguments))


def batch_norm_of_batch(results, input, weight, bias, training, momentum, epsilon):
    """Without running statistics."""
    return _only_if_kept(
        results, _batch_norm(input, weight, bias, None, None, training, momentum, epsilon)
    )


def batch_norm_in_evaluation(results, input, weight, bias, mean, variance, momentum, epsilon):
    return _only_if_kept(
        results, _batch_norm(input, weight, bias, mean, variance, False, momentum, epsilon)
    )


def batch_norm_in_training(results, input, weight, bias, mean, variance, momentum, epsilon):
    return _only_if_kept(
        results, _batch_norm(input, weight, bias, mean, variance, True, momentum, epsilon)
    )


def legit_batch_norm(results, *arguments):
    """Of both overloads, with running statistics and without."""
    function = batch_norm if len(arguments) == 8 else batch_norm_of_batch
    return function(results, *arguments)


def _batch_norm_backward(gradient, *arguments):
    return aten.native_batch_norm_backward(*widened((gradient, *arguments)))


def batch_norm_backward(results, *arguments):
    return _batch_norm_backward(*arguments)


def batch_norm_backward_with_reserve(
    results, gradient, input, weight, mean, variance, save_mean, save_var, update, epsilon, mask, _
):
    return _batch_norm_backward(
        gradient, input, weight, mean, variance, save_mean, save_var, update, epsilon, mask
    )


def cudnn_batch_norm_backward(
    results, input, gradient, weight, mean, variance, save_mean, save_var, epsilon, reserve
):
    mask = [True, True, True]
    return _batch_norm_backward(
        gradient, input, weight, mean, variance, save_mean, save_var, True, epsilon, mask
    )


SUBSTITUTES = {
    "aten::native_batch_norm": batch_norm,
    "aten::_native_batch_norm_legit": legit_batch_norm,
    "aten::_native_batch_norm_legit_no_training": batch_norm_in_evaluation,
    "aten::_batch_norm_with_update": batch_norm_in_training,
    "aten::_batch_norm_no_update": batch_norm_in_evaluation,
    "aten::cudnn_batch_norm": batch_norm,
    "aten::native_batch_norm_backward": batch_norm_backward,
    "aten::batch_norm_backward": batch_norm_backward_with_reserve,
    "aten::cudnn_batch_norm_backward": cudnn_batch_norm_backward,
    "aten::native_layer_norm": in_precision(aten.native_layer_norm),
    "aten::native_layer_norm_backward": in_precision(aten.native_layer_norm_backward),
    "aten::native_group_norm": in_precision(aten.native_group_norm),
    "aten::native_group_norm_backward": in_precision(aten.native_group_norm_backward),
}
