"""Checks of what users pass to a Simulator."""

import numbers
import operator

import numpy as np
from nengo.exceptions import ValidationError
from nengo.node import Node


def checked_dt(dt, obj):
    """A timestep in seconds, as a float."""
    number = isinstance(dt, numbers.Real) or (isinstance(dt, np.ndarray) and dt.size == 1)
    if not (number and np.isfinite(float(dt)) and float(dt) > 0):
        raise ValidationError(f"got {dt!r}, expected a positive number of seconds, such as 0.001", attr="dt", obj=obj)
    return float(dt)


def checked_positive(value, attr, obj, optional=False):
    """A positive integer, or None where that is allowed."""
    if value is None and optional:
        return
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
        expected = "a positive integer or None" if optional else "a positive integer"
        raise ValidationError(f"got {value!r}, expected {expected}", attr=attr, obj=obj)


def checked_steps(steps):
    """A number of timesteps, as an int."""
    try:
        return operator.index(steps)
    except TypeError:
        raise TypeError(f"run_steps: got {steps!r}, expected a whole number of steps") from None


def checked_device(device, obj):
    """A TensorFlow device that is there, or None."""
    import tensorflow as tf

    if device is None:
        return
    known = [d.name for d in tf.config.list_logical_devices()]
    try:
        wanted = tf.DeviceSpec.from_string(device)
        found = any(_is_device(wanted, tf.DeviceSpec.from_string(name)) for name in known)
    except (ValueError, TypeError, AttributeError):
        found = False
    if not found:
        raise ValidationError(
            f"got {device!r}, expected one of this machine's devices {known}, or None", attr="device", obj=obj
        )


def _is_device(wanted, known):
    """Whether a DeviceSpec names a device, by kind and number; any number where it names none."""
    return wanted.device_type == known.device_type and wanted.device_index in (None, known.device_index)


def checked_data(model, data, steps, batch):
    """What is fed into Nodes, by base signal, as (T, ..., D) arrays.

    Parameters
    ----------
    model : nengo.builder.Model
    data : dict or None
        Node -> (B, T, D) array; (T, D) is accepted without a minibatch.
    steps : int
        Number of timesteps T.
    batch : int or None
        Size of the minibatch B.
    """
    if data is None:
        return {}
    if not hasattr(data, "items"):
        raise ValidationError(f"got {type(data).__name__}, expected a dict of Node -> array", attr="data")
    return dict(_checked_item(model, node, value, steps, batch) for node, value in data.items())


def _checked_item(model, node, value, steps, batch):
    if not isinstance(node, Node) or node not in model.sig:
        raise ValidationError(f"got the key {node!r}, expected a Node of the simulated network", attr="data")
    if node.size_in or not node.size_out:
        raise ValidationError(
            f"{node} cannot be fed: it has size_in={node.size_in}, size_out={node.size_out}. Expected a Node with outputs "
            "and without inputs", attr="data",
        )
    array = _as_numbers(node, value)
    if batch is None and array.ndim == 2:
        array = array[None]
    items = 1 if batch is None else batch
    expected = (items, steps, node.size_out)
    if array.ndim != 3:
        raise ValidationError(
            f"{node}: got an array of shape {np.shape(value)}, expected the three axes (minibatch, steps, size_out) = "
            f"{expected}", attr="data",
        )
    if array.shape != expected:
        raise ValidationError(
            f"{node}: got an array of shape {np.shape(value)}, expected (minibatch, steps, size_out) = {expected}",
            attr="data",
        )
    return model.sig[node]["out"].base, array[0] if batch is None else np.swapaxes(array, 0, 1)


def _as_numbers(node, value):
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValidationError(f"{node}: got {value!r}, expected an array of numbers ({error})", attr="data") from error
