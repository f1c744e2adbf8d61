"""What attacks share: raw system calls and ways to say how they ended.

Put before every Python attack, inside the cell, and imported by the controls, outside. An error
is told by its name ("EPERM"), a value by itself, a death by its signal ("SIGSYS").
"""
import ctypes
import errno
import json
import os
import signal
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
BAD = 0xDEAD  # an address nobody has mapped
REFUSED = ("EPERM", "ENOSYS", "EAFNOSUPPORT")

# x86-64
NR = {
    "read": 0, "write": 1, "open": 2, "close": 3, "mmap": 9, "mprotect": 10, "munmap": 11,
    "ioctl": 16, "shmget": 29, "shmat": 30, "shmctl": 31, "getpid": 39, "socket": 41,
    "socketpair": 53, "clone": 56, "fork": 57, "execve": 59, "kill": 62, "semget": 64,
    "semop": 65, "semctl": 66, "shmdt": 67, "msgget": 68, "msgsnd": 69, "msgrcv": 70,
    "msgctl": 71, "fcntl": 72, "ptrace": 101, "syslog": 103, "personality": 135, "ustat": 136,
    "sysfs": 139, "getpriority": 140, "setpriority": 141, "sched_setparam": 142,
    "sched_setscheduler": 144, "uselib": 134, "vhangup": 153, "modify_ldt": 154,
    "pivot_root": 155, "_sysctl": 156, "prctl": 157, "arch_prctl": 158, "adjtimex": 159,
    "setrlimit": 160, "chroot": 161, "acct": 163, "settimeofday": 164, "mount": 165,
    "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169, "sethostname": 170,
    "setdomainname": 171, "iopl": 172, "ioperm": 173, "create_module": 174, "init_module": 175,
    "delete_module": 176, "quotactl": 179, "gettid": 186, "setxattr": 188, "tkill": 200,
    "sched_setaffinity": 203, "io_setup": 206, "lookup_dcookie": 212, "semtimedop": 220,
    "clock_settime": 227, "tgkill": 234, "mbind": 237, "set_mempolicy": 238,
    "get_mempolicy": 239, "mq_open": 240, "mq_unlink": 241, "mq_timedsend": 242,
    "mq_timedreceive": 243, "mq_notify": 244, "mq_getsetattr": 245, "kexec_load": 246,
    "add_key": 248, "request_key": 249, "keyctl": 250, "ioprio_set": 251, "ioprio_get": 252,
    "migrate_pages": 256, "openat": 257, "unshare": 272, "splice": 275, "tee": 276,
    "vmsplice": 278, "move_pages": 279, "eventfd2": 290, "perf_event_open": 298,
    "fanotify_init": 300, "fanotify_mark": 301, "prlimit64": 302, "name_to_handle_at": 303,
    "open_by_handle_at": 304, "clock_adjtime": 305, "setns": 308, "process_vm_readv": 310,
    "process_vm_writev": 311, "kcmp": 312, "finit_module": 313, "sched_setattr": 314,
    "seccomp": 317, "memfd_create": 319, "kexec_file_load": 320, "bpf": 321, "execveat": 322,
    "userfaultfd": 323, "pkey_mprotect": 329, "pidfd_send_signal": 424, "io_uring_setup": 425,
    "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "pidfd_open": 434,
    "clone3": 435, "openat2": 437, "pidfd_getfd": 438, "process_madvise": 440,
    "mount_setattr": 442, "quotactl_fd": 443, "landlock_create_ruleset": 444,
    "landlock_add_rule": 445, "landlock_restrict_self": 446, "memfd_secret": 447,
    "process_mrelease": 448, "set_mempolicy_home_node": 450, "statmount": 457, "listmount": 458,
    "open_tree_attr": 467,
}


class Skip(Exception):
    """This machine cannot try it; the text says why."""


def error_name(number):
    return errno.errorcode.get(number, str(number))


def sc(number, *args):
    """A raw system call, by number or name: its value, or the name of its error."""
    passed = []
    for arg in args:
        if arg is None:
            arg = 0
        if isinstance(arg, int):
            arg = ctypes.c_ulong(arg & 0xFFFFFFFFFFFFFFFF)
        passed.append(arg)
    passed += [ctypes.c_ulong(0)] * (6 - len(passed))
    value = LIBC.syscall(ctypes.c_long(NR.get(number, number)), *passed)
    return error_name(ctypes.get_errno()) if value == -1 else value


def tried(action, *args, **options):
    """What a Python call returned, or the name of the error it met."""
    try:
        return action(*args, **options)
    except OSError as error:
        return error_name(error.errno) if error.errno else type(error).__name__
    except Exception as error:
        return type(error).__name__


def forked(action, *args):
    """tried(), in a child, whose death is told as the signal's name."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        os.write(writer, json.dumps(tried(action, *args), default=repr).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        words = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status < 0:
        return signal.Signals(-status).name
    return json.loads(words) if words else f"exit {status}"


def readable(path):
    """The beginning of a file, or the error's name."""
    def look():
        with open(path, "rb") as file:
            return file.read(256).decode("latin-1")
    return tried(look)


def writable(path, flags=os.O_WRONLY):
    """"opened" when a file can be opened for writing, else the error's name."""
    def look():
        os.close(os.open(path, flags, 0o644))
        return "opened"
    return tried(look)


def tell(seen):
    """The attacker's report, as the last line."""
    sys.stdout.flush()
    print(json.dumps(seen, default=repr), flush=True)


def expect(answers, *held):
    """For checks: every answer is one of `held`; tells only those that are not."""
    odd = {name: answer for name, answer in answers.items() if answer not in held}
    assert answers and not odd, odd


def need_root():
    if os.getuid() != 0:
        raise Skip("needs root")
