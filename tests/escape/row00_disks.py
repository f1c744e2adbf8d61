"""Orders to the host's disks: sync() writes out whatever anybody on the host has written, syncfs() the
file system that the image lies on, and fsync() of a file of the image has the disk empty its cache,
also where nothing was written. A cell that repeats them slows down all others.

All are answered as done and not made: a file that is not open is no error.
"""
import prelude

ROW = 0
SAYS = "sync, syncfs, fsync and fdatasync are answered, and the host's disks hear nothing of them"
HELDBY = [["base_filter"]]
ATTACK = r'''
NR.update({"sync": 162, "syncfs": 306, "fsync": 74, "fdatasync": 75})
image = os.open("/usr/bin/env", os.O_RDONLY)
tell({"nothing open": sc("syncfs", -1), "with junk": sc("syncfs", 0x5_FFFF_FFFF),
      "the image": sc("syncfs", image), "all": sc("sync"), "by a program": os.system("sync"),
      "a file": sc("fsync", -1), "its data": sc("fdatasync", -1), "one of the image": sc("fsync", image)})
'''


def check(seen, result, host):
    prelude.expect(seen, 0)
    assert result["outcome"] == "ok"


def control():
    """Outside, the kernel is asked, and knows that nothing is open."""
    prelude.NR.update({"syncfs": 306, "fsync": 74, "fdatasync": 75})
    for name in ("syncfs", "fsync", "fdatasync"):
        assert prelude.sc(name, -1) == "EBADF"
