"""Calls of a Simulator that fail. Each takes the class, and does something wrong with an instance."""

import nengo
import numpy as np

CALLS = []


def network():
    with nengo.Network(seed=0) as net:
        node = nengo.Node([1.0], label="given")
        ensemble = nengo.Ensemble(5, 1, label="ensemble")
        nengo.Connection(node, ensemble)
        net.probe = nengo.Probe(ensemble)
    return net


def call(match, closed=False):
    """Add a function ``fails(sim, net)`` to the table."""

    def decorate(fails):
        def run(simulator_class):
            net = network()
            with simulator_class(net, progress_bar=False) as sim:
                if closed:
                    sim.close()
                fails(sim, net)

        run.__name__ = fails.__name__
        CALLS.append((run, match))
        return fails

    return decorate


def construction(match):
    """Add a function ``fails(simulator_class)`` to the table."""

    def decorate(fails):
        CALLS.append((fails, match))
        return fails

    return decorate


@call("time_in_seconds: Must be positive")
def run_backwards(sim, net):
    sim.run(-0.001)


@call("NaN")
def run_for_nan(sim, net):
    sim.run(np.nan)


@call("'str'")
def run_for_text(sim, net):
    sim.run("a")


@call("max_steps|at least 1")
def run_no_steps(sim, net):
    sim.run_steps(0)


@call("max_steps|at least 1")
def run_less_than_no_steps(sim, net):
    sim.run_steps(-3)


@call("1.5|float")
def run_half_a_step(sim, net):
    sim.run_steps(1.5)


@call("'3'|int")
def run_steps_of_text(sim, net):
    sim.run_steps("3")


@call("closed", closed=True)
def run_closed(sim, net):
    sim.run(0.01)


@call("closed", closed=True)
def run_steps_closed(sim, net):
    sim.run_steps(2)


@call("closed", closed=True)
def step_closed(sim, net):
    sim.step()


@call("closed", closed=True)
def reset_closed(sim, net):
    sim.reset()


@call("closed", closed=True)
def reopen(sim, net):
    with sim:
        pass


@call("dt is read-only")
def set_dt(sim, net):
    sim.dt = 0.1


@call("Simulator.dt: Cannot specify both")
def two_periods(sim, net):
    sim.trange(dt=0.1, sample_every=0.1)


@call("other")
def data_of_another_object(sim, net):
    sim.data[nengo.Node([0.0], label="other", add_to_container=False)]


@call("read-only")
def write_probe_data(sim, net):
    sim.run_steps(2)
    sim.data[net.probe][0] = 1


@call("item assignment")
def set_probe_data(sim, net):
    sim.data[net.probe] = np.zeros(3)


@call("")
def seed_below_zero(sim, net):
    sim.reset(seed=-1)


@call("")
def signal_of_another_model(sim, net):
    sim.signals[nengo.builder.Signal(np.zeros(2), name="other")]


@call("read-only")
def write_constant_of_a_node(sim, net):
    sim.signals[sim.model.sig[net.probe.target.neurons]["bias"]][...] = 1


@call("shape")
def write_signal_of_another_shape(sim, net):
    sim.signals[sim.model.sig[net.ensembles[0]]["in"]][...] = np.zeros(3)


@call("no_such")
def no_such_attribute(sim, net):
    sim.no_such


@construction("'str'")
def text_for_a_network(simulator_class):
    simulator_class("network", progress_bar=False)


@construction("build_node")
def node_for_a_network(simulator_class):
    with nengo.Network():
        simulator_class(nengo.Node(1.0), progress_bar=False)


@construction("no_such")
def no_such_argument(simulator_class):
    simulator_class(network(), no_such=1)


@construction("")
def seed_of_text(simulator_class):
    simulator_class(network(), seed="a", progress_bar=False)


@construction("dt|float")
def dt_of_text(simulator_class):
    simulator_class(network(), dt="a", progress_bar=False)
