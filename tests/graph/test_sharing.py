"""Which functions are tied to each other by what they share."""

import collections
import dataclasses
import enum
import functools
import gc
import importlib
import itertools
import math
import operator
import random
import sys
import time
import types
import weakref

import nengo
import numpy as np
import pytest
import scipy.interpolate
import scipy.linalg
import scipy.signal
import scipy.special
import scipy.stats

from nengo_backend_tf.graph import sharing_walk
from nengo_backend_tf.graph.sharing import isolated, reach, tied, touches_outside

THIS = sys.modules[__name__]
GAIN = 3.0
DATA = np.arange(10.0)
counter = 0
unset_later = 1.0


class Environment:
    """An environment that one Node acts on and another observes."""

    def __init__(self):
        self.x = 0.0

    def step(self, t, x):
        self.x += x

    def observe(self, t):
        return self.x


class Counter:
    """A callable with state."""

    def __init__(self):
        self.count = 0

    def __call__(self, t):
        self.count += 1
        return self.count


class Config:
    """Settings that nothing changes."""

    offset = 2.0

    def __init__(self, gain):
        self.gain = gain

    def apply(self, t):
        return self.gain * t + self.offset


class Totals:
    """State in the class."""

    total = 0

    @classmethod
    def add(cls, t):
        cls.total += t

    def read(self, t):
        return self.total


class Slotted:
    __slots__ = ("x", "items")

    def __init__(self):
        self.x, self.items = 0.0, []

    def set(self, t, x):
        self.x = x

    @property
    def doubled(self):
        return 2 * self.x


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Settings:
    gain: float = 1.0
    names: list = dataclasses.field(default_factory=list)


def module_function(x):
    return x * GAIN


def recursive(n):
    return 1 if n < 1 else n * recursive(n - 1)


def logged(fn):
    """A decorator with no state."""

    @functools.wraps(fn)
    def wrapper(*args):
        return fn(*args)

    return wrapper


def counted(fn):
    """A decorator with state."""

    @functools.wraps(fn)
    def wrapper(*args):
        wrapper.calls += 1
        return fn(*args)

    wrapper.calls = 0
    return wrapper


def count_up(t):
    global counter
    counter += 1


def read_counter(t):
    return counter


def delete_global(t):
    global unset_later
    del unset_later


def call_with(x, module):
    return module.rand() * x


def remember(t, seen=[]):
    seen.append(t)
    return len(seen)


def call_remember(t):
    return remember(t) + 1


# Pairs of functions that may be called independently.


def two_sines():
    return lambda t: np.sin(6 * t), lambda t: [np.sin(t), 0.5]


def functions_of_values():
    return lambda x: x**2, lambda x: x[0] * x[1]


def same_pure_function():
    return module_function, module_function


def same_global_constant():
    return lambda t: GAIN * t, lambda t: GAIN + t


def same_helper():
    return lambda t: module_function(t), lambda x: module_function(x) + recursive(3)


def same_constant_closure():
    gain = 2.0
    return lambda t: gain * t, lambda x: gain * x


def same_tuple_closure():
    table = ((0.0, 1.0), (0.5, -1.0))
    return lambda t: table[0][0], lambda x: table[1][0] * x


def two_dict_closures():
    def piecewise(table):
        return lambda t: table[max(k for k in table if k <= t)]

    return piecewise({0: 1.0, 0.5: 2.0}), piecewise({0: 3.0})


def two_piecewise_processes():
    args = (0,), (1,), 0.001, None, None
    make = nengo.processes.Piecewise
    return make({0: 1}).make_step(*args), make({0: 2}).make_step(*args)


def partials():
    return functools.partial(module_function, 3), functools.partial(pow, 2)


def same_partial():
    fn = functools.partial(operator.mul, 3)
    return fn, lambda t: fn(t)


def known_functions():
    return np.sin, np.sin, math.sin, abs, max, operator.neg, scipy.special.expit, np.mean, np.clip, np.linalg.norm


def scipy_functions():
    return lambda t: scipy.signal.square(t), lambda t: scipy.signal.square(t) + scipy.special.factorial(3)


def two_generators():
    a, b = np.random.RandomState(0), np.random.default_rng(0)
    return lambda t: a.randn(), lambda t: b.normal()


def two_counters():
    return Counter(), Counter()


