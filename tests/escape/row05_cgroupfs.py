"""The cgroup file system is reached to lift limits or to plant a release_agent (CVE-2022-0492,
CVE-2023-25809).

There must be nothing to write: no cgroupfs, no sysfs, no way to mount one, and no word about where
on the host the cell's group lies.
"""
import os
import pathlib

import prelude

ROW = 5
SAYS = "no control group can be seen, named or written from a cell"
HELDBY = [["cgroup_namespace"]]
ATTACK = r'''
with open("/proc/self/mountinfo") as file:
    mounts = [line.split(" - ")[1].split()[0] for line in file]
with open("/proc/self/cgroup") as file:
    groups = [line.strip().split(":", 2)[2] for line in file]
names = {"release_agent", "notify_on_release", "cgroup.procs", "cgroup.kill", "memory.max",
         "memory.limit_in_bytes", "devices.allow", "pids.max", "tasks"}
found = [os.path.join(at, name) for at, _, files in os.walk("/") for name in files
         if name in names and not at.startswith("/proc/")]
mounting = {kind: sc("mount", b"x", b"/workspace", kind.encode(), 0, b"memory")
            for kind in ("cgroup", "cgroup2", "sysfs")}
opening = {kind: sc("fsopen", kind.encode(), 0) for kind in ("cgroup", "cgroup2", "sysfs")}
paths = {path: readable(path) for path in ("/sys/fs/cgroup/cgroup.procs", "/sys/kernel/notes",
                                           "/sys/fs/cgroup/memory/release_agent")}
tell({"mounts": sorted(set(mounts)), "groups": groups, "found": found, "mounting": mounting,
      "opening": opening, "paths": paths, "unshare": sc("unshare", 0x02000000 | 0x10000000)})
'''


def check(seen, result, host):
    assert not {"cgroup", "cgroup2", "sysfs"} & set(seen["mounts"]), seen["mounts"]
    assert seen["groups"] and all(path == "/" for path in seen["groups"]), seen["groups"]
    assert seen["found"] == [], seen["found"]
    prelude.expect(seen["mounting"], "EPERM")
    prelude.expect(seen["opening"], "EPERM")
    prelude.expect(seen["paths"], "ENOENT")
    assert seen["unshare"] == "EPERM"
    assert host.after.cgroups == [], host.after.cgroups


def control():
    """Outside, one's group is named and the file system is there."""
    assert pathlib.Path("/proc/self/cgroup").read_text().strip()
    mounts = pathlib.Path("/proc/self/mountinfo").read_text()
    assert "cgroup" in mounts and os.path.isdir("/sys/fs/cgroup")
