"""What waiting cells hold, and how many can wait at once."""
import os
import resource
import time

from . import peer
from .stats import summarise
from .table import judged, told

STALLED_SECONDS = 5.0  # no new cell for so long: it has stopped trying


def kilobytes(path, key):
    with open(path, encoding="ascii") as file:
        for line in file:
            if line.startswith(key):
                return int(line.split()[1])
    raise peer.BenchError("no %s in %s" % (key, path))


def available_mib():
    return kilobytes("/proc/meminfo", "MemAvailable:") / 1024


def pss_mib(pids):
    return sum(kilobytes("/proc/%d/smaps_rollup" % pid, "Pss:") for pid in pids) / 1024


def fill(belljar, wanted, seconds):
    """Waits until `wanted` cells are there, or no more come; the cells and the seconds it took."""
    belljar.timed(peer.request())
    start = grown = time.monotonic()
    most = 0
    while True:
        now, count = time.monotonic(), len(belljar.children())
        if count > most:
            most, grown = count, now
        # Two processes each, and those that serve them all.
        if count >= 2 * wanted and len(belljar.cells()) >= wanted:
            return belljar.cells(), now - start
        if now - grown > STALLED_SECONDS or now - start > seconds:
            return belljar.cells(), grown - start
        time.sleep(min(0.5, 0.01 + count / 10000))


def require_root():
    if os.geteuid() != 0:
        raise peer.BenchError("only root may read the memory of a cell's processes")


def memory(setup):
    require_root()
    wanted = 50
    before = available_mib()
    with peer.Belljar(setup, "--pool", str(wanted)) as belljar:
        cells, _ = fill(belljar, wanted, 30)
        belljar.settle()
        cells = belljar.cells()
        per_cell = [pss_mib(pids) for pids in cells.values()]
        dropped = before - available_mib()
    mean = sum(per_cell) / len(per_cell)
    return [judged("idle_memory", mean, "mean of %d cells, proportional" % len(per_cell))], {
        "pss_mib": summarise(per_cell), "cells": len(per_cell),
        "available_mib_dropped": dropped, "processes_per_cell": len(next(iter(cells.values())))}


def crowd(setup, wanted, seconds):
    before = available_mib()
    with peer.Belljar(setup, "--pool", str(wanted)) as belljar:
        cells, took = fill(belljar, wanted, seconds)
        dropped = before - available_mib()
        descriptors = len(os.listdir("/proc/%d/fd" % belljar.pid))
        start = time.monotonic()
        belljar.stop()
        ended = time.monotonic() - start
    count = max(1, len(cells))
    return {"wanted": wanted, "cells": len(cells), "seconds": took, "seconds_to_end": ended,
            "available_mib_per_cell": dropped / count, "descriptors_per_cell": descriptors / count,
            "descriptor_limit": resource.getrlimit(resource.RLIMIT_NOFILE)[0]}


def count(setup):
    require_root()
    tried = [crowd(setup, 1000, 60)]
    # Both filling and ending take their time; a slow machine stays at the first number.
    seconds = min(75, setup.seconds_left() - 70)
    if not setup.quick and tried[0]["cells"] >= 1000 and seconds > 3 * tried[0]["seconds"]:
        tried.append(crowd(setup, 5000, seconds))
    best = max(tried, key=lambda one: one["cells"])
    detail = "of %d asked for, in %.1f s" % (best["wanted"], best["seconds"])
    if best["cells"] < best["wanted"]:
        detail += ", then no more came; %.1f descriptors each, limit %d" % (
            best["descriptors_per_cell"], best["descriptor_limit"])
    return [judged("idle_cells", best["cells"], detail),
            told("idle cell, all memory the machine lost",
                 "%.2f MiB each of %d" % (best["available_mib_per_cell"], best["cells"]))], {
                     "tried": tried}
