"""Ports, descriptor tables and personalities: iopl, ioperm, modify_ldt, arch_prctl past FS and GS,
personality bits that weaken memory, memory that is writable and executable at once, prctl options
that move one's own walls.

Ports end the process; the rest is refused. What refuses must not be fooled by the upper half.
"""
import prelude

ROW = 21
SAYS = "a process cannot change what the kernel thinks of it"
HELDBY = [["base_filter"], ["guest_filter"]]
ATTACK = r'''
JUNK = 1 << 32
buffer = ctypes.create_string_buffer(256)
ports = {"iopl": forked(sc, "iopl", 0), "iopl 3": forked(sc, "iopl", 3),
         "ioperm": forked(sc, "ioperm", 0, 1, 0), "ioperm on": forked(sc, "ioperm", 0x80, 1, 1)}
ldt = {function: forked(sc, "modify_ldt", function, buffer, 16) for function in (0, 1, 2, 17)}
arch = {name: forked(sc, "arch_prctl", code, argument) for name, code, argument in (
    ("get cpuid", 0x1011, 0), ("set cpuid", 0x1012, 1), ("map vdso x32", 0x2001, 0x10000000),
    ("map vdso 32", 0x2002, 0x10000000), ("map vdso 64", 0x2003, 0x10000000),
    ("enable shadow stack", 0x5001, 1), ("lock shadow stack", 0x5003, 1))}
personalities = {f"{bits:x}": forked(sc, "personality", bits) for bits in (
    0x40000, 0x400000, 0x440000, 0x100000, 0x200000, 0x0040000 | 8, 0x8000000, 0x10000000,
    0x400000 | JUNK, JUNK, 0x20000 | 0x400000)}
options = {"PDEATHSIG junk": 1 | JUNK, "SET_DUMPABLE": 4, "SET_UNALIGN": 6, "SET_KEEPCAPS": 8,
           "SET_FPEMU": 10, "SET_FPEXC": 12, "SET_TIMING": 14, "SET_SECCOMP": 22,
           "CAPBSET_DROP": 24, "SET_TSC": 26, "SET_SECUREBITS": 28, "PERF_DISABLE": 31,
           "PERF_ENABLE": 32, "MCE_KILL": 33, "SET_MM": 35, "CAP_AMBIENT": 47,
           "SET_SPECULATION": 53, "TAGGED_ADDR": 55, "IO_FLUSHER": 57, "USER_DISPATCH": 59,
           "SCHED_CORE": 62, "SET_MDWE": 65, "SET_MEMORY_MERGE": 67, "PPC_DEXCR": 73,
           "SET_PTRACER": 0x59616d61, "unknown": 12345}
prctl = {}
for name, option in options.items():
    prctl[name] = forked(sc, "prctl", option, 1, 0, 0, 0)
    prctl[name + " high"] = forked(sc, "prctl", option | 0xABCD << 32, 1, 0, 0, 0)
plain = sc("mmap", 0, 4096, 3, 0x22, -1, 0)
both = {"mmap": sc("mmap", 0, 4096, 7, 0x22, -1, 0), "mprotect": sc("mprotect", plain, 4096, 7),
        "mmap high": sc("mmap", 0, 4096, 7 | JUNK, 0x22, -1, 0),
        "mprotect high": sc("mprotect", plain, 4096, 7 | JUNK),
        "write and execute": sc("mmap", 0, 4096, 6, 0x22, -1, 0),
        "pkey_mprotect": sc("pkey_mprotect", plain, 4096, 7, -1)}
tell({"both": both, "ports": ports, "ldt": ldt, "arch": arch, "personalities": personalities,
      "prctl": prctl, "name": sc("prctl", 15, b"honest"), "persona": sc("personality", 0xFFFFFFFF)})
'''


def check(seen, result, host):
    prelude.expect(seen["ports"], "SIGSYS")
    prelude.expect(seen["ldt"], "EPERM")
    prelude.expect(seen["both"], "EPERM")
    for group in ("personalities", "prctl", "arch"):
        prelude.expect(seen[group], "EPERM", "ENOSYS")
    assert seen["name"] == 0 and seen["persona"] == 0, seen


def control():
    """Outside, they are answered."""
    assert prelude.sc("personality", 0x40000) == 0
    assert prelude.sc("personality", 0xFFFFFFFF) == 0x40000
    assert prelude.sc("prctl", 4, 0, 0, 0, 0) == 0
    assert prelude.sc("arch_prctl", 0x1011, 0) in (0, 1)
    assert prelude.sc("modify_ldt", 99, 0, 0) in ("ENOSYS", 2**32 - 38)  # an unsigned answer
