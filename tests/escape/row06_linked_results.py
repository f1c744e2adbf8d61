"""The files a caller asked for are links: to host files, to magic links of procfs, to the root,
or hard links (go-judge #176, CVE-2024-28185, CVE-2024-28189).

Every one is refused by name, the honest file beside them comes back, and no byte of a host file is
anywhere in the result.
"""
import base64
import os
import tempfile

ROW = 6
SAYS = "a result that is a link is refused, and leaks nothing"
HELDBY = [["fetch_beneath"], ["fetch_one_link"]]
LINKS = ("absolute", "relative", "passwd", "magic_root", "magic_exe", "magic_fd", "dangling",
         "loop", "hard", "folder/etc/passwd", "up/etc/passwd", "self_folder/honest", "nested/link")
REQUEST = {"fetch": ["honest", *LINKS]}
ATTACK = r'''
open("honest", "w").write("honest words")
os.symlink(CANARY, "absolute")
os.symlink("../" * 30 + CANARY.lstrip("/"), "relative")
os.symlink("/etc/passwd", "passwd")
os.symlink("/proc/self/root" + CANARY, "magic_root")
os.symlink("/proc/self/exe", "magic_exe")
os.symlink("/proc/self/fd/0", "magic_fd")
os.symlink("nowhere", "dangling")
os.symlink("loop", "loop")
open("first", "w").write("two names")
os.link("first", "hard")
os.symlink("/", "folder")
os.symlink("../../../../..", "up")
os.symlink(".", "self_folder")
os.mkdir("nested")
os.symlink("../honest", "nested/link")
tell({"host": tried(os.link, "/etc/passwd", "taken"),
      "descriptor": tried(os.link, "/proc/self/fd/0", "taken", follow_symlinks=True)})
'''


def check(seen, result, host):
    assert seen["host"] in ("EXDEV", "EPERM", "EACCES", "EROFS"), seen
    assert seen["descriptor"] in ("EXDEV", "EPERM", "EACCES", "ENOENT"), seen
    fetched = result["files"]["fetched"]
    assert list(fetched) == ["honest"], fetched
    assert base64.b64decode(fetched["honest"]) == b"honest words"
    assert sorted(result["files"]["fetch_refused"]) == sorted(LINKS)
    assert host.canary_text not in str(result)


def control():
    """Outside, the plain way of reading follows the link to the host's file."""
    folder = tempfile.mkdtemp()
    link = os.path.join(folder, "link")
    os.symlink("/etc/passwd", link)
    with open(link, encoding="utf-8") as followed, open("/etc/passwd", encoding="utf-8") as plain:
        assert followed.read() == plain.read()
    os.unlink(link)
    os.rmdir(folder)
