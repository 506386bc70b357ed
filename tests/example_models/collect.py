"""Functions that build into a network become functions that return one."""

import functools

import nengo


def model(models, seed=0):
    """Add a function that builds objects to a dict of models, as one that returns a network of them.

    Parameters
    ----------
    models : dict
        Gets the function, under its name.
    seed : int
        Seed of the network.
    """

    def decorate(build):
        @functools.wraps(build)
        def make():
            with nengo.Network(label=build.__name__, seed=seed) as net:
                build()
            return net

        models[build.__name__] = make
        return make

    return decorate
