"""Networks that cannot be built: each function makes one, which no Simulator can be made of."""

import nengo
import numpy as np
from nengo.builder import Operator
from nengo.builder.operator import Copy, DotInc, ElementwiseInc, SparseDotInc
from nengo.learning_rules import LearningRuleType

NETWORKS = []


def bad(match):
    """Add a function that builds into the present network to the table."""

    def decorate(build):
        def run(simulator_class):
            with nengo.Network(seed=0) as net:
                build()
            simulator_class(net, progress_bar=False).close()

        run.__name__ = build.__name__
        NETWORKS.append((run, match))
        return build

    return decorate


def ensemble(label, n_neurons=10, **kwargs):
    return nengo.Ensemble(n_neurons, 1, label=label, **kwargs)


@bad("cut off.*non-finite gain")
def intercepts_above_one():
    ensemble("cut off", intercepts=[2.0] * 10)


@bad("half.*but not both")
def gain_without_bias():
    ensemble("half", gain=np.ones(10))


@bad("lost.*encoders")
def encoders_of_length_zero():
    ensemble("lost", encoders=np.zeros((10, 1)))


@bad("Ensemble 'bare'|gain_bias")
def neurons_without_gains():
    class Bare(nengo.neurons.NeuronType):
        def step(self, dt, J, output):
            output[...] = J

        def gain_bias(self, max_rates, intercepts):
            raise NotImplementedError("no gain_bias")

    ensemble("bare", neuron_type=Bare())


@bad("Connection from.*a.*None")
def function_that_returns_none_sometimes():
    calls = []
    a = ensemble("a")
    nengo.Connection(a, nengo.Node(size_in=1), function=lambda x: calls.append(x) if calls else calls.append(x) or 1.0)


@bad("silent")
def neurons_that_never_fire():
    a = ensemble("silent", max_rates=[100] * 10, intercepts=[0.9] * 10, eval_points=np.zeros((5, 1)))
    nengo.Connection(a, nengo.Node(size_in=1))


@bad("Dense transforms")
def solver_of_weights_without_a_dense_transform():
    class OwnSolver(nengo.solvers.LstsqL2):
        compositional = False

        def __init__(self):
            super().__init__(weights=True)

    nengo.Connection(ensemble("a"), ensemble("b"), solver=OwnSolver(), transform=nengo.transforms.NoTransform(1))


@bad("nothing.*size_out > 0")
def node_without_outputs():
    nothing = nengo.Node(lambda t: None, size_out=0, label="nothing")
    nengo.Connection(nothing, nengo.Node(size_in=0, label="other"), synapse=None)


@bad("outsider.*not in the model")
def connection_out_of_the_network():
    with nengo.Network(add_to_container=False):
        outsider = nengo.Node([0.0], label="outsider")
    nengo.Connection(outsider, nengo.Node(size_in=1))


@bad("function points in direct")
def function_points_in_direct_mode():
    a = ensemble("direct", neuron_type=nengo.Direct())
    nengo.Connection(a, nengo.Node(size_in=1), eval_points=np.zeros((4, 1)), function=np.ones((4, 1)))


@bad("Learning.*Sparse")
def learning_on_a_sparse_transform():
    a, b = ensemble("a"), ensemble("b")
    transform = nengo.transforms.Sparse((10, 10), indices=[(0, 0)])
    nengo.Connection(a.neurons, b.neurons, transform=transform, learning_rule_type=nengo.BCM())


@bad("sparse transform to a decoded")
def sparse_transform_of_decoders():
    nengo.Connection(ensemble("a"), ensemble("b"), transform=nengo.transforms.Sparse((1, 1), indices=[(0, 0)]))


@bad("convolution transform to a decoded")
def convolution_of_decoders():
    a = nengo.Ensemble(10, 4)
    convolution = nengo.Convolution(1, (2, 2, 1), kernel_size=(1, 1))
    nengo.Connection(a, nengo.Node(size_in=convolution.size_out), transform=convolution)


@bad("2-dimensional")
def learning_on_a_scalar():
    a = nengo.Ensemble(1, 1)
    nengo.Connection(a.neurons, ensemble("b", 1).neurons, transform=1.0, learning_rule_type=nengo.BCM())


@bad("advanced indexing")
def pes_on_chosen_neurons():
    a, b = ensemble("a"), ensemble("b")
    learned = nengo.Connection(
        a.neurons, b.neurons[[1, 3]], transform=np.ones((2, 10)), learning_rule_type=nengo.PES()
    )
    nengo.Connection(nengo.Node([0.0]), learned.learning_rule)


class Unbuilt(LearningRuleType):
    """A learning rule that nothing is registered for."""

    modifies = "decoders"


@bad("Unbuilt")
def learning_rule_without_build_function():
    nengo.Connection(ensemble("a"), nengo.Node(size_in=1), learning_rule_type=Unbuilt())


class Targetless(LearningRuleType):
    """A learning rule that modifies what there is not."""

    modifies = "nonsense"
    probeable = ()


@bad("nonsense")
def learning_rule_without_target():
    connection = nengo.Connection(ensemble("a"), nengo.Node(size_in=1))
    connection.learning_rule_type = Targetless()


@bad("'in' overlaps")
def state_named_as_a_signal():
    class Named(nengo.LIFRate):
        state = {"in": nengo.dists.Choice([0])}

    ensemble("named", neuron_type=Named())


