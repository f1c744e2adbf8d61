"""The door itself: that there is nothing else, and connections by the dozen."""
import json

import pytest

from egress.case import Case

pytestmark = pytest.mark.slow


@pytest.mark.everywhere
class Doors(Case):
    # What is tried of the network, and what came of it: a word for each.
    TRIES = """
import socket, errno
def attempt(what):
    try:
        what(); return "done"
    except OSError as e:
        return errno.errorcode[e.errno]
tcp = lambda: socket.socket(socket.AF_INET)
print(attempt(lambda: tcp().connect(("127.0.0.1", 3128))),
      attempt(lambda: tcp().connect(("127.0.0.1", 80))), attempt(lambda: tcp().connect(("11.0.0.1", 80))),
      attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW)),
      attempt(lambda: tcp().bind(("127.0.0.1", 9))), attempt(lambda: socket.socket(socket.AF_INET6)),
      attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)))
"""

    def tries(self, hosts):
        words = self.ok(self.TRIES, hosts).split()
        # A container has sockets of its own kernel, and a loopback interface, on which nobody listens.
        inner = words[4:] if self.walls.native else []
        self.assertNotIn("done", words[1:4] + inner, words)
        return words[0]

    def test_a_cell_without_hosts_has_no_network_at_all(self):
        self.assertEqual(self.tries([]), "EAFNOSUPPORT" if self.walls.native else "ECONNREFUSED")
        if not self.walls.native:
            self.assertEqual(self.ok("import socket\nprint(socket.if_nameindex())", []), "[(1, 'lo')]\n")

    def test_a_cell_with_hosts_has_the_proxy_and_nothing_else(self):
        self.assertEqual(self.tries(None), "done")
        if not self.walls.native:
            self.assertEqual(self.ok("import socket\nprint(socket.if_nameindex())"), "[(1, 'lo')]\n")

    def test_much_comes_and_goes_on_many_connections(self):
        out = self.ok("""
import concurrent.futures, urllib.request
def go(i):
    body = bytes([i]) * 300000
    urllib.request.urlopen("http://api.example.com/up%d" % i, data=body).read()
    return len(urllib.request.urlopen("http://api.example.com/bytes/%d" % (700000 + i)).read())
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    print(list(pool.map(go, range(32))))
""", timeout=50)
        self.assertEqual(json.loads(out), [700000 + i for i in range(32)])
        sent = sorted(seen["body"] for seen in self.world.origin.seen if seen["path"].startswith("/up"))
        self.assertEqual(sent, sorted(chr(i) * 300000 for i in range(32)))

    def test_those_who_read_nothing_hold_up_no_other(self):
        out = self.ok("""
import socket, urllib.request
held = []
for i in range(20):
    line = socket.create_connection(("127.0.0.1", 3128))
    line.sendall(b"GET http://api.example.com/bytes/9000000 HTTP/1.1\\r\\nHost: api.example.com\\r\\n\\r\\n")
    held.append(line)
for i in range(5):
    print(urllib.request.urlopen("http://api.example.com/%d" % i).read().decode())
print(sum(len(line.recv(10, socket.MSG_WAITALL)) for line in held))
""", timeout=50)
        self.assertEqual(out, "".join("page /%d\n" % i for i in range(5)) + "200\n")

    def test_a_cell_of_few_files_has_its_way_out(self):
        out = self.ok("""
import socket, urllib.request
lines = [socket.create_connection(("127.0.0.1", 3128)) for i in range(10)]
for line in lines:
    line.close()
print(urllib.request.urlopen("http://api.example.com/after").read().decode())
""", open_files=16)
        self.assertEqual(out, "page /after\n")

    def test_more_connections_than_there_may_be_wait_for_their_turn(self):
        out = self.ok("""
import select, socket, urllib.request
held = [socket.create_connection(("127.0.0.1", 3128)) for i in range(64)]
late = socket.create_connection(("127.0.0.1", 3128))
late.sendall(b"GET http://api.example.com/late HTTP/1.1\\r\\nHost: api.example.com\\r\\nConnection: close\\r\\n\\r\\n")
print(len(select.select([late], [], [], 1)[0]))
for line in held:
    line.close()
print(late.makefile().read().endswith("page /late"))
for i in range(100):
    with socket.create_connection(("127.0.0.1", 3128)):
        pass
print(urllib.request.urlopen("http://api.example.com/after").read().decode())
""", timeout=50)
        self.assertEqual(out, "0\nTrue\npage /after\n")
