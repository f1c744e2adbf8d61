"""Artefacts as users see them: adding, using, refusing and removing, by command and by HTTP."""
import json
import os
import shutil
import signal
import threading

from artefacts.case import OPEN, Place, REFUSALS, SECONDS, sha256
from service.daemon import ORDINARY_UID
from suite import wait_for

CHANGED = "artefact iris was changed in the store: run belljar artefact verify iris"


class Adding(Place):
    def test_a_file_has_the_digest_of_its_bytes(self):
        added = self.add("iris", b"petals\n")
        self.assertEqual(added["digest"], sha256(b"petals\n"))
        self.assertEqual((added["shape"], added["files"], added["bytes"]), ("file", 1, 7))
        self.assertEqual(json.loads(self.artefact("show", "iris", "--json").stdout), added)
        self.assertEqual(json.loads(self.artefact("list", "--json").stdout), [added])
        self.assertIn("verified iris: " + added["digest"], self.artefact("verify", "iris").stdout)

    def test_a_tree_has_the_digest_of_its_documented_listing(self):
        added = self.add("model", {"b/hello": b"hello\n", "a": b""})
        lines = ["a\tfile\t0\t" + sha256(b"")[7:], "b\tdir", "b/hello\tfile\t6\t" + sha256(b"hello\n")[7:]]
        listing = "belljar artefact tree 1\n" + "".join(line + "\n" for line in sorted(lines))
        self.assertEqual(added["digest"], sha256(listing.encode()))

    def test_what_is_no_plain_file_is_refused_by_name(self):
        tree = self.home / "tree"
        tree.mkdir()
        (tree / "link").symlink_to("/etc/passwd")
        self.assertIn('the link "link" to "/etc/passwd" is absolute', self.refusal(tree))
        (tree / "link").unlink()
        (tree / "link").symlink_to("../source")
        self.assertIn("leaves the artefact", self.refusal(tree))
        (tree / "link").unlink()
        os.mkfifo(tree / "pipe")
        self.assertIn('"pipe" is a socket, a FIFO or a device', self.refusal(tree))
        (tree / "pipe").unlink()
        (tree / "tool").touch()
        (tree / "tool").chmod(0o4755)
        self.assertIn('"tool" is setuid', self.refusal(tree))
        self.assertIn("letters, digits", self.artefact("add", "../x", "/etc/hostname").stderr)
        self.assertEqual(json.loads(self.artefact("list", "--json").stdout), [])
        self.assertEqual(sorted(os.listdir(self.state / "artefacts")), [".lock", "names", "objects"])

    def refusal(self, path):
        done = self.artefact("add", "iris", str(path))
        self.assertEqual(done.returncode, 125)
        return done.stderr

    def test_a_name_is_replaced_only_if_that_is_said(self):
        self.add("iris", b"one")
        (self.home / "two").write_bytes(b"two")
        self.assertIn("of other content", self.refusal(self.home / "two"))
        self.assertEqual(self.add("iris", b"two", "--replace")["digest"], sha256(b"two"))
        self.assertEqual(len(os.listdir(self.state / "artefacts/objects")), 1)

    def test_killed_in_the_middle_it_leaves_nothing(self):
        (self.home / "endless").mkdir()
        pipe = self.home / "endless/data"
        with open(pipe, "wb") as file:
            file.truncate(20 << 30)  # sparse: quick to make, long to read
        process = self.start("artefact", "add", "iris", str(pipe))
        store = self.state / "artefacts"
        wait_for(lambda: store.exists() and any(
            path.stat().st_size > 0 for path in store.glob(".adding.*/content")))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assertEqual(len(list(store.glob(".adding.*"))), 1)
        self.assertEqual(self.belljar("run", "-c", "1").returncode, 0)  # any start will do
        self.assertEqual(sorted(os.listdir(store)), [".lock", "names", "objects"])
        self.assertEqual(os.listdir(store / "objects"), [])

    def test_many_at_once(self):
        names = ["n%d" % i for i in range(6)]
        for i, name in enumerate(names):
            (self.home / name).write_bytes(b"x" * (1 << 20) + b"ab"[i % 2:i % 2 + 1])
        processes = [self.start("artefact", "add", name, str(self.home / name)) for name in names]
        for process in processes:
            _, said = process.communicate(timeout=SECONDS)
            self.assertEqual(process.returncode, 0, said)
        self.assertEqual(len(json.loads(self.artefact("list", "--json").stdout)), 6)
        self.assertEqual(len(os.listdir(self.state / "artefacts/objects")), 2)


