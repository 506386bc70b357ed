"""Settings of this backend, in nengo's config system; their defaults may come from ``nengo.rc``."""

from ast import literal_eval
from typing import Any, NamedTuple

import numpy as np
from nengo.exceptions import ConfigError, NetworkContextError, ValidationError
from nengo.network import Network
from nengo.params import Parameter
from nengo.rc import rc
from nengo.utils.numpy import is_integer


class Setting(NamedTuple):
    """A setting of the whole network: its default, and what it may be."""

    default: Any
    check: Any
    expected: str


def _is_float_dtype(value):
    try:
        return np.dtype(value).kind == "f"
    except TypeError:
        return False


#: The section of ``nengo.rc`` with defaults of the settings, for all networks of a user or of a folder.
RC_SECTION = "nengo_backend_tf"

SETTINGS = {
    "dtype": Setting(None, lambda v: v is None or _is_float_dtype(v), "a float dtype, such as 'float32', or None"),
    "host_loop": Setting("auto", lambda v: v in ("auto", "tensorflow"), "'auto' or 'tensorflow'"),
    "stages": Setting("auto", lambda v: v in ("auto", "all", "one"), "'auto', 'all' or 'one'"),
    "unroll_simulation": Setting(1, lambda v: is_integer(v) and v > 0, "a positive integer"),
    "xla": Setting(True, lambda v: isinstance(v, bool), "True or False"),
}


class Settings(NamedTuple):
    """All settings of a network, read once.

    Attributes
    ----------
    dtype : numpy.dtype or None
        Dtype of floats in the simulation; None for the default.
    xla : bool
        Whether XLA compiles what runs on the device.
    unroll_simulation : int
        Timesteps that one turn of the compiled loop computes.
    host_loop : {"auto", "tensorflow"}
        Where steps run that call Python functions, and a few steps of a small network.
    stages : {"auto", "all", "one"}
        What runs for all timesteps of a chunk at once.
    """

    dtype: Any = None
    xla: bool = True
    unroll_simulation: int = 1
    host_loop: str = "auto"
    stages: str = "auto"


def configure_settings(**settings):
    """Set how this backend simulates the network in whose context this is called.

    Parameters
    ----------
    dtype : str or numpy.dtype, optional
        Dtype of floats: by default nengo's own (``nengo.rc``, 64 bits unless it was changed), or Keras's ``floatx`` where
        the Simulator has a ``minibatch_size``.
    xla : bool, optional
        Whether XLA compiles what runs on the device (default: True).
    unroll_simulation : int, optional
        Timesteps that one turn of the compiled loop computes (default: 1), unless the Simulator is given its own. It makes
        no difference to the results.
    host_loop : {"auto", "tensorflow"}, optional
        Where steps run in which Python functions have to be called one by one: "auto" (default) keeps small networks on
        the host as a whole, with NumPy, where that is faster, and also a few steps of any small network (`Simulator.step`);
        "tensorflow" only calls the functions there.
    stages : {"auto", "all", "one"}, optional
        What is computed for all timesteps of a chunk at once, instead of step by step in a loop: "auto" (default) large
        matrix products and convolutions, if they are not recurrent; "all" all that is not recurrent; "one" nothing.

    Raises
    ------
    nengo.exceptions.NetworkContextError
        Outside of a network's context.
    nengo.exceptions.ConfigError
        If there is no such setting.
    nengo.exceptions.ValidationError
        If a value is not what the setting may be.
    """
    if len(Network.context) == 0:
        raise NetworkContextError(
            "configure_settings: must be called in the context of a network. Got no context. Call it inside `with net:`."
        )
    config = Network.context[-1].config
    for name, value in settings.items():
        if name not in SETTINGS:
            raise ConfigError(f"configure_settings: there is no setting {name!r}. Expected one of {sorted(SETTINGS)}.")
        if not SETTINGS[name].check(value):
            raise ValidationError(f"got {value!r}, expected {SETTINGS[name].expected}", attr=name, obj=Network.context[-1])
        if Network not in config.params:
            config.configures(Network)
        if name not in config[Network].extra_params:
            config[Network].set_param(name, Parameter(name, SETTINGS[name].default, optional=True))
        setattr(config[Network], name, value)


def read_settings(network):
    """The settings of a network, or else those of ``nengo.rc``, or else the defaults.

    Parameters
    ----------
    network : nengo.Network or None

    Returns
    -------
    Settings

    Raises
    ------
    nengo.exceptions.ConfigError
        If a setting of ``nengo.rc`` is none, or has a value that it may not have.
    """
    settings = Settings(**read_rc())
    if network is None or Network not in network.config.params:
        return settings
    params = network.config[Network]
    given = {name: getattr(params, name) for name in SETTINGS if name in params.extra_params}
    return settings._replace(**given)


def read_rc():
    """The settings that ``nengo.rc`` has in its section ``[nengo_backend_tf]``: dict of name -> value."""
    if not rc.has_section(RC_SECTION):
        return {}
    settings = {}
    for name, text in rc.items(RC_SECTION):
        if name not in SETTINGS:
            raise ConfigError(f"nengo.rc, [{RC_SECTION}]: there is no setting {name!r}. Expected one of {sorted(SETTINGS)}.")
        try:
            value = literal_eval(text)
        except (SyntaxError, ValueError):
            value = text  # a string without quotes
        if not SETTINGS[name].check(value):
            raise ConfigError(f"nengo.rc, [{RC_SECTION}]: {name} is {value!r}. Expected {SETTINGS[name].expected}.")
        settings[name] = value
    return settings


def float_dtype(settings, minibatch_size):
    """Dtype of floats in a simulation: as configured, else Keras's with a minibatch, else nengo's."""
    if settings.dtype is not None:
        return np.dtype(settings.dtype)
    if minibatch_size is None:
        return np.dtype(rc.float_dtype)
    from keras.config import floatx

    return np.dtype(floatx())
