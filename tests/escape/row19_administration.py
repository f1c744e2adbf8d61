"""The calls of an administrator: kernel modules, kexec, swap, reboot, clocks, names, accounting,
quotas, the kernel's log.

Those that no honest program makes end the process with SIGSYS; the rest are refused with EPERM.
The arguments are harmless ones: a broken cell must not hurt the host either.
"""
import prelude

ROW = 19
SAYS = "nothing of the machine can be administered"
HELDBY = [["base_filter"]]
ATTACK = r'''
deadly = {"init_module": (BAD, 0, BAD), "finit_module": (-1, BAD, 0), "delete_module": (BAD, 0),
          "create_module": (BAD, 0), "kexec_load": (0, 0, BAD, 0xFFFF), "reboot": (0, 0, 0, 0),
          "kexec_file_load": (-1, -1, 0, BAD, 0), "swapon": (BAD, 0), "swapoff": (BAD,)}
denied = {"acct": (BAD,), "quotactl": (0x800007 << 8, BAD, 0, BAD), "quotactl_fd": (-1, 0, 0, 0),
          "syslog": (3, BAD, 16), "vhangup": (), "settimeofday": (BAD, BAD),
          "clock_settime": (0, BAD), "adjtimex": (BAD,), "clock_adjtime": (0, BAD),
          "sethostname": (BAD, 3), "setdomainname": (BAD, 3), "sysfs": (3,), "ustat": (0, BAD),
          "uselib": (BAD,), "_sysctl": (BAD,)}
tell({"deadly": {name: forked(sc, name, *args) for name, args in deadly.items()},
      "denied": {name: forked(sc, name, *args) for name, args in denied.items()},
      "hostname": os.uname().nodename})
'''


def check(seen, result, host):
    prelude.expect(seen["deadly"], "SIGSYS")
    prelude.expect(seen["denied"], "EPERM")
    assert seen["hostname"] == "belljar"
    assert host.before.hostname == host.after.hostname
    assert result["outcome"] == "ok"


def control():
    """Outside, they reach the kernel, which looks at the arguments."""
    reached = ("EFAULT", "EINVAL", "EBADF", "EPERM", "EBUSY", "ENOSYS", "ENOEXEC")
    assert prelude.sc("reboot", 0, 0, 0, 0) in ("EINVAL", "EPERM")
    assert prelude.sc("swapoff", prelude.BAD) in ("EFAULT", "EPERM")
    assert prelude.sc("finit_module", -1, prelude.BAD, 0) in reached
    assert prelude.sc("ustat", 0, prelude.BAD) == "EINVAL"
    assert prelude.sc("quotactl_fd", -1, 0, 0, 0) == "EBADF"
