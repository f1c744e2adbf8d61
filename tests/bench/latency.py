"""Request to result of one fresh cell, as multiples of the floor.

The floor and the cell are asked in turn, with the same rest before each, so that a busy moment of
the machine meets both.
"""
import time

from . import peer
from .stats import summarise
from .table import judged, told

POOL = 8
REST_SECONDS = 0.012  # several times what building a cell takes


def rest():
    time.sleep(REST_SECONDS)


def ratio(cell, ground, key):
    detail = "%.0f us / %.0f us" % (cell[key] / 1e3, ground[key] / 1e3)
    return cell[key] / ground[key], detail


def warm(setup):
    """A ready cell: the rest between two requests lets the pool fill again."""
    line, floor_line, cell_ns, floor_ns, lowest = peer.request(), peer.floor_request(), [], [], []
    with peer.floor() as ground, peer.Belljar(setup, "--pool", str(POOL)) as belljar:
        for _ in range(POOL):
            ground.timed(floor_line), belljar.timed(line)
        belljar.settle()
        full = len(belljar.children())
        for turn in range(setup.pick(1000, 250)):
            rest()
            floor_ns.append(ground.timed(floor_line))
            rest()
            if turn % 25 == 24:
                lowest.append(len(belljar.children()) - full)
            cell_ns.append(belljar.timed(line))
    cell, ground = summarise(cell_ns), summarise(floor_ns)
    # Two processes make a cell: -2 is one cell short of a full pool, which is not yet drained.
    data = {"cell_ns": cell, "floor_ns": ground, "processes_short_of_full": min(lowest)}
    return [judged("warm_p50", *ratio(cell, ground, "p50")),
            judged("warm_p99", *ratio(cell, ground, "p99"))], data


def drained(setup):
    """No ready cell: the request asks for limits nobody asked for before, so that none can fit.

    The second row is for a pool of one, emptied by a request whose answer is followed at once by the
    measured one: a cell may be half built by then.
    """
    line, floor_line = peer.request(), peer.floor_request()
    after_ns, fresh_ns, floor_ns = [], [], []
    with peer.floor() as ground, peer.Belljar(setup, "--pool", "1") as belljar:
        belljar.timed(line)
        for turn in range(setup.pick(250, 60)):
            rest()
            floor_ns.append(ground.timed(floor_line))
            rest()
            belljar.timed(line)
            after_ns.append(belljar.timed(line))
            rest()
            fresh_ns.append(belljar.timed(peer.request(processes=100 + turn)))
    after, fresh, ground = summarise(after_ns), summarise(fresh_ns), summarise(floor_ns)
    value, detail = ratio(after, ground, "p50")
    return [judged("drained_p50", *ratio(fresh, ground, "p50")),
            told("second of two, pool of one, p50", "%.3g x floor (%s)" % (value, detail))], {
                "after_a_drain_ns": after, "new_limits_ns": fresh, "floor_ns": ground}