def two_environments():
    return Environment().step, Environment().observe


def same_config():
    config = Config(2.0)
    return lambda t: config.gain * t, config.apply


def config_and_environment():
    config, environment = Config(2.0), Environment()
    return config.apply, environment.step


def two_slotted():
    a, b = Slotted(), Slotted()
    return a.set, lambda t: b.doubled


def same_enumeration():
    return lambda t: Mode.FAST.value * t, lambda x: x if Mode(1) is Mode.FAST else Mode.SLOW.value


def same_namedtuple():
    point, other = Point(1.0, 2.0), Environment()
    return lambda t: point.x, lambda t, x: other.step(t, x * point.y)


def same_dataclass():
    a, b = Settings(), Settings()

    def set_gain(t):
        return dataclasses.replace(a, gain=t)

    return set_gain, lambda t: b.gain * t


def same_decorator():
    return logged(lambda t: t), logged(lambda t: 2 * t)


def two_default_lists():
    def make():
        def fn(t, seen=[]):
            seen.append(t)

        return fn

    return make(), make()


def two_global_arrays():
    THIS.OTHER_DATA = np.zeros(3)
    return lambda t: DATA[int(t / 0.001)], lambda t: OTHER_DATA[0]  # noqa: F821


def local_import():
    def fn(t):
        import math as m
        import numpy as np
        from math import cos

        return np.sin(m.pi * t) + cos(t)

    def clock(t):
        return time.time()

    return fn, clock


def pure_and_outside():
    return lambda t: np.sin(t), lambda t: np.random.randn()


def made_inside():
    def fn(t):
        total = []
        environment = Environment()
        environment.step(t, 1.0)
        total.append(environment.observe(t))
        return total

    return fn, fn


def vectorized():
    return np.frompyfunc(lambda x: x + 1, 1, 1), np.frompyfunc(lambda x: x + 1, 1, 1)


FREE = [
    two_sines, functions_of_values, same_pure_function, same_global_constant, same_helper, same_constant_closure,
    same_tuple_closure, two_dict_closures, two_piecewise_processes, partials, same_partial, known_functions,
    scipy_functions, two_generators, two_counters, two_environments, same_config, config_and_environment, two_slotted,
    same_enumeration, same_namedtuple, same_dataclass, same_decorator, two_default_lists, two_global_arrays,
    local_import, pure_and_outside, made_inside, vectorized,
]


# Functions that notice each other.


def environment_methods():
    environment = Environment()
    return environment.step, environment.observe


def environment_in_closures():
    environment = Environment()
    return lambda t, x: environment.step(t, x), lambda t: environment.x


def same_counter():
    fn = Counter()
    return fn, fn


def counter_in_partial():
    fn = Counter()
    return functools.partial(fn), lambda t: fn.count


def same_list():
    seen = []
    return lambda t: seen.append(t), lambda t: len(seen)


def bound_builtin_method():
    queue = collections.deque()
    return queue.append, lambda t: queue.popleft()


def list_in_list():
    inner = [0.0]
    outer = [1, (2, {"a": inner})]
    return lambda t: inner[0], lambda t: outer[1]


def same_default_list():
    return remember, call_remember


def keyword_default():
    state = {}

    def fn(t, *, memory=state):
        memory[t] = 1

    return fn, lambda t: len(state)


def same_generator():
    rng = np.random.RandomState(0)
    return lambda t: rng.randn(), lambda x: rng.rand() + x


def generator_and_method():
    rng = np.random.default_rng(0)
    return lambda t: rng.normal(), rng.uniform


def same_bit_generator():
    bits = np.random.PCG64(0)
    a, b = np.random.Generator(bits), np.random.RandomState(bits)
    return lambda t: a.normal(), lambda t: b.randn()


def same_stdlib_generator():
    rng = random.Random(0)
    return lambda t: rng.random(), rng.gauss


def global_random_functions():
    return lambda t: np.random.randn(), lambda t: random.random(), np.random.rand, np.random.seed


def global_random_by_name():
    state = np.random.mtrand._rand
    return lambda t: state.randn(), lambda t: np.random.rand()


def random_twice():
    return lambda t: random.random(), lambda t: random.gauss(0, 1)


def global_stdlib_generator_by_name():
    rng = random._inst
    return lambda t: rng.random(), random.random, random.gauss


