"""Whole programs per second and per start, against bubblewrap."""
import os
import threading
import time

from . import peer
from .stats import median, summarise
from .table import judged, told

BWRAP = ["/usr/bin/bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc",
         "--dev", "/dev", peer.PYTHON, "-I", "-S", "-c", peer.SNIPPET]
AT_ONCE = 2


def spawn(argv, env):
    """Starts `argv` without input, its output thrown away: the leanest client there is."""
    actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
               (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    return os.posix_spawn(argv[0], argv, env, file_actions=actions)


def finish(status, argv):
    if status != 0:
        raise peer.BenchError("%s ended with status %d" % (argv[0], status))


def once_ns(argv, env):
    start = time.perf_counter_ns()
    _, status = os.waitpid(spawn(argv, env), 0)
    ns = time.perf_counter_ns() - start
    finish(status, argv)
    return ns


def parallel_rate(argv, env, count):
    """Runs per second of `count` runs, AT_ONCE at a time."""
    start, started, running = time.monotonic(), 0, set()
    while started < count or running:
        while started < count and len(running) < AT_ONCE:
            running.add(spawn(argv, env))
            started += 1
        pid, status = os.wait()
        running.discard(pid)
        finish(status, argv)
    return count / (time.monotonic() - start)


def require(path):
    if not os.access(path, os.X_OK):
        raise peer.BenchError("%s is not installed" % path)


def floor_rate(floors, count):
    """Programs per second of fork servers without any wall, one for each CPU."""
    share = count // len(floors)
    threads = [threading.Thread(target=floor.burst, args=(peer.floor_request(), share))
               for floor in floors]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return share * len(floors) / (time.monotonic() - start)


def sustained(setup):
    """Cells built, used and taken apart per second. The clock stops when the pool is full again and
    the last used cell has gone: each counted cell is then paid for from beginning to end."""
    require(BWRAP[0])
    line, count = peer.request(), setup.pick(600, 300)
    whole, answered, bwrap, bare = [], [], [], []
    with peer.Belljar(setup) as belljar, peer.floor() as one, peer.floor() as other:
        belljar.timed(line)
        belljar.settle()
        for _ in range(setup.pick(4, 2)):
            start = time.monotonic()
            belljar.burst(line, count)
            answered.append(count / (time.monotonic() - start))
            _, settled = belljar.settle()
            whole.append(count / (settled - start))
            bwrap.append(parallel_rate(BWRAP, setup.env, setup.pick(120, 60)))
            bare.append(floor_rate((one, other), count))
    detail = "%.0f/s / %.0f/s" % (median(whole), median(bwrap))
    return [judged("sustained", median(whole) / median(bwrap), detail),
            told("same, until the last answer",
                 "%.3g x bwrap (%.0f/s)" % (median(answered) / median(bwrap), median(answered))),
            told("two fork servers without any wall",
                 "%.3g x bwrap (%.0f/s)" % (median(bare) / median(bwrap), median(bare)))], {
                     "cells_per_second": summarise(whole),
                     "answers_per_second": summarise(answered),
                     "bwrap_per_second": summarise(bwrap),
                     "floor_per_second": summarise(bare), "cells_each": count}


def oneshot(setup):
    require(BWRAP[0])
    argv = [setup.binary, "run", "-c", peer.SNIPPET]
    belljar, bwrap = [], []
    for _ in range(setup.pick(60, 20)):
        belljar.append(once_ns(argv, setup.env))
        bwrap.append(once_ns(BWRAP, setup.env))
    mine, theirs = summarise(belljar), summarise(bwrap)
    detail = "%.1f ms / %.1f ms" % (mine["p50"] / 1e6, theirs["p50"] / 1e6)
    return [judged("oneshot", mine["p50"] / theirs["p50"], detail)], {
        "belljar_ns": mine, "bwrap_ns": theirs}
