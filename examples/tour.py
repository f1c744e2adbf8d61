"""A look around inside a cell: what a program can do there, and what is refused.

    ./dev run examples/tour.py

Run it outside (python3 examples/tour.py) to compare: it leaves nothing changed there.
"""

import ctypes
import os
import pathlib
import platform
import socket
import sys
import threading


def pi(digits):
    """Machin's formula in whole numbers: pi = 16 arctan(1/5) - 4 arctan(1/239)."""
    one = 10 ** (digits + 10)

    def arctan(x):
        power = total = one // x
        divisor, sign = 1, 1
        while power:
            power //= x * x
            divisor, sign = divisor + 2, -sign
            total += sign * (power // divisor)
        return total

    text = str((16 * arctan(5) - 4 * arctan(239)) // 10 ** 10)
    return f"{text[0]}.{text[1:]}"


def show(name, value):
    print(f"  {name:<28} {value}")


def probe(name, action):
    """Tries something a cell must not be able to do, and prints how it ended."""
    try:
        value = action()
    except OSError as error:
        show(name, f"refused: {error.strerror or error}")
    except Exception as error:  # the tour goes on, and does not call a mishap a refusal
        show(name, f"could not be tried: {error!r}")
    else:
        show(name, f"REACHED: {value}")


def write_a_file():
    file = pathlib.Path("tour.txt")
    file.write_text("written inside\n")
    listing = ", ".join(sorted(entry.name for entry in pathlib.Path.cwd().iterdir()))
    file.unlink()
    return f"{pathlib.Path.cwd()} holds {listing}"[:100]


def start_a_thread():
    heard = []
    thread = threading.Thread(target=lambda: heard.append("hello from a thread"))
    thread.start()
    thread.join()
    return heard[0]


def start_a_process():
    child = os.fork()
    if child == 0:
        os._exit(7)
    return f"a child ended with {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}"


def use_the_network():
    # Connecting a datagram socket sends nothing: it only asks the kernel for a way there. The
    # address is reserved for documentation.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outward:
        outward.connect(("192.0.2.1", 9))
    return "there is a route"


def read_the_passwords():
    return f"{len(pathlib.Path('/etc/shadow').read_bytes())} bytes"


def change_a_program():
    with open("/usr/bin/env", "ab"):  # opened for writing, and left as it is
        return "/usr/bin/env is writable"


def see_other_processes():
    pids = [entry for entry in os.listdir("/proc") if entry.isdigit()]
    if len(pids) <= 4:
        raise OSError(0, f"only the cell's own are there ({', '.join(sorted(pids, key=int))})")
    return f"{len(pids)} processes"


def become_root():
    os.setuid(0)
    return "now root"


def call(name, *arguments):
    """A function of the C library, with its errno as an exception."""
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return "done"


def main():
    print("what it can do")
    show("compute", f"pi = {pi(50)}")
    show("write and list files", write_a_file())
    show("start a thread", start_a_thread())
    show("start a process", start_a_process())

    print("what it sees of itself")
    show("user, process, host", f"uid {os.getuid()}, pid {os.getpid()}, {platform.node()!r}")
    show("interpreter", f"Python {platform.python_version()} in {sys.prefix}")
    show("environment", (", ".join(sorted(os.environ)) or "empty")[:100])

    print("what is refused")
    probe("use the network", use_the_network)
    probe("read /etc/shadow", read_the_passwords)
    probe("change a program", change_a_program)
    probe("see the host's processes", see_other_processes)
    probe("become root", become_root)
    probe("change its root", lambda: call("chroot", b"/"))
    name = platform.node().encode()
    probe("set the host's name", lambda: call("sethostname", name, len(name)))  # to what it is
    clone_newuser = 0x10000000
    probe("make a user namespace", lambda: call("unshare", clone_newuser))


if __name__ == "__main__":
    main()
