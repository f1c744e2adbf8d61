"""Sockets of the host are reached from a cell: abstract ones (CVE-2020-15257), and the well-known
paths of Docker, containerd, D-Bus and systemd.

The abstract name must lead nowhere while the host listens on it, the paths must not exist, and
nobody may have connected.
"""
import os
import secrets
import socket

import prelude

ROW = 10
SAYS = "a host's socket cannot be reached, abstract or by path"
HELDBY = [["net_namespace", "landlock"]]
ATTACK = r'''
import socket

def reach(address, kind):
    with socket.socket(socket.AF_UNIX, kind) as sock:
        sock.connect(address)
        sock.send(b"out")
        return "connected"

kinds = {"stream": socket.SOCK_STREAM, "datagram": socket.SOCK_DGRAM,
         "packets": socket.SOCK_SEQPACKET}
abstract = {name: tried(reach, "\0" + ABSTRACT + name, kind) for name, kind in kinds.items()}
paths = {path: tried(reach, path, socket.SOCK_STREAM) for path in (
    HOST_PATH, "/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock",
    "/run/dbus/system_bus_socket", "/run/systemd/private", "/run/systemd/notify", "/dev/log",
    "/run/user/0/bus", "/run/user/1000/bus", "/tmp/.X11-unix/X0")}
own = socket.socket(socket.AF_UNIX)
own.bind("\0mine")
own.listen()
tell({"abstract": abstract, "paths": paths, "own": tried(reach, "\0mine", socket.SOCK_STREAM)})
'''
KINDS = {"stream": socket.SOCK_STREAM, "datagram": socket.SOCK_DGRAM,
         "packets": socket.SOCK_SEQPACKET}


def listeners(name):
    """The host's ends: one abstract socket of each kind that notices any visitor."""
    opened = {}
    for kind, number in KINDS.items():
        sock = socket.socket(socket.AF_UNIX, number)
        sock.bind("\0" + name + kind)
        if kind != "datagram":
            sock.listen()
        sock.setblocking(False)
        opened[kind] = sock
    return opened


def visited(kind, sock):
    try:
        sock.recv(10) if kind == "datagram" else sock.accept()
    except BlockingIOError:
        return False
    return True


def run(bench):
    name = "belljar-escape-" + secrets.token_hex(8)
    path = str(bench.host.home.parent / f"{name}.sock")
    ends = listeners(name)
    with socket.socket(socket.AF_UNIX) as by_path:
        by_path.bind(path)
        os.chmod(path, 0o666)
        by_path.listen()
        result = bench.run({"code": bench.program(
            f"ABSTRACT, HOST_PATH = {name!r}, {path!r}\n" + ATTACK)})
    visitors = [kind for kind, sock in ends.items() if visited(kind, sock)]
    for sock in ends.values():
        sock.close()
    return (bench.seen(result), visitors), result


def check(found, result, host):
    seen, visitors = found
    # Without Landlock's scope the name is unknown in the cell's namespace; with it, forbidden.
    prelude.expect(seen["abstract"], "ECONNREFUSED", "EPERM")
    prelude.expect(seen["paths"], "ENOENT")
    assert visitors == [], visitors
    assert seen["own"] == "connected", seen["own"]


def control():
    """Outside, the same name is reached."""
    name = "belljar-escape-" + secrets.token_hex(8)
    ends = listeners(name)
    for kind, number in KINDS.items():
        with socket.socket(socket.AF_UNIX, number) as sock:
            sock.connect("\0" + name + kind)
            sock.send(b"out")
            assert visited(kind, ends[kind]), kind
