"""What cells of one image could learn of each other by its files in memory, and leave on its inodes;
and what the control stream's socket would hand out: a pidfd of the supervisor.

Each call is refused, whatever junk is in the upper halves of its arguments.
"""
import os
import socket

import prelude

ROW = 0
SAYS = "the page cache, hints on inodes and options of sockets tell nothing and keep nothing"
HELDBY = [["base_filter"], ["guest_filter"]]
ATTACK = r'''
import fcntl, mmap, socket
JUNK = 0x5_0000_0000
NR.update({"mincore": 27, "getsockopt": 55, "setsockopt": 54, "fadvise64": 221, "preadv2": 327,
           "cachestat": 451})
file = os.open("/usr/bin/env", os.O_RDONLY)
buffer = ctypes.create_string_buffer(64)
size = ctypes.c_int(4)
vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 16)
area = mmap.mmap(file, 4096, prot=mmap.PROT_READ)
seen = {"mincore": sc("mincore", BAD, 4096, buffer), "cachestat": sc("cachestat", file, buffer, buffer, 0)}
for name, junk in {"": 0, " with junk": JUNK}.items():
    seen["drop" + name] = sc("fadvise64", file, 0, 0, junk | 4)
    seen["hint" + name] = sc("fcntl", file, junk | 1036, buffer)
    seen["hint on a file" + name] = sc("fcntl", file, junk | 1038, buffer)
    seen["pidfd" + name] = sc("getsockopt", 3, 1, junk | 77, buffer, ctypes.byref(size))
    seen["pass pidfds" + name] = sc("setsockopt", 3, 1, junk | 76, buffer, 4)
    seen["filter" + name] = sc("setsockopt", 3, 1, junk | 26, buffer, 16)
tell({"calls": seen, "no wait": sc("preadv2", file, vector, 1, 0, 0, 8),
      "wait": sc("preadv2", file, vector, 1, 0, 0, 0)})
'''


def check(seen, result, host):
    prelude.expect(seen["calls"], "EPERM")
    assert seen["no wait"] in ("EOPNOTSUPP", "ENOTSUP") and seen["wait"] == 16, seen


def control():
    """Outside, the same calls are answered."""
    file = os.open("/usr/bin/env", os.O_RDONLY)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.preadv(file, [bytearray(16)], 0)
    os.close(file)
    ours, theirs = socket.socketpair()
    os.close(int.from_bytes(ours.getsockopt(socket.SOL_SOCKET, 77, 4), "little"))
    ours.close()
    theirs.close()
