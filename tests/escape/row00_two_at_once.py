"""Cells of one supervisor, side by side: namespaces that ended cells have left are used again, and
interpreters are kept for seeds. No two living cells may share a namespace, and no number of seeds may
fill the machine with interpreters.
"""
import concurrent.futures
import itertools
import json
import pathlib
import time

ROW = 0
SAYS = "living cells share no namespace, and seeds leave no crowd behind"
HELDBY = [["net_namespace"], ["ipc_namespace"], ["uts_namespace"]]
NAMESPACES = ("pid", "mnt", "net", "ipc", "uts", "cgroup")
CODE = f"""import json, os, time
began = time.monotonic()
time.sleep(0.1)
print(json.dumps({{"lived": [began, time.monotonic()],
                  "in": {{name: os.readlink("/proc/self/ns/" + name) for name in {NAMESPACES}}}}}))
"""
AT_ONCE = 6
ROUNDS = 30
SEEDS = 20
MOST_PROCESSES = 15  # what serves all cells, the interpreters that are kept, and a cell or two


def overlap(one, other):
    return one["lived"][0] < other["lived"][1] and other["lived"][0] < one["lived"][1]


def children(pid):
    count = 0
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            count += len(path.read_text().split())
        except OSError:
            continue  # the thread has ended
    return count


def run(bench):
    side_by_side(bench)
    many_seeds(bench)


def side_by_side(bench):
    """While six wait in their sleep none ends, and six are built: what was left is given out."""
    lines = bench.start_jsonl("--pool", str(AT_ONCE), "--jobs", str(AT_ONCE))
    try:
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            results = list(pool.map(lambda _: lines.run({"code": CODE}), range(ROUNDS)))
    finally:
        lines.close()
    cells = [json.loads(result["stdout"]) for result in results]
    pairs = [pair for pair in itertools.combinations(cells, 2) if overlap(*pair)]
    assert pairs, "no two cells lived at the same time"
    for one, other in pairs:
        for name in NAMESPACES:
            assert one["in"][name] != other["in"][name], f"two living cells share {one['in'][name]}"


def many_seeds(bench):
    lines = bench.start_jsonl("--pool", "1", "--jobs", "1")
    try:
        for seed in range(SEEDS):
            result = lines.run({"code": "print(1)", "deterministic": seed})
            assert result.get("outcome") == "ok", result
        deadline = time.monotonic() + 5
        while children(lines.process.pid) > MOST_PROCESSES and time.monotonic() < deadline:
            time.sleep(0.05)
        count = children(lines.process.pid)
        assert count <= MOST_PROCESSES, f"{count} processes after {SEEDS} seeds"
    finally:
        lines.close()


def check(seen, result, host):
    del seen, result
    assert host.after.cells_left == 0, f"{host.after.cells_left} processes are left"
