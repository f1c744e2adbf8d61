"""Many callers at once: who waits takes nothing from those who do not."""
import contextlib
import json
import threading
import time

import pytest

from suite import Suite, wait_for

pytestmark = pytest.mark.slow

LONG = "import time\ntime.sleep(25)"
SOON = 8  # seconds: far from what LONG takes, and enough on a busy machine


@contextlib.contextmanager
def asked(daemon, count, method, path, body=None, headers=None):
    """So many requests that nobody waits for. At the end their clients go, which cancels them."""
    clients = [daemon.client() for _ in range(count)]
    try:
        for client in clients:
            text = None if body is None else json.dumps(body)
            client.connection.request(method, path, text, headers or {})
        yield clients
    finally:
        for client in clients:
            client.close()


class Places(Suite):
    def test_runs_that_wait_for_their_session_leave_their_places_to_others(self):
        with self.new_daemon("--pool", "2", "--jobs", "4") as daemon:
            client = daemon.client()
            session = client.post("/v1/sessions", {}).json()["id"]
            path = "/v1/sessions/%s" % session
            with asked(daemon, 6, "POST", path + "/runs", {"code": LONG}):
                wait_for(lambda: client.get(path).json()["state"] == "running", "a run")
                began = time.monotonic()
                self.assertEqual(client.run("print(1)")["stdout"], "1\n")
                self.assertLess(time.monotonic() - began, SOON)

    def test_a_session_has_sixteen_waiting_runs_at_the_most(self):
        with self.new_daemon("--pool", "2", "--jobs", "4") as daemon:
            client = daemon.client()
            path = "/v1/sessions/%s" % client.post("/v1/sessions", {}).json()["id"]
            with asked(daemon, 18, "POST", path + "/runs", {"code": LONG}) as clients:
                refused = []

                def look(asking):
                    with contextlib.suppress(OSError):  # closed at the end
                        answer = asking.connection.getresponse()
                        refused.append((answer.status, answer.headers["Retry-After"]))
                threads = [threading.Thread(target=look, args=(one,)) for one in clients]
                [thread.start() for thread in threads]
                wait_for(lambda: refused, "a refusal")
                self.assertEqual(refused, [(429, "1")])
                client.delete(path)  # which answers the others
                [thread.join() for thread in threads]

    def test_what_takes_a_moment_is_done_however_many_runs_wait(self):
        with self.new_daemon("--pool", "2", "--jobs", "4") as daemon:
            client = daemon.client()
            path = "/v1/sessions/%s" % client.post("/v1/sessions", {}).json()["id"]
            with asked(daemon, 1, "POST", path + "/runs", {"code": LONG}):
                wait_for(lambda: client.get(path).json()["state"] == "running", "a run")
                with asked(daemon, 90, "POST", "/v1/runs", {"code": LONG}):
                    began = time.monotonic()
                    self.assertEqual(client.get("/v1/runs").status, 200)
                    self.assertEqual(client.post(path + "/interrupt").status, 200)
                    self.assertLess(time.monotonic() - began, SOON)

    def test_listeners_take_no_thread_and_are_bounded(self):
        with self.new_daemon("--pool", "2") as daemon:
            client = daemon.client()
            with asked(daemon, 100, "GET", "/v1/events",
                       headers={"Accept": "application/x-ndjson"}) as clients:
                streams = [one.connection.getresponse() for one in clients]
                self.assertEqual({stream.status for stream in streams}, {200})
                answer = daemon.client().get("/v1/events")
                self.assertEqual(answer.status, 429, answer.body)
                self.assertIn("100 times", answer.json()["error"]["message"])
                run = client.run("1", id="heard")
                self.assertEqual(run["outcome"], "ok")
                for stream in streams:
                    told = json.loads(stream.readline())
                    self.assertEqual((told["event"], told["id"]), ("run", "heard"))
            # Their places are free again.
            def listens():
                with contextlib.closing(daemon.client()) as one:
                    return one.ask("GET", "/v1/events", stream=True).status == 200
            wait_for(listens, "a free place")

    def test_listeners_end_with_the_daemon(self):
        with self.new_daemon("--pool", "2") as daemon:
            stream = daemon.client().ask("GET", "/v1/events", stream=True)
            began = time.monotonic()
            daemon.stop()
            self.assertEqual(stream.read(), b"")
            self.assertLess(time.monotonic() - began, SOON)
