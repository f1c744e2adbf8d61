"""Values that the broker has and the guest has not."""
import contextlib
import json
import pathlib

import pytest

from egress import world
from egress.case import ALL, SECRET, Case
from service.processes import descendants

pytestmark = pytest.mark.slow


def cell_processes(walls, root):
    """Those below the daemon; of Docker's, the one that holds a container and what is below it."""
    return descendants(root) if walls.docker is None else [root, *descendants(root)]


def held_by(pid, text):
    """Whether a process has this in its memory or its environment."""
    try:
        maps = pathlib.Path("/proc/%d/maps" % pid).read_text().splitlines()
        found = text.encode() in pathlib.Path("/proc/%d/environ" % pid).read_bytes()
        with open("/proc/%d/mem" % pid, "rb", 0) as memory:
            for line in maps:
                fields = line.split()
                start, end = (int(each, 16) for each in fields[0].split("-"))
                if "r" not in fields[1] or fields[-1].startswith("[v"):
                    continue
                with contextlib.suppress(OSError):
                    memory.seek(start)
                    found = found or text.encode() in memory.read(end - start)
    except (ProcessLookupError, FileNotFoundError):
        return False
    return found


class Secrets(Case):
    ASKS = """
import os, urllib.request
key = os.environ["API_KEY"]
def ask(url, **headers):
    return urllib.request.urlopen(urllib.request.Request(url, headers=headers)).read()
ask("http://secret.example.com/right", Authorization="Bearer " + key, Other=key)
ask("http://api.example.com/wrong", Authorization="Bearer " + key)
ask("http://secret.example.com/path?" + key, X=key)
print(key, dict(os.environ))
"""

    @pytest.mark.everywhere
    def test_the_broker_has_the_value_and_the_guest_a_placeholder(self):
        made = self.client.post("/v1/sessions", {"allow_hosts": ALL}).json()
        result = self.client.post("/v1/sessions/%s/runs" % made["id"], {"code": self.ASKS}).json()
        self.assertEqual(result["outcome"], "ok", result)
        right, wrong, path = (dict(seen["headers"]) for seen in self.world.origin.seen)
        placeholder = "belljar-secret-API_KEY-placeholder"
        self.assertEqual(right["authorization"], "Bearer " + SECRET)
        self.assertEqual((right["other"], wrong["authorization"], path["x"]),
                         (placeholder, "Bearer " + placeholder, placeholder))
        self.assertIn(placeholder, self.world.origin.seen[2]["path"])
        self.assertNotIn(SECRET, json.dumps(result))
        self.assertNotIn(SECRET, json.dumps(self.records(result["id"])))
        # The living guest, its init and what they were forked from, as the kernel shows them.
        held = [(held_by(pid, placeholder), held_by(pid, SECRET))
                for root in self.walls.roots(self.daemon) for pid in cell_processes(self.walls, root)]
        self.assertTrue(any(marked for marked, _ in held), "the look itself sees nothing")
        self.assertFalse(any(secret for _, secret in held))
        self.assertTrue(held_by(self.daemon.process.pid, SECRET), "where it is, it is seen")
        self.client.delete("/v1/sessions/" + made["id"])

    def test_plain_http_to_the_broker_becomes_https_to_the_server(self):
        out = self.ok("import os, urllib.request\n"
                      "r = urllib.request.Request('http://tls.example.com/up',"
                      " headers={'X-Api-Key': os.environ['TLS_KEY']})\n"
                      "print(urllib.request.urlopen(r).read().decode())")
        self.assertEqual(out, "page /up\n")
        self.assertEqual(dict(self.world.secure.seen[0]["headers"])["x-api-key"], SECRET)
        self.assertEqual(self.world.origin.seen, [])

    def test_a_server_that_repeats_it_is_not_heard(self):
        out = self.ok("import os, urllib.request\n"
                      "r = urllib.request.Request('http://secret.example.com/echo',"
                      " headers={'Authorization': os.environ['API_KEY'], 'Accept-Encoding': 'gzip'})\n"
                      "print(urllib.request.urlopen(r).read().decode())")
        self.assertIn('["authorization", "%s"]' % ("*" * len(SECRET)), out)
        self.assertEqual(dict(self.world.origin.seen[0]["headers"])["accept-encoding"], "identity")

    def test_a_server_with_another_certificate_does_not_get_it(self):
        self.world.name({"tls.example.com": world.OTHER})
        out = self.ok("import os, urllib.request, urllib.error\n"
                      "try:\n    urllib.request.urlopen(urllib.request.Request('http://tls.example.com/',"
                      " headers={'X-Api-Key': os.environ['TLS_KEY']}))\n"
                      "except urllib.error.HTTPError as e:\n    print(e.code, e.headers['x-proxy-error'])")
        self.assertEqual(out, "502 unreachable\n")

    def test_a_cell_for_other_hosts_does_not_even_see_the_name(self):
        out = self.ok("import os\nprint('API_KEY' in os.environ)", ["api.example.com"])
        self.assertEqual(out, "False\n")
