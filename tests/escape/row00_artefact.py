"""Artefacts: written to by every call that changes a file, a name or a directory, mounted again,
and looked around in for others.

What a cell sees are inodes of the store, shared by all runs: a write would reach every later one.
The mount says no, and Landlock would; and so do modes and owner, until the owner changes them.
"""
import json
import os
import pathlib

ROW = 0
SAYS = "an artefact cannot be changed, by its mount and by Landlock each alone, nor others be seen"
HELDBY = [["artefact_read_only", "landlock"]]
ATTACK = r'''
import ctypes
os.chdir("/artefacts/tree")
def tried(way):
    try:
        way()
        return "worked"
    except OSError as error:
        return error.strerror
# An ordinary user's guest is the owner, by its number. Modes hold for it until it changes them.
for path, mode in (("file", 0o666), (".", 0o777), ("/artefacts/alone", 0o666)):
    tried(lambda: os.chmod(path, mode))
libc = ctypes.CDLL(None, use_errno=True)
def remount():
    if libc.mount(b"none", b"/artefacts/tree", b"none", 32 | 4096, None) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
tell({"saw": open("file").read() + open("/artefacts/alone").read(),
      "listed": sorted(os.listdir("/artefacts")),
      "tried": {"write": tried(lambda: open("file", "w").write("guest")),
                "append": tried(lambda: open("/artefacts/alone", "a").write("guest")),
                "create": tried(lambda: open("new", "w")), "mkdir": tried(lambda: os.mkdir("dir")),
                "unlink": tried(lambda: os.unlink("file")),
                "rename": tried(lambda: os.rename("file", "else")),
                "link": tried(lambda: os.link("file", "/workspace/mine")),
                "beside": tried(lambda: open("/artefacts/new", "w")),
                "remount": tried(remount)}})
'''
REFUSALS = {"Read-only file system", "Permission denied", "Invalid cross-device link",
            "Operation not permitted"}


def run(bench):
    home = bench.host.home
    (home / "tree").mkdir(exist_ok=True)
    for path, text in (("tree/file", "own"), ("alone", "own"), ("secret", "secret")):
        (home / path).write_text(text)
    for path in (home / "tree", home / "tree/file", home / "alone", home / "secret"):
        os.chown(path, bench.host.uid, bench.host.uid)
    for name in ("tree", "alone", "secret"):
        added = bench.cli(["artefact", "add", name, str(home / name)])
        assert added.returncode == 0, added.stderr
    result = bench.run({"code": bench.program(ATTACK), "artefacts": ["tree", "alone"]})
    return {"inside": bench.seen(result),
            "stored": sorted(path.read_text() for path in (home / "state/artefacts").rglob("*")
                             if path.is_file() and "content" in path.parts[-2:]
                             or path.name == "file")}, result


def check(seen, result, host):
    inside = seen["inside"]
    assert inside is not None, json.dumps(result)[:600]
    assert inside["saw"] == "ownown", inside
    assert inside["listed"] == ["alone", "tree"], inside
    assert set(inside["tried"].values()) <= REFUSALS, inside
    assert seen["stored"] == ["own", "own", "secret"], seen


def control():
    """Outside, a file that was bound elsewhere is the same file."""
    path = pathlib.Path("/tmp") / f"belljar-control-{os.getpid()}"
    path.write_text("own")
    os.link(path, f"{path}.other")
    pathlib.Path(f"{path}.other").write_text("written")
    assert path.read_text() == "written"
    path.unlink()
    os.unlink(f"{path}.other")
