"""Checkpoints, rollback and fork of sessions, by a real `belljar serve`."""
import pathlib

import pytest

from suite import OnBackend, wait_for

pytestmark = pytest.mark.slow

# State of every kind that a program can see: values, the addresses of objects, open files, what the
# kernel holds for the process.
MAKE_STATE = r"""
import collections, io, os, random, signal, sys, decimal, json, re

class Node:
    def __init__(self, value): self.value, self.next = value, self
def make_counter():
    n = 0
    def count():
        nonlocal n
        n += 1
        return n
    return count
async def wait(): import asyncio; await asyncio.sleep(0); return "awaited"

counter, node, generator = make_counter(), Node([1, {2: "two"}]), (i * i for i in range(10))
counter(); next(generator); next(generator)
random.seed(42)
big = bytearray(b"belljar" * 100_000)
os.makedirs("deep/er", exist_ok=True)
text = open("deep/er/text", "w+"); text.write("0123456789"); text.flush(); text.seek(3)
log = open("log", "a"); log.write("one\n"); log.flush()
os.symlink("deep/er/text", "link"); os.link("log", "same-log"); os.chmod("log", 0o640)
os.utime("log", ns=(10**18 + 1, 10**18 + 7))
os.chdir("deep"); os.umask(0o027); os.environ["MINE"] = "yes"
signal.signal(signal.SIGUSR1, lambda *_: None)
context = decimal.getcontext(); context.prec = 7
await wait()
"""
SEE_STATE = r"""
import hashlib
json.dumps([counter.__closure__[0].cell_contents, node.value[1][2], node.next is node, id(node), id(big),
    hashlib.sha256(big).hexdigest(), generator.gi_frame.f_locals["i"], repr(random.getstate())[:200],
    text.tell(), log.name, os.getcwd(), os.environ["MINE"], os.umask(os.umask(0)) and None,
    context.prec, sorted(sys.modules) == modules, signal.getsignal(signal.SIGUSR1).__name__,
    sorted(os.listdir("/proc/self/fd"))], default=str)
"""
SPOIL_STATE = r"""
counter(); node.value = None; list(generator); random.random(); big[:] = b"x" * len(big)
text.seek(0); text.write("spoiled"); text.close(); log.write("two\n"); log.close()
os.chdir("/workspace"); os.remove("link"); os.rename("deep", "shallow"); open("more", "w").write("more")
os.chmod("log", 0o600); os.environ["MINE"] = "no"; del context; import sqlite3, xml.dom.minidom
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
"""


class Checkpoints(OnBackend):
    def value(self, session, code):
        result = self.run_in(session, code)
        self.assertEqual(result["outcome"], "ok", result)
        return result["results"][-1]["text/plain"]

    def checkpoint(self, session):
        answer = self.client.post("/v1/sessions/%s/checkpoints" % session)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()["id"]

    def rollback(self, session, checkpoint):
        answer = self.client.post("/v1/sessions/%s/rollback" % session, {"checkpoint": checkpoint})
        self.assertEqual(answer.status, 200, answer.body)

    def fork(self, session, count):
        answer = self.client.post("/v1/sessions/%s/fork" % session, {"count": count})
        self.assertEqual(answer.status, 200, answer.body)
        return [one["id"] for one in answer.json()["sessions"]]

    def tree(self, session):
        """Everything about the workspace, as `find` and `sha256sum` would tell it."""
        return self.value(session, r'''
import os, hashlib
def _tell(path):
    s = os.lstat(path)
    body = (os.readlink(path) if os.path.islink(path) else
            hashlib.sha256(open(path, "rb").read()).hexdigest() if os.path.isfile(path) else "")
    return (path, oct(s.st_mode), s.st_nlink, s.st_size if not os.path.isdir(path) else 0,
            s.st_mtime_ns, s.st_uid == os.getuid(), body)
sorted(_tell(os.path.join(d, n)) for d, ds, fs in os.walk("/workspace") for n in ds + fs)
''')

    def refusal(self, session):
        answer = self.client.post("/v1/sessions/%s/checkpoints" % session)
        self.assertEqual(answer.status, 400, answer.body)
        return answer.json()["error"]["message"]