class Using(Place):
    READ = "import os\nprint(open(os.environ['BELLJAR_ARTEFACTS'] + '/iris').read(), end='')"

    def test_a_file_and_a_tree(self):
        self.add("iris", b"petals")
        self.add("model", {"layers/one": b"1", "config": b"c"})
        result = self.run_json("import os\nprint(open('/artefacts/iris').read(), "
                               "open('/artefacts/model/layers/one').read(), "
                               "sorted(os.listdir('/artefacts')))", "iris", "model")
        self.assertEqual(result["stdout"], "petals 1 ['iris', 'model']\n", result)
        node = self.belljar("run", "--lang", "javascript", "--artefact", "iris", "-c",
                            "console.log(require('fs').readFileSync('/artefacts/iris', 'utf8'))")
        self.assertEqual(node.stdout, "petals\n", node.stderr)
        command = self.belljar("exec", "--artefact", "model", "--", "cat", "/artefacts/model/config")
        self.assertEqual(command.stdout, "c", command.stderr)

    def test_standard_and_its_guard_let_it_be_read(self):
        (self.home / "open.toml").write_text(OPEN.replace("relaxed", "standard"))
        self.add("iris", b"petals")
        result = self.run_json("print(open('/artefacts/iris').read())", "iris")
        self.assertEqual((result["outcome"], result["stdout"], result["findings"]),
                         ("ok", "petals\n", []), result)

    def test_without_a_wish_there_is_nothing(self):
        self.add("iris", b"petals")
        result = self.run_json("import os\nprint(os.listdir('/artefacts'), 'BELLJAR_ARTEFACTS' in os.environ)")
        self.assertEqual(result["stdout"], "[] False\n")

    def test_nothing_about_it_can_be_changed(self):
        self.add("iris", b"petals")
        result = self.run_json("""
import json, mmap, os
def tried(way):
    try:
        way()
        return "worked"
    except OSError as error:
        return error.strerror
os.symlink("/artefacts/iris", "/workspace/link")
print(json.dumps([tried(way) for way in (
    lambda: open("/artefacts/iris", "r+b"), lambda: os.truncate("/artefacts/iris", 0),
    lambda: os.chmod("/artefacts/iris", 0o666), lambda: os.utime("/artefacts/iris", (0, 0)),
    lambda: os.unlink("/artefacts/iris"), lambda: os.rename("/artefacts/iris", "/artefacts/x"),
    lambda: open("/workspace/link", "w"), lambda: os.chmod("/artefacts", 0o777),
    lambda: os.setxattr("/artefacts/iris", "user.x", b"1"),
    lambda: open("/proc/self/fd/%d" % os.open("/artefacts/iris", os.O_RDONLY), "w"))]))
print(tried(lambda: os.link("/artefacts/iris", "/workspace/mine")))
print(tried(lambda: os.execv("/artefacts/iris", ["x"])))
fd = os.open("/artefacts/iris", os.O_RDONLY)
print(tried(lambda: mmap.mmap(fd, 6, prot=mmap.PROT_READ | mmap.PROT_WRITE, flags=mmap.MAP_SHARED)))
""", "iris")
        first, link, program, memory = result["stdout"].splitlines()
        self.assertLessEqual(set(json.loads(first)), REFUSALS, result)
        self.assertIn(link, ("Invalid cross-device link", "Operation not permitted"))
        self.assertEqual((program, memory), ("Permission denied", "Permission denied"))
        self.assertEqual(self.artefact("verify", "iris").returncode, 0)
        self.assertEqual(self.run_json(self.READ, "iris")["stdout"], "petals")

    def test_by_digest(self):
        added = self.add("iris", b"petals")
        self.assertEqual(self.run_json(self.READ, "iris@" + added["digest"])["stdout"], "petals")
        other = sha256(b"thorns")
        result = self.run_json(self.READ, "iris@" + other)
        self.assertEqual(result["outcome"], "refused")
        self.assertEqual(result["reason"],
                         "the artefact iris is not %s here" % other)
        result = self.run_json(self.READ, "modelx")
        self.assertEqual((result["outcome"], result["reason"].split(":")[0]),
                         ("refused", 'there is no artefact "modelx"'))
        self.assertIn("a digest is", self.belljar("run", "--artefact", "iris@x", "-c", "1").stderr)

    def test_what_the_policy_does_not_list_waits_for_a_person(self):
        added = self.add("secret", b"petals")
        code = "print(open('/artefacts/secret').read())"
        result = self.run_json(code, "secret")
        self.assertEqual(result["outcome"], "needs_approval", result)
        question = result["decision"]["approval"]["id"]
        self.assertIn("it asks for the artefact secret@" + added["digest"],
                      self.belljar("approvals", "show", question).stdout)
        approved = self.belljar("approvals", "approve", "--yes", question)
        self.assertEqual(approved.returncode, 0, approved.stderr)
        # Another content is another request.
        self.add("secret", b"thorns", "--replace")
        self.assertEqual(self.run_json(code, "secret")["outcome"], "needs_approval")
        self.add("secret", b"petals", "--replace")
        approved = self.run_json(code, "secret")
        self.assertEqual((approved["outcome"], approved.get("stdout")), ("ok", "petals\n"), approved)

    def test_a_policy_can_name_the_digest(self):
        added = self.add("secret", b"petals")
        text = 'extends = "relaxed"\n[artefacts]\nallow = ["secret@%s"]\n'
        (self.home / "open.toml").write_text(text % added["digest"])
        self.assertEqual(self.run_json("1", "secret")["outcome"], "ok")
        (self.home / "open.toml").write_text(text % sha256(b"thorns"))
        self.assertEqual(self.run_json("1", "secret")["outcome"], "needs_approval")

    def test_lines(self):
        added = self.add("iris", b"petals")
        lines = [{"id": 1, "code": self.READ, "artefacts": ["iris"]}, {"id": 2, "code": "print(2)"},
                 {"id": 3, "code": self.READ, "artefacts": ["iris@" + added["digest"]]},
                 {"id": 4, "code": self.READ, "artefacts": ["iris", "iris"]},
                 {"id": 5, "code": "1", "artefacts": ["../iris"]}]
        done = self.belljar("run", "--jsonl", stdin="".join(json.dumps(line) + "\n" for line in lines))
        answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
        self.assertEqual([answers[i].get("stdout") for i in (1, 2, 3)], ["petals", "2\n", "petals"])
        self.assertIn("asked for twice", answers[4]["error"]["message"])
        self.assertIn("artefact's name", answers[5]["error"]["message"])


