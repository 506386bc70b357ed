"""ConvInc and ConvTransposeInc: convolutions, and their transposes, in one to three dimensions.

    Y[p, f] += sum_{q, c} W[q, c, f] X[s p + q - before, c]          (convolution, stride s)
    Y[p, f] += sum_{q, c} W[q, c, f] X[(p - q + before) / s, c]      (transposed; only where the index is an integer)

with zeros outside of X, and with ``before`` as the padding of the convolution, or of that which is transposed, has it. The
second is a convolution of the input with zeros put between its elements, and of the kernel mirrored in space.
"""

from math import prod

import numpy as np
import tensorflow as tf
from nengo.builder.transforms import ConvInc, ConvTransposeInc
from nengo.transforms import ConvolutionTranspose

from ...graph.node import Node, Output, Write
from ..registry import register_rule
from .windows import dilated, padded, same_padding, windows


@register_rule(ConvInc)
def convolution_rule(op, model):
    """One node; operators of equal settings are computed together."""
    del model
    conv = op.conv
    transposed = isinstance(conv, ConvolutionTranspose)
    shapes = conv.input_shape.shape, conv.output_shape.shape
    key = (transposed, *shapes, conv.kernel_size, conv.strides, conv.padding, conv.channels_last, conv.groups)
    return Node(
        op=op, make_step=make_convolution_step, reads=(op.W, op.X), outputs=(Output(shapes[1], op.Y.dtype),),
        writes=(Write(op.Y, "inc"),), key=key, read_shapes=(op.W.shape, shapes[0]), label=str(op),
    )


register_rule(ConvTransposeInc)(convolution_rule)


def make_convolution_step(ops, context):
    """Convolutions of equal settings: kernels W (..., G, *kernel, C / groups, F), X (..., G, *input) -> Y (..., G, *output).

    Images and kernels may both have leading axes. TensorFlow's own convolutions take one kernel for all images, and XLA's
    code for double precision, and for groups, on processors is slow; anything else is a matrix product with all windows.
    """
    conv, members = ops[0].conv, len(ops)
    transposed = isinstance(conv, ConvolutionTranspose)
    native = native_transpose if transposed else native_convolution
    general = general_transpose if transposed else general_convolution
    rank = conv.dimensions

    def step_convolution(w, x):
        lead, kernel_lead = x.shape[: -rank - 1], w.shape[: -rank - 2]
        images = tf.reshape(x, [prod(lead), *x.shape[-rank - 1:]])
        if not conv.channels_last:
            images = tf.transpose(images, [0, *range(2, rank + 2), 1])
        if context.dtype == np.float32 and conv.groups == 1 and members == 1 and len(kernel_lead) == 1:
            y = native(images, w[0], conv)
        else:
            y = general(images, w, conv, lead)
        if not conv.channels_last:
            y = tf.transpose(y, [0, rank + 1, *range(1, rank + 1)])
        return (tf.reshape(y, [*max(lead, kernel_lead, key=len), *y.shape[1:]]),)

    return step_convolution


def native_convolution(images, kernel, conv):
    """TensorFlow's own convolution, which pads as nengo does."""
    return tf.nn.convolution(images, kernel, strides=conv.strides, padding=conv.padding.upper())


def native_transpose(images, kernel, conv):
    """TensorFlow's own transposed convolution, whose kernels have the output's channels before the input's."""
    rank = conv.dimensions
    kernel = tf.transpose(kernel, [*range(rank), rank + 1, rank])
    shape = [images.shape[0], *conv.output_shape.spatial_shape, conv.output_shape.n_channels]
    return tf.nn.conv_transpose(images, kernel, shape, strides=conv.strides, padding=conv.padding.upper())


def paddings(conv):
    """Zeros (before, after) each dimension of the input of a convolution, or of the output of a transposed one."""
    if conv.padding == "valid":
        return [(0, 0)] * conv.dimensions
    long, short = conv.input_shape.spatial_shape, conv.output_shape.spatial_shape
    if isinstance(conv, ConvolutionTranspose):
        long, short = short, long
    return [same_padding(*sizes) for sizes in zip(long, short, conv.kernel_size, conv.strides)]


def general_convolution(images, w, conv, lead):
    """A convolution of images (N, *input space, C) as a product: (N, *output space, F)."""
    images = padded(images, paddings(conv))
    cut = windows(images, conv.output_shape.spatial_shape, conv.kernel_size, conv.strides)
    return multiplied(cut, w, conv, lead)


def general_transpose(images, w, conv, lead):
    """A transposed convolution as a convolution of images with zeros between their elements, with a mirrored kernel."""
    space, rank = conv.output_shape.spatial_shape, conv.dimensions
    images = dilated(images, conv.strides)
    padding = []
    for length, count, size, (before, _) in zip(images.shape[1:-1], space, conv.kernel_size, paddings(conv)):
        before = size - 1 - before
        padding.append((before, count + size - 1 - before - length))
    cut = windows(padded(images, padding), space, conv.kernel_size, (1,) * rank)
    first = len(w.shape) - rank - 2
    return multiplied(cut, tf.reverse(w, list(range(first, first + rank))), conv, lead)


def multiplied(cut, w, conv, lead):
    """Windows times kernels.

    Parameters
    ----------
    cut : (N, *output space, *kernel, C) tensor
        With N the product of ``lead``, (..., G).
    w : (..., G, *kernel, C / groups, F) tensor
    conv : Convolution or ConvolutionTranspose
    lead : tuple of int

    Returns
    -------
    (N, *output space, F) tensor
        With N as many as there are, in all leading axes, of windows or of kernels.
    """
    space, groups = conv.output_shape.spatial_shape, conv.groups
    n_in, n_out = (shape.n_channels // groups for shape in (conv.input_shape, conv.output_shape))
    elements = prod(conv.kernel_size)
    cut = tf.reshape(cut, [*lead, prod(space), elements, groups, n_in])
    w = tf.reshape(w, [*w.shape[: -conv.dimensions - 2], elements, n_in, groups, n_out])
    if len(w.shape) > 5 or lead[-1] > 1:
        y = tf.einsum("...gpkqc,...gkcqf->...gpqf", cut, w)
    else:
        y = tf.einsum("npkqc,kcqf->npqf", tf.reshape(cut, [-1, *cut.shape[len(lead):]]), w[0])
    return tf.reshape(y, [-1, *space, groups * n_out])
