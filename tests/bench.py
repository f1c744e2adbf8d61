#!/usr/bin/env python3
"""Speed and size, all in one run and as ratios: docs/benchmarks.md says how each is measured.

Prints a table and writes OUT/bench.json. A goal that is missed is told and is no failure; a
figure that could not be measured is (exit status 1).
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

from bench import (compute, docker, egress, gvisor, idle, judgement, latency, others, rates, service, table,
                   tools)
from bench.peer import PYTHON, SNIPPET, BenchError

WHOLE_SECONDS = 480

# Name, function, and the goals that are missed when it fails.
PARTS = (
    ("warm", latency.warm, ("warm_p50", "warm_p99")),
    ("drained", latency.drained, ("drained_p50",)),
    ("sustained", rates.sustained, ("sustained",)),
    ("oneshot", rates.oneshot, ("oneshot",)),
    ("cpu", compute.bound, ("cpu",)),
    ("idle_memory", idle.memory, ("idle_memory",)),
    ("idle_cells", idle.count, ("idle_cells",)),
    ("fresh", service.fresh, ("http_p50",)),
    ("statement", service.statement, ("statement",)),
    ("crowd", service.crowd, ("crowd_errors", "crowd_rate", "audit_cost")),
    ("checkpoints", service.checkpoints, ("checkpoint", "fork")),
    ("sessions", service.many_sessions, ("live_sessions",)),
    ("egress", egress.proxied, ("egress",)),
    ("tools", tools.call, ("tool_call",)),
    ("analysis", judgement.analysis, ("analysis_cached",)),
    ("redaction", judgement.redaction, ("redaction",)),
    ("judgement", judgement.cost, ("judgement_cost",)),
    ("corpus", judgement.corpus, ("recall", "false_alarms")),
    ("gvisor", gvisor.fresh, ("gvisor_p50",)),
    ("gvisor_statement", gvisor.statement, ("gvisor_statement",)),
    ("docker", docker.warm, ("docker_p50",)),
    ("others", others.others, ()),
)


@dataclass
class Setup:
    binary: str
    state: str
    quick: bool
    env: dict = field(init=False)
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self):
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
                    "HOME": os.environ.get("HOME", "/"), "BELLJAR_STATE": self.state}

    def pick(self, whole, quick):
        return quick if self.quick else whole

    def seconds_left(self):
        return WHOLE_SECONDS - (time.monotonic() - self.began)


def say(text):
    print("bench: %s" % text, file=sys.stderr, flush=True)


def output_of(argv):
    try:
        done = subprocess.run(argv, capture_output=True, timeout=20, check=False)
        return (done.stdout or done.stderr).decode(errors="replace").strip().splitlines()[0]
    except (OSError, IndexError, subprocess.TimeoutExpired):
        return None


def machine(setup):
    """What a reader needs to compare two reports."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "kernel": platform.release(),
        "cpu": model[0] if model else platform.machine(),
        "cpus": os.cpu_count(),
        "load_before": os.getloadavg()[0],
        "memory_mib": idle.kilobytes("/proc/meminfo", "MemTotal:") // 1024,
        "uid": os.geteuid(),
        "python": output_of([PYTHON, "--version"]),
        "bwrap": output_of(["bwrap", "--version"]),
        "runsc": output_of(["runsc", "--version"]),
        "binary": setup.binary,
    }


def prepare(setup):
    """Builds the image, outside every measurement, and sees that belljar works at all."""
    done = subprocess.run([setup.binary, "run", "-c", SNIPPET], env=setup.env, timeout=120,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.stdout != b"4950\n":
        words = done.stderr.decode(errors="replace").strip()
        raise BenchError("belljar run -c does not work here: %s" % words)


def measure(setup, chosen):
    rows, data, failed = [], {}, False
    for name, part, goals in PARTS:
        if chosen and name not in chosen:
            continue
        start = time.monotonic()
        try:
            new_rows, data[name] = part(setup)
            rows += new_rows
        except Exception as error:  # whatever it is, the other figures are still wanted
            why = str(error) or type(error).__name__
            failed, data[name] = True, {"failed": why}
            rows += [table.judged(goal, None, why) for goal in goals]
        say("%s: %.0f s" % (name, time.monotonic() - start))
    return rows, data, failed


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, help="belljar, a release build")
    parser.add_argument("--out", required=True, help="directory for bench.json")
    parser.add_argument("--state", help="belljar's state; without it one that is removed again")
    parser.add_argument("--quick", action="store_true", help="fewer samples, under a minute")
    parser.add_argument("--only", action="append", choices=[name for name, _, _ in PARTS])
    return parser.parse_args()


def report(setup, options):
    about = machine(setup)
    if about["load_before"] > 0.3 * about["cpus"]:
        say("the machine is busy (load %.1f): times are longer than they need be, and percentiles "
            "above the median mean little" % about["load_before"])
    prepare(setup)
    rows, data, failed = measure(setup, options.only)
    print(table.render(rows))
    os.makedirs(options.out, exist_ok=True)
    path = os.path.join(options.out, "bench.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"machine": about, "quick": setup.quick, "load_after": os.getloadavg()[0],
                   "rows": [vars(row) for row in rows], "data": data}, file, indent=1)
    say("samples in %s" % path)
    return 1 if failed else 0


def main():
    options = arguments()
    binary = os.path.abspath(options.binary)
    if not os.access(binary, os.X_OK):
        sys.exit("bench: no program at %s" % options.binary)
    try:
        if options.state:
            return report(Setup(binary, os.path.abspath(options.state), options.quick), options)
        with tempfile.TemporaryDirectory(prefix="belljar-bench-") as state:
            return report(Setup(binary, state, options.quick), options)
    except BenchError as error:
        sys.exit("bench: %s" % error)


if __name__ == "__main__":
    sys.exit(main())
