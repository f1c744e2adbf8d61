"""What the daemon tells and records of those who call it."""
import contextlib
import json
import os
import sqlite3
import threading
import time

import pytest

from suite import OwnDaemon, wait_for

pytestmark = pytest.mark.slow

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
MARKS = {"traceparent": TRACE, "X-Correlation-Id": "corr-1"}


def lines(daemon):
    return [json.loads(line) for line in daemon.said().splitlines() if line.startswith("{")]


def marks_of(told):
    return told.get("correlation_id"), told.get("traceparent")


class Listening:
    """What comes on /v1/events, from when this is made."""

    def __init__(self, daemon, token=None):
        self.client = daemon.client(token)
        self.response = self.client.ask("GET", "/v1/events", stream=True,
                                        headers={"Accept": "application/x-ndjson"})

    def next(self, event, seconds=20):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            line = self.response.readline()
            if not line:
                raise AssertionError("the events ended")
            told = json.loads(line)
            if told["event"] == event:
                return told
        raise AssertionError("no event %s within %d s" % (event, seconds))

    def close(self):
        self.response.close()
        self.client.close()


class Base(OwnDaemon):
    def records(self, event, **more):
        query = "".join("&%s=%s" % pair for pair in more.items())
        return self.client.get("/v1/audit?event=%s%s" % (event, query)).json()["records"]

    def told(self, event, how_many=1):
        """Log lines of a kind; they are written a moment after the answer."""
        def found():
            return [line for line in lines(self.daemon) if line["event"] == event]
        wait_for(lambda: len(found()) >= how_many, "%d lines %s" % (how_many, event))
        return found()


class Marks(Base):
    """The caller's own marks on a request go with everything that is told of it."""

    def request_lines(self, route):
        wait_for(lambda: any(line.get("route") == route for line in lines(self.daemon)), route)
        return [line for line in lines(self.daemon) if line.get("route") == route]

    def test_the_line_of_each_request_has_them(self):
        self.client.get("/v1/sessions", headers=MARKS)
        line = self.request_lines("/v1/sessions")[0]
        self.assertEqual(marks_of(line), ("corr-1", TRACE))
        self.assertEqual(line["trace_id"], TRACE.split("-")[1])

    def test_the_line_of_a_refused_request_has_them(self):
        self.client.get("/v1/sessions", headers={**MARKS, "Authorization": "Bearer bj_x"})
        line = self.request_lines("/v1/sessions")[0]
        self.assertEqual((line["status"], *marks_of(line)), (401, "corr-1", TRACE))

    def test_the_body_of_a_run_names_it_and_its_correlation(self):
        body = {"code": "1", "id": "one", "correlation_id": "of-the-body"}
        self.client.post("/v1/runs", body, headers=MARKS)
        line = self.request_lines("/v1/runs")[0]
        self.assertEqual((line["id"], *marks_of(line)), ("one", "of-the-body", TRACE))

    def test_events_of_runs_and_sessions_have_them(self):
        listening = Listening(self.daemon)
        self.client.post("/v1/runs", {"code": "1"}, headers=MARKS)
        self.assertEqual(marks_of(listening.next("run")), ("corr-1", TRACE))
        session = self.client.post("/v1/sessions", {}, headers=MARKS).json()["id"]
        self.assertEqual(marks_of(listening.next("session")), ("corr-1", TRACE))
        path = "/v1/sessions/" + session
        self.client.ask("DELETE", path, headers={**MARKS, "X-Correlation-Id": "the-end"})
        self.assertEqual(marks_of(listening.next("session")), ("the-end", TRACE))
        self.assertEqual(marks_of(self.told("session_ended")[0]), ("the-end", TRACE))
        ended = self.records("session", session=session)[0]
        self.assertEqual(marks_of(ended), ("the-end", TRACE))
        listening.close()

    def test_a_replay_has_its_own(self):
        self.client.post("/v1/runs", {"code": "print(1)", "id": "first"}, headers=MARKS)
        self.client.post("/v1/runs/first/replay", {}, headers={"X-Correlation-Id": "again"})
        self.assertEqual(marks_of(self.records("replay")[0]), ("again", None))


class MarksOfQuestions(Base):
    FLAGS = ("--level", "standard")

    def test_events_of_questions_and_their_answers_have_them(self):
        listening = Listening(self.daemon)
        asked = self.client.post("/v1/runs", {"code": "print(eval('1'))"}, headers=MARKS).json()
        self.assertEqual(asked["outcome"], "needs_approval", asked)
        self.assertEqual(marks_of(listening.next("approval")), ("corr-1", TRACE))
        path = "/v1/approvals/%s/deny" % asked["decision"]["approval"]["id"]
        self.assertEqual(self.client.post(path, {"note": "no"}).status, 200)
        self.assertEqual(marks_of(listening.next("approval")), ("corr-1", None))
        listening.close()


