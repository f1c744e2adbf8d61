"""The page-cache writers of 2026 ("Copy Fail" CVE-2026-31431, "Dirty Frag" -43284 and -43500,
"Fragnesia" -46300, "DirtyClone" -43503): files one may only read are changed through AF_ALG, xfrm,
RxRPC or ESP-in-TCP sockets fed by splice.

No such socket and no splice may be had; the files a cell sees are inodes of the image, which the
host does not share; and they stay as they were.
"""
import os
import socket

import prelude

ROW = 13
SAYS = "the parts of a page-cache writer are missing, and its prey is a copy"
HELDBY = [["base_filter"]]
FILES = ("/usr/bin/python3", "/usr/bin/bash", "/usr/bin/env", "/etc/passwd",
         "/lib64/ld-linux-x86-64.so.2")
ATTACK = r'''
import socket

sockets = {}
for name, family, kind, protocol in (
        ("alg", 38, 5, 0), ("rxrpc", 33, 2, 2), ("key", 15, 3, 2), ("xfrm", 16, 3, 6),
        ("netfilter", 16, 3, 12), ("crypto", 16, 3, 21), ("tcp", 2, 1, 0), ("udp", 2, 2, 0),
        ("tcp6", 10, 1, 0), ("udp6", 10, 2, 0), ("smc", 43, 1, 0), ("xdp", 44, 3, 0),
        ("tipc", 30, 1, 0), ("kcm", 41, 2, 0)):
    sockets[name] = sc("socket", family, kind, protocol)
victim = os.open("/usr/bin/env", os.O_RDONLY)
reader, writer = os.pipe()
pages = {"splice": sc("splice", victim, None, writer, None, 4096, 0),
         "splice from a pipe": sc("splice", reader, None, writer, None, 4096, 0),
         "vmsplice": sc("vmsplice", writer, BAD, 1, 0), "tee": sc("tee", reader, writer, 1, 0)}
left, right = socket.socketpair()
upper = {"ulp": tried(left.setsockopt, 6, 31, b"espintcp"),
         "alg key": tried(left.setsockopt, 279, 1, b"0" * 16),
         "zero copy": tried(left.setsockopt, 1, 60, 1)}
inodes = {path: [os.stat(path).st_dev, os.stat(path).st_ino] for path in FILES}
tell({"sockets": sockets, "pages": pages, "upper": upper, "inodes": inodes})
'''.replace("FILES", repr(FILES))


def check(seen, result, host):
    prelude.expect(seen["sockets"], "EAFNOSUPPORT")
    prelude.expect(seen["pages"], "EPERM")
    assert all(value not in (None, 0) for value in
               (seen["upper"]["ulp"], seen["upper"]["alg key"])), seen["upper"]
    for path, (device, inode) in seen["inodes"].items():
        if os.path.exists(path):
            theirs = os.stat(path)
            assert (device, inode) != (theirs.st_dev, theirs.st_ino), path
    ours = os.stat(host.rootfs / "etc/passwd")
    assert seen["inodes"]["/etc/passwd"][1] == ours.st_ino
    assert host.before.image_python == host.after.image_python


def control():
    """Outside, splice works, and so does at least one of the sockets."""
    source = os.open("/etc/passwd", os.O_RDONLY)
    _, writer = os.pipe()
    assert isinstance(prelude.sc("splice", source, None, writer, None, 16, 0), int)
    opened = [prelude.sc("socket", family, kind, protocol) for family, kind, protocol in
              ((38, socket.SOCK_SEQPACKET, 0), (16, socket.SOCK_RAW, 6), (2, 1, 0))]
    assert any(isinstance(value, int) for value in opened), opened
