"""Vaults when things end in the middle, and in the daemon."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import tempfile
import time

import pytest

import vaults
from suite import OwnDaemon, wait_for

pytestmark = pytest.mark.slow


class Crashes(vaults.VaultCase):
    FILES = 3000
    CODE = f"""
import os
os.chdir('/vault/data')
for n in range({FILES}): open(f'new-{{n}}', 'w').write('new')
for n in range(300): open(f'old-{{n}}', 'w').write('changed')
"""

    def journals(self):
        with contextlib.suppress(OSError):
            return os.listdir(self.state / "vaults")
        return []

    def kill_when(self, ending, delay):
        """Kills a commit that has got that far; what its journal was called then, or None."""
        process = self.start("run", "--vault", self.rw(), "-c", self.CODE)
        deadline = time.monotonic() + vaults.SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            if any(name.endswith(ending) for name in self.journals()):
                time.sleep(delay)
                break
        process.send_signal(signal.SIGKILL)
        process.communicate()
        names = self.journals()
        self.assertLessEqual(len(names), 1)
        return names[0].rpartition(".")[2] if names else None

    def test_killed_in_the_middle_is_finished_or_undone_at_the_next_start(self):
        seen = set()
        for attempt in range(20):
            if attempt >= 4 and {"prepare", "commit"} <= seen:
                break
            ending, delay = ((".prepare", 0), (".commit", 0), (".prepare", 0.01),
                             (".commit", 0.002))[attempt % 4]
            shutil.rmtree(self.vault)
            self.vault = self.make("data")
            for number in range(300):
                self.write(self.vault / f"old-{number}", "old")
            before = vaults.tree(self.vault)
            stage = self.kill_when(ending, delay)
            seen.add(stage)
            done = self.belljar("run", "-c", "print('next')")
            self.assertEqual((done.returncode, done.stdout), (0, "next\n"), done.stderr)
            after = vaults.tree(self.vault)
            if stage == "prepare":
                self.assertIn(f"an interrupted commit to {self.vault} was undone", done.stderr)
                self.assertEqual(after, before)
            elif stage == "commit":
                self.assertIn(f"an interrupted commit to {self.vault} was finished", done.stderr)
            if stage != "prepare":
                self.assertEqual(len(after), self.FILES + 300)
                self.assertEqual({after[f"old-{n}"] for n in range(300)}, {"changed"})
            self.assertEqual(self.journals(), [])
        self.assertLessEqual({"prepare", "commit"}, seen, "no kill came in the middle")

    def test_a_journal_that_cannot_be_worked_off_closes_its_vault(self):
        while self.kill_when(".commit", 0) != "commit":
            self.belljar("run", "-c", "")
        away = self.folder / "away"
        os.rename(self.vault, away)
        self.make("data")
        self.assertIn("could not be finished", self.refused_with_notes(self.vault))
        os.rmdir(self.vault)
        os.rename(away, self.vault)
        result = self.run_in([str(self.vault)], "import os; print(len(os.listdir('/vault/data')))")
        self.assertEqual(result["stdout"], f"{self.FILES + 300}\n")

    def refused_with_notes(self, vault):
        done = self.belljar("run", "--vault", str(vault), "-c", "print('ran')")
        self.assertEqual((done.returncode, done.stdout), (125, ""))
        return done.stderr


class Service(OwnDaemon):
    """The daemon: who may point it at directories, and what it writes down."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory(dir=vaults.VAULTS, prefix="belljar-vault-")
        self.addCleanup(folder.cleanup)
        self.vault = pathlib.Path(folder.name) / "data"
        self.vault.mkdir()
        self.wish = {"code": "open('/vault/data/f', 'w').write('x')",
                     "vaults": [{"host": str(self.vault), "mode": "rw"}]}

    def test_its_own_user_may_and_the_commit_is_recorded(self):
        answer = self.daemon.client().post("/v1/runs", self.wish)
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(answer.json()["vaults"][0]["outcome"], "committed")
        self.assertEqual(vaults.tree(self.vault), {"f": "x"})
        listed = self.daemon.command("audit", "list", "--json")
        self.assertIn('"commit"', listed.stdout, listed.stderr)

    def test_a_token_needs_the_scope_admin(self):
        wanted = {"run": 403, "run,sessions,approve,audit": 403, "run,admin": 200}
        tokens = {}  # first all of them: a daemon looks for new ones now and then
        for scopes in wanted:
            flags = [flag for scope in scopes.split(",") for flag in ("--scope", scope)]
            tokens[scopes] = self.daemon.command("token", "add", scopes.replace(",", "-"),
                                                 *flags).stdout.strip()
        for scopes, status in wanted.items():
            token = tokens[scopes]
            answer = self.daemon.client(token).post("/v1/runs", self.wish)
            self.assertEqual(answer.status, status, (scopes, token, answer.body))
            if status == 403:
                self.assertIn('the scope \\"admin\\" is needed', answer.body.decode())
                self.assertEqual(vaults.tree(self.vault), {})

    def test_sessions_have_none(self):
        client = self.daemon.client()
        answer = client.post("/v1/sessions", {"vaults": self.wish["vaults"]})
        self.assertEqual(answer.status, 400)
        self.assertIn("belong to runs", answer.body.decode())
        session = client.post("/v1/sessions", {}).json()["id"]
        for path in (f"/v1/sessions/{session}/runs", "/v1/runs"):
            wish = self.wish if "sessions" in path else {**self.wish, "session": session}
            answer = client.post(path, wish)
            self.assertEqual(answer.status, 400, path)
            self.assertIn("belong to runs", answer.body.decode())
        self.assertEqual(vaults.tree(self.vault), {})

    def test_a_daemon_that_was_killed_finishes_at_its_next_start(self):
        journal = {"v": 1, "vaults": [{
            "host": str(self.vault), "device": self.vault.stat().st_dev,
            "inode": self.vault.stat().st_ino, "boot": "", "uid": os.getuid(), "gid": os.getgid(),
            "steps": [{"do": "place", "path": "f", "waiting": ".belljar-x-0"}]}]}
        (self.vault / ".belljar-x-0").write_text("waited")
        self.daemon.kill()
        (self.daemon.state / "vaults").mkdir(mode=0o700)
        (self.daemon.state / "vaults/x.commit").write_text(json.dumps(journal))
        self.daemon.start()
        self.assertEqual(vaults.tree(self.vault), {"f": "waited"})
        # It answers before it has told everything.
        wait_for(lambda: "was finished" in self.daemon.said(), "it is told", vaults.SECONDS)
        self.assertIn('"recovered"', self.daemon.command("audit", "list", "--json").stdout)


vaults.as_user_too((Crashes,), globals())