class Rollback(Checkpoints):
    @pytest.mark.everywhere
    def test_brings_back_memory_files_and_descriptors_exactly(self):
        session = self.session()
        self.run_in(session, MAKE_STATE)
        self.run_in(session, SEE_STATE.replace("sorted(sys.modules) == modules", "0"))
        self.run_in(session, "modules = sorted(sys.modules)")
        before, tree = self.value(session, SEE_STATE), self.tree(session)
        checkpoint = self.checkpoint(session)
        self.assertEqual(self.value(session, SEE_STATE), before, "a checkpoint changes nothing")
        self.run_in(session, SPOIL_STATE)
        for _ in range(2):
            self.rollback(session, checkpoint)
            self.assertEqual(self.value(session, SEE_STATE), before)
            self.assertEqual(self.tree(session), tree)
            self.assertEqual(self.value(session, "counter(), next(generator), await wait()"),
                             "(2, 4, 'awaited')")
            self.assertEqual(self.value(session, "text.read()"), "'3456789'")
            self.run_in(session, "log.write('three\\n'); log.close(); del node, counter")

    def test_a_further_checkpoint_holds_what_has_changed_and_brings_back_everything(self):
        self.further_checkpoints(self.session())

    def test_checkpoints_are_not_held_to_the_limit_on_the_size_of_files(self):
        self.further_checkpoints(self.session(file_size="1M"))

    def further_checkpoints(self, session):
        path = "/v1/sessions/%s/checkpoints" % session
        self.run_in(session, r'''
import hashlib
big = bytearray(range(256)) * (40 << 12)
spare = [bytearray(b"s" * (1 << 20)) for _ in range(4)]
def see(): return ([hashlib.sha256(part).hexdigest() for part in (big, *spare)],
                   sorted(name for name in globals() if name[0] != "_"))
''')
        states, made = [], []
        for change in ("0", "big[5_000_000:5_000_100] = b'c' * 100", "del spare[1], spare[1]",
                       "new = spare.append(bytearray(b'n' * (1 << 20)))", "big[::500_000] = b'x' * 84",
                       "words = [str(i) for i in range(1000)]"):
            self.run_in(session, change)
            states.append(self.value(session, "see()"))
            made.append(self.checkpoint(session))
        sizes = [one["memory_bytes"] for one in self.client.get(path).json()["checkpoints"]]
        self.assertGreater(sizes[0], 40 << 20)
        self.assertLess(max(sizes[1:]), 8 << 20, "few pages have changed")
        for i in (3, 0, 5, 1, 4, 2):
            self.run_in(session, "big[:] = bytes(len(big)); spare.clear()")
            self.rollback(session, made[i])
            self.assertEqual(self.value(session, "see()"), states[i])
        self.assertEqual(self.client.delete(path + "/" + made[0]).status, 200)
        self.run_in(session, "big[7] = 0; wanted = see()")
        branch = self.fork(session, 1)[0]
        self.assertEqual(self.value(branch, "see()[0] == wanted[0]"), "True",
                         "what it builds on outlives its own checkpoint")
        self.rollback(session, made[4])
        self.assertEqual(self.value(session, "see()"), states[4])
        self.run_in(session, "big[::4096] = b'y' * len(big[::4096])")
        whole = self.checkpoint(session)
        state = self.value(session, "see()")
        self.assertGreater(self.client.get(path).json()["checkpoints"][-1]["memory_bytes"], 40 << 20)
        self.run_in(session, "del big")
        self.rollback(session, whole)
        self.assertEqual(self.value(session, "see()"), state)

    def test_a_session_with_numpy_can_be_saved_and_brought_back(self):
        session = self.session()
        self.value(session, "import numpy\na = numpy.ones((300, 300))\nfloat((a @ a).sum())")
        checkpoint = self.checkpoint(session)
        self.value(session, "a[:] = 2\n1")
        self.rollback(session, checkpoint)
        self.assertEqual(self.value(session, "float((a @ a).sum())"), "27000000.0")

    def test_leaves_the_session_as_it_is_when_there_is_no_such_checkpoint(self):
        session = self.session()
        self.run_in(session, "x = 1")
        for body, status in (({"checkpoint": "c-9"}, 404), ({}, 400), ({"checkpoint": 1}, 400),
                             ({"checkpoint": "c-1", "more": 1}, 400)):
            answer = self.client.post("/v1/sessions/%s/rollback" % session, body)
            self.assertEqual(answer.status, status, answer.body)
        self.assertEqual(self.value(session, "x"), "1")

    def test_goes_to_and_fro_between_checkpoints_of_restored_sessions(self):
        session, made = self.session(), []
        for i in range(4):
            self.run_in(session, "x = %d\nopen('f', 'w').write(str(x))" % i)
            made.append(self.checkpoint(session))
            self.rollback(session, made[0])
            self.rollback(session, made[-1])
        for i in (2, 0, 3, 1):
            self.rollback(session, made[i])
            self.assertEqual(self.value(session, "x, open('f').read()"), "(%d, '%d')" % (i, i))

    def test_a_killed_run_is_followed_by_the_newest_checkpoint(self):
        session = self.session()
        stubborn = "import signal\nsignal.signal(2, signal.SIG_IGN)\nx = 9\nwhile True: pass"
        self.run_in(session, "x = 1")
        checkpoint = self.checkpoint(session)
        result = self.run_in(session, stubborn, timeout=0.5)
        self.assertEqual(result["outcome"], "timeout")
        self.assertEqual(result["session"]["state"], "idle")
        self.assertEqual(result["session"]["restored"], checkpoint)
        self.assertIn("longer", result["session"]["reason"])
        self.assertEqual(self.value(session, "x"), "1")
        result = self.run_in(session, "import os; os.kill(os.getpid(), 9)")
        self.assertEqual(result["session"].get("restored"), checkpoint, result)
        left = self.run_in(session, "import sys; sys.exit(3)")
        self.assertEqual(left["session"]["state"], "ended", "who leaves is not brought back")
        alone = self.session()
        self.assertEqual(self.run_in(alone, stubborn, timeout=0.5)["session"]["state"], "ended")

    def test_what_cannot_be_carried_is_refused_by_name_and_nothing_is_lost(self):
        kinds = (
            ("import threading; e = threading.Event(); t = threading.Thread(target=e.wait); t.start()",
             "thread", "e.set(); t.join()"),
            ("import subprocess; p = subprocess.Popen(['sleep', '60'])", "child process",
             "p.kill(); p.wait()"),
            ("import subprocess; subprocess.run('sleep 60 & echo $! > pid', shell=True)",
             "another process", "import os; os.kill(int(open('pid').read()), 9)"),
            ("import socket; a, b = socket.socketpair()", "a socket", "a.close(); b.close()"),
            ("import os; r, w = os.pipe()", "a pipe", "os.close(r); os.close(w)"),
            ("import select; p = select.epoll()", "eventpoll", "p.close()"),
            ("import os; f = open('gone', 'w'); os.remove('gone')", "a deleted file", "f.close()"),
            ("import tempfile; f = tempfile.NamedTemporaryFile()", "outside the workspace", "f.close()"),
            ("import os; os.chdir('/tmp')", "working directory", "os.chdir('/workspace')"),
            ("import os; os.mkdir('shut'); os.chdir('shut'); os.chmod('.', 0)", "/shut, cannot be entered",
             "os.chmod('/workspace/shut', 0o700); os.chdir('/workspace')"),
            ("import os; os.mkdir('shut/in'); os.chdir('shut/in'); os.chmod('..', 0)",
             "/shut/in, cannot be entered", "os.chmod('/workspace/shut', 0o700); os.chdir('/workspace')"),
            ("import mmap; m = mmap.mmap(-1, 4096)", "shared", "m.close()"),
            ("import signal; signal.setitimer(signal.ITIMER_REAL, 50)", "timer",
             "signal.setitimer(signal.ITIMER_REAL, 0)"),
            ("import os; os.mkfifo('fifo')", "fifo", "os.remove('fifo')"),
        )
        session = self.session()
        self.run_in(session, "x = 7")
        for make, named, undo in kinds:
            with self.subTest(named):
                self.assertEqual(self.run_in(session, make)["outcome"], "ok")
                self.assertIn(named, self.refusal(session))
                fork = self.client.post("/v1/sessions/%s/fork" % session, {"count": 2})
                self.assertEqual(fork.status, 400, fork.body)
                self.assertEqual(self.run_in(session, undo)["outcome"], "ok")
                wait_for(lambda: self.client.post("/v1/sessions/%s/checkpoints" % session).status == 200, "it can be saved")
                self.assertEqual(self.value(session, "x"), "7")
        self.checkpoint(session)

    def test_other_languages_are_refused_by_name(self):
        for lang in ("javascript", "bash"):
            self.assertIn(lang, self.refusal(self.session(lang=lang)))

    def test_memory_that_has_no_room_for_a_copy_is_refused(self):
        session = self.session(memory="128M")
        self.run_in(session, "big = bytearray(90 << 20)\nfor i in range(0, 90 << 20, 4096): big[i] = 1")
        self.assertIn("twice as much", self.refusal(session))
        self.assertEqual(self.value(session, "len(big)"), str(90 << 20))

    def test_empty_memory_stays_empty(self):
        session = self.session(memory="256M")
        self.run_in(session, "import mmap\nhole = mmap.mmap(-1, 600 << 20, flags=mmap.MAP_PRIVATE)\n"
                             "hole[300 << 20] = 1")
        checkpoint = self.checkpoint(session)
        for _ in range(2):
            self.assertEqual(self.value(session, "hole.find(b'\\x01') >> 20"), "300")
            self.assertEqual(self.value(session, "hole.rfind(b'\\x02')"), "-1")
            self.rollback(session, checkpoint)

    def test_deleted_checkpoints_count_as_long_as_others_build_on_them(self):
        session = self.session(memory="256M")
        self.run_in(session, "big = bytearray(b'x') * (60 << 20)")
        first = self.checkpoint(session)
        self.checkpoint(session)  # builds on it
        path = "/v1/sessions/%s/checkpoints/%s" % (session, first)
        self.assertEqual(self.client.delete(path).status, 200)
        change = "big[::4096] = b'%c' * len(big[::4096])"
        self.run_in(session, change % "y")
        self.checkpoint(session)
        self.run_in(session, change % "z")
        self.assertIn("twice as much", self.refusal(session))
        self.assertEqual(self.value(session, "len(big) >> 20"), "60")

    def test_checkpoints_of_earlier_cells_count_too(self):
        session = self.session(memory="256M")
        self.run_in(session, "big = bytearray(b'x') * (60 << 20)")
        for _ in range(3):
            answer = self.client.post("/v1/sessions/%s/checkpoints" % session)
            if answer.status != 200:
                break
            self.rollback(session, answer.json()["id"])
            self.run_in(session, "big[::4096] = b'y' * len(big[::4096])")
        self.assertEqual(answer.status, 400, answer.body)
        self.assertIn("twice as much", answer.json()["error"]["message"])

    def test_checkpoints_are_listed_bounded_and_deleted(self):
        session = self.session()
        path = "/v1/sessions/%s/checkpoints" % session
        self.run_in(session, "open('f', 'wb').write(b'y' * 300_000)")
        made = [self.checkpoint(session) for _ in range(32)]
        self.assertEqual([c["id"] for c in self.client.get(path).json()["checkpoints"]], made)
        self.assertEqual(self.client.post(path).status, 429)
        self.assertEqual(self.client.post(path, {"name": "mine"}).status, 400)
        blobs = list(pathlib.Path(self.daemon.state, "checkpoints").rglob("*"))
        for checkpoint in made:
            self.assertEqual(self.client.delete(path + "/" + checkpoint).status, 200)
        self.assertEqual(self.client.delete(path + "/" + made[0]).status, 404)
        self.assertEqual(self.client.get(path).json()["checkpoints"], [])
        left = list(pathlib.Path(self.daemon.state, "checkpoints").rglob("*"))
        self.assertLess(len(left), len(blobs), "what nobody refers to is gone")


