"""A new user namespace, and with it capabilities over nf_tables and the rest of the kernel that
only namespaces open (CVE-2021-22555, CVE-2022-0185 and many more).

unshare and clone are refused for every kind of namespace, alone and together, also with junk in
unused bits; so are clones that would be untraced or the supervisor's children; clone3, whose flags
a filter cannot see, is not there at all.
"""
import os

import prelude

ROW = 15
SAYS = "no namespace can be made, so no kernel surface behind one is reached"
HELDBY = [["guest_filter"]]
KINDS = {"time": 0x80, "mount": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000,
         "ipc": 0x8000000, "user": 0x10000000, "pid": 0x20000000, "net": 0x40000000}
ATTACK = r'''
KINDS = {KINDS}
SIGCHLD = 17

def cloned(flags, door="clone"):
    args = (ctypes.c_uint64 * 11)(flags, 0, 0, 0, SIGCHLD)
    value = sc("clone", flags | SIGCHLD, 0, 0, 0, 0) if door == "clone" else sc(door, args, 88)
    if value == 0:
        os._exit(0)
    if isinstance(value, int):
        os.waitpid(value, 0)
        return "cloned"
    return value

unshared, clones, clones3 = {}, {}, {}
every = 0
for name, flag in KINDS.items():
    every |= flag
    unshared[name] = forked(sc, "unshare", flag)
    unshared[name + " with user"] = forked(sc, "unshare", flag | KINDS["user"])
    unshared[name + " with junk"] = forked(sc, "unshare", flag | 1 << 32)
    if name != "time":  # in clone, that bit belongs to the exit signal
        clones[name] = forked(cloned, flag)
        clones[name + " with user"] = forked(cloned, flag | KINDS["user"])
        clones[name + " with junk"] = forked(cloned, flag | 1 << 32)
    clones3[name] = forked(cloned, flag, "clone3")
unshared["all"] = forked(sc, "unshare", every)
unshared["none"] = forked(sc, "unshare", 0)
clones["untraced"] = forked(cloned, 0x00800000)
# A sibling instead of a child: the guest's own would be the supervisor's, which never asked for
# it and never buries it, and the cell's init cannot end before. Tried one floor below.
clones["parent"] = forked(cloned, 0x8000)
clones["parent with junk"] = forked(cloned, 0x8000 | 1 << 32)
clones["all"] = forked(cloned, every & ~0x80)
after = {"netfilter": sc("socket", 16, 3, 12), "packet": sc("socket", 17, 3, 0),
         "raw": sc("socket", 2, 3, 255)}
tell({"unshared": unshared, "clones": clones, "clones3": clones3, "after": after,
      "plain": cloned(0)})
'''.replace("{KINDS}", repr(KINDS))


def check(seen, result, host):
    prelude.expect(seen["unshared"], "EPERM")
    prelude.expect(seen["clones"], "EPERM")
    prelude.expect(seen["clones3"], "ENOSYS")
    prelude.expect(seen["after"], "EAFNOSUPPORT")
    assert seen["plain"] == "cloned"


def control():
    """Outside, a namespace is made: a user's where it is allowed, root's anyway."""
    kind = "uts" if os.getuid() == 0 else "user"
    assert prelude.sc("unshare", KINDS[kind]) == 0
