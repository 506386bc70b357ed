"""ConvInc and ConvTransposeInc: convolutions, and their transposes, in one to three dimensions.

    Y[p, f] += sum_{q, c} W[q, c, f] X[s p + q - b, c]      (convolution)
    Y[s p + q - b, f] += sum_c W[q, c, f] X[p, c]           (transposed, summed over all p and q)

for places p, places q in the kernel, and channels c and f; s is the stride, and b the number of zeros before the input of
the convolution. What is read outside of X is zero, and what would be written outside of Y is dropped.
"""

from math import prod

import numpy as np
import tensorflow as tf
from nengo.builder.transforms import ConvInc, ConvTransposeInc
from nengo.transforms import ConvolutionTranspose

from ...graph.node import Node, Output, Write
from ..registry import register_rule
from .windows import overlapped, same_padding, windows


@register_rule(ConvInc)
def convolution_rule(op, model):
    """One node; operators of equal settings are computed together."""
    del model
    conv = op.conv
    shapes = conv.input_shape.shape, conv.output_shape.shape
    key = (is_transposed(conv), *shapes, conv.kernel_size, conv.strides, conv.padding, conv.channels_last, conv.groups)
    return Node(
        op=op, make_step=make_convolution_step, reads=(op.W, op.X), outputs=(Output(shapes[1], op.Y.dtype),),
        writes=(Write(op.Y, "inc"),), key=key, read_shapes=(op.W.shape, shapes[0]), label=str(op),
    )


register_rule(ConvTransposeInc)(convolution_rule)


def is_transposed(conv):
    """Whether a transform is a ConvolutionTranspose."""
    return isinstance(conv, ConvolutionTranspose)


def make_convolution_step(ops, context):
    """Convolutions of equal settings: kernels W (..., G, *kernel, C / groups, F), X (..., G, *input) -> Y (..., G, *output).

    Images and kernels may both have leading axes. The images of one kernel are convolved together; where every image has
    a kernel of its own, all are.
    """
    conv, rank = ops[0].conv, ops[0].conv.dimensions
    convolve = choose_convolution(conv, context)

    def step_convolution(w, x):
        lead, kernel_lead = x.shape[: -rank - 1], w.shape[: -rank - 2]
        last, all_leads = len(lead), max(lead, kernel_lead, key=len)
        if not conv.channels_last:
            x = tf.transpose(x, [*range(last), *range(last + 1, last + rank + 1), last])
        image = x.shape[last:]
        if len(kernel_lead) == 1 and (len(lead) > 1 or len(ops) == 1):
            members = [tf.reshape(member, [-1, *image]) for member in tf.unstack(x, axis=last - 1)]
            y = [convolve(images, kernel, conv) for images, kernel in zip(members, tf.unstack(w))]
            y = y[0] if len(y) == 1 else tf.stack(y, 1)
        else:
            x = tf.reshape(tf.broadcast_to(x, [*all_leads, *image]), [-1, *image])
            y = general_convolution(x, tf.reshape(w, [-1, *w.shape[len(kernel_lead):]]), conv)
        y = tf.reshape(y, [*all_leads, *conv.output_shape.spatial_shape, conv.n_filters])
        if not conv.channels_last:
            last = len(all_leads)
            y = tf.transpose(y, [*range(last), last + rank, *range(last, last + rank)])
        return (y,)

    return step_convolution


def choose_convolution(conv, context):
    """How images (N, *input space, C) are convolved with one kernel: ``convolve(images, kernel, conv)``.

    XLA's code for convolutions in double precision, and for channels in groups, is slow on processors: there a matrix
    product with all windows takes its place.
    """
    if context.dtype != np.float32 or conv.groups > 1:
        return general_convolution
    return native_transpose if is_transposed(conv) else native_convolution


def native_convolution(images, kernel, conv):
    """TensorFlow's own convolution, which pads as nengo does."""
    return tf.nn.convolution(images, kernel, strides=conv.strides, padding=conv.padding.upper())


def native_transpose(images, kernel, conv):
    """TensorFlow's own transposed convolution, whose kernels have the output's channels before the input's."""
    rank = conv.dimensions
    kernel = tf.transpose(kernel, [*range(rank), rank + 1, rank])
    shape = [images.shape[0], *conv.output_shape.spatial_shape, conv.output_shape.n_channels]
    return tf.nn.conv_transpose(images, kernel, shape, strides=conv.strides, padding=conv.padding.upper())


def general_convolution(images, w, conv):
    """A convolution as a matrix product with all windows, or the transposed one as a sum of what all windows give.

    Parameters
    ----------
    images : (N, *input space, C) tensor
    w : (*kernel, C / groups, F) or (N, *kernel, C / groups, F) tensor
        One kernel for all images, or one for each.
    conv : Convolution or ConvolutionTranspose

    Returns
    -------
    (N, *output space, F) tensor
    """
    each = "n" if len(w.shape) == conv.dimensions + 3 else ""
    padding, space, elements = paddings(conv), conv.output_shape.spatial_shape, prod(conv.kernel_size)
    n_in, n_out = (shape.n_channels // conv.groups for shape in (conv.input_shape, conv.output_shape))
    w = tf.reshape(w, [*w.shape[: len(each)], elements, n_in, conv.groups, n_out])
    if is_transposed(conv):
        parts = tf.einsum(f"npc,{each}kcf->npkf", tf.reshape(images, [images.shape[0], -1, n_in]), w[..., 0, :])
        parts = tf.reshape(parts, [*images.shape[:-1], *conv.kernel_size, n_out])
        return overlapped(parts, padding, space, conv.strides)
    cut = windows(images, padding, space, conv.kernel_size, conv.strides)
    cut = tf.reshape(cut, [images.shape[0], prod(space), elements, conv.groups, n_in])
    y = tf.einsum(f"npkgc,{each}kcgf->npgf", cut, w)
    return tf.reshape(y, [images.shape[0], *space, conv.n_filters])


def paddings(conv):
    """Zeros (before, after) each dimension of the input of a convolution, or of the output of a transposed one."""
    if conv.padding == "valid":
        return [(0, 0)] * conv.dimensions
    long, short = conv.input_shape.spatial_shape, conv.output_shape.spatial_shape
    if is_transposed(conv):
        long, short = short, long
    return [same_padding(*sizes) for sizes in zip(long, short, conv.kernel_size, conv.strides)]
