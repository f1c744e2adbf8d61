"""A fresh run through Docker, from the pool, beside `docker run --runtime=runsc` on the same daemon."""
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from service.docker import Docker, lacks

from . import peer
from .others import PROGRAM, attempt
from .stats import summarise
from .table import judged

POOL = 4
CLIENT = "/usr/bin/docker"
FILL_SECONDS = 60


def settle(docker, count):
    """Waits until so many containers run and no other is there: the last one has gone, too."""
    deadline = time.monotonic() + FILL_SECONDS
    while [each["State"] for each in docker.containers()] != ["running"] * count:
        if time.monotonic() > deadline:
            raise peer.BenchError("the pool of containers does not fill")
        time.sleep(0.02)
    time.sleep(0.1)  # what a container does after its start is not the next one's to pay for


def warm(setup):
    problem = lacks() or (None if os.path.exists(CLIENT) else "%s is not installed" % CLIENT)
    if problem:
        raise peer.BenchError(problem)
    cell_ns, run_ns = [], []
    line = peer.request(backend="docker")
    with Docker() as docker, peer.Belljar(setup, "--pool", str(POOL),
                                          env={"DOCKER_HOST": docker.host}) as belljar:
        belljar.ask(line)  # brings the image
        image = docker.images()[0]
        run = [CLIENT, "--host", docker.host, "run", "--rm", "--runtime=runsc", "--network=none", image,
               *PROGRAM]
        for _ in range(setup.pick(30, 8)):
            settle(docker, POOL)
            cell_ns.append(belljar.timed(line))
            settle(docker, POOL)
            run_ns.append(attempt(run) * 1e9)
    cell, whole = summarise(cell_ns), summarise(run_ns)
    detail = "%.1f ms / %.0f ms" % (cell["p50"] / 1e6, whole["p50"] / 1e6)
    return [judged("docker_p50", whole["p50"] / cell["p50"], detail)], {
        "cell_ns": cell, "docker_run_ns": whole}
