"""Attention by the CPU's operators: the kernels of flash and memory-efficient attention and of cuDNN, which PyTorch's public functions call.

The three leave a seed and an offset for the backward pass, which follow weights that were dropped out to the same numbers. The first two
take a batch of sequences, `[batch, length, heads, size]`, or sequences of several lengths behind each other, and where each begins.
"""

import functools
import itertools
import math

import torch

from . import attention_dropout as dropout
from .draws import NOTHING, Draw
from .precision import precision_of

# How memory-efficient attention counts from which key on a query is not to look ahead.
FROM_FIRST, FROM_LAST = 1, 2
# Elements of what hides keys from queries, up to which it is kept for the next call.
SMALL = 1 << 18


def _attention(query, key, value, bias, kept, scale):
    """The output, and the logarithm of the sum of its exponentials. `kept` has the factors of the weights, where some are dropped."""
    q, k, v, scale, _ = _wide(query, key, value, scale)
    scores = _scores(q, k, bias, scale)
    weights = _weights(scores, bias)
    sums = _sums(scores, weights, bias)
    weights = weights if kept is None else weights.mul_(kept)
    return (weights @ v).to(query.dtype), sums


def _sums(scores, weights, bias):
    """The logarithms. Where each query sees a key, the largest weight says what all were divided by."""
    if bias is not None or not scores.shape[-1]:
        return scores.logsumexp(-1)
    return scores.amax(-1) - weights.amax(-1).log()


def _attention_backward(query, key, value, gradient, bias, kept, scale):
    """The gradients of the query, the key, the value and the bias. Below autograd, so written out."""
    q, k, v, scale, groups = _wide(query, key, value, scale)
    of_output = gradient.to(q.dtype).contiguous()
    weights = _weights(_scores(q, k, bias, scale), bias)
    used = weights if kept is None else weights * kept
    of_weights = of_output @ v.transpose(-2, -1)
    of_weights = of_weights if kept is None else of_weights.mul_(kept)
    of_scores = torch.ops.aten._softmax_backward_data(of_weights, weights, -1, weights.dtype)
    of_key = (of_scores.transpose(-2, -1) @ q).mul_(scale)
    of_value = used.transpose(-2, -1) @ of_output
    if groups > 1:
        of_key, of_value = (it.unflatten(1, (-1, groups)).sum(2) for it in (of_key, of_value))
    return (of_scores @ k).mul_(scale), of_key, of_value, of_scores


def _wide(query, key, value, scale):
    """The three in the precision to compute in, a head of keys and values for each of queries, the scale, and how many
    heads of queries share one of keys."""
    wide = precision_of(query.dtype)
    groups = query.shape[1] // key.shape[1]
    q, k, v = (it.to(wide).contiguous() for it in (query, key, value))
    if groups > 1:
        k, v = (it.repeat_interleave(groups, 1) for it in (k, v))
    return q, k, v, 1 / math.sqrt(query.shape[-1]) if scale is None else scale, groups


def _scores(query, key, bias, scale):
    scores = (query @ key.transpose(-2, -1)).mul_(scale)
    return scores if bias is None else scores + bias


def _weights(scores, bias):
    """What each query makes of the values; where it sees no key, nothing."""
    weights = torch.softmax(scores, -1)
    return weights if bias is None else weights.nan_to_num_(0.0)


def _band(query, key, causal, left=None, right=None, first=0):
    """What is added to scores so that each query sees the keys of a window alone; `first` is the key that belongs to the first query."""
    limits = (left, 0 if causal else right)
    if all(it is None or it < 0 for it in limits):
        return None
    queries, keys = query.shape[2], key.shape[2]
    make = _kept_band if queries * keys <= SMALL else _new_band
    return make(queries, keys, *limits, first)


def _new_band(queries, keys, left, right, first):
    before, after = (math.inf if it is None or it < 0 else it for it in (left, right))
    ahead = torch.arange(keys) - torch.arange(queries).unsqueeze(1) - first
    hidden = (ahead < -before) | (ahead > after)
    return torch.zeros(hidden.shape).masked_fill(hidden, -math.inf)


_kept_band = functools.lru_cache(maxsize=16)(_new_band)


def _split(tensor, bounds):
    """Sequences as `[batch, heads, length, size]`: all together, or each by itself."""
    if bounds is None or not bounds.numel():
        return [tensor.transpose(1, 2)]
    flat = tensor.reshape(-1, *tensor.shape[-2:])
    pairs = itertools.pairwise(bounds.tolist())
    return [flat[first:end].transpose(0, 1).unsqueeze(0) for first, end in pairs]


def _joined(parts, like):
    if len(parts) == 1:
        return parts[0].transpose(1, 2).reshape(*like.shape[:-1], -1)
    return torch.cat([it.transpose(1, 2).flatten(0, 1) for it in parts]).reshape(
        *like.shape[:-1], parts[0].shape[-1]
    )


