"""Run a range of seeds in worker processes, and print what came of it."""

import multiprocessing
import sys
import time
from collections import Counter
from functools import partial

from .run import try_seed
from .tally import expected

#: Networks that one worker tries before another takes its place: what XLA compiled is never given back.
NETWORKS_A_WORKER = 100
#: Seconds between lines of progress.
PROGRESS = 10


def outcomes(seeds, modes, jobs):
    """The Outcome of each seed, in any order.

    Parameters
    ----------
    seeds : sequence of int
    modes : sequence of str
    jobs : int
        Worker processes.
    """
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, maxtasksperchild=NETWORKS_A_WORKER) as pool:
        yield from pool.imap_unordered(partial(try_seed, modes=modes), seeds)


def run_range(seeds, modes, jobs, out=print):
    """Try all seeds; returns the exit status.

    Parameters
    ----------
    seeds : range
    modes : sequence of str
    jobs : int
    out : callable
        Prints a line.
    """
    counts, found, invalid, tried, last = Counter(), {}, {}, 0, time.time()
    for outcome in outcomes(seeds, modes, jobs):
        tried += 1
        counts += outcome.counts
        if outcome.invalid:
            invalid[outcome.seed] = outcome.invalid
        if outcome.found:
            found[outcome.seed] = outcome.found
            say_differences(outcome.seed, outcome.found, partial(print, file=sys.stderr, flush=True))
        if time.time() - last > PROGRESS:
            last = time.time()
            print(f"{tried} of {len(seeds)} networks, {len(found)} with differences", file=sys.stderr, flush=True)
    absent = sorted(expected() - set(counts))
    say_counts(counts, tried, absent, out)
    for seed in sorted(found):
        say_differences(seed, found[seed], out)
    out(f"seeds {seeds.start}:{seeds.stop}, {' and '.join(modes)}: {tried} networks tried, {len(invalid)} of them refused "
        f"by nengo itself, {len(found)} with differences{': seeds ' if found else ''}{' '.join(map(str, sorted(found)))}")
    return 1 if found or (absent and tried >= 200) else 0


def say_differences(seed, found, out):
    """Print the first differences of a seed."""
    for difference in found[:3]:
        out(f"seed {seed}: {difference}")
    if len(found) > 3:
        out(f"seed {seed}: and {len(found) - 3} more")


def say_counts(counts, tried, absent, out):
    """Print in how many networks each kind of thing was drawn."""
    kinds = sorted({kind for kind, _ in counts})
    for kind in kinds:
        names = sorted((name, n) for (k, name), n in counts.items() if k == kind)
        out(f"{kind}: " + ", ".join(f"{name} {n}" for name, n in names))
    out(f"never drawn in {tried} networks: " + (", ".join(f"{kind} {name}" for kind, name in absent) or "nothing"))
