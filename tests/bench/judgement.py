"""What it costs to read code before it runs, and to clean what comes out."""
import json
import os
import pathlib
import subprocess
import sys

from . import peer
from .latency import POOL, rest
from .peer import BenchError
from .stats import summarise
from .table import judged, told

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HUNDRED_LINES = ROOT / "tests" / "bench" / "hundred_lines.py.txt"


def built(name):
    """A program of the build that ./dev bench makes besides belljar."""
    path = ROOT / "build" / "release" / "bin" / name
    if not path.exists():
        raise BenchError("%s is not built: ./dev bench" % name)
    return str(path)


AST_WALK = """
import ast, statistics, sys, time
source, taken = open(sys.argv[1]).read(), []
for _ in range(int(sys.argv[2])):
    began = time.perf_counter()
    sum(1 for _ in ast.walk(ast.parse(source)))
    taken.append(1e6 * (time.perf_counter() - began))
print(statistics.median(taken))
"""


def ast_walk_us(interpreter, setup):
    done = subprocess.run([interpreter, "-I", "-S", "-c", AST_WALK, str(HUNDRED_LINES),
                           str(setup.pick(500, 100))],
                          check=True, capture_output=True, text=True, timeout=120)
    return float(done.stdout)


def analysis(setup):
    """In one process each, in turn: ours, and Python's own parser with a walk over its tree."""
    python_us = ast_walk_us(peer.PYTHON, setup)
    ours = json.loads(subprocess.run([built("analysis_bench"), str(HUNDRED_LINES)], check=True,
                                     capture_output=True, text=True, timeout=120).stdout)
    rows = [told("analysis of 100 lines of Python", "%.0f us, %.3g x as fast as ast (%.0f us)"
                 % (ours["fresh_us"], python_us / ours["fresh_us"], python_us))]
    figures = {"python_us": python_us, **ours}
    if os.path.realpath(sys.executable) != os.path.realpath(peer.PYTHON):
        figures["bench_python_us"] = ast_walk_us(sys.executable, setup)
        rows.append(told("same, by the Python that runs the bench",
                         "%.3g x as fast (%.0f us)" % (figures["bench_python_us"] / ours["fresh_us"],
                                               figures["bench_python_us"])))
    size = HUNDRED_LINES.stat().st_size
    return rows + [judged("analysis_cached", ours["cached_us"], "%d bytes" % size)], figures


def redaction(setup):
    """All rules of the default, on logs, JSON, tracebacks and tables with secrets among them."""
    done = subprocess.run([built("redact_bench")], check=True, capture_output=True, text=True,
                          timeout=300)
    figures = json.loads(done.stdout.splitlines()[0])
    return [judged("redaction", figures["mb_per_s"], "one core")], figures


def cost(setup):
    """A warm run of code that nobody has seen before, with judgement and without, in turn."""
    loose = built("belljar-loose")
    with_ns, without_ns = [], []
    other = peer.Belljar(setup, "--pool", str(POOL), binary=loose,
                         env={"BELLJAR_SWITCH_OFF": "judgement,redaction"})
    with peer.Belljar(setup, "--pool", str(POOL), binary=loose) as judging, other as running:
        for turn in range(-POOL, setup.pick(500, 120)):
            line = peer.request(code="%s  # %d\n" % (peer.SNIPPET, turn))
            for belljar, times in ((judging, with_ns), (running, without_ns)):
                rest()
                taken = belljar.timed(line)
                if turn >= 0:
                    times.append(taken)
    judging, running = summarise(with_ns), summarise(without_ns)
    more = 100 * (judging["p50"] / running["p50"] - 1)
    detail = "%.0f us / %.0f us" % (judging["p50"] / 1e3, running["p50"] / 1e3)
    return [judged("judgement_cost", more, detail)], {"with_ns": judging, "without_ns": running}


def corpus(setup):
    """Of the corpus in tests/corpus, under standard; the worst of the three languages counts."""
    done = subprocess.run([sys.executable, str(ROOT / "tests/run_corpus.py"), "--json", "--binary",
                           setup.binary], capture_output=True, text=True, timeout=300)
    figures = json.loads(done.stdout)
    recall = 100 * min(one["recall"] for one in figures.values())
    alarms = 100 * max(one["false_alarms"] for one in figures.values())
    rows = [judged("recall", recall, "%d languages" % len(figures)),
            judged("false_alarms", alarms, "%d languages" % len(figures))]
    rows += [told("recall and false alarms, %s" % language,
                  "%.1f %%, %.1f %%" % (100 * one["recall"], 100 * one["false_alarms"]))
             for language, one in figures.items()]
    return rows, figures
