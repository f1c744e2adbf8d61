"""The files of a session's workspace, and where a daemon keeps its own, by a real `belljar serve`."""
import io
import tarfile

import pytest

from suite import OnBackend, Suite


@pytest.mark.everywhere
class Files(OnBackend):
    def url(self, session, path=""):
        return "/v1/sessions/%s/files%s" % (session, path)

    def test_write_read_list_delete(self):
        session = self.session()
        self.assertEqual(self.client.put(self.url(session, "/a/b.bin"), b"\x00\xff").status, 200)
        self.assertEqual(self.client.get(self.url(session, "/a/b.bin")).body, b"\x00\xff")
        self.assertEqual(self.run_in(session, "print(open('a/b.bin','rb').read())")["stdout"],
                         "b'\\x00\\xff'\n")
        tree = self.client.get(self.url(session)).json()["files"]
        self.assertEqual([(file["path"], file["bytes"]) for file in tree], [("a/b.bin", 2)])
        self.assertEqual(self.client.delete(self.url(session, "/a")).status, 200)
        self.assertEqual(self.client.get(self.url(session, "/a/b.bin")).status, 404)

    def test_a_file_does_not_take_the_place_of_a_directory(self):
        session = self.session()
        self.assertEqual(self.client.put(self.url(session, "/a/b"), b"x").status, 200)
        answer = self.client.put(self.url(session, "/a"), b"y")
        self.assertEqual(answer.status, 400, answer.body)
        self.assertIn("a is a directory", answer.json()["error"]["message"])
        self.assertEqual(self.client.get(self.url(session, "/a/b")).body, b"x")

    def test_trees_come_and_go_as_tar(self):
        session = self.session()
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            info = tarfile.TarInfo("deep/er/x.txt")
            info.size = 5
            tar.addfile(info, io.BytesIO(b"hello"))
        answer = self.client.put(self.url(session), packed.getvalue(),
                                 headers={"Content-Type": "application/x-tar"})
        self.assertEqual((answer.status, answer.json()["files"]), (200, 1), answer.body)
        back = self.client.get(self.url(session), headers={"Accept": "application/x-tar"}).body
        with tarfile.open(fileobj=io.BytesIO(back)) as tar:
            self.assertEqual(tar.extractfile("deep/er/x.txt").read(), b"hello")

    def test_names_in_any_script_come_and_go_as_tar(self):
        session = self.session()
        self.run_in(session, "import os\nos.mkdir('d\u00e9j\u00e0')\nopen('d\u00e9j\u00e0/\u65e5', 'w').write('x')")
        back = self.client.get(self.url(session), headers={"Accept": "application/x-tar"}).body
        with tarfile.open(fileobj=io.BytesIO(back)) as tar:
            self.assertEqual(tar.extractfile("d\u00e9j\u00e0/\u65e5").read(), b"x")
        other = self.session()
        answer = self.client.put(self.url(other), back)
        self.assertEqual(answer.status, 200, answer.body)
        tree = self.client.get(self.url(other)).json()["files"]
        self.assertEqual([file["path"] for file in tree], ["d\u00e9j\u00e0/\u65e5"])

    def test_what_does_not_fit_is_too_large_and_not_to_be_tried_again(self):
        session = self.session(workspace="1M")
        answer = self.client.put(self.url(session, "/big"), bytes(2 << 20))
        self.assertEqual(answer.status, 413, answer.body)
        self.assertIn("the workspace has no room", answer.json()["error"]["message"])

    def test_what_is_done_to_it_is_recorded_with_the_callers_marks(self):
        trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        marks = {"traceparent": trace, "X-Correlation-Id": "c-7"}
        session = self.client.post("/v1/sessions", {"name": "marked"}, headers=marks).json()["id"]
        url = self.url("marked", "/a")  # by its name
        self.client.put(url, b"x", headers=marks)
        self.client.delete(url)
        records = self.client.get("/v1/audit?session=%s" % session).json()["records"]
        told = [(record["event"], record["detail"].get("action"), record.get("correlation_id"))
                for record in reversed(records)]
        self.assertEqual(told, [("session", None, "c-7"), ("file", "write", "c-7"),
                                ("file", "delete", None)])
        self.assertEqual([record.get("traceparent") for record in records], [None, trace, trace])

    def test_what_does_not_fit_leaves_what_was_there(self):
        session = self.session(workspace="1M")
        self.assertEqual(self.client.put(self.url(session, "/notes"), b"precious").status, 200)
        self.assertEqual(self.client.put(self.url(session, "/notes"), b"x" * (2 << 20)).status, 413)
        self.assertEqual(self.client.get(self.url(session, "/notes")).body, b"precious")
        listed = self.client.get(self.url(session)).json()["files"]
        self.assertEqual([file["path"] for file in listed], ["notes"])

    def test_what_is_too_much_for_an_answer_is_refused_and_not_cut(self):
        session = self.session(workspace_inodes=20000, workspace="100M")
        self.run_in(session, "open('big', 'wb').truncate(70 << 20)")
        self.assertEqual(self.client.get(self.url(session, "/big")).status, 413)
        self.run_in(session, "for i in range(10_001): open(str(i), 'w').close()")
        tar = self.client.get(self.url(session), headers={"Accept": "application/x-tar"})
        self.assertEqual(tar.status, 413, tar.body[:200])

    def test_a_tar_with_a_trick_is_refused_whole(self):
        session = self.session()
        for trick in ("../out", "/etc/out"):
            packed = io.BytesIO()
            with tarfile.open(fileobj=packed, mode="w") as tar:
                for name in ("good", trick):
                    tar.addfile(tarfile.TarInfo(name))
            answer = self.client.put(self.url(session), packed.getvalue())
            self.assertEqual(answer.status, 400, answer.body)
        self.assertEqual(self.client.get(self.url(session)).json()["files"], [])

    def test_links_lead_nowhere(self):
        session = self.session()
        self.run_in(session, "import os\nos.symlink('/etc/passwd', 'p')\nos.symlink('/etc', 'd')")
        self.assertNotEqual(self.client.get(self.url(session, "/p")).status, 200)
        self.assertNotEqual(self.client.get(self.url(session, "/d/passwd")).status, 200)
        self.assertNotEqual(self.client.put(self.url(session, "/d/new"), b"x").status, 200)
        self.assertEqual(self.client.get(self.url(session, "/%2e%2e/x")).status, 400)


class StateDirectory(Suite):
    def test_it_can_be_named_from_where_one_is(self):
        with self.backend_daemon() as daemon:
            daemon.client().run("1")
            for command in (("audit", "verify"), ("audit", "list"), ("approvals", "list"),
                            ("token", "list"), ("skill", "list"), ("image", "list"),
                            ("session", "list"), ("run", "-c", "1")):
                done = daemon.command(*command, state="./" + daemon.state.name,
                                      cwd=daemon.state.parent)
                self.assertEqual((done.returncode, done.stderr), (0, ""), command)
            self.assertEqual(daemon.stop(), 0)
            done = daemon.command("skill", "list", state=daemon.state.name,
                                  cwd=daemon.state.parent)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