class Ordinary(Using):
    """The same for who is not root."""
    uid = ORDINARY_UID


class Tampering(Place):
    def refused(self, why=CHANGED):
        result = self.run_json("print(open('/artefacts/iris').read())", "iris")
        self.assertEqual((result["outcome"], result.get("reason")), ("refused", why), result)

    def test_another_content_is_not_mounted(self):
        content = self.content(self.add("iris", b"petals"))
        content.chmod(0o644)
        content.write_bytes(b"thorns")
        content.chmod(0o444)
        os.utime(content, (0, 0))
        self.refused()
        done = self.artefact("verify", "iris")
        self.assertEqual(done.returncode, 125)
        self.assertIn("artefact iris is damaged: it is " + sha256(b"thorns"), done.stderr)
        self.add("iris", b"petals")  # mends it
        self.assertEqual(self.run_json("print(open('/artefacts/iris').read())", "iris")["stdout"], "petals\n")

    def test_neither_is_a_link_nor_a_copy_in_its_place(self):
        content = self.content(self.add("iris", b"petals"))
        content.rename(self.home / "kept")
        content.symlink_to(self.home / "kept")
        self.refused()
        content.unlink()
        shutil.copy2(self.home / "kept", content)
        self.refused()
        self.assertEqual(self.artefact("verify", "iris").returncode, 0)  # the bytes are right
        self.assertEqual(self.run_json("1", "iris")["outcome"], "ok")

    def test_nor_a_folder_that_leads_elsewhere(self):
        added = self.add("iris", b"petals")
        place = self.content(added).parent
        place.rename(self.home / "kept")
        place.symlink_to(self.home / "kept")
        self.refused()