def stored_by_random_function():
    config = Config(2.0)

    def store(t):
        scipy.stats.norm.fit(config)

    return store, config.apply


def local_variable_stored():
    class Shared:
        total = 0

        def up(self, t):
            other = Shared
            other.total += t

    return Shared().up, lambda t: Shared.total


def first_argument_rebound():
    class Shared:
        total = 0

        def up(self, t):
            self = Shared
            self.total = t

    return Shared().up, lambda t: Shared.total


def branch_stored():
    class Shared:
        total = 0

        def up(self, t):
            (Shared if t > 1 else self).total = t

    return Shared().up, lambda t: Shared.total


def branch_augmented():
    class Shared:
        total = 0

        def up(self, t):
            (Shared if t > 1 else self).total += t

    return Shared().up, lambda t: Shared.total


def function_of_found_frame():
    def store(t):
        try:
            raise ValueError
        except ValueError as e:
            e.__traceback__.tb_frame.f_globals["GAIN"] = t

    return store, module_function


def member_imported_locally():
    def fn(t):
        from numpy import random as r

        return r.rand()

    def other(t):
        import numpy.random as r

        return r.rand()

    return fn, other


def module_as_argument():
    return lambda t: call_with(t, np.random), lambda t: np.random.randn()


def module_in_default():
    def fn(t, rng=np.random):
        return rng.randn()

    return fn, lambda t: np.random.randn()


def module_in_variable():
    def fn(t):
        module = np
        return module.random.randn()

    return fn, lambda t: np.random.randn()


def module_in_local_import():
    def fn(t):
        import numpy

        return [numpy.random.randn() for _ in range(2)]

    def other(t):
        from numpy.random import randn

        return randn()

    return fn, other, lambda t: np.random.randn()


def scipy_random():
    return lambda t: scipy.stats.norm.rvs(), lambda t: np.random.randn()


def outside_world():
    return lambda t: time.time(), lambda t: print(t), lambda t: open("x").read(), lambda t: np.load("x"), input


def global_array():
    return lambda t: DATA[int(t / 0.001)], lambda x: DATA.sum() + x


def two_views():
    data = np.zeros((4, 2))
    a, b = data[1:], data.T
    return lambda t: a[0], lambda t, x: b.__setitem__(0, x)


def view_of_buffer():
    memory = bytearray(8)
    a, b = np.frombuffer(memory), memoryview(memory)
    return lambda t: a[0], lambda t: b[0]


def object_array():
    item = [1]
    array = np.array([None, item], dtype=object)
    return lambda t: array[0], lambda t: item.append(t)


def structured_scalar():
    data = np.zeros(2, dtype=[("a", float)])
    row = data[0]
    return lambda t: row["a"], lambda t: data["a"]


def flat_iterator():
    data = np.zeros(2)
    flat = data.flat
    return lambda t: next(flat), lambda t: data[0]


def read_only_view():
    data = np.zeros(2)
    view = data.view()
    view.flags.writeable = False
    return lambda t: view[0], lambda t, x: data.__setitem__(0, x)


def global_statement():
    return count_up, read_counter


def global_through_module():
    return count_up, lambda t: THIS.counter


def module_attribute_stored():
    def store(t):
        THIS.GAIN = t

    return store, module_function


def module_attribute_augmented():
    def store(t):
        THIS.GAIN += t

    return store, module_function


def small_module(**attributes):
    """A module of a user that holds nothing but a function and what it is told."""
    module = types.ModuleType("small")
    exec("def read(t):\n    return gain * t", vars(module))
    vars(module).update(gain=1.0, **attributes)
    return module


def small_module_stored():
    module = small_module()

    def store(t):
        module.gain = t

    return store, module.read


def small_module_augmented():
    module = small_module()

    def store(t):
        module.gain += t

    return store, module.read, lambda t: module.gain


def small_module_given_away():
    module = small_module()
    return functools.partial(setattr, module, "gain"), module.read


def small_namespace():
    module = small_module()
    namespace = vars(module)
    return lambda t: namespace.update(gain=t), lambda t: module.gain


def list_in_module():
    items = []
    module = small_module(items=items)
    return lambda t: items.append(t), lambda t: module.items, lambda t: [module, t]


def global_deleted():
    return delete_global, lambda t: unset_later


def globals_function():
    def store(t):
        globals()["GAIN"] = t

    return store, module_function


