"""Try networks, one seed after the other, and gather what was found."""

import traceback
from collections import Counter
from typing import NamedTuple

import nengo

from .compare import Difference
from .draw import drawn_network
from .free import free
from .lockstep import lockstep
from .matrix import matrix
from .reference import quiet
from .tally import tally

#: Mode -> ``check(drawn) -> list of Difference``.
MODES = {"lockstep": lockstep, "free": free, "matrix": matrix}


class Outcome(NamedTuple):
    """What came of one seed.

    Attributes
    ----------
    seed : int
    found : list of Difference
        A crash is a difference too.
    counts : Counter
        As `tally` has them; empty where nengo cannot build the network.
    invalid : str or None
        Why nengo cannot build the network.
    """

    seed: int
    found: list
    counts: Counter
    invalid: str = None


def try_seed(seed, modes):
    """Draw the network of a seed, and compare it in some modes.

    Parameters
    ----------
    seed : int
    modes : sequence of str
        Keys of ``MODES``.

    Returns
    -------
    Outcome
    """
    nengo.rc["decoder_cache"]["enabled"] = "False"
    with quiet():
        return _try_seed(seed, modes)


def _try_seed(seed, modes):
    try:
        drawn = drawn_network(seed)
        counts = tally(drawn)
    except nengo.exceptions.BuildError as error:
        # A few ensembles cannot be solved for: no evaluation point makes a neuron fire.
        return Outcome(seed, [], Counter(), str(error).splitlines()[0][:200])
    except Exception:
        return Outcome(seed, [_crash("drawing")], Counter())
    found = []
    for mode in modes:
        found += check(mode, drawn)
    return Outcome(seed, found, counts)


def check(mode, drawn):
    """The differences in one mode; an exception is one of them."""
    try:
        return MODES[mode](drawn)
    except Exception:
        return [_crash(mode)]


def _crash(mode):
    return Difference(f"{mode}, crash", traceback.format_exc(limit=-3))
