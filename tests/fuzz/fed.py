"""Values fed to a Node, another sequence for each item of a minibatch, against nengo.Simulator with a Node that puts them out."""

import pickle

import nengo
import numpy as np

from .draw import functions
from .free import compare_probes, reference_run
from .reference import compiled, probe_data


def check_fed(drawn, steps, random):
    """Compare each item of a minibatch with a run of its own.

    Parameters
    ----------
    drawn : Drawn
    steps : int
    random : bool
        Whether anything draws random numbers, so that only the first item has the reference's.

    Returns
    -------
    list of Difference
    """
    nodes = drawn.network().all_nodes
    places = [i for i, node in enumerate(nodes) if _may_be_fed(node)]
    if drawn.merged or not places:
        return []
    place = places[drawn.choices % len(places)]
    # Functions are called once an item, and keep their state from one item to the next.
    called = any(callable(node.output) for i, node in enumerate(nodes) if i != place)
    batch = None if called else 3
    values = np.random.RandomState(drawn.choices).uniform(-1, 1, (batch or 1, steps, nodes[place].size_out))
    found = []
    with compiled(drawn, minibatch_size=batch) as sim:
        sim.run_steps(steps, data={sim.model.toplevel.all_nodes[place]: values})
        for item in range(1 if random or batch is None else batch):
            run = reference_run(_with_output(drawn, place, values[item]), steps)
            with run.sim as ref:
                if run.steps == steps:
                    data = [x if batch is None else x[item] for x in probe_data(sim)]
                    found += compare_probes(f"fed, item {item} of {batch}", sim, data, probe_data(ref))
    return found


def _may_be_fed(node):
    """Whether a Node takes no input, and has no random stream that other streams are drawn after."""
    unseeded = isinstance(node.output, nengo.Process) and node.output.seed is None
    shared = isinstance(getattr(node.output, "__self__", None), functions.World)
    return node.size_in == 0 and node.size_out > 0 and not unseeded and not shared


def _with_output(drawn, place, values):
    """The network with a Node that puts out given values, one a step."""
    net = drawn.network()
    net.all_nodes[place].output = nengo.processes.PresentInput(values, drawn.dt, seed=0)
    return drawn._replace(blob=pickle.dumps(net))