def namespace_dict():
    namespace = vars(THIS)
    return lambda t: namespace.update(GAIN=t), module_function


def setattr_on_module():
    def store(t):
        setattr(THIS, "GAIN", t)

    return store, module_function


def executed_text():
    def store(t):
        exec("GAIN = 3", THIS.__dict__)

    return store, module_function


def found_through_sys():
    def store(t):
        sys.modules[__name__].GAIN = t

    return store, module_function


def found_through_importlib():
    def store(t):
        importlib.import_module(__name__).GAIN = t

    return store, module_function


def found_through_gc():
    return lambda t: gc.get_objects(), module_function


def nonlocal_statement():
    count = 0

    def up(t):
        nonlocal count
        count += 1

    return up, lambda t: count


def nonlocal_in_nested():
    count = 0

    def up(t):
        def inner():
            nonlocal count
            count += 1

        inner()

    return up, lambda t: count


def cell_contents():
    count = 0

    def read(t):
        return count

    def store(t):
        read.__closure__[0].cell_contents = t

    return store, lambda t: count


def function_attribute():
    def helper(t):
        return helper.count

    helper.count = 0

    def up(t):
        helper.count += 1

    return up, helper


def decorator_with_state():
    fn = counted(lambda t: t)
    return fn, lambda t: fn(2 * t)


def class_attribute():
    return Totals.add, Totals().read


def class_attribute_stored():
    def store(t):
        Config.offset = t

    return store, Config(1.0).apply


def class_of_instance():
    class Shared:
        total = 0

        def up(self, t):
            type(self).total += 1

    return Shared().up, lambda t: Shared.total


def class_container():
    class Registry:
        items = []

        def add(self, t):
            self.items.append(t)

    return Registry().add, Registry().add


def instance_dict():
    config = Config(2.0)
    return lambda t: config.__dict__.update(gain=t), config.apply


def instance_dict_by_itself():
    config = Config(2.0)
    attributes = vars(config)
    return lambda t: attributes.update(gain=t), lambda t: config.gain


def instance_setattr():
    config = Config(2.0)

    def store(t):
        setattr(config, "gain", t)

    return store, config.apply


def stored_by_helper():
    def store(obj, value):
        obj.gain = value

    config = Config(2.0)
    return lambda t: store(config, t), config.apply


def initialized_again():
    config = Config(2.0)
    return lambda t: config.__init__(t), config.apply


def slots():
    obj = Slotted()
    return obj.set, lambda t: obj.doubled


def list_in_slot():
    obj = Slotted()
    items = obj.items
    return lambda t: obj.items, lambda t: items.append(t)


def dataclass_list():
    settings = Settings()
    names = settings.names
    return lambda t: settings.names, lambda t: names.append(t)


def frozen_attributes():
    table = types.SimpleNamespace(gain=1.0)
    return lambda t: table.gain, lambda t: table.__setattr__("gain", t)


def enumeration_attribute():
    def store(t):
        Mode.FAST.extra = t

    return store, lambda t: Mode.FAST.extra


def wrapped_state():
    seen = []
    fn = logged(lambda t: seen.append(t))
    return fn, lambda t: len(seen)


def cached():
    seen = []
    fn = functools.lru_cache(lambda t: seen.append(t))
    return fn, lambda t: len(seen)


def single_dispatch():
    seen = []
    fn = functools.singledispatch(lambda t: seen.append(t))
    return fn, lambda t: len(seen)


def made_by_frompyfunc():
    seen = []
    fn = np.frompyfunc(lambda t: seen.append(t), 1, 1)
    return fn, lambda t: len(seen)


def made_by_vectorize():
    seen = []
    fn = np.vectorize(lambda t: seen.append(t))
    return lambda t: fn(t), lambda t: len(seen)


def same_iterator():
    values = itertools.cycle([1, 2])
    return lambda t: next(values), lambda t: next(values)


def iterator_over_list():
    values = [1, 2]
    iterator = map(lambda v: v, iter(values))
    return lambda t: next(iterator), lambda t: values.append(t)


def generator_function():
    values = []

    def generate():
        while True:
            yield len(values)

    generator = generate()
    return lambda t: next(generator), lambda t: values.append(t)


def weak_reference():
    environment = Environment()
    reference = weakref.ref(environment)
    return lambda t: reference().x, lambda t, x: environment.step(t, x)


