"""Not an attack: what every attack starts from. A guest looks at its own rights and names.

It has no capability in any set, locked securebits, no way to new privileges, a keyring and
namespaces that are not the host's, the cell's host name, and it is counted by its control group.
"""
import os

import prelude

ROW = 0
SAYS = "a guest has no rights, and shares no namespace or keyring with the host"
HELDBY = [["bounding_set"], ["securebits"], ["capabilities"], ["no_new_privileges", "base_filter"],
          ["uts_namespace"], ["hostname"], ["ipc_namespace"], ["net_namespace"], ["cgroups"], ["user_id"],
          ["keyring", "guest_filter"], ["nested_user"], ["user_namespace"]]
ATTACK = r'''
import socket
with open("/proc/self/status") as file:
    status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
tell({"caps": {name: status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")},
      "nnp": status["NoNewPrivs"], "securebits": sc("prctl", 27), "host": socket.gethostname(),
      "namespaces": {name: os.readlink("/proc/self/ns/" + name)
                     for name in ("ipc", "uts", "net", "pid", "mnt")},
      "session keyring": sc("keyctl", 0, -3, 0), "ids": os.getresuid() + os.getresgid()})
'''
LOCKED = 0xEB  # noroot, ambient raise refused, and all four locked


def check(seen, result, host):
    assert set(seen["caps"].values()) == {"0" * 16}, seen["caps"]
    assert seen["nnp"] == "1" and seen["securebits"] == LOCKED, seen
    assert seen["host"] == "belljar", seen["host"]
    for name, theirs in seen["namespaces"].items():
        assert theirs != os.readlink(f"/proc/self/ns/{name}"), f"the host's {name} namespace"
    assert seen["session keyring"] != prelude.sc("keyctl", 0, -3, 0), "the host's keyring"
    assert 0 not in seen["ids"], seen["ids"]
    if result["layers"]["limits"]["processes"].startswith("cgroup"):
        assert result["usage"]["processes_peak"] >= 1, "its control group has not seen it"


def control():
    """Outside, the session keyring has a number, so the cell's can be told from it."""
    assert isinstance(prelude.sc("keyctl", 0, -3, 0), int)