@bad("'odd' is of type 'str'")
def state_of_text():
    class Odd(nengo.LIFRate):
        def make_state(self, n_neurons, rng=np.random, dtype=None):
            return {"odd": "text"}

    ensemble("odd", neuron_type=Odd())


@bad("finite")
def constant_that_is_not_a_number():
    nengo.Node([np.nan], label="nan")


@bad("NaNs")
def transform_that_is_not_a_number():
    nengo.Connection(nengo.Node([1.0]), nengo.Node(size_in=1), transform=np.nan)


@bad("Ensemble 'nan'.*NaNs")
def bias_that_is_not_a_number():
    ensemble("nan", gain=np.ones(10), bias=np.full(10, np.nan))


@bad("no_such_attribute.*Ensemble 'a'")
def attribute_that_is_not_there():
    a = ensemble("a")
    probe = nengo.Probe(a)
    nengo.Probe.attr.data[probe] = "no_such_attribute"


@bad("refractory_time.*Ensemble 'a'")
def attribute_that_the_new_neuron_type_has_not():
    a = ensemble("a")
    nengo.Probe(a.neurons, "refractory_time").obj.ensemble.neuron_type = nengo.Sigmoid()


@bad("None, cannot be probed")
def weights_of_no_transform():
    connection = nengo.Connection(nengo.Node([1.0]), nengo.Node(size_in=1), transform=nengo.transforms.NoTransform(1))
    nengo.Probe(connection, "weights")


@bad("make_step")
def process_without_a_step():
    nengo.Node(nengo.Process(default_size_in=0), label="processless", size_out=1)


@bad("make_state")
def synapse_without_state():
    nengo.Connection(nengo.Node([1.0]), nengo.Node(size_in=1), synapse=nengo.synapses.Synapse())


@bad("__call__")
def solver_without_a_call():
    nengo.Connection(ensemble("a"), nengo.Node(size_in=1), solver=nengo.solvers.Solver())


@bad("broadcast|shape")
def noise_of_another_size():
    ensemble("noisy", noise=nengo.processes.PresentInput(np.ones((2, 3)), 0.001))


class Broken(Operator):
    """An operator without a step."""

    def __init__(self):
        super().__init__(tag="broken")
        self.sets, self.incs, self.reads, self.updates = [], [], [], []


@bad("broken|subclasses must implement")
def operator_without_a_step():
    class Builds(nengo.Process):
        pass

    def build(model, process, *args, **kwargs):
        model.add_op(Broken())

    nengo.builder.Builder.register(Builds)(build)
    nengo.Node(Builds(default_size_in=0), size_out=1)


@bad("cycles")
def loop_without_delay():
    a, b = (nengo.Node(lambda t, x: x, size_in=1, label=label) for label in "ab")
    nengo.Connection(a, b, synapse=None)
    nengo.Connection(b, a, synapse=None)


@bad("solver failed")
def solver_that_raises():
    class Fails(nengo.solvers.LstsqL2):
        def __call__(self, A, Y, rng=np.random, E=None):
            raise RuntimeError("the solver failed")

    nengo.Connection(ensemble("a"), nengo.Node(size_in=1), solver=Fails())


@bad("broadcast|shape")
def solver_that_returns_another_shape():
    class Shapeless(nengo.solvers.LstsqL2):
        def __call__(self, A, Y, rng=np.random, E=None):
            return np.ones((3, 2)), {"rmses": 0}

    nengo.Connection(ensemble("a"), nengo.Node(size_in=1), solver=Shapeless())


@bad("no step")
def process_whose_step_cannot_be_made():
    class Fails(nengo.Process):
        def make_step(self, shape_in, shape_out, dt, rng, state):
            raise ValueError("no step")

    nengo.Node(Fails(default_size_in=0), size_out=1, label="fails")


def bad_operator(match):
    """Add a function that adds operators to a model to the table."""

    def decorate(add):
        def run(simulator_class):
            model = nengo.builder.Model(dt=0.001)
            add(model)
            simulator_class(nengo.Network(), model=model, progress_bar=False).close()

        run.__name__ = add.__name__
        NETWORKS.append((run, match))
        return add

    return decorate


def signal(name, *shape):
    return nengo.builder.Signal(np.ones(shape), name=name)


@bad_operator("ElementwiseInc.*name=a")
def product_of_other_sizes(model):
    model.add_op(ElementwiseInc(signal("a", 3), signal("x", 2), signal("y", 3)))


@bad_operator("shape mismatch.*tagged")
def matrix_product_of_other_sizes(model):
    model.add_op(DotInc(signal("a", 3, 2), signal("x", 3), signal("y", 3), tag="tagged"))


@bad_operator("repeated indices")
def copy_to_one_place_twice(model):
    model.add_op(Copy(signal("x", 2), signal("y", 3), dst_slice=[0, 0]))


@bad_operator("y")
def signal_that_is_set_twice(model):
    y = signal("y", 2)
    for name in "ab":
        model.add_op(Copy(signal(name, 2), y))


@bad_operator("sparse Signal")
def dense_matrix_for_a_sparse_one(model):
    model.add_op(SparseDotInc(signal("a", 3, 2), signal("x", 2), signal("y", 3)))
