"""The host is led into a cell by forged /proc entries and recycled process numbers (firejail's
CVE-2022-31214): a tool that joins "process 1 of the cell" joins what the guest made of it.

Belljar works with pidfds only. While and after a guest forges, its supervisor must stand in the
host's namespaces and root.
"""
import os
import threading

import prelude

ROW = 12
SAYS = "the supervisor never enters what a guest has forged"
HELDBY = []
ATTACK = r'''
for root in ("/workspace", "/tmp", "/run"):
    for pid in {1, 2, os.getpid()}:
        os.makedirs(f"{root}/proc/{pid}/ns")
        for name in ("mnt", "pid", "user", "net"):
            os.symlink(f"/proc/{pid}/ns/{name}", f"{root}/proc/{pid}/ns/{name}")
        os.symlink("/", f"{root}/proc/{pid}/root")
        os.symlink("/workspace", f"{root}/proc/{pid}/cwd")
        with open(f"{root}/proc/{pid}/status", "w") as file:
            file.write("Name:\tinit\nUid:\t0\t0\t0\t0\nCapEff:\tffffffffffffffff\n")
sc("prctl", 15, b"belljar-agent")
born = set()
for _ in range(60):
    pid = os.fork()
    if pid == 0:
        sc("prctl", 15, b"belljar")
        os._exit(0)
    born.add(pid)
    os.waitpid(pid, 0)
if os.fork() == 0:  # outlives its parent, under the supervisor's name
    while True:
        sc("prctl", 15, b"belljar")
tell({"cover": sc("mount", b"/workspace/proc", b"/proc", b"", 4096, 0),
      "move": tried(os.rename, "/workspace/proc", "/proc"), "born": len(born),
      "pids": sorted(name for name in os.listdir("/proc") if name.isdigit())})
'''
NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")


def places(pid):
    found = {name: os.readlink(f"/proc/{pid}/ns/{name}") for name in NAMESPACES}
    found["root"] = os.readlink(f"/proc/{pid}/root")
    found["cwd"] = os.readlink(f"/proc/{pid}/cwd")
    return found


def run(bench):
    lines = bench.start_jsonl("--pool", "1")
    home = {**places("self"), "root": "/", "cwd": "/"}
    strayed, results = [], []

    def attack():
        for _ in range(2):
            results.append(lines.run({"code": bench.program(ATTACK)}))

    worker = threading.Thread(target=attack)
    worker.start()
    while True:
        alive = worker.is_alive()
        now = places(lines.process.pid)
        if now != home:
            strayed.append(now)
        if not alive:
            break
        worker.join(0.005)
    assert lines.close() == 0
    return (bench.seen(results[0]), strayed), results


def check(found, results, host):
    seen, strayed = found
    assert strayed == [], strayed[0]
    assert [result["outcome"] for result in results] == ["ok"] * 2, results
    assert seen["cover"] == "EPERM", seen
    assert seen["move"] in ("EXDEV", "EBUSY", "EACCES", "EPERM", "EROFS"), seen
    assert host.after.cells_left == 0


def control():
    """Outside, a process takes any name as easily: names prove nothing."""
    prelude.sc("prctl", 15, b"belljar-agent")
    assert prelude.readable("/proc/self/comm") == "belljar-agent\n"
