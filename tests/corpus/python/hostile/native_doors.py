#--- ctypes-libc-system: libc through ctypes
import ctypes
ctypes.CDLL("libc.so.6").system(b"id")
#--- ctypes-cdll-none: the program's own symbols
from ctypes import CDLL
CDLL(None).system(b"id")
#--- ctypes-renamed: the module under another name
import ctypes as numbers_lib
lib = numbers_lib.cdll.LoadLibrary("libc.so.6")
lib.fork()
#--- ctypes-util-find: library looked up by name
import ctypes, ctypes.util
libc = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
libc.ptrace(0, 0, 0, 0)
#--- ctypes-pythonapi: the interpreter's own C functions
import ctypes
ctypes.pythonapi.PyRun_SimpleString(b"import os; os.system('id')")
#--- ctypes-memset: write to an address
import ctypes
ctypes.memset(0, 1, 1)
#--- ctypes-string-at: read an address
import ctypes
print(ctypes.string_at(id(object()), 64))
#--- ctypes-py-object-cast: an object from an address
import ctypes
n = 1
print(ctypes.cast(id(n), ctypes.py_object).value)
#--- ctypes-change-int: a constant's value changed
import ctypes
ctypes.c_int.from_address(id(29) + 24).value = 30
print(29)
#--- ctypes-shellcode: code bytes made executable
import ctypes, mmap
buf = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
buf.write(b"\x90\x90\xc3")
fn = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(buf)))
fn()
#--- ctypes-syscall: raw system call
from ctypes import CDLL as Table
Table(None).syscall(57)
#--- ctypes-kill-guard: a call that removes limits
import ctypes
libc = ctypes.CDLL(None)
libc.prctl(22, 0)
libc.setrlimit(7, None)
#--- ctypes-dict-write: a type's dictionary opened for writing
import ctypes
class P(ctypes.Structure):
    _fields_ = [("refs", ctypes.c_ssize_t), ("type", ctypes.py_object), ("d", ctypes.py_object)]
P.from_address(id(str.__dict__)).d["shout"] = lambda s: s.upper()
#--- underscore-ctypes: the C half of ctypes
import _ctypes
h = _ctypes.dlopen("libc.so.6", 2)
_ctypes.call_function(_ctypes.dlsym(h, "system"), (b"id",))
#--- ctypes-windows: the Windows spelling
from ctypes import windll
windll.kernel32.WinExec(b"calc.exe", 1)
#--- ctypes-dynamic: ctypes by a built name
getattr(__import__("c" + "types"), "CD" + "LL")(None).system(b"id")
#--- cffi-dlopen: libc through cffi
from cffi import FFI
ffi = FFI()
ffi.cdef("int system(const char *);")
ffi.dlopen(None).system(b"id")
#--- cffi-verify: C text compiled and run
import cffi
f = cffi.FFI()
f.set_source("_x", "int go(void){ return system(\"id\"); }")
f.cdef("int go(void);")
f.compile()
#--- cffi-backend: the C half of cffi
import _cffi_backend
_cffi_backend.load_library(None, 0)
#--- mmap-proc-mem: own memory through /proc
import mmap
with open("/proc/self/mem", "rb+", 0) as f:
    f.seek(0x400000)
    f.write(b"\x90")
#--- mmap-exec-page: an executable page
from mmap import mmap, PROT_EXEC, PROT_READ, PROT_WRITE
page = mmap(-1, 4096, prot=PROT_READ | PROT_WRITE | PROT_EXEC)
page.write(b"\xc3")
#--- mmap-dev-mem: physical memory
import mmap, os
fd = os.open("/dev/mem", os.O_RDWR)
m = mmap.mmap(fd, 4096)
print(m[:16])
#--- numba-cfunc-address: native code by address
import ctypes
from numba import cfunc
@cfunc("int64()")
def f():
    return 1
ctypes.CFUNCTYPE(ctypes.c_int64)(f.address)()
#--- cython-inline: C code compiled in place
import cython
cython.inline("import os; os.system('id')")
#--- distutils-build: a native module built
from distutils.core import setup, Extension
setup(script_args=["build_ext", "-i"], ext_modules=[Extension("x", ["x.c"])])
#--- fcntl-ioctl-tiocsti: keys typed into the terminal
import fcntl, termios
for c in "id\n":
    fcntl.ioctl(0, termios.TIOCSTI, c)
#--- underscore-testcapi: interpreter test functions
import _testcapi
_testcapi.crash_no_current_thread()
#--- faulthandler-crash: a crash on purpose
import faulthandler
faulthandler._sigsegv()
#--- resource-raise-limits: limits lifted
import resource
resource.setrlimit(resource.RLIMIT_NPROC, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
#--- underscore-xxsubinterpreters: another interpreter without guards
import _xxsubinterpreters as si
i = si.create()
si.run_string(i, "import os; os.system('id')")
