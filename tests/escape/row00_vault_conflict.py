"""A program that keeps an old copy of a file, and lets it overwrite what the host wrote meanwhile.

It says when it has its copy; the host then changes the file; the program ends well.
"""
import os
import subprocess

ROW = 0
SAYS = "what the host wrote while a program ran is not overwritten by its commit"
HELDBY = [["vault_conflict"]]
CODE = """
import time
open('/vault/conflict/file', 'w').write('guest')
open('/vault/conflict/new', 'w').write('guest')
print('ready', flush=True)
time.sleep(4)
"""


def run(bench):
    vault = bench.host.home / "conflict"
    vault.mkdir(exist_ok=True)
    (vault / "new").unlink(missing_ok=True)
    (vault / "file").write_text("old")
    for path in (vault, vault / "file"):
        os.chown(path, bench.host.uid, bench.host.uid)
    process = bench.host.start(["run", "--vault", f"{vault}:rw", "-c", CODE], text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    ready = process.stdout.readline()
    (vault / "file").write_text("own")
    _, said = process.communicate(timeout=60)
    return {"ready": ready, "status": process.returncode, "said": said,
            "after": {path.name: path.read_text() for path in vault.iterdir()}}


def check(seen, _, host):
    assert seen["ready"] == "ready\n", seen
    assert seen["after"] == {"file": "own"}, seen
    assert seen["status"] == 125, seen
    assert '"file" was changed on the host' in seen["said"], seen


def control():
    """Outside, the last writer wins."""
    path = f"/tmp/belljar-control-{os.getpid()}"
    with open(path, "w", encoding="utf-8") as first, open(path, "w", encoding="utf-8") as last:
        last.write("host")
        last.flush()
        first.write("guest")
    with open(path, encoding="utf-8") as file:
        assert file.read().startswith("guest")
    os.unlink(path)
