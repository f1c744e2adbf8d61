#!/usr/bin/env python3
"""What one caller's fork bombs and floods cost another: p99 of small runs, with and without them.

Usage: fairness.py --binary PATH [--runs N] [--repeat N]
"""
import argparse
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from bench.stats import median, summarise
from service.daemon import Daemon

BOMBS = ("import os\nwhile True:\n  try: os.fork()\n  except OSError: pass",
         "while True: print('x' * 1000)")


def keep_asking(daemon, token):
    client = daemon.client(token)
    while True:
        for code in BOMBS:
            client.post("/v1/runs", {"code": code, "timeout": 2, "memory": "64M", "cpus": 0.5})


def flood(daemon, token):
    """In a process of its own: what it does to the interpreter that measures is not the question."""
    threads = [threading.Thread(target=keep_asking, args=(daemon, token)) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]


def measure(client, count):
    took = []
    for _ in range(count):
        began = time.perf_counter()
        answer = client.post("/v1/runs", {"code": "print(6*7)"})
        took.append((time.perf_counter() - began) * 1000)
        if answer.status != 200:
            raise SystemExit("the quiet caller got %d: %s" % (answer.status, answer.body))
    return summarise(took)


def compare(daemon, tokens, count):
    """p50 and p99 in milliseconds, alone and beside a flood."""
    quiet = daemon.client(tokens["quiet"])
    measure(quiet, 20)
    alone = measure(quiet, count)
    flooding = multiprocessing.Process(target=flood, args=(daemon, tokens["flood"]))
    flooding.start()
    time.sleep(1)
    try:
        beside = measure(quiet, count)
    finally:
        flooding.kill()
        flooding.join()
    return alone, beside


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory(prefix="belljar-images-") as state:
        subprocess.run([binary, "run", "-c", "1"], env={**os.environ, "BELLJAR_STATE": state},
                       check=True, stderr=subprocess.DEVNULL)
        with Daemon(binary, pathlib.Path(state, "images")) as daemon:
            tokens = {}
            for name in ("flood", "quiet"):
                made = daemon.command("token", "add", name, "--scope", "run", "--per-minute",
                                      "100000")
                tokens[name] = next(word for word in made.stdout.split() if word.startswith("bj_"))
            ratios = []
            for _ in range(options.repeat):
                alone, beside = compare(daemon, tokens, options.runs)
                ratios.append(beside["p99"] / alone["p99"])
                print("p99 alone %.2f ms, beside a flood %.2f ms: %.2f x   (p50 %.2f and %.2f ms)"
                      % (alone["p99"], beside["p99"], ratios[-1], alone["p50"], beside["p50"]))
    print("median ratio of p99: %.2f" % median(ratios))


if __name__ == "__main__":
    main()
