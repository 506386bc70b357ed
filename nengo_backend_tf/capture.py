"""Constants of compiled functions."""

import numpy as np
import tensorflow as tf

#: Constants of more bytes are captured as tensors: what lies in the graph itself is limited to 2 GB, and slows compiling.
CAPTURE_BYTES = 65536


def constant(array, dtype=None):
    """An array as it is best used in a compiled function: as it is, or as a captured tensor where it is large."""
    array = np.asarray(array, dtype=dtype)
    if array.nbytes <= CAPTURE_BYTES:
        return array
    with tf.init_scope():
        return tf.constant(array)
