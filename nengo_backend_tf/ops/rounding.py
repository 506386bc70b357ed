"""Products that are rounded on their own, as NumPy rounds them."""

import tensorflow as tf


def rounded(product):
    """``product`` itself, kept from being fused into a multiply-add with what it is added to.

    XLA contracts a * b + c into one operation that rounds once, where NumPy rounds twice. A voltage that NumPy brings
    exactly to a threshold would then come to lie next to it, and a spike would be missed, or come early: round firing
    rates do that all the time. A minimum with the largest float lies between the two operations and costs nothing.

    Parameters
    ----------
    product : tensor
        A product of floats.

    Returns
    -------
    tensor
    """
    return tf.minimum(product, product.dtype.max)
