"""The host's sockets are listed in a cell: names of services, and of who listens where.

None of the host's may be in the list; one of the cell's own is.
"""
import secrets
import socket

ROW = 10
SAYS = "a host's sockets are not listed in a cell"
HELDBY = [["net_namespace"]]
ATTACK = r'''
import socket

own = socket.socket(socket.AF_UNIX)
own.bind("\0" + OWN)
lines = open("/proc/self/net/unix").read().splitlines()
tell({"host": any(HOST in line for line in lines), "own": any(OWN in line for line in lines)})
'''


def run(bench):
    host, own = ("belljar-escape-" + secrets.token_hex(8) for _ in range(2))
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind("\0" + host)
        sock.listen()
        result = bench.run({"code": bench.program(f"HOST, OWN = {host!r}, {own!r}\n" + ATTACK)})
    return bench.seen(result), result


def check(found, result, host):
    assert found == {"host": False, "own": True}, found


def control():
    """Outside, the list has them."""
    name = "belljar-escape-" + secrets.token_hex(8)
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind("\0" + name)
        with open("/proc/self/net/unix", encoding="utf-8") as listed:
            assert name in listed.read()
