"""Other sandboxes, for comparison; a row says why when one cannot be run here."""
import shutil
import subprocess
import time

from . import peer
from .stats import summarise
from .table import told

PROGRAM = [peer.PYTHON, "-I", "-S", "-c", peer.SNIPPET]
# Of cgroups, Debian's runsc knows fewer than hosts have.
RUNSC = ["--network=none", "--ignore-cgroups", "do"]
IMAGES = ("python:3-slim", "python:3", "python")


def attempt(argv, seconds=30):
    """Seconds of one run, or a BenchError with the last thing it said."""
    start = time.perf_counter()
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise peer.BenchError("no answer in %d s" % seconds) from None
    took = time.perf_counter() - start
    if done.returncode != 0:
        words = done.stderr.decode(errors="replace").strip().splitlines()
        raise peer.BenchError(words[-1][:120] if words else "status %d" % done.returncode)
    return took


def docker_argv():
    """The command for an image that is there already: a benchmark downloads nothing."""
    docker = shutil.which("docker")
    if docker is None:
        raise peer.BenchError("not installed")
    attempt([docker, "info", "--format", "{{.ServerVersion}}"], seconds=10)
    for image in IMAGES:
        try:
            attempt([docker, "image", "inspect", image], seconds=10)
        except peer.BenchError:
            continue
        return [docker, "run", "--rm", "--network=none", image, "python3", *PROGRAM[1:]]
    raise peer.BenchError("no image %s is here" % " or ".join(IMAGES))


def runsc_argv():
    runsc = shutil.which("runsc")
    if runsc is None:
        raise peer.BenchError("not installed")
    flags = subprocess.run([runsc, "flags"], capture_output=True, text=True, check=False)
    # The platform that Belljar takes: both work in every virtual machine.
    newer = "which platform to use: systrap" in flags.stdout + flags.stderr
    return [runsc, "--platform=" + ("systrap" if newer else "ptrace"), *RUNSC, *PROGRAM]


def others(setup):
    rows, data = [], {}
    for name, argv in (("runsc do, p50", runsc_argv), ("docker run, p50", docker_argv)):
        try:
            samples = [attempt(argv()) for _ in range(setup.pick(5, 2))]
            data[name] = {"seconds": summarise(samples)}
            rows.append(told(name, "%.0f ms" % (data[name]["seconds"]["p50"] * 1e3)))
        except peer.BenchError as error:
            data[name] = {"unavailable": str(error)}
            rows.append(told(name, "not available: %s" % error))
    return rows, data
