"""Marks left on the devices of the host, which all cells share.

/dev/null and its like are the host's own inodes: nothing else would be a null device. Writing to
them keeps nothing, but their times can be set by whoever may write to them; a cell could change
something of the host, and tell another cell a bit with it.
"""
import os

import prelude

ROW = 0
SAYS = "no time and no mode of the host's devices can be set, and they work as ever"
HELDBY = []
ATTACK = r'''
NR.update({"utime": 132, "utimes": 235, "futimesat": 261, "utimensat": 280})
seen, works = {}, {}
for name in ("null", "zero", "full", "random", "urandom"):
    path = b"/dev/" + name.encode()
    seen[name] = tried(os.utime, path)
    for call, *arguments in (("utime", path, 0), ("utimes", path, 0), ("futimesat", -100, path, 0),
                             ("utimensat", -100, path, 0, 0)):
        seen[f"{name} by {call}"] = sc(call, *arguments)
    for flags in (os.O_RDONLY, os.O_WRONLY):
        fd = os.open(path, flags)
        seen[f"{name} by descriptor {flags}"] = tried(os.utime, fd)
        os.close(fd)
    seen[name + " mode"] = tried(os.chmod, path, 0o600)
    works[name] = writable(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
with open("/dev/null", "w") as file:
    works["write"] = file.write("gone")
works["shell"] = os.system("echo gone > /dev/null && echo gone >> /dev/null 2>/dev/zero")
tell({"seen": seen, "works": works})
'''


def check(seen, result, host):
    prelude.expect(seen["seen"], "EROFS", "EPERM")
    assert len(seen["seen"]) == 40, seen
    works = seen["works"]
    assert works.pop("write") == 4 and works.pop("shell") == 0, works
    prelude.expect(works, "opened")


def control():
    """Outside, who may write to a device sets its times."""
    os.utime("/dev/null")