class Fork(Checkpoints):
    @pytest.mark.everywhere
    def test_branches_are_independent_of_each_other_and_of_their_origin(self):
        session = self.session()
        self.run_in(session, "import os, random\nx = [0]\nopen('f', 'w').write('origin')\n"
                             "f = open('f', 'r+')")
        branches = self.fork(session, 3)
        for i, branch in enumerate(branches):
            self.run_in(branch, "x.append(%d); f.seek(0); f.write('branch%d'); f.flush()" % (i, i))
        self.run_in(session, "x.append('origin')")
        for i, branch in enumerate(branches):
            self.assertEqual(self.value(branch, "x, open('f').read()"),
                             "([0, %d], 'branch%d')" % (i, i))
        self.assertEqual(self.value(session, "x, open('f').read()"), "([0, 'origin'], 'origin')")
        drawn = {self.value(branch, "random.random()") for branch in branches}
        self.assertEqual(len(drawn), 3, "branches do not share randomness")
        for branch in branches:
            pids = self.value(branch, "sorted(p for p in os.listdir('/proc') if p.isdigit())")
            self.assertIn(pids, ("['2']", "['1', '2']"), "a branch sees nobody else")

    def test_branches_outlive_their_origin_and_can_be_forked_and_rolled_back(self):
        session = self.session()
        self.run_in(session, "x = 1")
        branch = self.fork(session, 1)[0]
        self.assertEqual(self.client.delete("/v1/sessions/" + session).status, 200)
        checkpoint = self.checkpoint(branch)
        self.run_in(branch, "x = 2")
        twig = self.fork(branch, 1)[0]
        self.rollback(branch, checkpoint)
        self.assertEqual((self.value(branch, "x"), self.value(twig, "x")), ("1", "2"))

    def test_a_hundred_at_once(self):
        session = self.session()
        self.run_in(session, "x = 41")
        branches = self.fork(session, 100)
        self.assertEqual(len(set(branches)), 100)
        for branch in branches[::9]:
            self.assertEqual(self.value(branch, "x + 1"), "42")
        for count in (0, 101, "2", None):
            answer = self.client.post("/v1/sessions/%s/fork" % session, {"count": count})
            self.assertEqual(answer.status, 400, answer.body)
        for branch in branches:
            self.client.delete("/v1/sessions/" + branch)

    def test_all_or_none_within_the_quota_of_the_caller(self):
        added = self.daemon.command("token", "add", "small", "--scope", "sessions",
                                    "--sessions", "3")
        self.assertEqual(added.returncode, 0, added.stderr)
        client = self.daemon.client(added.stdout.split()[-1])
        session = client.post("/v1/sessions", {}).json()["id"]
        answer = client.post("/v1/sessions/%s/fork" % session, {"count": 3})
        self.assertEqual(answer.status, 429, answer.body)
        self.assertEqual(len(client.get("/v1/sessions").json()["sessions"]), 1)
        self.assertEqual(client.post("/v1/sessions/%s/fork" % session, {"count": 2}).status, 200)
        stranger = self.client.post("/v1/sessions/%s/fork" % session, {"count": 1})
        self.assertEqual(stranger.status, 404, stranger.body)