class Swapping(Place):
    def test_a_swap_that_never_stops_shows_the_right_bytes_or_none(self):
        # The folder, not the file: to rename a file leaves a mark on it.
        good = self.content(self.add("iris", b"petals")).parent
        evil, aside = self.home / "evil", self.home / "aside"
        shutil.copytree(good, evil)
        (evil / "content").chmod(0o644)
        (evil / "content").write_bytes(b"thorns")
        (evil / "content").chmod(0o444)
        for path in (evil, *evil.iterdir()):
            os.chown(path, self.user, self.user)
        stop = threading.Event()

        def swap():
            while not stop.is_set():
                os.rename(good, aside)
                os.rename(evil, good)
                stop.wait(0.001)
                os.rename(good, evil)
                os.rename(aside, good)
                stop.wait(0.001)

        thread = threading.Thread(target=swap)
        thread.start()
        lines = [{"id": i, "code": "print(open('/artefacts/iris').read())", "artefacts": ["iris"]}
                 for i in range(30)]
        try:
            done = self.belljar("run", "--jsonl",
                                stdin="".join(json.dumps(line) + "\n" for line in lines))
        finally:
            stop.set()
            thread.join()
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(answers), 30, done.stderr)
        shown = {answer.get("stdout") for answer in answers if answer.get("outcome") == "ok"}
        self.assertLessEqual(shown, {"petals\n"}, answers)


class SwappingOrdinary(Swapping):
    """The same where another process walks to it once more."""
    uid = ORDINARY_UID


class BehindGvisor(Place):
    CODE = """
import json, os
def tried(way):
    try:
        way()
        return "worked"
    except OSError as error:
        return error.strerror
print(open('/artefacts/iris').read(), open('/artefacts/model/a').read(), sorted(os.listdir('/artefacts')))
print(json.dumps([tried(way) for way in (
    lambda: os.chmod('/artefacts/iris', 0o666), lambda: os.chmod('/artefacts/model', 0o777),
    lambda: open('/artefacts/iris', 'w'), lambda: open('/artefacts/model/new', 'w'),
    lambda: os.unlink('/artefacts/model/a'), lambda: open('/artefacts/new', 'w'),
    lambda: os.execv('/artefacts/iris', ['x']))]))
"""

    def test_it_is_the_same(self):
        self.add("iris", b"petals")
        self.add("model", {"a": b"1"})
        self.add("modelother", b"2")
        flags = ["--backend", "gvisor", "--allow-unenforced", "memory", "--allow-unenforced", "cpus"]
        result = self.run_json(self.CODE, "iris", "model", flags=flags)
        seen, tried = result["stdout"].splitlines()
        self.assertEqual(seen, "petals 1 ['iris', 'model']", result)
        self.assertLessEqual(set(json.loads(tried)), REFUSALS)
        self.assertEqual(result["layers"]["backend"], "gvisor")
        for name in ("iris", "model"):
            self.assertEqual(self.artefact("verify", name).returncode, 0)


class BehindGvisorOrdinary(BehindGvisor):
    uid = ORDINARY_UID
