"""The interpreter's own word on the syntax of a text, in a check, by command and by HTTP."""
import json
import os
import pathlib
import tempfile

from suite import OneDaemon

# Text, language, and where its interpreter finds what wrong.
REFUSED = (
    ("x = 1\nreturn x\n", "python", (2, 1), "Python says: 'return' outside function, in: return x"),
    ("a = 'é' 5\n", "python", (1, 10), "Python says: invalid syntax"),
    ("print(1, (2\n", "python", (1, 10), "Python says: '(' was never closed, in: print(1, (2"),
    ("let a = 1;\nlet a = 2;", "javascript", (2, 5),
     "Node says: Identifier 'a' has already been declared, in: let a = 2;"),
    ("import fs from 'fs';\nlet b c;", "javascript", (2, 7),
     "Node says: Unexpected identifier"),
    ("echo 1\nif true; then\n  echo )\nfi\n", "bash", (3, 1),
     "bash says: syntax error near unexpected token `)'"),
)
ACCEPTED = (
    ("def f():\n    return 1\nprint(f())\n", "python"),
    ("return 3;", "javascript"),
    ("import fs from 'fs';\nawait 1;\nexport default fs;", "javascript"),
    ("const f = async () => 1;\nconsole.log(await f());", "javascript"),
    ("for i in 1 2; do echo $i; done", "bash"),
)
# bash takes it, and the tree cannot read it.
UNREAD = "if [[ $x == *.@(a|b) ]]; then :; fi"


def syntax(answer):
    return [finding for finding in answer["findings"] if finding["rule"].endswith("-syntax")]


class Syntax(OneDaemon):
    def ask(self, code, lang, path="/v1/check", **more):
        answer = self.client.post(path, {"code": code, "lang": lang, **more})
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def test_its_message_and_place_are_the_finding(self):
        for code, lang, place, message in REFUSED:
            found = syntax(self.ask(code, lang))
            self.assertEqual(len(found), 1, found)
            self.assertEqual((found[0]["line"], found[0]["column"]), place, found)
            self.assertTrue(found[0]["message"].startswith(message), found)

    def test_what_it_accepts_has_no_finding(self):
        for code, lang in ACCEPTED:
            answer = self.ask(code, lang)
            self.assertEqual(syntax(answer), [], code)
            self.assertNotIn("notes", answer)

    def test_what_it_accepts_and_the_tree_cannot_read_stays_a_finding(self):
        answer = self.ask(UNREAD, "bash", level="strict")
        found = syntax(answer)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0]["message"].startswith("bash accepts this text"), found)
        self.assertEqual(answer["decision"]["action"], "review")

    def records(self):
        """All but that this caller has come, which is written down behind its first answer."""
        found = self.client.get("/v1/audit?limit=1000").json()["records"]
        return [record for record in found if record["event"] != "token"]

    def test_nothing_is_run_and_nothing_recorded(self):
        before = self.records()
        for code, lang in (("import os\nos.abort()\nopen('/tmp/was-run', 'w')", "python"),
                           ("require('fs').writeFileSync('/tmp/was-run', ''); process.abort()",
                            "javascript"),
                           ("touch /tmp/was-run; kill -9 $$", "bash")):
            answer = self.ask(code, lang, level="relaxed")
            self.assertNotIn("notes", answer)
            self.assertEqual(syntax(answer), [])
        self.assertEqual(self.records(), before)

    def test_quick_asks_nobody(self):
        code, lang = REFUSED[0][:2]
        self.assertEqual(syntax(self.ask(code, lang, "/v1/check?quick")), [])
        self.assertEqual(self.client.post("/v1/check?slow", {"code": "1"}).status, 400)
        quick = json.loads(self.belljar("check", "--json", "--quick", "-c", code).stdout)
        self.assertEqual(syntax(quick), [])

    def test_the_command_asks_by_itself(self):
        for code, lang, place, message in (REFUSED[0], REFUSED[-1]):
            done = self.belljar("check", "--lang", lang, "-c", code)
            self.assertIn("-c:%d:%d: warning: %s" % (*place, message), done.stdout)

    def test_lines_are_asked_about_where_the_tree_takes_them_for_wrong(self):
        lines = "".join(json.dumps({"id": i, "code": code, "lang": lang}) + "\n"
                        for i, (code, lang) in enumerate([REFUSED[0][:2], REFUSED[2][:2],
                                                          (UNREAD, "bash")]))
        done = self.belljar("check", "--jsonl", stdin=lines)
        answers = sorted(map(json.loads, done.stdout.splitlines()), key=lambda each: each["id"])
        told = [[finding["message"].split(" ")[0] for finding in syntax(each)] for each in answers]
        self.assertEqual(told, [[], ["Python"], ["bash"]], done.stderr)

    def test_without_an_image_the_tree_has_the_word_and_none_is_made(self):
        with tempfile.TemporaryDirectory(prefix="belljar-empty-") as folder:
            state = pathlib.Path(folder, "state")
            done = self.belljar("check", "--json", "-c", "def f(:", state=state)
            self.assertEqual(len(syntax(json.loads(done.stdout))), 1, done.stderr)
            self.assertFalse(state.exists())

    def test_where_no_cell_can_be_made_a_note_says_so(self):
        with tempfile.TemporaryDirectory(prefix="belljar-broken-") as folder:
            broken = pathlib.Path(folder, "images", "broken")
            (broken / "rootfs").mkdir(parents=True)
            os.chmod(folder, 0o700)
            os.symlink(self.images / "default", pathlib.Path(folder, "images", "default"))
            manifest = json.loads((self.images / "default" / "image.json").read_text())
            (broken / "image.json").write_text(json.dumps(manifest))
            done = self.belljar("check", "--json", "--image", "broken", "-c", "def f(:",
                                state=folder)
            answer = json.loads(done.stdout)
            self.assertEqual(len(syntax(answer)), 1, answer)
            self.assertIn("the syntax is judged by its tree alone: ", answer["notes"][0])