class Door(Base):
    """Who is let in, put out and turned away is in the audit log."""

    def refusals(self, status, how_many=1):
        def found():
            return [record for record in self.records("refusal")
                    if record["detail"].get("status") == status]
        wait_for(lambda: len(found()) >= how_many, "%d refusals %d" % (how_many, status))
        return found()

    def test_callers_that_are_added_and_removed_are_recorded(self):
        token = self.token("ci", "--scope", "audit")
        self.assertEqual(self.daemon.command("token", "rm", "ci").returncode, 0)

        def of_ci():
            return [record for record in self.records("token") if record["detail"]["name"] == "ci"]
        wait_for(lambda: len(of_ci()) == 2, "two records of ci")
        removed, added = of_ci()
        self.assertEqual((added["detail"]["action"], added["detail"]["scopes"]), ("add", "audit"))
        self.assertEqual((removed["detail"]["action"], removed["caller"]),
                         ("remove", "uid:%d" % os.getuid()))
        self.assertNotIn(token, json.dumps(of_ci()))

    def test_what_is_changed_while_no_daemon_runs_is_recorded_by_the_next(self):
        self.assertEqual(self.daemon.stop(), 0)
        self.token("later")
        self.daemon.start()
        self.client = self.daemon.client()
        wait_for(lambda: any(record["detail"]["name"] == "later"
                               for record in self.records("token")), "a record of later")
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(self.daemon.command("audit", "verify").returncode, 0)

    def test_verify_finds_callers_that_no_record_tells_of(self):
        self.token("ci", "--scope", "run")
        self.assertEqual(self.daemon.command("audit", "verify").returncode, 0)
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(self.daemon.command("audit", "verify").returncode, 0)
        with contextlib.closing(sqlite3.connect(self.daemon.state / "belljar.db")) as database:
            database.execute("UPDATE callers SET scopes = 'run admin' WHERE name = 'ci'")
            database.commit()
        verified = self.daemon.command("audit", "verify", "--json")
        self.assertEqual(verified.returncode, 1)
        self.assertIn("caller ci is not as it was recorded",
                      json.loads(verified.stdout)["first_bad"]["problem"])

    def test_a_token_that_nobody_knows_is_recorded(self):
        headers = {**MARKS, "Authorization": "Bearer bj_nobody"}
        self.assertEqual(self.client.get("/v1/runs", headers=headers).status, 401)
        record = self.refusals(401)[0]
        self.assertEqual(marks_of(record), ("corr-1", TRACE))
        self.assertEqual((record["detail"]["route"], record["detail"]["count"]), ("/v1/runs", 1))
        self.assertNotIn("bj_nobody", json.dumps(record))

    def test_who_may_not_and_who_asks_too_much_are_recorded_by_name(self):
        few = self.daemon.client(self.token("few", "--scope", "run", "--per-minute", "1"))
        self.addCleanup(few.close)
        self.assertEqual(few.get("/v1/audit").status, 403)
        statuses = [few.post("/v1/runs", {"code": "1", "id": "r%d" % n}).status for n in range(2)]
        self.assertEqual(statuses, [200, 429])
        self.assertEqual(self.refusals(403)[0]["caller"], "few")
        record = self.refusals(429)[0]
        self.assertEqual((record["caller"], record["run_id"]), ("few", "r1"))

    def test_a_flood_of_strangers_is_few_records_with_a_count(self):
        stranger = self.daemon.client("bj_" + "x" * 43)
        for _ in range(2000):
            self.assertEqual(stranger.get("/v1/runs").status, 401)
        stranger.close()
        self.assertEqual(self.daemon.stop(), 0)
        self.daemon.start()
        self.client = self.daemon.client()
        records = self.refusals(401)
        self.assertLess(len(records), 5)
        self.assertEqual(sum(record["detail"]["count"] for record in records), 2000)

    def test_a_stream_of_events_ends_with_its_token(self):
        listening = Listening(self.daemon, self.token("ear", "--scope", "run"))
        self.assertEqual(self.daemon.command("token", "rm", "ear").returncode, 0)
        began = time.monotonic()
        told = listening.next("ended")
        self.assertIn("not known", told["message"])
        self.assertEqual(listening.response.read(), b"")
        self.assertLess(time.monotonic() - began, 5)
        listening.close()


