#--- import-subprocess-run: plain import and one command
import subprocess
subprocess.run(["id"])
#--- import-subprocess-alias: module alias hides the name at the call
import subprocess as sp
out = sp.check_output("cat /proc/self/status", shell=True)
print(out.decode())
#--- from-subprocess-popen: class taken out of the module
from subprocess import Popen, PIPE
p = Popen(["sh", "-c", "ls -la /"], stdout=PIPE)
print(p.communicate()[0])
#--- from-subprocess-popen-renamed: class taken out under an innocent name
from subprocess import Popen as Report
Report("whoami", shell=True).wait()
#--- from-subprocess-star: star import, then a bare name
from subprocess import *
print(getoutput("uname -a"))
#--- from-os-system: one function of os
from os import system
system("id")
#--- from-os-system-renamed: one function of os under another name
from os import system as log_line
log_line("echo pwned > /tmp/flag")
#--- from-os-star-popen: star import of os
from os import *
print(popen("id").read())
#--- import-os-popen: a shell through os.popen
import os
with os.popen("env") as pipe:
    print(pipe.read())
#--- import-os-alias-exec: the process is replaced
import os as operating
operating.execv("/bin/sh", ["sh"])
#--- import-many-on-a-line: the forbidden one among harmless ones
import json, re, subprocess, math
data = json.loads("[1, 2]")
subprocess.call(["touch", "/tmp/x"])
#--- from-os-parenthesised: several names, one of them bad
from os import (
    getcwd,
    sep,
    posix_spawn as start,
)
start("/bin/ls", ["ls", "/"], {})
#--- import-shutil-rmtree: delete a tree
import shutil
shutil.rmtree("/workspace", ignore_errors=True)
#--- from-shutil-copytree: copy a tree from outside
from shutil import copytree as clone
clone("/etc", "etc-copy")
#--- import-socket: open a connection
import socket
s = socket.socket()
s.connect(("192.0.2.10", 4444))
#--- from-socket-create-connection: the helper function
from socket import create_connection
create_connection(("198.51.100.7", 80)).sendall(b"hello")
#--- import-requests: get a page
import requests
print(requests.get("http://198.51.100.7/").status_code)
#--- import-urllib-request-as: dotted import with alias
import urllib.request as fetch
print(fetch.urlopen("http://example.invalid/a").read())
#--- from-urllib-import-request: submodule taken from the package
from urllib import request
request.urlretrieve("http://example.invalid/tool", "tool")
#--- import-http-client: raw HTTP
import http.client
c = http.client.HTTPConnection("192.0.2.1", 8080)
c.request("GET", "/")
#--- from-http-server: listen on a port
from http.server import HTTPServer, SimpleHTTPRequestHandler
HTTPServer(("0.0.0.0", 8000), SimpleHTTPRequestHandler).serve_forever()
#--- import-multiprocessing-process: spawn a process
from multiprocessing import Process
p = Process(target=print, args=("child",))
p.start()
p.join()
#--- import-multiprocessing-pool: a pool through an alias
import multiprocessing as mp
with mp.Pool(64) as pool:
    pool.map(abs, range(100))
#--- import-signal-ignore: refuse to be stopped
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGINT, signal.SIG_IGN)
#--- from-signal-alarm-hook: a handler that runs a command
from signal import signal as on, SIGALRM, alarm
import os
on(SIGALRM, lambda *a: os.system("id"))
alarm(1)
#--- import-pty-spawn: interactive shell
import pty
pty.spawn("/bin/bash")
#--- from-pty-spawn-renamed: interactive shell under another name
from pty import spawn as table
table(["/bin/sh", "-i"])
#--- import-in-function: the import is hidden in a helper
def summarise(rows):
    import subprocess
    return subprocess.getoutput("id")
print(summarise([]))
#--- import-in-class-body: the import runs with the class
class Settings:
    import subprocess as backend
    value = backend.getoutput("hostname")
print(Settings.value)
#--- import-in-method: the import sits in a method
class Report:
    def __init__(self, title):
        self.title = title
    def save(self):
        from os import popen
        return popen("cat /etc/hostname").read()
print(Report("q3").save())
#--- import-in-try-fallback: the fallback branch is the bad one
try:
    import fast_helper_that_is_absent as helper
except ImportError:
    import subprocess as helper
print(helper.check_output(["id"]))
#--- import-in-except-handler: error path runs a command
try:
    1 / 0
except ZeroDivisionError:
    from os import system
    system("id")
#--- import-in-finally: cleanup path runs a command
try:
    total = sum(range(10))
finally:
    import subprocess
    subprocess.Popen("id", shell=True)
#--- import-under-condition: only on one platform
import sys
if sys.platform.startswith("linux"):
    import subprocess
    subprocess.run("id", shell=True)
#--- import-in-else-of-loop: in a loop's else branch
for n in range(3):
    pass
else:
    import subprocess
    subprocess.run(["id"])
#--- import-after-semicolon: behind a harmless statement on the line
x = 1; import subprocess; subprocess.run("id", shell=True)
#--- import-after-backslash: the line is continued
import \
    subprocess \
    as \
    numbers_tool
numbers_tool.run(["id"])
#--- import-posix: the C module below os
import posix
posix.system("id")
#--- from-posix-execve: the C module's exec
from posix import execve
execve("/bin/sh", ["sh", "-c", "id"], {})
#--- import-posixsubprocess: the C helper of subprocess
import _posixsubprocess
import os
_posixsubprocess.fork_exec
os.fork()
#--- import-underscore-socket: the C module below socket
import _socket
s = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
s.connect(("192.0.2.10", 9001))
#--- import-os-path-leads-to-os: importing os.path binds os
import os.path
os.system("id")
#--- from-os-path-import-os: os again, through posixpath
from os.path import os as tools
tools.system("id")
#--- from-package-import-hidden-os: os as an attribute of another module
from logging import os as clock
clock.system("id")
#--- from-asyncio-create-subprocess: asyncio's process part
import asyncio
from asyncio import create_subprocess_shell as shell
async def main():
    p = await shell("id")
    await p.wait()
asyncio.run(main())
#--- import-asyncio-subprocess-exec: asyncio's process part by attribute
import asyncio
async def job():
    proc = await asyncio.create_subprocess_exec("ls", "/")
    return await proc.wait()
asyncio.run(job())
#--- asyncio-open-connection: asyncio's network part
import asyncio
async def main():
    reader, writer = await asyncio.open_connection("192.0.2.10", 443)
    writer.write(b"hi")
    await writer.drain()
asyncio.run(main())
#--- asyncio-start-server: listen with asyncio
import asyncio
async def handle(r, w):
    w.write(await r.read(100))
async def main():
    srv = await asyncio.start_server(handle, "0.0.0.0", 7000)
    await srv.serve_forever()
asyncio.run(main())
#--- import-three-aliases-deep: alias of alias of alias
import subprocess as a
b = a
c = b
c.run(["id"])
#--- import-commands-wrapper-class: the module kept as an attribute
import subprocess
class Tool:
    def __init__(self):
        self.m = subprocess
Tool().m.run("id", shell=True)
#--- import-fabric-like-libs: third-party remote shells
import paramiko
c = paramiko.SSHClient()
c.connect("192.0.2.4", username="root", password="toor")
c.exec_command("id")
#--- import-sh-pexpect: third-party process spawners
import pexpect
child = pexpect.spawn("/bin/sh")
child.sendline("id")
#--- import-psutil-kill: stop other processes
import psutil
for p in psutil.process_iter():
    p.kill()
