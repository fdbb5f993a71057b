"""Convolutions of cuDNN and those by depth, by the CPU's operator."""

import torch

from .precision import widened

aten = torch.ops.aten


def _convolution(input, weight, bias, stride, padding, dilation, groups):
    given = widened((input, weight, bias))
    return aten.convolution(*given, stride, padding, dilation, False, [0] * len(stride), groups)


def convolution(results, input, weight, padding, stride, dilation, groups, *_choices):
    return _convolution(input, weight, None, stride, padding, dilation, groups)


def transposed_convolution(
    results, input, weight, padding, output_padding, stride, dilation, groups, *_choices
):
    given = widened((input, weight, None))
    return aten.convolution(*given, stride, padding, dilation, True, output_padding, groups)


def by_depth(results, self, weight, kernel_size, bias, stride, padding, dilation):
    return _convolution(self, weight, bias, stride, padding, dilation, self.shape[1])


def with_relu(results, self, weight, bias, stride, padding, dilation, groups):
    return _convolution(self, weight, bias, stride, padding, dilation, groups).relu()


def with_sum_and_relu(results, self, weight, z, alpha, bias, stride, padding, dilation, groups):
    found = _convolution(self, weight, bias, stride, padding, dilation, groups)
    return (found + (1 if alpha is None else alpha) * z.to(found.dtype)).relu()


SUBSTITUTES = {
    "aten::cudnn_convolution": convolution,
    "aten::cudnn_convolution_transpose": transposed_convolution,
    "aten::cudnn_convolution_relu": with_relu,
    "aten::cudnn_convolution_add_relu": with_sum_and_relu,
    "aten::_conv_depthwise2d": by_depth,
    "aten::conv_depthwise3d": by_depth,
}
