"""The program that runs the guest, and what it loads, are overwritten through /proc/self/exe
(CVE-2019-5736), through reopened descriptors, shared mappings, renames and plain writes.

Every attempt must fail, and the image's files must be byte for byte what they were.
"""
import mmap
import os
import shutil
import subprocess
import tempfile

import prelude

ROW = 1
SAYS = "a guest cannot change the program it runs in, by whatever name it finds it"
HELDBY = []
ATTACK = r'''
import mmap

def reopened(path):
    reader = os.open(path, os.O_RDONLY)
    return writable(f"/proc/self/fd/{reader}", os.O_WRONLY)

def mapped(path):
    reader = os.open(path, os.O_RDONLY)
    mmap.mmap(reader, 0, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)[0:1] = b"X"
    return "mapped"

def changed(action, *args):
    value = tried(action, *args)
    return "changed" if value is None else value

files = ["/proc/self/exe", os.path.realpath("/proc/self/exe"), "/usr/bin/python3", "/bin/bash",
         "/usr/bin/env", "/etc/passwd", os.__file__]
files += [os.path.join(folder, name) for folder, _, names in os.walk("/.belljar") for name in names]
seen = {}
for path in files:
    seen["write " + path] = writable(path)
    seen["append " + path] = writable(path, os.O_RDWR | os.O_APPEND)
    seen["truncate " + path] = changed(os.truncate, path, 0)
    seen["reopen " + path] = tried(reopened, path)
    seen["map " + path] = tried(mapped, path)
    seen["chmod " + path] = changed(os.chmod, path, 0o4777)
    seen["touch " + path] = changed(os.utime, path)
    if not path.startswith("/proc"):
        seen["rename " + path] = changed(os.rename, path, path + ".old")
        seen["unlink " + path] = changed(os.unlink, path)
        seen["link " + path] = changed(os.link, path, os.path.dirname(path) + "/other")
        seen["take " + path] = changed(os.rename, path, "/workspace/taken")
for folder in ("/", "/usr", "/usr/bin", "/.belljar", "/.belljar/lib", "/etc", "/dev", "/proc"):
    seen["create " + folder] = writable(folder + "/planted", os.O_WRONLY | os.O_CREAT)
    seen["mkdir " + folder] = changed(os.mkdir, folder + "/planted")
    seen["symlink " + folder] = changed(os.symlink, "x", folder + "/planted")
others = {f"{pid} {how}": how_open(f"/proc/{pid}/exe") for pid in (1, "thread-self")
          for how, how_open in (("write", writable),)}
tell({"tried": seen, "others": others, "runtime": os.listdir("/.belljar")})
'''


def check(seen, result, host):
    assert result["outcome"] == "ok", result["outcome"]
    assert {"guest.py", "guest.js"} <= set(seen["runtime"]), seen["runtime"]
    held = {"EROFS", "EACCES", "EPERM", "ETXTBSY", "EXDEV", "ENOENT"}
    broken = {name: value for name, value in seen["tried"].items()
              if value not in held or (value == "ENOENT" and "/proc" not in name)}
    assert not broken, broken
    assert seen["others"]["1 write"] in ("EACCES", "EPERM", "ENOENT"), seen["others"]
    assert seen["others"]["thread-self write"] in ("EACCES", "EROFS", "ETXTBSY", "ENOENT")
    assert host.before.image_python == host.after.image_python
    assert result["files"]["created"] == [], result["files"]


def control():
    """Outside, the way through /proc/PID/exe changes a program once it has ended."""
    folder = tempfile.mkdtemp()
    try:
        program = os.path.join(folder, "program")
        shutil.copy("/bin/cat", program)
        with subprocess.Popen([program], stdin=subprocess.PIPE) as victim:
            reader = os.open(f"/proc/{victim.pid}/exe", os.O_RDONLY)
            assert prelude.writable(f"/proc/{victim.pid}/exe") == "ETXTBSY"
            victim.stdin.close()
        with open(f"/proc/self/fd/{reader}", "r+b") as file:
            mmap.mmap(file.fileno(), 4096)[0:4] = b"gone"
        with open(program, "rb") as file:
            assert file.read(4) == b"gone"
    finally:
        shutil.rmtree(folder)