class Requests(Base):
    def session(self, **wish):
        answer = self.client.post("/v1/sessions", wish)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()["id"]

    def test_ids_that_could_not_be_found_again_are_refused(self):
        session = self.session()
        for path in ("/v1/runs", "/v1/sessions/%s/runs" % session):
            for bad in ("a/b", "/", ".", ".."):
                answer = self.client.post(path, {"code": "1", "id": bad})
                self.assertEqual(answer.status, 400, (path, bad))
                self.assertIn('"id" cannot be "%s"' % bad, answer.json()["error"]["message"])
        for good, quoted in (("a b%?#", "a%20b%25%3F%23"), ("...", "..."), ("é", "%C3%A9")):
            self.assertEqual(self.client.run("1", id=good)["id"], good)
            self.assertEqual(self.client.get("/v1/runs/" + quoted).json()["id"], good)

    def test_an_id_may_be_a_number_as_openapi_says(self):
        self.assertEqual(self.client.run("1", id=7)["id"], 7)
        self.assertEqual(self.client.get("/v1/runs/7").status, 200)
        schemas = self.client.get("/openapi.json").json()["components"]["schemas"]
        for name in ("Request", "SessionRequest", "SkillInput", "Result"):
            self.assertEqual(schemas[name]["properties"]["id"]["type"], ["string", "integer"], name)

    def test_weights_of_accept_count(self):
        body = json.dumps({"code": "print(1)"}).encode()
        for accept, there in (("application/x-ndjson;q=0, application/json", "application/json"),
                              ("application/x-ndjson, */*;q=0.1", "application/x-ndjson")):
            answer = self.client.ask("POST", "/v1/runs", body, headers={"Accept": accept})
            self.assertIn(there, answer.headers["Content-Type"], accept)

    def test_numbers_of_an_input_arrive_as_they_are_or_are_refused(self):
        code = "import sys; print(sys.stdin.read())"
        self.assertEqual(self.client.run(code, input=[2**53 + 1, 2**64 - 1, -2**63])["stdout"],
                         "[9007199254740993,18446744073709551615,-9223372036854775808]\n\n")
        answer = self.client.post("/v1/runs", {"code": code, "input": {"n": [1, 2**64]}})
        self.assertEqual(answer.status, 400)
        self.assertIn('"input.n" has a whole number', answer.json()["error"]["message"])

    def test_the_history_finds_a_session_by_its_name(self):
        session = self.session(name="mine")
        self.client.post("/v1/sessions/mine/runs", {"code": "1"})
        self.client.run("2")
        for handle in ("mine", session):
            runs = self.client.get("/v1/runs?session=" + handle).json()["runs"]
            self.assertEqual([run["session"] for run in runs], [session], handle)
        self.assertTrue(self.records("session", session="mine"))
        self.client.post("/v1/sessions/mine/runs", {"code": "exit()"})
        wait_for(lambda: self.client.get("/v1/sessions/" + session).json()["state"] == "ended",
                   "the end of the session")
        self.assertEqual(len(self.client.get("/v1/runs?session=mine").json()["runs"]), 2)

    def test_a_damaged_body_is_the_daemons_fault(self):
        self.client.run("print(1)", id="hurt")
        self.client.run("print(2)", id="whole")
        self.assertEqual(self.daemon.stop(), 0)  # then all bodies are in their files
        hurt = [file for file in (self.daemon.state / "bodies").rglob("*")
                if file.is_file() and b'"hurt"' in file.read_bytes()]
        self.assertTrue(hurt)
        for file in hurt:
            file.write_bytes(b"{}")
        self.daemon.start()
        self.client = self.daemon.client()
        answer = self.client.get("/v1/runs/hurt")
        self.assertEqual(answer.status, 500, answer.body)
        self.assertIn("damaged", answer.json()["error"]["message"])
        self.assertEqual(self.client.get("/v1/runs/whole").status, 200)

    def test_what_is_done_to_a_session_that_is_being_deleted_says_so(self):
        seen = set()
        for n in range(24):
            session = self.session()
            code = "big = bytearray(%d << 20)" % (8 + 8 * (n % 4))
            self.client.post("/v1/sessions/%s/runs" % session, {"code": code})
            what, body = (("fork", {"count": 2}), ("checkpoints", {}))[n % 2]
            answers, other = [], self.daemon.client()
            thread = threading.Thread(target=lambda: answers.append(
                other.post("/v1/sessions/%s/%s" % (session, what), body)))
            thread.start()
            time.sleep(0.002 * (n % 12))
            self.assertIn(self.client.delete("/v1/sessions/" + session).status, (200, 404))
            thread.join()
            other.close()
            self.assertIn(answers[0].status, (200, 404), answers[0].body)
            seen.add(answers[0].status)
            for made in answers[0].json().get("sessions", []):
                self.client.delete("/v1/sessions/" + made["id"])
        self.assertIn(404, seen)