def weak_proxy():
    environment = Environment()
    proxy = weakref.proxy(environment)
    return lambda t: proxy.x, lambda t, x: environment.step(t, x)


def interpolator():
    table = scipy.interpolate.interp1d([0, 1], [0, 1])
    return lambda t: table(t), lambda x: table(x)


def attribute_getter():
    get = operator.methodcaller("randn")
    return lambda t: get(np.random), lambda t: np.random.rand()


def inherited_state():
    class Derived(Environment):
        pass

    environment = Derived()
    return lambda t: environment.observe(t), lambda t, x: environment.step(t, x)


def delegated():
    class Wrapper:
        def __init__(self, inner):
            self.inner = inner

        def __getattr__(self, name):
            return getattr(self.inner, name)

    environment = Environment()
    wrapper = Wrapper(environment)
    return lambda t: wrapper.x, environment.step


def missing_global():
    return lambda t: not_defined_so_far.append(t), module_function  # noqa: F821


def nested_function():
    seen = []

    def fn(t):
        def inner():
            return [seen.append(t) for _ in range(2)]

        return inner()

    return fn, lambda t: len(seen)


def network():
    model = nengo.Network()
    with model:
        ensemble = nengo.Ensemble(10, 1)
    return lambda t: model.label, lambda t: ensemble.n_neurons


def over_budget():
    last = []
    many = [[i] for i in range(sharing_walk.BUDGET)]
    return lambda t: [many, last], lambda t: last.append(t)


TIED = [
    environment_methods, environment_in_closures, same_counter, counter_in_partial, same_list, bound_builtin_method,
    list_in_list, same_default_list, keyword_default, same_generator, generator_and_method, same_bit_generator,
    same_stdlib_generator, random_twice, global_stdlib_generator_by_name, stored_by_random_function,
    local_variable_stored, first_argument_rebound, branch_stored, branch_augmented, function_of_found_frame,
    member_imported_locally, global_random_functions, global_random_by_name, module_as_argument, module_in_default,
    module_in_variable, module_in_local_import, scipy_random, outside_world, global_array, two_views, view_of_buffer,
    object_array, structured_scalar, flat_iterator, read_only_view, global_statement, global_through_module,
    module_attribute_stored, module_attribute_augmented, small_module_stored, small_module_augmented,
    small_module_given_away, small_namespace, list_in_module, global_deleted, globals_function, namespace_dict,
    setattr_on_module, executed_text, found_through_sys, found_through_importlib, found_through_gc, nonlocal_statement,
    nonlocal_in_nested, cell_contents, function_attribute, decorator_with_state, class_attribute,
    class_attribute_stored, class_of_instance, class_container, instance_dict, instance_dict_by_itself,
    instance_setattr, stored_by_helper, initialized_again, slots, list_in_slot, dataclass_list, frozen_attributes,
    enumeration_attribute, wrapped_state, cached, single_dispatch, made_by_frompyfunc, made_by_vectorize,
    same_iterator, iterator_over_list, generator_function, weak_reference, weak_proxy, interpolator, attribute_getter,
    inherited_state, delegated, missing_global, nested_function, network, over_budget,
]


@pytest.mark.parametrize("make", FREE, ids=lambda make: make.__name__)
def test_free(make):
    functions = make()
    assert tied(functions) == tuple(frozenset({i}) for i in range(len(functions)))


@pytest.mark.parametrize("make", TIED, ids=lambda make: make.__name__)
def test_tied(make):
    functions = make()
    assert tied(functions) == (frozenset(range(len(functions))),)
    assert tied(functions[::-1]) == (frozenset(range(len(functions))),)


def test_partition_is_transitive():
    a, b = [], []
    functions = [lambda t: a, np.sin, lambda t: (a, b), lambda t: GAIN, lambda t: b]
    assert tied(functions) == (frozenset({0, 2, 4}), frozenset({1}), frozenset({3}))
    assert tied([]) == ()


