"""The checks of qemu_v2.py, run as the only program of a machine with nothing but cgroup v2.

Each scene is a place to start belljar from: who, in which group, and in whose company. Every check
of a scene is one belljar, all started from the same place. Prints PASS or FAIL lines.
"""

import dataclasses
import json
import os
import pathlib
import re
import subprocess

TOP = pathlib.Path("/sys/fs/cgroup")
RLIMITS = {"memory": "rlimit for each process, sampling for all",
           "cpus": "CPU affinity (whole CPUs)", "cpu_time": "sampling",
           "processes": "rlimit in a namespace or uid of its own"}
CONTROLLERS = (TOP / "cgroup.controllers").read_text().split()
CONTROLLERS = [name for name in ["memory", "pids", "cpu"] if name in CONTROLLERS]
ALLOCATE = "keep = []\nfor i in range(200): keep.append(bytearray(1 << 20))\nprint('never')"
FORK = "import os, time\nfor i in range(40):\n  if os.fork() == 0: time.sleep(60)\nprint('never')"
FORK_ON = f"import time\ntry:\n  exec({FORK!r})\nexcept OSError: time.sleep(60)"
MEASURE = """from time import monotonic, process_time
wall, used = monotonic(), process_time()
while monotonic() < wall + 4: pass
print((process_time() - used) / (monotonic() - wall))"""


@dataclasses.dataclass
class Scene:
    name: str
    uid: int
    group: str  # "": the one of the machine's first process
    company: bool
    held_by: dict

    def enter(self):
        if self.group:
            (TOP / self.group / "cgroup.procs").write_text(str(os.getpid()))
        os.setgroups([])
        os.setresgid(self.uid, self.uid, self.uid)
        os.setresuid(self.uid, self.uid, self.uid)

    def belljar(self, *arguments, stdin=""):
        if self.group:
            make_groups(self.group, self.uid)
        sleeper = None
        if self.company:
            sleeper = subprocess.Popen(["/usr/bin/sleep", "600"], preexec_fn=self.enter)
        home = "/home/user" if self.uid else "/root"
        done = subprocess.run(["/usr/bin/belljar", *arguments], input=stdin, text=True, cwd="/tmp",
                              capture_output=True, preexec_fn=self.enter, timeout=240,
                              env={"PATH": "/usr/bin", "HOME": home}, check=False)
        if sleeper:
            sleeper.kill()
            sleeper.wait()
        return done

    def run(self, *arguments):
        """The result object of one run; a refusal is an object too."""
        done = self.belljar("run", "--json", *arguments)
        try:
            return json.loads(done.stdout)
        except ValueError:
            return {"outcome": f"status {done.returncode}: {done.stdout}{done.stderr}"}


def make_groups(group, uid):
    """Groups below each other, all given to the user, as a login manager does it."""
    path = TOP
    for part in group.split("/"):
        (path / "cgroup.subtree_control").write_text("+" + " +".join(CONTROLLERS))
        path = path / part
        path.mkdir(exist_ok=True)
        for name in ["", "cgroup.procs", "cgroup.threads", "cgroup.subtree_control"]:
            os.chown(path / name, uid, uid)


def leftovers():
    return [str(path) for path in TOP.rglob("belljar-*") if path.is_dir()]


def expect(what, good, detail):
    print(f"{'PASS' if good else 'FAIL'} {what}" + ("" if good else f": {detail}"), flush=True)


def check(scene):
    def ends_as(outcome, *arguments):
        result = scene.run(*arguments)
        expect(f"{scene.name}: {' '.join(arguments[:2])} ends as {outcome}",
               result["outcome"] == outcome, json.dumps(result))
        return result

    doctor = scene.belljar("doctor")
    print(doctor.stdout + doctor.stderr, flush=True)
    told = dict(re.findall(r"limit (\w+) +(.+)", doctor.stdout))
    expect(f"{scene.name}: doctor is content and names what holds the limits",
           doctor.returncode == 0 and scene.held_by.items() <= told.items(), "see above")
    result = ends_as("ok", "-c", "print(6*7)")
    expect(f"{scene.name}: prints 42", result.get("stdout") == "42\n", result)
    limits = result.get("layers", {}).get("limits", {})
    expect(f"{scene.name}: the result names what held the limits",
           scene.held_by.items() <= limits.items(), limits)
    ends_as("memory", "--memory", "64M", "-c", ALLOCATE)
    ends_as("processes", "--processes", "16", "-c", FORK)
    ends_as("timeout", "--cpu-time", "500ms", "-c", "while True: pass")
    ends_as("timeout", "--timeout", "2", "-c", "while True: pass")
    if scene.held_by["cpus"] == "cgroup v2":
        ends_as("processes", "--processes", "17", "-c", FORK_ON)
        slow = ends_as("ok", "--cpus", "0.25", "-c", MEASURE)
        expect(f"{scene.name}: a quarter of a CPU is a quarter",
               float(slow.get("stdout") or 9) < 0.4, slow)
    else:
        ends_as("refused", "--cpus", "0.25", "-c", "print(1)")
    ends_as("ok", "--deterministic", "7", "-c", "print(1)")
    ends_as("ok", "--lang", "bash", "-c", "sleep 0.1 | cat")
    absent = scene.belljar("run", "--lang", "javascript", "-c", "1").stderr
    expect(f"{scene.name}: a missing Node is told", absent.endswith(" has no Node\n"), absent)
    lines = "".join(json.dumps({"id": str(i), "code": f"print({i})"}) + "\n" for i in range(20))
    done = scene.belljar("run", "--jsonl", stdin=lines)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    good = sorted(int(one["stdout"] or -1) for one in answers if one["outcome"] == "ok")
    expect(f"{scene.name}: 20 lines of --jsonl", good == list(range(20)), done.stdout + done.stderr)
    expect(f"{scene.name}: no group is left", not leftovers(), leftovers())


def main():
    groups = RLIMITS | {name: "cgroup v2" for name in ["cpus", "processes", "cpu_time"]}
    if "memory" in CONTROLLERS:
        groups["memory"] = "cgroup v2"
    for scene in [Scene("root", 0, "", False, groups),
                  Scene("root alone in a group", 0, "alone", False, groups),
                  Scene("root in company", 0, "root.slice/session", True, groups),
                  Scene("user", 1000, "", False, RLIMITS),
                  Scene("user alone in a group", 1000, "scope", False, groups),
                  Scene("user in company", 1000, "app.slice/terminal", True, groups),
                  Scene("root without groups", 0, "", False, RLIMITS)]:
        if scene.name.endswith("without groups"):
            subprocess.run(["/bin/busybox", "umount", TOP], check=True)
        try:
            check(scene)
        except Exception as error:  # the next scene still has something to say
            expect(scene.name, False, repr(error))
    print("DONE", flush=True)


if __name__ == "__main__":
    main()
