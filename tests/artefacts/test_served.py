"""Artefacts by HTTP, and what a daemon makes of them: sessions, records, replays, policies."""
import os
import pathlib
import re
import signal
import tempfile

from artefacts.case import OPEN, sha256
from service.daemon import ORDINARY_UID
from suite import Suite, wait_for


class Served(Suite):
    uid = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="belljar-artefacts-")
        os.chmod(cls.folder.name, 0o755)
        cls.policy = pathlib.Path(cls.folder.name, "policy.toml")
        cls.policy.write_text(OPEN)
        cls.daemon = cls.new_daemon("--policy", str(cls.policy), "--pool", "1", uid=cls.uid)
        cls.daemon.env.pop("BELLJAR_LEVEL")
        cls.daemon.start()
        cls.client = cls.daemon.client()
        for name, data in (("iris", b"petals"), ("secret", b"hidden")):
            answer = cls.client.ask("PUT", "/v1/artefacts/" + name, data,
                                    {"Content-Type": "application/octet-stream"})
            assert answer.status == 200, answer.body

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.daemon.__exit__()
        cls.folder.cleanup()

    def token(self, scope):
        made = self.daemon.command("token", "add", "ann", "--scope", scope)
        return self.daemon.client(re.search(r"bj_\S+", made.stdout).group(0))

    def put(self, name, data, query=""):
        return self.client.ask("PUT", "/v1/artefacts/" + name + query, data,
                               {"Content-Type": "application/octet-stream"})

    READ = "print(open('/artefacts/iris').read())"

    def test_runs_and_their_records(self):
        result = self.client.run(self.READ, artefacts=["iris"])
        self.assertEqual(result["stdout"], "petals\n", result)
        record = self.client.get("/v1/audit/%d" % result["audit"]["index"]).json()
        self.assertIn({"name": "iris", "digest": sha256(b"petals")}, record["detail"]["asked"]["artefacts"])
        refused = self.client.run(self.READ, artefacts=["iris@" + sha256(b"x")])
        self.assertEqual(refused["outcome"], "refused")

    def test_a_session(self):
        made = self.client.post("/v1/sessions", {"artefacts": ["iris"]}).json()
        run = lambda **more: self.client.post("/v1/sessions/%s/runs" % made["id"], more)
        self.assertEqual(run(code=self.READ).json()["stdout"], "petals\n")
        saved = self.client.post("/v1/sessions/%s/checkpoints" % made["id"], {}).json()
        # Whatever the name stands for by now: this session has what it was made with.
        self.assertEqual(self.put("iris", b"thorns", "?replace=true").status, 200)
        self.assertEqual(run(code=self.READ).json()["stdout"], "petals\n")
        late = run(code="1", artefacts=["iris"])
        self.assertIn("when the session is made", late.json()["error"]["message"])
        back = self.client.post("/v1/sessions/%s/rollback" % made["id"], {"checkpoint": saved["id"]})
        self.assertIn("is not " + sha256(b"petals"), back.json()["error"]["message"])
        self.client.delete("/v1/sessions/" + made["id"])
        self.assertEqual(self.put("iris", b"petals", "?replace=true").status, 200)
        answer = self.client.post("/v1/sessions", {"artefacts": ["secret"]})
        self.assertEqual(answer.status, 403)
        self.assertIn("it asks for the artefact secret", answer.json()["error"]["message"])

    def test_a_session_goes_back_with_its_artefacts(self):
        made = self.client.post("/v1/sessions", {"artefacts": ["iris"]}).json()
        place = "/v1/sessions/" + made["id"]
        saved = self.client.post(place + "/checkpoints", {}).json()
        self.assertEqual(self.client.post(place + "/rollback", {"checkpoint": saved["id"]}).status, 200)
        self.assertEqual(self.client.post(place + "/runs", {"code": self.READ}).json()["stdout"], "petals\n")
        self.client.delete(place)

    def test_who_sees_and_who_may(self):
        ann = self.token("run")
        shown = ann.get("/v1/artefacts").json()["artefacts"]
        self.assertEqual([(one["name"], one["allowed"]) for one in shown], [("iris", True)])
        every = self.client.get("/v1/artefacts").json()["artefacts"]
        self.assertEqual([(one["name"], one["allowed"]) for one in every], [("iris", True), ("secret", False)])
        self.assertEqual(ann.ask("PUT", "/v1/artefacts/mine", b"x").status, 403)
        self.assertEqual(ann.delete("/v1/artefacts/iris").status, 403)
        self.assertEqual(ann.run(self.READ, artefacts=["iris"])["stdout"], "petals\n")
        ann.close()

    def test_uploads_come_and_go(self):
        data = os.urandom(5 << 20)
        added = self.put("model-1", data).json()
        self.assertEqual((added["digest"], added["bytes"]), (sha256(data), len(data)))
        self.assertEqual(self.put("model-1", b"other").status, 400)
        self.assertEqual(self.put("model-1", b"other", "?replace=yes").status, 400)
        self.assertEqual(self.put(".hidden", b"x").status, 400)
        self.assertEqual(self.client.delete("/v1/artefacts/model-1").json(),
                         {"name": "model-1", "content": "deleted"})
        self.assertEqual(self.client.delete("/v1/artefacts/model-1").status, 404)

    def test_an_upload_that_breaks_off_leaves_nothing(self):
        other = self.daemon.client()
        other.connection.putrequest("PUT", "/v1/artefacts/half")
        other.connection.putheader("Content-Length", str(1 << 20))
        other.connection.endheaders()
        other.connection.send(b"x" * 1000)
        store = self.daemon.state / "artefacts"
        wait_for(lambda: any(store.glob(".adding.*")))
        other.close()
        wait_for(lambda: not any(store.glob(".adding.*")))
        self.assertNotIn("half", [one["name"] for one in self.client.get("/v1/artefacts").json()["artefacts"]])

    def test_a_replay_has_the_same_content_or_says_what_is_missing(self):
        self.put("model-r", b"same")
        first = self.client.run("print(open('/artefacts/model-r').read())", artefacts=["model-r"])
        again = self.client.post("/v1/runs/%s/replay" % first["id"], {}).json()
        self.assertTrue(again["same"], again)
        self.put("model-r", b"other", "?replace=true")
        answer = self.client.post("/v1/runs/%s/replay" % first["id"], {})
        self.assertEqual(answer.status, 404, answer.body)
        self.assertIn("the artefact model-r is not %s here" % sha256(b"same"),
                      answer.json()["error"]["message"])
        self.client.delete("/v1/artefacts/model-r")

    def test_what_was_removed_stays_for_who_has_it(self):
        self.put("model-s", b"held")
        made = self.client.post("/v1/sessions", {"artefacts": ["model-s"]}).json()
        self.assertEqual(self.client.delete("/v1/artefacts/model-s").json()["content"], "in use")
        run = self.client.post("/v1/sessions/%s/runs" % made["id"],
                               {"code": "print(open('/artefacts/model-s').read())"}).json()
        self.assertEqual(run["stdout"], "held\n", run)
        self.client.delete("/v1/sessions/" + made["id"])
        self.assertEqual(self.client.run("1", artefacts=["model-s"])["outcome"], "refused")

    def test_taken_from_the_policy_it_is_given_no_more(self):
        made = self.client.post("/v1/sessions", {"artefacts": ["iris"]}).json()
        run = lambda: self.client.post("/v1/sessions/%s/runs" % made["id"], {"code": self.READ}).json()
        self.assertEqual(run()["outcome"], "ok")
        try:
            self.policy.write_text('extends = "relaxed"\n')
            self.daemon.process.send_signal(signal.SIGHUP)
            wait_for(lambda: self.client.run("1", artefacts=["iris"])["outcome"] != "ok")
            self.assertEqual(self.client.run("1", artefacts=["iris"])["outcome"], "needs_approval")
            self.assertEqual(run()["outcome"], "needs_approval", "nor to another run of a session")
        finally:
            self.policy.write_text(OPEN)
            self.daemon.process.send_signal(signal.SIGHUP)
            wait_for(lambda: self.client.run("1", artefacts=["iris"])["outcome"] == "ok")
        self.client.delete("/v1/sessions/" + made["id"])


class ServedOrdinary(Served):
    """By a daemon that is not root."""
    uid = ORDINARY_UID