@pytest.mark.parametrize("fn, outside", [
    (lambda t: np.sin(t), False),
    (lambda t: np.random.RandomState(3).randn(), False),
    (lambda t: np.random.default_rng(3).normal(), False),
    (lambda t: np.random.randn(), True),
    (lambda t: time.perf_counter(), True),
    (lambda t: print(t), True),
    (lambda t: scipy.stats.norm.rvs(), True),
    (Counter(), False),
    (Environment().step, False),
    (random.Random(0).gauss, False),
    (float, False),
    (np.random.randn, True),
    (random.random, True),
    (random._inst.random, True),
    (lambda t: scipy.linalg.clarkson_woodruff_transform(np.eye(3), 2), True),
    (lambda t: scipy.linalg.expm(np.eye(3)), False),
    (time.time, True),
    (eval, True),
])
def test_touches_outside(fn, outside):
    assert touches_outside(fn) == outside
    assert isolated(fn) != outside


class Exploding:
    """Any use of an instance other than calling it is an error."""

    def __init__(self):
        object.__setattr__(self, "inner", [])

    def explode(self, *args):
        raise AssertionError("User code was called")

    __getattr__ = __getattribute__ = __eq__ = __hash__ = __bool__ = __len__ = __iter__ = __repr__ = explode
    __call__ = __contains__ = __getitem__ = __index__ = __dir__ = explode
    attribute = __class__ = property(explode)


class ExplodingVars(Exploding):
    """Not even the dict of an instance can be asked for."""

    __dict__ = property(Exploding.explode)


class ExplodingMeta(type):
    """So is any use of the class."""

    def explode(cls, *args):
        raise AssertionError("User code was called")

    __getattr__ = __getattribute__ = __eq__ = __hash__ = __instancecheck__ = __subclasscheck__ = __call__ = explode
    __dict__ = __mro__ = __module__ = __name__ = property(explode)


class ExplodingDict(dict):
    """And of a dict."""

    def explode(self, *args):
        raise AssertionError("User code was called")

    __getitem__ = __iter__ = __contains__ = __len__ = get = items = values = keys = explode


def _exploding_class():
    body = {"items": [], "step": lambda self, t: None}
    return type.__call__(ExplodingMeta, "ExplodingClass", (), body)


@pytest.mark.parametrize("make", [Exploding, ExplodingVars, _exploding_class, ExplodingDict])
def test_calls_no_user_code(make, monkeypatch):
    obj = make()
    # A call that the walk survives by giving up would not be noticed otherwise.
    monkeypatch.setattr(sharing_walk.Walk, "opaque", lambda self: pytest.fail("The walk gave up"))
    functions = [lambda t: obj, lambda t, held=[obj]: held, lambda t: 1.0, functools.partial(len, obj)]
    found = [_reach_strictly(fn) for fn in functions]
    assert all(("object", id(obj)) in reads | writes for reads, writes in (found[0], found[1], found[3]))
    assert ("object", id(obj)) not in found[2].reads | found[2].writes


def test_calls_no_user_code_of_root():
    assert _reach_strictly(Exploding()).reads


def test_calls_no_user_code_of_instance_of_exploding_class():
    cls = _exploding_class()
    obj = object.__new__(cls)
    items = type.__dict__["__dict__"].__get__(cls)["items"]
    found = _reach_strictly(lambda t: obj)
    assert ("object", id(items)) in found.writes
    assert len(tied([lambda t: obj, lambda t: items])) == 1


def test_finds_state_behind_exploding_attributes():
    obj = Exploding()
    inner = object.__getattribute__(obj, "inner")
    assert tied([lambda t: obj, lambda t: inner.append(t), np.sin]) == (frozenset({0, 1}), frozenset({2}))


def test_functions_are_not_called():
    calls = []

    def fn(t):
        calls.append(t)

    reach(fn), tied([fn, fn]), isolated(fn)
    assert not calls


def test_never_raises():
    odd = [None, 3, "text", object(), type, int, [], iter(()), sys, ..., lambda: undefined]  # noqa: F821
    empty = types.FunctionType(_has_cell().__code__, globals(), closure=(types.CellType(),))
    for fn in odd + [empty]:
        reads, writes = reach(fn)
        assert isinstance(reads, frozenset) and isinstance(writes, frozenset)
    assert len(tied([empty, module_function])) == 1


def _has_cell():
    variable = 1
    return lambda t: variable


def _reach_strictly(fn):
    """Reach that does not survive errors in the walk."""
    walk = sharing_walk.Walk()
    walk.visit(fn)
    while walk.queue:
        walk.look(*walk.queue.pop())
    return walk.result()
