"""A vault that is only to be read: written to by every call that changes a file, a name or a mode.

The mount says no, and Landlock would. The cell has only a copy, so that even a write that worked
would not reach the host.
"""
import json
import os
import pathlib

ROW = 0
SAYS = "a read-only vault cannot be changed, by its mount and by Landlock each alone"
HELDBY = [["vault_read_only", "landlock"]]
ATTACK = r'''
os.chdir("/vault/readonly")
def tried(way):
    try:
        way()
        return "worked"
    except OSError as error:
        return error.strerror
tell({"saw": open("file").read(), "write": tried(lambda: open("file", "w").write("guest")),
      "create": tried(lambda: open("new", "w")), "mkdir": tried(lambda: os.mkdir("dir")),
      "unlink": tried(lambda: os.unlink("file")),
      "rename": tried(lambda: os.rename("other", "else"))})
'''


def run(bench):
    vault = bench.host.home / "readonly"
    vault.mkdir(exist_ok=True)
    for name in ("file", "other"):
        (vault / name).write_text("own")
    for path in (vault, vault / "file", vault / "other"):
        os.chown(path, bench.host.uid, bench.host.uid)
    result = bench.run({"code": bench.program(ATTACK), "vaults": [{"host": str(vault)}]})
    after = {path.name: path.read_text() for path in vault.iterdir()}
    return {"inside": bench.seen(result), "after": after}, result


def check(seen, result, host):
    inside = seen["inside"]
    assert inside is not None, json.dumps(result)[:600]
    assert inside.pop("saw") == "own", inside
    assert set(inside.values()) <= {"Read-only file system", "Permission denied"}, inside
    assert seen["after"] == {"file": "own", "other": "own"}, seen
    assert result["vaults"][0]["outcome"] == "unchanged", result["vaults"]


def control():
    """Outside, an ordinary directory is written to."""
    path = pathlib.Path("/tmp") / f"belljar-control-{os.getpid()}"
    path.mkdir()
    (path / "file").write_text("written")
    (path / "file").unlink()
    path.rmdir()
