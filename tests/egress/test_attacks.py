"""SSRF in its spellings, requests that want to be read twice, tunnels to elsewhere."""
import base64
import pathlib

import pytest

from egress import world
from egress.case import ALL, Case, get

pytestmark = pytest.mark.slow


class Attacks(Case):
    def test_no_spelling_of_an_inner_address_is_reached(self):
        self.world.name({"loop.example.com": "127.0.0.1", "meta.example.com": "169.254.169.254",
                   "private.example.com": "10.77.0.1", "six.example.com": "::1",
                   "mapped.example.com": "::ffff:127.0.0.1", "api.example.com": world.PUBLIC})
        hosts = ["127.0.0.1", "2130706433", "0x7f000001", "017700000001", "0177.0.0.1", "127.1", "0x7f.1",
                 "127.0.0.1.", "localhost", "LOCALHOST", "localhost.", "[::1]", "[::ffff:127.0.0.1]",
                 "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "169.254.169.254", "10.77.0.1",
                 "loop.example.com", "LOOP.example.com.", "meta.example.com", "private.example.com",
                 "six.example.com", "mapped.example.com", "0.0.0.0", "[::]", "%31%32%37.0.0.1",
                 "127。0。0。1", "[fe80::1%25lo]", "api.example.com@127.0.0.1", "127.0.0.1#.example.com",
                 "127.0.0.1\\@api.example.com", "127.0.0.1%00.example.com", "127.0.0.1\t.example.com"]
        texts = [get("http://%s/stolen" % host, host) for host in hosts]
        texts += [get("http://127.0.0.1/stolen", "api.example.com"),
                  get("http://api.example.com/", "127.0.0.1"),
                  get("http://user:pw@api.example.com/", "api.example.com"),
                  get("/stolen", "127.0.0.1"), get("//127.0.0.1/stolen", "127.0.0.1"),
                  get("file:///etc/passwd", "api.example.com"),
                  get("http://api.example.com/\r\nHost: 127.0.0.1", "127.0.0.1")]
        asked = ["*.example.com", "127.0.0.1", "[::1]", "localhost", "169.254.169.254", "10.77.0.1",
                 "[::ffff:127.0.0.1]"]
        texts = [text.encode("utf-8").decode("latin-1") for text in texts]
        answers = self.raw(texts, asked)
        for text, answer in zip(texts, answers):
            self.assertRegex(answer.split("\r\n")[0], r"HTTP/1.1 (400|403|505) ", text)
            self.assertNotIn("page", answer, text)
        self.assertEqual([self.world.local.seen, self.world.metadata.seen, self.world.origin.seen], [[], [], []])
        self.assertIn("loopback", answers[0])
        self.assertIn("metadata", answers[hosts.index("meta.example.com")])

    @pytest.mark.everywhere
    def test_a_redirect_inwards_is_a_new_request_and_refused(self):
        out = self.ok("import urllib.request, urllib.error\n"
                      "try:\n    urllib.request.urlopen('http://api.example.com/redirect')\n"
                      "except urllib.error.HTTPError as e:\n    print(e.code, e.headers['x-proxy-error'])\n",
                      hosts=["api.example.com", "127.0.0.1"])
        self.assertEqual(out, "403 blocked-by-policy\n")
        self.assertEqual(self.world.local.seen, [])

    def test_a_name_that_changes_is_judged_by_what_it_is_now(self):
        made = self.client.post("/v1/sessions", {"allow_hosts": ALL}).json()
        code = ("import urllib.request, urllib.error\n"
                "def go():\n"
                "    try:\n        return urllib.request.urlopen('http://api.example.com/close').status\n"
                "    except urllib.error.HTTPError as e:\n        return e.read().decode()\n"
                "print(go())")
        run = lambda: self.client.post("/v1/sessions/%s/runs" % made["id"], {"code": code}).json()
        first = run()
        self.assertEqual(first["stdout"], "200\n", first)
        self.assertEqual(first["usage"]["network_requests"], 1)
        self.world.name({"api.example.com": "127.0.0.1"})
        self.assertIn("loopback address", run()["stdout"])
        self.assertEqual(self.world.local.seen, [])
        self.client.delete("/v1/sessions/" + made["id"])

    def test_a_request_that_could_be_read_in_two_ways_is_not_passed_on(self):
        line = "POST http://api.example.com/a HTTP/1.1\r\nHost: api.example.com\r\n"
        inner = "GET /smuggled HTTP/1.1\r\nHost: api.example.com\r\n\r\n"
        bad = [line + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner,
               line + "Content-Length: 4\r\nContent-Length: 0\r\n\r\n" + inner,
               line + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + inner,
               line + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + inner,
               line + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + inner,
               line + "Content-Length: 0\r\n X: folded\r\n\r\n" + inner,
               line + "X: a\nY: b\r\nContent-Length: 0\r\n\r\n" + inner,
               line + "X: a\rY: b\r\nContent-Length: 0\r\n\r\n" + inner,
               line + "Content-Length: 0\r\n" + "X: %s\r\n\r\n" % ("x" * 70000),
               line + "".join("X%d: y\r\n" % i for i in range(500)) + "\r\n",
               get("http://api.example.com/", method="TRACE"),
               get("http://api.example.com/", method="GET http://api.example.com/x\r\nX:"),
               "GET http://api.example.com/ HTTP/1.0\r\nHost: api.example.com\r\n\r\n",
               line + "Host: other.example.com\r\n\r\n", "\x16\x03\x01\x00\x05hello" + "\r\n\r\n"]
        for text, answer in zip(bad, self.raw(bad)):
            self.assertRegex(answer.split("\r\n")[0], r"HTTP/1.1 4\d\d |HTTP/1.1 50[15] ", text[:200])
        self.assertEqual(self.world.origin.seen, [])
        # What is passed on is framed anew, and what stands behind it is another request of its own.
        chunked = line + "Transfer-Encoding: chunked\r\n\r\n2;ext=1\r\nab\r\n0\r\n\r\n"
        plain = line + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n" + get("http://example.org/")
        answers = self.raw([chunked, plain])
        self.assertNotIn("page", answers[0])
        self.assertIn("page /a", answers[1])
        self.assertIn("blocked-by-allowlist", answers[1])
        self.assertEqual([seen["body"] for seen in self.world.origin.seen if seen["body"]], ["ab"])

    def test_a_tunnel_is_for_tls_to_the_name_it_was_asked_for(self):
        out = self.ok("""
import socket, ssl
def tunnel(target, first):
    s = socket.create_connection(("127.0.0.1", 3128), 20)
    s.sendall(("CONNECT %s HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n" % (target, target)).encode())
    head = s.recv(65536).decode()
    if " 200 " not in head:
        return head.split("\\r\\n")[0:2]
    return first(s)
def plain(s):
    s.sendall(b"GET /stolen HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
    return s.recv(100)
def tls(name):
    def go(s):
        context = ssl.create_default_context(cafile="ca.pem")
        context.check_hostname = False
        try:
            with context.wrap_socket(s, server_hostname=name) as t:
                t.sendall(b"GET /inner HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
                answer = b""
                while piece := t.recv(65536):
                    answer += piece
                return answer[-11:]
        except (ssl.SSLError, OSError) as e:
            return "ended"
    return go
print(tunnel("api.example.com:443", tls("api.example.com")))
print(tunnel("api.example.com:443", tls("other.example.com")))
print(tunnel("api.example.com:443", tls(None)))
print(tunnel("api.example.com:443", plain))
print(tunnel("api.example.com:22", plain))
print(tunnel("127.0.0.1:443", plain))
print(tunnel("example.org:443", plain))
""", files={"ca.pem": base64.b64encode(pathlib.Path(self.world.cert).read_bytes()).decode()})
        lines = out.splitlines()
        self.assertEqual(lines[0], "b'page /inner'")
        self.assertEqual(lines[1:4], ["ended", "ended", "b''"], out)
        for line in lines[4:]:
            self.assertIn("HTTP/1.1 403 ", line)
        self.assertEqual([seen["path"] for seen in self.world.secure.seen], ["/inner"])
