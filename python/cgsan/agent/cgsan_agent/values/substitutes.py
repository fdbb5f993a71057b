"""What computes the operators that only a GPU has, by operators that the CPU has too."""

import torch

from . import (
    attention,
    cells,
    convolutions,
    embedding_bag,
    four_bits,
    normalization,
    products,
    recurrent,
    synchronized,
)
from .arguments import leaves
from .below_autograd import gradients
from .precision import in_precision, precision_of

aten = torch.ops.aten


def grid_sampler(results, input, grid):
    """cuDNN's interpolates linearly, with zeros outside and corners at the ends (`GridSampler.cpp`)."""
    return aten.grid_sampler_2d(input, grid, 0, 0, True)


def grid_sampler_backward(results, input, grid, grad_output):
    return aten.grid_sampler_2d_backward(grad_output, input, grid, 0, 0, True, [True, True])


def lu_unpack(results, factors, pivots, unpack_data=True, unpack_pivots=True):
    """The permutation is all that its own kernel makes. The factors are those of operators that it calls: where these have overwritten
    what it was given, they have computed them."""
    given = factors.untyped_storage().data_ptr()
    if any(it.untyped_storage().data_ptr() == given for it in results[1:]):
        return aten.lu_unpack(factors, pivots, False, unpack_pivots)[0], None, None
    return aten.lu_unpack(factors, pivots, unpack_data, unpack_pivots)


def affine_grid(results, theta, *sizes):
    return aten.affine_grid_generator(theta, sizes, True)


def affine_grid_backward(results, grad, *sizes):
    return aten.affine_grid_generator_backward(grad, sizes, True)


def ctc_loss(
    results, log_probs, targets, input_lengths, target_lengths, blank, _deterministic, zero_infinity
):
    """The losses and their gradients, of which the backward pass makes the operator's."""

    def losses(log_probs):
        return (
            aten._ctc_loss(
                log_probs, targets.long(), input_lengths, target_lengths, blank, zero_infinity
            )[0],
        )

    (found,) = losses(log_probs)
    return found, *gradients(losses, [log_probs], [torch.ones_like(found)])


def fused_dropout(results, self, p, generator=None):
    """Keeps an element with the probability `p`."""
    mask = torch.empty(self.shape, dtype=torch.uint8).bernoulli_(p)
    return masked_scale(results, self, mask, 1 / p), mask


def masked_scale(results, self, mask, scale):
    return self.to(precision_of(self.dtype)) * mask * scale


def rms_norm_backward(results, grad_out, input, normalized_shape, rstd, weight, output_mask):
    dimensions = tuple(range(-len(normalized_shape), 0))
    x = input.to(rstd.dtype)
    epsilon = rstd.pow(-2) - x.square().mean(dimensions, keepdim=True)

    def normalized(x, weight):
        return (x * (x.square().mean(dimensions, keepdim=True) + epsilon).rsqrt() * weight,)

    factor = torch.ones(normalized_shape) if weight is None else weight
    found = gradients(normalized, [x, factor.to(x.dtype)], [grad_out.to(x.dtype)])
    return found[0].to(input.dtype), None if weight is None else found[1].to(weight.dtype)


def histogram(results, input, bins=100, min=0, max=0):
    """Counts whole numbers too, as CUDA's operator does."""
    return aten.histc(input.to(torch.float64), bins, min, max).to(input.dtype)


def softmax(results, input, dim, half_to_float):
    return aten._softmax(input.float() if half_to_float else input, dim, False)


def log_softmax(results, input, dim, half_to_float):
    return aten._log_softmax(input.float() if half_to_float else input, dim, False)


def _backward_of(softmax):
    """The backward pass of a softmax, which may have come to float32 from half precision."""

    def backward(results, grad_output, output, dim, input_dtype):
        return softmax(grad_output, output, dim, output.dtype)

    return backward


def log_sigmoid(results, self):
    """Its buffer is the CPU's alone: on a GPU, it has no elements."""
    return torch.nn.functional.logsigmoid(self.to(precision_of(self.dtype))), None


def log_sigmoid_backward(results, grad_output, self, buffer):
    wide = precision_of(self.dtype)
    return grad_output.to(wide) * torch.sigmoid(-self.to(wide))


def transform_bias_rescale_qkv(results, qkv, bias, heads):
    """Of a nested tensor, a GPU fills the sequences up to a multiple of eight elements."""
    found = aten._transform_bias_rescale_qkv(qkv, bias, heads)
    longer = results[0].shape[2] - found[0].shape[2]
    return tuple(torch.nn.functional.pad(it, (0, 0, 0, longer)) for it in found)


# What the CPU has not for half precision.
IN_PRECISION = [
    aten._fft_c2c,
    aten._fft_c2r,
    aten._fft_r2c,
    aten._upsample_bicubic2d_aa,
    aten._upsample_bicubic2d_aa_backward,
    aten._upsample_bilinear2d_aa,
    aten._upsample_bilinear2d_aa_backward,
    aten.avg_pool3d,
    aten.avg_pool3d_backward,
    aten.multi_margin_loss,
    aten.multi_margin_loss_backward,
    aten.multilabel_margin_loss_forward,
    aten.multilabel_margin_loss_backward,
    aten.trace,
]

# By the operator, and its overload where that is another operator; each is called with its results, which have the memory to fill, and with its arguments.
SUBSTITUTES = {
    "aten::_cudnn_ctc_loss": ctc_loss,
    "aten::_fused_dropout": fused_dropout,
    "aten::_fused_rms_norm_backward": rms_norm_backward,
    "aten::_masked_scale": masked_scale,
    "aten::_transform_bias_rescale_qkv": transform_bias_rescale_qkv,
    "aten::cudnn_affine_grid_generator": affine_grid,
    "aten::cudnn_affine_grid_generator_backward": affine_grid_backward,
    "aten::cudnn_grid_sampler": grid_sampler,
    "aten::cudnn_grid_sampler_backward": grid_sampler_backward,
    "aten::histc": histogram,
    "aten::_softmax": softmax,
    "aten::_log_softmax": log_softmax,
    "aten::_softmax_backward_data": _backward_of(aten._softmax_backward_data),
    "aten::_log_softmax_backward_data": _backward_of(aten._log_softmax_backward_data),
    "aten::lu_unpack": lu_unpack,
    "aten::log_sigmoid_forward": log_sigmoid,
    "aten::log_sigmoid_backward": log_sigmoid_backward,
    **{it.default._schema.name: in_precision(it.default) for it in IN_PRECISION},
    **attention.SUBSTITUTES,
    **cells.SUBSTITUTES,
    **convolutions.SUBSTITUTES,
    **embedding_bag.SUBSTITUTES,
    **four_bits.SUBSTITUTES,
    **normalization.SUBSTITUTES,
    **products.SUBSTITUTES,
    **recurrent.SUBSTITUTES,
    **synchronized.SUBSTITUTES,
}


def substitute_of(schema):
    """What computes an operator in place of the CPU's; an overload that writes to tensors it is given, by what computes the others."""
    overload = schema.overload_name.removesuffix("_out")
    substitute = SUBSTITUTES.get(f"{schema.name}.{overload}", SUBSTITUTES.get(schema.name))
    given = [it.name for it in schema.arguments if it.is_out]
    if substitute is None or not given:
        return substitute

    def into(_results, *arguments, **keywords):
        places = [keywords.pop(name) for name in given]
        values = leaves((substitute(places, *arguments, **keywords),))
        for place, value in zip(places, values, strict=False):
            if value is not None:
                place.copy_(value)
        return None

    return into
