"""A policy that is read anew, and what still runs under the one before."""
import signal
import threading

import pytest

from egress.case import ALL, SECRET, Case
from suite import wait_for

pytestmark = pytest.mark.slow

PLACEHOLDER = "belljar-secret-API_KEY-placeholder"


class Reloads(Case):
    ASKS = """
import http.client, os, time, urllib.request, urllib.error
def ask(url):
    try:
        request = urllib.request.Request(url, headers={"Authorization": os.environ["API_KEY"]})
        return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as e:
        return e.headers["x-proxy-error"]
    except (OSError, http.client.HTTPException):
        return 200  # ended in the midst of it: the next one is told
print(ask("http://secret.example.com/first"), ask("http://api.example.com/first"))
while (other := ask("http://api.example.com/again")) == 200:
    time.sleep(0.1)
print(ask("http://secret.example.com/last"), other)
"""
    HOLDS = """
import socket
def ask(path):
    line = socket.create_connection(("127.0.0.1", 3128))
    line.sendall(b"GET http://api.example.com/%b HTTP/1.1\\r\\nHost: api.example.com\\r\\n\\r\\n" % path)
    return line
line, heard = ask(b"held"), b""
while b"page /held" not in heard:
    heard += line.recv(65536) or 1 / 0
print("open", flush=True)
other = ask(b"again")  # now the policy becomes another
print(line.recv(1))
"""

    def read_anew(self, text):
        self.policy.write_text(text)
        self.daemon.process.send_signal(signal.SIGHUP)

    def go_back(self, text):
        self.read_anew(text)
        wait_for(lambda: self.run_code("1", ["api.example.com"])["outcome"] == "ok", "the policy has come back")

    def under_fewer_hosts(self, run):
        """The result of a run during which the policy becomes another."""
        before = self.policy.read_text()
        self.addCleanup(self.go_back, before)
        results = []
        thread = threading.Thread(target=lambda: results.append(run()))
        thread.start()
        wait_for(lambda: any(seen["path"] == "/again" for seen in self.world.origin.seen), "it has begun")
        fewer = before.replace('"*.example.com", "*.example.com:8080"', '"secret.example.com"')
        self.read_anew(fewer.replace('"REAL_API_KEY"', '"ANOTHER_KEY"'))
        thread.join(30)
        self.assertFalse(thread.is_alive())
        return results[0]

    def keys(self):
        return {seen["path"]: dict(seen["headers"])["authorization"] for seen in self.world.origin.seen
                if dict(seen["headers"])["host"] == "secret.example.com"}

    def test_hosts_and_secrets_that_are_gone_are_taken_from_what_runs(self):
        result = self.under_fewer_hosts(lambda: self.run_code(self.ASKS))
        self.assertEqual(result["stdout"], "200 200\n200 blocked-by-allowlist\n", result)
        self.assertEqual(self.keys(), {"/first": SECRET, "/last": PLACEHOLDER})

    def test_and_so_from_a_session(self):
        made = self.client.post("/v1/sessions", {"allow_hosts": ALL}).json()
        path = "/v1/sessions/%s" % made["id"]
        result = self.under_fewer_hosts(lambda: self.client.post(path + "/runs", {"code": self.ASKS}).json())
        self.assertEqual(result["stdout"], "200 200\n200 blocked-by-allowlist\n", result)
        self.assertEqual(self.keys(), {"/first": SECRET, "/last": PLACEHOLDER})
        self.client.delete(path)

    def test_connections_to_hosts_that_are_gone_are_ended(self):
        result = self.under_fewer_hosts(lambda: self.run_code(self.HOLDS))
        self.assertEqual(result["stdout"], "open\nb''\n", result)
