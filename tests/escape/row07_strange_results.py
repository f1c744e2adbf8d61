"""The files a caller asked for are pipes, sockets, huge, sparse, too deep, too many or so named
that a terminal or a program would stumble over them.

They are refused or left out, in time; the listing says that it is not complete; what is honest
still comes back.
"""
import base64
import os
import tempfile
import unicodedata

import prelude

ROW = 7
SAYS = "strange files are refused in time, and the honest one beside them arrives"
HELDBY = [["fetch_regular"]]
STRANGE = ("pipe", "socket", "folder", "sparse", "missing", "sealed/inside")
REQUEST = {"fetch": ["honest", *STRANGE], "timeout": 20, "workspace_inodes": 20000}
ATTACK = r'''
import socket

open("honest", "w").write("honest words")
os.mkfifo("pipe")
socket.socket(socket.AF_UNIX).bind("socket")
os.mkdir("folder")
os.mkdir("sealed")
open("sealed/inside", "w").write("x")
os.chmod("sealed/inside", 0)
with open("sparse", "w") as file:
    file.truncate(200 << 20)
for name in (b"new\nline", b"\x1b[2Jclear", b"bidi\xe2\x80\xae", b"not-utf8\xff", b"\x7f", b"a\rb",
             b"isolate\xe2\x81\xa6"):
    os.close(os.open(b"/workspace/" + name, os.O_CREAT | os.O_WRONLY))
os.mkdir("deep")
os.chdir("deep")
for _ in range(200):
    os.mkdir("d")
    os.chdir("d")
open("bottom", "w").close()
os.chdir("/workspace")
os.mkdir("many")
for number in range(10100):
    os.symlink("x", f"many/{number}")
device = tried(os.mknod, "device", 0o020666, os.makedev(1, 5))
tell({"device": device})
'''


def check(seen, result, host):
    assert result["outcome"] == "ok", (result["outcome"], result.get("reason"), result["stderr"])
    assert seen["device"] in ("EPERM", "EACCES"), seen
    files = result["files"]
    assert base64.b64decode(files["fetched"]["honest"]) == b"honest words"
    refused = set(files["fetch_refused"])
    # Its owner may still be allowed to read the sealed one; then it comes back as it is.
    assert set(STRANGE) - {"sealed/inside"} <= refused, refused
    assert set(files["fetched"]) <= {"honest", "sealed/inside"}, list(files["fetched"])
    assert files["incomplete"] is True
    assert len(files["created"]) <= 10000
    assert max(path.count("/") for path in files["created"]) <= 64
    for path in files["created"]:
        assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs") for c in path), repr(path)
    assert result["usage"]["wall_ms"] < 15000, result["usage"]


def control():
    """Outside, such names exist and a pipe makes a reader wait."""
    folder = tempfile.mkdtemp()
    pipe = os.path.join(folder, "pipe\x1b[2J")
    os.mkfifo(pipe)
    assert os.listdir(folder) == ["pipe\x1b[2J"]
    assert prelude.tried(os.open, pipe, os.O_WRONLY | os.O_NONBLOCK) == "ENXIO"  # nobody reads yet
    os.unlink(pipe)
    os.rmdir(folder)