def _split_factors(kept, parts, bounds):
    """The factors of the weights of each part."""
    if kept is None or bounds is None or not bounds.numel():
        return [kept] * len(parts)
    return [kept[at : at + 1, :, : q.shape[2], : k.shape[2]] for at, (q, k, *_) in enumerate(parts)]


def _of_sequences(attend, bounds, tensors, bias, kept, scale):
    """Each result of a function of the query, the key, the value and perhaps the gradient, with one part for each sequence."""
    of_queries, of_keys = bounds
    split = zip(tensors, (of_queries, of_keys, of_keys, of_queries), strict=False)
    parts = list(zip(*(_split(it, at) for it, at in split), strict=True))
    found = [
        attend(*part, bias(*part[:2]), factors, scale)
        for part, factors in zip(parts, _split_factors(kept, parts, of_queries), strict=True)
    ]
    return zip(*found, strict=True)


def _padded(parts, like):
    """The logarithms in the shape of the operator's own, whose rows are rounded up; or all sequences in a row."""
    if len(parts) > 1 and like.dim() == 2:
        return torch.cat(parts, -1).squeeze(0)
    if parts[0].shape == like.shape:
        return parts[0]
    out = torch.full(like.shape, math.inf, dtype=like.dtype)
    rows = out.reshape(-1, parts[0].shape[1], like.shape[-1])
    first = 0
    for part in parts:
        rows[first : first + len(part), :, : part.shape[-1]] = part
        first += len(part)
    return rows.reshape(like.shape)


def flash(
    results,
    query,
    key,
    value,
    cum_seq_q,
    cum_seq_k,
    max_q,
    max_k,
    dropout_p,
    is_causal,
    return_debug_mask,
    *,
    scale=None,
    window_size_left=None,
    window_size_right=None,
    seqused_k=None,
    alibi_slopes=None,
    kept=None,
):
    if seqused_k is not None or alibi_slopes is not None:
        raise NotImplementedError("with slopes, or keys of which a part is used")
    band = _flash_band(is_causal, window_size_left, window_size_right)
    given = query, key, value
    output, sums = _of_sequences(_attention, (cum_seq_q, cum_seq_k), given, band, kept, scale)
    return _joined(output, query), _padded(sums, results[1])


def _flash_band(*window):
    """Flash attention lets the last query see the last key."""
    return lambda query, key: _band(query, key, *window, key.shape[2] - query.shape[2])


def flash_backward(
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
    rng_state,
    unused,
    *,
    scale=None,
    window_size_left=None,
    window_size_right=None,
):
    shape = _shape_of_sequences(query, key, cum_seq_q, max_q, max_k)
    # The state has the seed and the offset.
    kept = dropout.again(dropout.by_tile, rng_state, shape, dropout_p)
    band = _flash_band(is_causal, window_size_left, window_size_right)
    given = query, key, value, grad_out
    of_query, of_key, of_value, _ = _of_sequences(
        _attention_backward, (cum_seq_q, cum_seq_k), given, band, kept, scale
    )
    return _joined(of_query, query), _joined(of_key, key), _joined(of_value, value)


def efficient(
    results,
    query,
    key,
    value,
    bias,
    cu_seqlens_q,
    cu_seqlens_k,
    max_seqlen_q,
    max_seqlen_k,
    dropout_p,
    custom_mask_type,
    compute_log_sumexp=False,
    *,
    scale=None,
    seqlen_k=None,
    window_size=None,
    kept=None,
):
    if seqlen_k is not None:
        raise NotImplementedError("with keys of which a part is used")
    bias = functools.partial(_efficient_bias, bias, custom_mask_type, window_size)
    given = query, key, value
    output, sums = _of_sequences(_attention, (cu_seqlens_q, cu_seqlens_k), given, bias, kept, scale)
    return _joined(output, query), _padded(sums, results[1]) if compute_log_sumexp else None


def _efficient_bias(bias, mask, window, query, key):
    first = key.shape[2] - query.shape[2] if mask == FROM_LAST else 0
    left = window - 1 if window else None
    band = _band(query, key, mask in (FROM_FIRST, FROM_LAST), left, None, first)
    if bias is None or band is None:
        return band if bias is None else bias
    return bias + band


