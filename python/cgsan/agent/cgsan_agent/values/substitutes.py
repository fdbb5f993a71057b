"""What computes the operators that only a GPU has, by operators that the CPU has too."""

import math

import torch

from . import cells, recurrent, synchronized
from .below_autograd import gradients
from .precision import precision_of

aten = torch.ops.aten


def _attention(query, key, value, bias, dropout, causal, scale):
    """The output of scaled dot product attention, and the logarithm of the sum of its exponentials."""
    q, k, v, scale, _ = _wide(query, key, value, scale)
    scores = _scores(q, k, bias, causal, scale)
    sums = scores.logsumexp(-1)
    weights = torch.softmax(scores, -1).nan_to_num(0.0)
    weights = torch.nn.functional.dropout(weights, dropout) if dropout else weights
    return (weights @ v).to(query.dtype), sums


def _wide(query, key, value, scale):
    """The three in the precision to compute in, a head of keys and values for each of queries, the scale, and how many
    heads of queries share one of keys."""
    wide = precision_of(query.dtype)
    groups = query.shape[1] // key.shape[1]
    q, k, v = (it.to(wide) for it in (query, key, value))
    if groups > 1:
        k, v = (it.repeat_interleave(groups, 1) for it in (k, v))
    return q, k, v, 1 / math.sqrt(query.shape[-1]) if scale is None else scale, groups


def _scores(query, key, bias, causal, scale):
    scores = query @ key.transpose(-2, -1) * scale
    if causal:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -math.inf)
    return scores if bias is None else scores + bias


def _padded(tensor, like):
    """The logarithms in the shape of the operator's own, whose rows are rounded up."""
    out = torch.full(like.shape, math.inf, dtype=like.dtype)
    out[..., : tensor.shape[-1]] = tensor.reshape(*like.shape[:-1], tensor.shape[-1])
    return out


def efficient_attention(
    results,
    query,
    key,
    value,
    attn_bias,
    compute_log_sumexp,
    dropout_p=0.0,
    is_causal=False,
    *,
    scale=None,
):
    output, sums = _attention(query, key, value, attn_bias, dropout_p, is_causal, scale)
    sums = _padded(sums, results[1]) if compute_log_sumexp else None
    return (output, sums, *results[2:])


def flash_attention(
    results,
    query,
    key,
    value,
    dropout_p=0.0,
    is_causal=False,
    return_debug_mask=False,
    *,
    scale=None,
):
    output, sums = _attention(query, key, value, None, dropout_p, is_causal, scale)
    return (output, _padded(sums, results[1]), *(None for _ in results[2:]))


def cudnn_attention(
    results,
    query,
    key,
    value,
    attn_bias,
    compute_log_sumexp,
    dropout_p=0.0,
    is_causal=False,
    return_debug_mask=False,
    *,
    scale=None,
):
    output, sums = _attention(query, key, value, attn_bias, dropout_p, is_causal, scale)
    sums = sums.reshape(results[1].shape) if compute_log_sumexp else None
    return (output, sums, *(None for _ in results[2:]))


def _attention_backward(gradient, query, key, value, bias, causal, scale):
    """The gradients of the query, the key, the value and the bias. Below autograd, so written out."""
    q, k, v, scale, groups = _wide(query, key, value, scale)
    of_output = gradient.to(q.dtype)
    weights = torch.softmax(_scores(q, k, bias, causal, scale), -1).nan_to_num(0.0)
    of_weights = of_output @ v.transpose(-2, -1)
    of_scores = weights * (of_weights - (of_weights * weights).sum(-1, keepdim=True))
    of_key = of_scores.transpose(-2, -1) @ q * scale
    of_value = weights.transpose(-2, -1) @ of_output
    if groups > 1:
        of_key, of_value = (it.unflatten(1, (-1, groups)).sum(2) for it in (of_key, of_value))
    of_bias = None if bias is None else of_scores.sum_to_size(bias.shape).to(bias.dtype)
    return (
        (of_scores @ k * scale).to(query.dtype),
        of_key.to(key.dtype),
        of_value.to(value.dtype),
        of_bias,
    )