class HostileGuest(Checkpoints):
    def test_a_checkpoint_that_lies_is_of_no_use_and_does_no_harm(self):
        session = self.session()
        self.run_in(session, "import _belljar; real, _belljar.save = _belljar.save, lambda *order: 0")
        lie = self.checkpoint(session)
        answer = self.client.post("/v1/sessions/%s/rollback" % session, {"checkpoint": lie})
        self.assertGreaterEqual(answer.status, 400)
        self.assertEqual(self.value(session, "40 + 2"), "42", "the session has lost nothing")

    def test_nor_does_one_that_claims_to_build_on_another(self):
        session = self.session()
        self.run_in(session, "import _belljar; real, _belljar.save = _belljar.save, lambda *order: 3")
        self.assertIn("never saved", self.refusal(session))
        self.run_in(session, "x = 1; _belljar.save = real")
        honest = self.checkpoint(session)
        self.run_in(session, "x = 2; _belljar.save = lambda *order: 3")
        lie = self.checkpoint(session)
        answer = self.client.post("/v1/sessions/%s/rollback" % session, {"checkpoint": lie})
        self.assertGreaterEqual(answer.status, 400)
        self.assertEqual(self.value(session, "x"), "2", "the session has lost nothing")
        self.rollback(session, honest)
        self.assertEqual(self.value(session, "x"), "1")

    def test_empty_pages_of_a_checkpoint_cannot_fill_the_machine(self):
        session = self.session()
        # Pieces that are too small to be left out, kept apart by others that cannot be written to.
        self.run_in(session, '''
import mmap
pieces = [mmap.mmap(-1, 7 << 20, flags=mmap.MAP_PRIVATE, prot=prot) for prot in (3, 1) * 30]
for piece in pieces[::2]: piece[0] = 1
''')
        checkpoint = self.checkpoint(session)
        self.rollback(session, checkpoint)
        self.run_in(session, "for piece in pieces[::2]: piece.find(b'x')")
        answer = self.client.post("/v1/sessions/%s/rollback" % session, {"checkpoint": checkpoint})
        self.assertEqual(answer.status, 429, answer.body)
        self.assertIn("empty memory", answer.json()["error"]["message"])
        self.assertEqual(self.value(session, "6 * 7"), "42", "the session has lost nothing")
        self.rollback(session, self.checkpoint(session))  # as the refusal advises
        self.assertEqual(self.value(session, "pieces[0][0]"), "1")

    def test_nobody_keeps_a_hold_on_memory_that_others_become(self):
        session = self.session()
        self.run_in(session, r'''
import _belljar, mmap, os
real, kept = _belljar.save, []
def save(*order):
    for number in os.listdir("/proc/self/fd"):
        try:
            if "memfd" in os.readlink("/proc/self/fd/" + number):
                kept.append(mmap.mmap(int(number), 4096))
        except OSError:
            pass
    return honest and real(*order)
_belljar.save = save
honest = True
''')
        self.assertRegex(self.refusal(session), "a deleted file is open")
        self.run_in(session, "honest = 0")
        self.assertIn("keeps hold", self.refusal(session))
        self.assertEqual(self.value(session, "6 * 7"), "42")
