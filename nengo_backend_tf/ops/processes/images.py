"""Conv2d and Pool2d of nengo-extras: processes that convolve and pool images (C, height, width), kept as flat vectors.

    y[f, p] = b[f, p] + sum_{c, q} w[f, c, q] x[c, s p + q - z]        Conv2d
    y[c, p] = mean_q x[c, s p + q],  or  max(0, max_q x[c, s p + q])   Pool2d

for places p, places q in the window, stride s, and z zeros around the image. The filters w may be different ones in every
place. Windows may reach beyond the image: there a convolution reads zeros, and pooling reads nothing. Max pooling starts
from zero, as in nengo-extras: it never puts out a negative number.
"""

from math import prod

import numpy as np
import tensorflow as tf

from ...graph.node import Node, Output, Write
from ..transforms.windows import windows
from .registry import register_process


def image_node(op, make_step, *settings):
    """A node of a process on images; operators of equal settings are computed together."""
    size = prod(op.process.shape_out)
    return Node(
        op=op, make_step=make_step, reads=(op.input,), outputs=(Output((size,), op.output.dtype),),
        writes=(Write(op.output, op.mode),), key=(op.process.shape_in, op.process.shape_out, *settings),
        read_shapes=((prod(op.process.shape_in),),), label=str(op), stream=op.process.get_rng,
    )


def cut_images(x, process, before, size):
    """Windows of flat images x (..., C * height * width): (N, *places, *size, C) for N images in all.

    Parameters
    ----------
    x : tensor
    process : Conv2d or Pool2d
    before : tuple of int
        Zeros above and to the left of the images. Below and to the right there are as many as the windows need.
    size : tuple of int
        Height and width of a window.
    """
    places = process.shape_out[1:]
    x = tf.transpose(tf.reshape(x, [-1, *process.shape_in]), [0, 2, 3, 1])
    padding = [
        (zeros, max((count - 1) * stride + window - zeros - length, 0))
        for zeros, count, stride, window, length in zip(before, places, process.strides, size, process.shape_in[1:])
    ]
    return windows(x, padding, places, size, process.strides)


@register_process("nengo_extras.convnet.Conv2d")
def conv2d_rule(op, model):
    """One node; filters and biases may differ from member to member of a group."""
    del model
    process = op.process
    return image_node(op, make_conv2d_step, process.filters.shape, process.strides, process.padding)


def make_conv2d_step(ops, context):
    """Convolutions of equal settings: images x (..., G, size in) -> y (..., G, size out)."""
    process = ops[0].process
    weights = np.stack([filter_matrices(op.process) for op in ops]).astype(context.dtype)
    biases = np.stack([flat_biases(op.process) for op in ops]).astype(context.dtype)
    window, n_filters = process.filters.shape[-2:], process.shape_out[0]
    n_places, n_inputs = prod(process.shape_out[1:]), weights.shape[-2]

    def step_conv2d(x):
        cut = cut_images(x, process, process.padding, window)
        cut = tf.reshape(cut, [-1, len(ops), n_places, n_inputs])
        y = tf.einsum("ngpk,gpkf->ngfp" if weights.ndim == 4 else "ngpk,gkf->ngfp", cut, weights)
        return (tf.reshape(y, [*x.shape[:-1], n_filters * n_places]) + biases,)

    return step_conv2d


def filter_matrices(process):
    """Filters as matrices (K, F), or (places, K, F) where each place has its own, for windows in the order of K."""
    filters = np.moveaxis(process.filters, -3, -1)  # channels last, as in the windows
    places = () if filters.ndim == 4 else (prod(filters.shape[1:3]),)
    filters = filters.reshape(len(filters), *places, prod(filters.shape[-3:]))
    return np.moveaxis(filters, 0, -1)


def flat_biases(process):
    """One bias for each element of the output."""
    if process.biases is None:
        return np.zeros(prod(process.shape_out))
    return np.broadcast_to(process.biases, process.shape_out).ravel()


@register_process("nengo_extras.convnet.Pool2d")
def pool2d_rule(op, model):
    """One node; all parameters are settings."""
    del model
    return image_node(op, make_pool2d_step, op.process.pool_size, op.process.strides, op.process.kind)


def make_pool2d_step(ops, context):
    """Pools of equal settings: images x (..., G, size in) -> y (..., G, size out)."""
    process = ops[0].process
    n_channels, *places = process.shape_out
    per_axis = [
        np.minimum(size, length - stride * np.arange(count))
        for size, length, stride, count in zip(process.pool_size, process.shape_in[1:], process.strides, places)
    ]
    counts = np.outer(*per_axis).astype(context.dtype)[..., None]
    largest = process.kind == "max"

    def step_pool2d(x):
        cut = cut_images(x, process, (0, 0), process.pool_size)
        cut = tf.reshape(cut, [-1, *places, prod(process.pool_size), n_channels])
        y = tf.maximum(tf.reduce_max(cut, -2), 0) if largest else tf.reduce_sum(cut, -2) / counts
        y = tf.transpose(y, [0, 3, 1, 2])
        return (tf.reshape(y, [*x.shape[:-1], n_channels * prod(places)]),)

    return step_pool2d
