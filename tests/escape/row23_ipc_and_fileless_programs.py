"""System V IPC and message queues, which outlive their makers, and programs that exist in no file:
memfd_create with execveat.

All are refused with EPERM.
"""
import prelude

ROW = 23
SAYS = "nothing can be left in kernel memory, and nothing run from it"
HELDBY = [["base_filter"]]
ATTACK = r'''
buffer = ctypes.create_string_buffer(256)
CREATE = 0o1000 | 0o600
calls = {
    "shmget": (0x42454C4C, 4096, CREATE), "shmat": (0, 0, 0), "shmctl": (0, 14, buffer),
    "shmdt": (BAD,), "semget": (0x42454C4C, 1, CREATE), "semop": (0, buffer, 1),
    "semtimedop": (0, buffer, 1, 0), "semctl": (0, 0, 19, buffer), "msgget": (0x42454C4C, CREATE),
    "msgsnd": (0, buffer, 1, 0o4000), "msgrcv": (0, buffer, 1, 0, 0o4000),
    "msgctl": (0, 12, buffer),
    "mq_open": (b"belljar", 0o100 | 2, 0o600, 0), "mq_unlink": (b"belljar",),
    "mq_timedsend": (-1, buffer, 1, 0, 0), "mq_timedreceive": (-1, buffer, 1, 0, 0),
    "mq_notify": (-1, 0), "mq_getsetattr": (-1, 0, 0),
    "memfd_create": (b"program", 1), "execveat": (-1, b"", 0, 0, 0x1000)}
seen = {name: forked(sc, name, *args) for name, args in calls.items()}
seen["memfd_create huge"] = sc("memfd_create", b"x", 4)
seen["memfd_create exec"] = sc("memfd_create", b"x", 0x10)
program = os.open("/bin/true" if os.path.exists("/bin/true") else "/usr/bin/env", os.O_RDONLY)
seen["execveat descriptor"] = forked(sc, "execveat", program, b"", (ctypes.c_uint64 * 1)(0),
                                     (ctypes.c_uint64 * 1)(0), 0x1000)
seen["execveat path"] = forked(sc, "execveat", -100, b"/usr/bin/env", 0, 0, 0)
newer = {"memfd_secret": sc("memfd_secret", 0)}
tell({"calls": seen, "newer": newer, "listed": readable("/proc/sysvipc/shm")})
'''


def check(seen, result, host):
    prelude.expect(seen["calls"], "EPERM")
    prelude.expect(seen["newer"], "EPERM", "ENOSYS")
    assert seen["listed"] == "ENOENT"


def control():
    """Outside, memory that outlives its maker is made (and removed), and so is a fileless file."""
    memory = prelude.sc("shmget", 0, 4096, 0o1600)
    assert isinstance(memory, int), memory
    assert prelude.sc("shmctl", memory, 0, 0) == 0
    assert isinstance(prelude.sc("memfd_create", b"x", 1), int)
    assert prelude.sc("execveat", -1, b"", 0, 0, 0x1000) in ("EBADF", "EFAULT")
