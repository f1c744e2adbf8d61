"""System calls by other doors, where numbers mean something else: int 0x80, with its socketcall
that hides families, and the x32 numbers.

Each ends the process with SIGSYS. The code for it is laid into memory that is first writable and
then executable, since memory that is both is refused (row 21).
"""
import prelude

ROW = 24
SAYS = "only the one set of call numbers exists"
HELDBY = [["base_filter", "guest_filter"]]
ENTRY = r'''
def call_gate(eax, ebx=0, ecx=0):
    """int 0x80 with three registers: its value, as the kernel of 32-bit programs gives it."""
    code = (b"\x53\xb8" + eax.to_bytes(4, "little") + b"\xbb" + ebx.to_bytes(4, "little")
            + b"\xb9" + ecx.to_bytes(4, "little") + b"\xcd\x80\x5b\xc3")
    page = sc("mmap", 0, 4096, 3, 0x22, -1, 0)
    ctypes.memmove(page, code, len(code))
    changed = sc("mprotect", page, 4096, 5)
    if changed != 0:
        return "mprotect " + changed
    return ctypes.CFUNCTYPE(ctypes.c_int)(page)()
'''
ATTACK = ENTRY + r'''
X32 = 0x40000000
low = sc("mmap", 0x10000000, 4096, 3, 0x22 | 0x10, -1, 0)
words = (ctypes.c_uint32 * 3)(16, 3, 0)  # socket(AF_NETLINK, SOCK_RAW, 0)
ctypes.memmove(low, words, 12)
gate = {"getpid": forked(call_gate, 20), "exit": forked(call_gate, 1, 7),
        "socketcall": forked(call_gate, 102, 1, low), "mount": forked(call_gate, 21),
        "clone": forked(call_gate, 120, 0x10000000), "unknown": forked(call_gate, 9999)}
x32 = {number: forked(sc, X32 | number, 0, 0, 0) for number in (
    0, 1, 39, 41, 56, 59, 101, 165, 272, 308, 321, 425, 512, 513, 520, 533, 544, 547, 999)}
tell({"gate": gate, "x32": x32})
'''


def check(seen, result, host):
    prelude.expect(seen["gate"], "SIGSYS")
    prelude.expect(seen["x32"], "SIGSYS")
    assert result["outcome"] == "ok"


def control():
    """Outside, the old gate answers (or is not built in), and x32 numbers are the kernel's."""
    names = {**vars(prelude)}
    exec(ENTRY, names)  # pylint: disable=exec-used
    answer = prelude.forked(names["call_gate"], 20)
    if answer == "SIGSEGV":
        raise prelude.Skip("this kernel has no 32-bit calls")
    assert isinstance(answer, int) and answer > 0, answer
    answer = prelude.forked(prelude.sc, 0x40000000 | 39)
    assert answer == "ENOSYS" or isinstance(answer, int), answer
