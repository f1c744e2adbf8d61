"""The kernel's own files: settings, memory, messages, keys, timers, interrupts, /sys.

None of them may exist in a cell, neither to be read (they tell about the host) nor to be written
(they command it). /proc shows processes and nothing else.
"""
import errno
import os

ROW = 28
SAYS = "/proc shows processes only, and there is no /sys"

ATTACK = r"""
import errno, json, os

PATHS = '''/proc/sys /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sysrq-trigger
/proc/kcore /proc/kmsg /proc/keys /proc/key-users /proc/timer_list /proc/timer_stats
/proc/sched_debug /proc/interrupts /proc/irq /proc/meminfo /proc/cpuinfo /proc/kallsyms
/proc/modules /proc/cmdline /proc/config.gz /proc/acpi /proc/asound /proc/scsi /proc/bus /proc/fs
/proc/driver /proc/latency_stats /proc/partitions /proc/diskstats /proc/filesystems /proc/mounts
/proc/slabinfo /proc/vmallocinfo /proc/stat /proc/uptime /proc/loadavg /proc/version /proc/swaps
/sys /sys/firmware /sys/kernel /sys/class/powercap /sys/devices /sys/fs/cgroup
/sys/class/thermal /sys/kernel/uevent_helper /sys/kernel/debug'''.split()


def reach(path):
    try:
        os.close(os.open(path, os.O_RDONLY))
        return 0
    except OSError as error:
        return error.errno


entries = sorted(os.listdir("/proc"))
# /proc/self/mounts is a link target of /proc/mounts, and the one of them that belongs to a process.
print(json.dumps({"reached": {path: reach(path) for path in PATHS},
                  "entries": [name for name in entries if not name.isdigit()],
                  "sys": os.listdir("/sys") if os.path.isdir("/sys") else []}))
"""

HELDBY = []

# What remains of /proc when it holds processes only.
OF_PROCESSES = {"self", "thread-self", "mounts", "net"}


def check(seen, result, host):
    del host
    assert result["outcome"] == "ok", result
    for path, error in seen["reached"].items():
        if path in ("/proc/mounts", "/sys"):
            continue
        assert error == errno.ENOENT, f"{path}: errno {error}"
    assert set(seen["entries"]) <= OF_PROCESSES, seen["entries"]
    assert seen["sys"] == [], seen["sys"]


def control():
    """Outside, these files are there."""
    for path in ("/proc/sys/kernel/core_pattern", "/proc/meminfo", "/proc/interrupts"):
        assert os.path.exists(path), path
