"""Cells behind gVisor: a fresh run beside `runsc do`, and a statement beside a native session's."""
import os
import pathlib
import tempfile
import time

from . import peer
from .others import attempt, runsc_argv
from .service import Daemon
from .stats import summarise
from .table import judged

POOL = 4
REST_SECONDS = 1.5  # a container takes its time to start and to go; nobody pays for another's


def fresh(setup):
    cell_ns, do_ns = [], []
    line = peer.request(backend="gvisor")
    do = runsc_argv()
    with peer.Belljar(setup, "--pool", str(POOL)) as belljar:
        belljar.ask(line)
        for _ in range(setup.pick(30, 8)):
            time.sleep(REST_SECONDS)
            cell_ns.append(belljar.timed(line))
            time.sleep(REST_SECONDS)
            do_ns.append(attempt(do) * 1e9)
    cell, whole = summarise(cell_ns), summarise(do_ns)
    detail = "%.1f ms / %.0f ms" % (cell["p50"] / 1e6, whole["p50"] / 1e6)
    return [judged("gvisor_p50", whole["p50"] / cell["p50"], detail)], {
        "cell_ns": cell, "runsc_do_ns": whole}


def statement(setup):
    """Two sessions of two daemons, in turn."""
    count = setup.pick(300, 80)
    with tempfile.TemporaryDirectory() as place:
        policy = pathlib.Path(place, "gvisor.toml")
        policy.write_text('extends = "standard"\nbackend = "gvisor"\n')
        os.chmod(place, 0o755)
        with Daemon(setup) as native, Daemon(setup, "--policy", str(policy)) as contained:
            samples = {}
            for name, line in (("native", native), ("gvisor", contained)):
                runs = "/v1/sessions/%s/runs" % line.json("POST", "/v1/sessions", {})["id"]
                line.json("POST", runs, {"code": "x = 1"})
                samples[name] = (line, runs, [])
            for _ in range(count):
                for line, runs, taken in samples.values():
                    taken.append(line.timed("POST", runs, {"code": "x = x + 1"})[0])
    mine, theirs = (summarise(samples[name][2]) for name in ("gvisor", "native"))
    detail = "%.0f us / %.0f us" % (mine["p50"] / 1e3, theirs["p50"] / 1e3)
    return [judged("gvisor_statement", mine["p50"] / theirs["p50"], detail)], {
        "gvisor_ns": mine, "native_ns": theirs}
