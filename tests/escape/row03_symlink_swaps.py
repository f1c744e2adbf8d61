"""Symbolic links where the host expects directories: planted in an image's tree, and swapped for
files by a process that lives on after the program (runc CVE-2021-30465 and its kin).

A cell from a planted image must not start, and nothing may appear behind the link. A swapped
result is the guest's own file or nothing, never a host file.
"""
import base64
import os
import shutil
import subprocess

import prelude

ROW = 3
SAYS = "set-up and collection follow no link, whoever planted it and whenever"
HELDBY = []
SWAPPER = r'''
os.mkdir("real")
open("real/file", "w").write("mine")
os.symlink(os.path.dirname(CANARY), "away")
os.symlink(CANARY, "link")
open("file", "w").write("mine")
if os.fork() == 0:
    os.setsid()
    while True:
        for one, other in (("real", "away"), ("file", "link")):
            sc(316, -100, one.encode(), -100, other.encode(), 2)  # RENAME_EXCHANGE
tell({"swapping": True})
'''
PLACES = ("dev", "proc", "tmp", "workspace", "run", ".belljar", "vault")


def start_planted(bench, image, place):
    """Starts a cell of an image with a link to a host directory at `place`."""
    victim = bench.host.home / f"victim-{place.strip('.')}"
    victim.mkdir()
    os.chown(victim, bench.host.uid, bench.host.uid)
    renamed = image.with_name(f"planted-{place.strip('.')}")
    image.rename(renamed)
    target = renamed / "rootfs" / place
    target.rmdir()
    target.symlink_to(victim)
    request = {"image": renamed.name, "code": "print('started')"}
    if place == "vault":  # nothing is mounted there without one
        request["vaults"] = [{"host": str(victim)}]
    answer = bench.run(request)
    target.unlink()
    target.mkdir()
    renamed.rename(image)
    return {"answer": answer, "behind": os.listdir(victim)}


def run(bench):
    images = bench.host.home / "state/images"
    image = images / "planted"
    subprocess.run(["cp", "-a", "--link", images / "default", image], check=True)
    planted = {place: start_planted(bench, image, place) for place in PLACES}
    shutil.rmtree(image)
    fetch = ["file", "real/file", "away", "real/" + bench.host.canary.name]
    swapped = [bench.run({"code": bench.program(SWAPPER), "fetch": fetch}) for _ in range(5)]
    return planted, swapped


def check(planted, swapped, host):
    for place, found in planted.items():
        assert "outcome" not in found["answer"], (place, found["answer"])
        assert "cell step" in found["answer"]["error"]["message"], (place, found["answer"])
        assert found["behind"] == [], (place, found["behind"])
    for result in swapped:
        assert result["outcome"] == "ok", result
        assert host.canary_text not in str(result)
        for path, content in result["files"]["fetched"].items():
            text = base64.b64decode(content).decode()
            assert text == "mine", (path, text)


def control():
    """Outside, a path with a link in it leads where the link says."""
    assert prelude.readable("/proc/self/root/etc/passwd") == prelude.readable("/etc/passwd")