def efficient_attention_backward(
    results,
    grad_out_,
    query,
    key,
    value,
    attn_bias,
    out,
    logsumexp,
    philox_seed,
    philox_offset,
    dropout_p,
    grad_input_mask,
    is_causal=False,
    *,
    scale=None,
):
    _without_dropout(dropout_p)
    return _attention_backward(grad_out_, query, key, value, attn_bias, is_causal, scale)


def flash_attention_backward(
    results,
    grad_out,
    query,
    key,
    value,
    out,
    logsumexp,
    cum_seq_q,
    cum_seq_k,
    max_q,
    max_k,
    dropout_p,
    is_causal,
    philox_seed,
    philox_offset,
    *,
    scale=None,
):
    _without_dropout(dropout_p)
    return _attention_backward(grad_out, query, key, value, None, is_causal, scale)[:3]


def cudnn_attention_backward(
    results,
    grad_out,
    query,
    key,
    value,
    out,
    logsumexp,
    philox_seed,
    philox_offset,
    attn_bias,
    cum_seq_q,
    cum_seq_k,
    max_q,
    max_k,
    dropout_p,
    is_causal,
    *,
    scale=None,
):
    _without_dropout(dropout_p)
    return _attention_backward(grad_out, query, key, value, attn_bias, is_causal, scale)[:3]


def _without_dropout(probability):
    if probability:
        raise NotImplementedError(
            "the gradient of attention with dropout needs the numbers that were drawn"
        )


def batch_norm(
    results, input, weight, bias, running_mean, running_var, training, average_factor, epsilon
):
    output, mean, deviation = aten.native_batch_norm(
        input, weight, bias, running_mean, running_var, training, average_factor, epsilon
    )
    return (output, mean, deviation, *(None for _ in results[3:]))


def batch_norm_backward(
    results,
    input,
    grad_output,
    weight,
    running_mean,
    running_var,
    save_mean,
    save_var,
    epsilon,
    reserve,
):
    return aten.native_batch_norm_backward(
        grad_output,
        input,
        weight,
        running_mean,
        running_var,
        save_mean,
        save_var,
        True,
        epsilon,
        [True, True, True],
    )


def convolution(results, input, weight, padding, stride, dilation, groups, *_choices):
    return aten.convolution(
        input, weight, None, stride, padding, dilation, False, [0] * len(stride), groups
    )


def transposed_convolution(
    results, input, weight, padding, output_padding, stride, dilation, groups, *_choices
):
    return aten.convolution(
        input, weight, None, stride, padding, dilation, True, output_padding, groups
    )


def grid_sampler(results, input, grid):
    """cuDNN's interpolates linearly, with zeros outside and corners at the ends (`GridSampler.cpp`)."""
    return aten.grid_sampler_2d(input, grid, 0, 0, True)


def grid_sampler_backward(results, input, grid, grad_output):
    return aten.grid_sampler_2d_backward(grad_output, input, grid, 0, 0, True, [True, True])


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


# By the operator; each is called with its results, which have the memory to fill, and with its arguments.
SUBSTITUTES = {
    "aten::_scaled_dot_product_cudnn_attention": cudnn_attention,
    "aten::_scaled_dot_product_cudnn_attention_backward": cudnn_attention_backward,
    "aten::_scaled_dot_product_efficient_attention": efficient_attention,
    "aten::_scaled_dot_product_efficient_attention_backward": efficient_attention_backward,
    "aten::_scaled_dot_product_flash_attention": flash_attention,
    "aten::_scaled_dot_product_flash_attention_backward": flash_attention_backward,
    "aten::cudnn_batch_norm": batch_norm,
    "aten::cudnn_batch_norm_backward": batch_norm_backward,
    "aten::_fused_rms_norm_backward": rms_norm_backward,
    "aten::cudnn_grid_sampler": grid_sampler,
    "aten::cudnn_grid_sampler_backward": grid_sampler_backward,
    "aten::cudnn_convolution": convolution,
    "aten::cudnn_convolution_transpose": transposed_convolution,
    "aten::histc": histogram,
    "aten::_softmax": softmax,
    "aten::_log_softmax": log_softmax,
    **cells.SUBSTITUTES,
    **recurrent.SUBSTITUTES,
    **synchronized.SUBSTITUTES,
}
