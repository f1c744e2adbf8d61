"""Not an attack: the parts of a cell that no guest can see, looked at from the host.

Process 1 of a running cell has no capability and a filter of its own, from the program's first word on,
however long it takes to give them up. A cell built where mounts are shared with others leaves nothing
in their sight.
"""
import pathlib
import signal
import subprocess

ROW = 0
SAYS = "a cell's init has no rights, and its mounts do not spread"
HELDBY = [["init_rights"], ["private_mounts"]]
# Everybody gives up capabilities late; -D: the process that is started is belljar, not strace.
SLOWLY = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=capset",
          "-e", "inject=capset:delay_enter=300000"]


def inits(supervisor):
    """Status texts of the supervisor's children that are process 1 somewhere."""
    for path in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            lines = path.read_text().splitlines()
        except OSError:
            continue
        fields = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
        if fields["PPid"] == str(supervisor) and fields["NSpid"].split()[-1] == "1":
            yield fields


def look_at_init(bench):
    process = bench.host.start(["run", "-c", "print('up', flush=True); import time; time.sleep(30)"],
                               under=SLOWLY, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "up\n", "the cell did not start"
        found = list(inits(process.pid))
        assert len(found) == 1, f"{len(found)} processes 1"
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            assert found[0][name] == "0" * 16, f"init has {name} {found[0][name]}"
        assert found[0]["NoNewPrivs"] == "1" and found[0]["Seccomp_filters"] == "2", found[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def look_at_mounts(bench):
    if bench.host.identity != "root":
        return  # a user cannot share mounts with anybody
    command = bench.host.command(["run", "--lang", "bash", "-c", "echo up; sleep 0.3"])
    process = subprocess.Popen(
        ["unshare", "--mount", "--propagation", "shared", "sh", "-c",
         'before=$(wc -l </proc/self/mountinfo); "$@" & while kill -0 $! 2>/dev/null; do '
         '[ $(wc -l </proc/self/mountinfo) = $before ] || echo spread; sleep 0.02; done; wait $!',
         "sh", *command], cwd="/", stdout=subprocess.PIPE, text=True)
    words = process.communicate(timeout=30)[0]
    assert words == "up\n", f"{words!r}"


def run(bench):
    look_at_init(bench)
    look_at_mounts(bench)


def check(seen, result, host):
    del seen, result, host
