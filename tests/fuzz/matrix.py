"""All ways to run a network, against one of them: however it is run, the same comes out."""

import pickle

import numpy as np

from .compare import Difference, compare_array
from .draw.networks import lasting_state
from .fed import check_fed
from .free import compare_probes, reference_run
from .reference import compiled, probe_data, quiet

#: Lengths of the chunks in which the steps are run; a few steps of a small network run on the host.
CHUNKS = (13, 1, 36)

#: Ways to compile: name -> (settings, arguments of the Simulator).
WAYS = {
    "graph": (dict(xla=False, host_loop="tensorflow"), {}),
    "unrolled": (dict(host_loop="tensorflow"), dict(unroll_simulation=3)),
    "loop chosen": ({}, {}),
}


def matrix(drawn):
    """Compare a compiled loop with all other ways to run the same steps, and with a pickled copy.

    Parameters
    ----------
    drawn : Drawn

    Returns
    -------
    list of Difference
    """
    with quiet():
        run = reference_run(drawn)
        run.sim.close()
        if run.steps == 0:
            return []
        with compiled(drawn, dict(host_loop="tensorflow")) as sim:
            sim.run_steps(run.steps)
            expected = probe_data(sim)
        found = []
        for name, (settings, arguments) in WAYS.items():
            with compiled(drawn, settings, **arguments) as sim:
                run_in_chunks(sim, run.steps, (run.steps,))
                found += compare_probes(f"matrix, {name}", sim, probe_data(sim), expected)
        found += check_chunks(drawn, run.steps, expected)
        found += check_minibatch(drawn, run.steps, expected)
        found += check_fed(drawn, run.steps, random(drawn))
        return found + check_pickle(drawn, run.steps)


def run_in_chunks(sim, steps, chunks):
    """Run steps in chunks of these lengths, as many as there are."""
    for chunk in chunks:
        chunk = min(chunk, steps - sim.n_steps)
        if chunk:
            sim.run_steps(chunk)


def check_chunks(drawn, steps, expected):
    """In chunks; then once more after a reset, where nothing has a state that a reset leaves alone."""
    settings = ({}, dict(host_loop="tensorflow"))[drawn.choices % 2]
    with compiled(drawn, settings) as sim:
        run_in_chunks(sim, steps, CHUNKS)
        found = compare_probes(f"matrix, chunks {CHUNKS}", sim, probe_data(sim), expected)
        if not lasting_state(drawn.network()):
            sim.reset()
            run_in_chunks(sim, steps, CHUNKS[::-1])
            found += compare_probes("matrix, after a reset", sim, probe_data(sim), expected)
    return found


def random(drawn):
    """Whether anything draws random numbers while it runs, or shares state between the items of a minibatch."""
    net = drawn.network()
    processes = [node.output for node in net.all_nodes] + [ens.noise for ens in net.all_ensembles]
    kinds = {type(p).__name__ for p in processes}
    return lasting_state(net) or bool(kinds & {"WhiteSignal", "WhiteNoise", "FilteredNoise", "BrownNoise"})


def check_minibatch(drawn, steps, expected):
    """Each item of a minibatch, where all are equal; the first where there are random streams."""
    if any(callable(node.output) for node in drawn.network().all_nodes):
        return []  # functions are called once an item, so that their state differs
    with compiled(drawn, minibatch_size=3) as sim:
        sim.run_steps(steps)
        found = []
        for item in range(1 if random(drawn) else 3):
            data = [x[item] for x in probe_data(sim)]
            found += compare_probes(f"matrix, item {item} of a minibatch", sim, data, expected)
    return found


def check_pickle(drawn, steps):
    """A copy that is pickled in the middle goes on bitwise as the original does."""
    if drawn.merged:
        return []  # nengo's pickled views of merged signals do not come back
    settings = ({}, dict(host_loop="tensorflow"))[drawn.choices // 2 % 2]
    middle = steps // 2
    with compiled(drawn, settings) as sim:
        run_in_chunks(sim, middle, (min(7, middle), middle))
        blob = pickle.dumps(sim)
        run_in_chunks(sim, steps, (3, steps))
        with pickle.loads(blob) as copy:
            if copy.n_steps != middle:
                return [Difference("matrix, pickled copy", f"n_steps is {copy.n_steps} instead of {middle}")]
            run_in_chunks(copy, steps, (3, steps))
            found = []
            for probe, a, e in zip(sim.model.probes, probe_data(copy), probe_data(sim)):
                found += compare_array("matrix, pickled copy", f"{probe.attr} of {probe.target}", a, e, np.zeros(()))
    return found