def efficient_backward(
    results,
    grad_out_,
    query,
    key,
    value,
    bias,
    out,
    cu_seqlens_q,
    cu_seqlens_k,
    max_seqlen_q,
    max_seqlen_k,
    logsumexp,
    dropout_p,
    philox_seed,
    philox_offset,
    custom_mask_type,
    bias_requires_grad,
    *,
    scale=None,
    num_splits_key=None,
    window_size=None,
    shared_storage_dqdkdv=False,
):
    shape = _shape_of_sequences(query, key, cu_seqlens_q, max_seqlen_q, max_seqlen_k)
    state = torch.stack((philox_seed.reshape(()), philox_offset.reshape(()))) if dropout_p else None
    kept = dropout.again(dropout.by_element, state, shape, dropout_p)
    bias_of = functools.partial(_efficient_bias, bias, custom_mask_type, window_size)
    given = query, key, value, grad_out_
    of_query, of_key, of_value, of_scores = _of_sequences(
        _attention_backward, (cu_seqlens_q, cu_seqlens_k), given, bias_of, kept, scale
    )
    of_bias = of_scores[0].sum_to_size(bias.shape) if bias_requires_grad else None
    return _joined(of_query, query), _joined(of_key, key), _joined(of_value, value), of_bias


def cudnn(
    results,
    query,
    key,
    value,
    attn_bias,
    cum_seq_q,
    cum_seq_k,
    max_q,
    max_k,
    compute_log_sumexp,
    dropout_p=0.0,
    is_causal=False,
    return_debug_mask=False,
    *,
    scale=None,
    kept=None,
):
    """Here a batch is `[batch, heads, length, size]`."""
    _only_batches(cum_seq_q)
    bias = _cudnn_bias(query, key, attn_bias, is_causal)
    output, sums = _attention(query, key, value, bias, kept, scale)
    return output, sums.reshape(results[1].shape) if compute_log_sumexp else None


def _only_batches(bounds):
    if bounds is not None and bounds.numel():
        raise NotImplementedError("of sequences of several lengths")


def _cudnn_bias(query, key, bias, is_causal):
    return bias if bias is not None else _band(query, key, is_causal)


def cudnn_backward(
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
    _only_batches(cum_seq_q)
    shape = *query.shape[:3], key.shape[2]
    state = torch.stack((philox_seed.reshape(()), philox_offset.reshape(()))) if dropout_p else None
    kept = dropout.again(dropout.by_element, state, shape, dropout_p)
    bias = _cudnn_bias(query, key, attn_bias, is_causal)
    return _attention_backward(query, key, value, grad_out, bias, kept, scale)[:3]


def _shape_of_sequences(query, key, bounds, most_queries, most_keys):
    """Of the weights: how many sequences, heads, queries and keys there are."""
    if bounds is None or not bounds.numel():
        return query.shape[0], query.shape[-2], query.shape[1], key.shape[1]
    return bounds.numel() - 1, query.shape[-2], most_queries, most_keys


def _flash_draw(_target, given, places):
    bounds = given["cum_seq_q"]
    shape = _shape_of_sequences(
        given["query"], given["key"], bounds, given["max_q"], given["max_k"]
    )
    increment = shape[0] * shape[1] * dropout.WARP
    return _draw(flash, dropout.by_tile, given, places, shape, increment, 2, has_both=True)


def _efficient_draw(_target, given, places):
    bounds = given["cu_seqlens_q"]
    most = given["max_seqlen_q"], given["max_seqlen_k"]
    shape = _shape_of_sequences(given["query"], given["key"], bounds, *most)
    if given["dropout_p"]:
        _only_batches(bounds)
    return _draw(efficient, dropout.by_element, given, places, shape, math.prod(shape), 2)


def _cudnn_draw(_target, given, places):
    """The layout of its numbers is not known."""
    shape = *given["query"].shape[:3], given["key"].shape[2]
    return _draw(cudnn, dropout.by_element, given, places, shape, math.prod(shape), 6)


def _draw(forward, numbers, given, places, shape, increment, seed_at, has_both=False):
    """What an operator draws that drops weights out, and returns at `seed_at` the seed and behind it the offset, or both in the first."""
    probability = given["dropout_p"]
    if not probability:
        return NOTHING

    def compute(seed, offset):
        kept = dropout.factors(numbers, seed, offset, shape, probability)
        values = [None] * len(places)
        values[:2] = forward(places, **given, kept=kept)
        # A seed in the host's memory is the host's to write.
        if places[seed_at] is not None:
            state = torch.tensor([seed, offset], dtype=torch.uint64)
            values[seed_at : seed_at + 2] = (state, None) if has_both else state
        return values

    return Draw(increment, compute)


DRAWS = {
    "aten::_flash_attention_forward": _flash_draw,
    "aten::_efficient_attention_forward": _efficient_draw,
    "aten::_cudnn_attention_forward": _cudnn_draw,
}

SUBSTITUTES = {
    "aten::_flash_attention_forward": flash,
    "aten::_flash_attention_backward": flash_backward,
    "aten::_efficient_attention_forward": efficient,
    "aten::_efficient_attention_backward": efficient_backward,
    "aten::_cudnn_attention_forward": cudnn,
    "aten::_cudnn_attention_backward": cudnn_backward,
}
