"""Servers that answer in ways of their own."""
import contextlib
import socket
import threading

import pytest

from egress import world
from egress.case import SECRET, Case, get

pytestmark = pytest.mark.slow

HELLO = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


def head_of(line):
    text = b""
    while b"\r\n\r\n" not in text:
        piece = line.recv(65536)
        if not piece:
            break
        text += piece
    return text.decode("latin-1")


class Answers(Case):
    URL = "http://api.example.com:8080/"

    @contextlib.contextmanager
    def server(self, serve):
        """Calls this with each connection to port 8080."""
        listener = self.world.listen(world.PUBLIC, 8080)

        def accept():
            with contextlib.suppress(OSError):
                while True:
                    line = listener.accept()[0]
                    with line, contextlib.suppress(OSError):
                        serve(line)
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            thread.join(10)

    def test_interim_answers_are_passed_over_and_the_answer_is_not(self):
        interim = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
        with self.server(lambda line: (head_of(line), line.sendall((interim + HELLO).encode()))):
            self.assertEqual(self.raw([get(self.URL)], ["*.example.com:8080"]), [HELLO])

    def test_an_answer_to_half_an_upload_is_heard(self):
        says = b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"
        with self.server(lambda line: (head_of(line), line.sendall(says))):
            out = self.ok("head -c 9000000 /dev/zero | curl -sS -o answer -w '%%{http_code}' -T - %s; "
                          "cat answer" % self.URL, ["*.example.com:8080"], lang="bash")
        self.assertIn("413no", out)

    def test_what_may_have_been_done_is_not_done_twice(self):
        asked = []

        def serve(line):
            asked.append(head_of(line).split(" ")[0])
            line.sendall(HELLO.encode())
            asked.append(head_of(line).split(" ")[0])  # and no answer to that
        code = """
import http.client
line = http.client.HTTPConnection("127.0.0.1", 3128)
for method in ("GET", "%s"):
    line.request(method, "http://api.example.com:8080/", headers={"Host": "api.example.com:8080"})
    answer = line.getresponse()
    print(answer.status, answer.read()[:5])
"""
        with self.server(serve):
            out = self.ok(code % "DELETE", ["*.example.com:8080"])
            self.assertEqual(out.splitlines()[1][:3], "502", out)
            self.assertEqual(asked.count("DELETE"), 1)
            out = self.ok(code % "OPTIONS", ["*.example.com:8080"])
            self.assertEqual(out.splitlines()[1], "200 b'hello'")

    def test_a_secret_is_not_had_in_two_halves(self):
        cut = len(SECRET) // 2

        def pages(seen):
            ranges = dict(seen["headers"]).get("range")
            return (206, {}, SECRET[:cut].encode()) if ranges else (200, {}, SECRET.encode())
        before, self.world.origin.pages = self.world.origin.pages, pages
        self.addCleanup(setattr, self.world.origin, "pages", before)
        asks = get("http://secret.example.com/", more="Range: bytes=0-%d\r\nIf-Range: x\r\n" % (cut - 1))
        (answer,) = self.raw([asks])
        self.assertTrue(answer.endswith("\r\n\r\n" + "*" * len(SECRET)), answer)
        self.world.origin.pages = lambda seen: (206, {}, SECRET[:cut].encode())
        (answer,) = self.raw([asks])
        self.assertTrue(answer.startswith("HTTP/1.1 502 "), answer)
        self.assertNotIn(SECRET[:cut], answer)
