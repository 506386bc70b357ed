"""Nengo's own example models, made anew and small: `MODELS` has one function a model, which returns a seeded network.

The names are those of the notebooks in Nengo's documentation. `TIMESTEPS` has those that are not simulated in
milliseconds.
"""

from . import advanced, basic, dynamics, learning, networks, spa, usage

#: Name of the model: the function that makes it.
MODELS = {
    name: function
    for module in (basic, dynamics, learning, networks, advanced, usage, spa)
    for name, function in module.MODELS.items()
}

#: Name of the model: its timestep in seconds.
TIMESTEPS = {"force_learning": 0.002}
