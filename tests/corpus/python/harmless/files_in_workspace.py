#--- write-read-text: a text file written and read
with open("notes.txt", "w", encoding="utf-8") as f:
    f.write("first\nsecond\n")
with open("notes.txt", encoding="utf-8") as f:
    for i, line in enumerate(f, 1):
        print(i, line.rstrip())
#--- append-log: a line added
from datetime import datetime
with open("run.log", "a") as f:
    print(datetime.now().isoformat(timespec="seconds"), "ok", file=f)
#--- write-tmp: a file in /tmp
with open("/tmp/result.txt", "w") as f:
    f.write("42\n")
print(open("/tmp/result.txt").read())
#--- write-workspace-absolute: the workspace by its full name
with open("/workspace/out/report.md", "w") as f:
    f.write("# Report\n")
#--- binary-copy: a file copied in parts
with open("in.bin", "rb") as src, open("out.bin", "wb") as dst:
    while chunk := src.read(65536):
        dst.write(chunk)
#--- path-write-read: pathlib in the workspace
from pathlib import Path
p = Path("data") / "a.txt"
p.parent.mkdir(parents=True, exist_ok=True)
p.write_text("hello")
print(p.read_text(), p.suffix, p.stem, p.exists())
#--- path-glob: files by a pattern
from pathlib import Path
for p in sorted(Path(".").glob("**/*.py")):
    print(p, p.stat().st_size)
#--- path-rglob-count: lines of all text files
from pathlib import Path
print(sum(len(p.read_text().splitlines()) for p in Path("docs").rglob("*.md")))
#--- path-cwd: the current directory
from pathlib import Path
here = Path.cwd()
out = here / "out"
out.mkdir(exist_ok=True)
print(out.name, out.is_dir())
#--- path-unlink: an own file deleted
from pathlib import Path
tmp = Path("scratch.tmp")
tmp.touch()
tmp.unlink(missing_ok=True)
#--- path-rename: an own file renamed
from pathlib import Path
Path("draft.txt").write_text("x")
Path("draft.txt").rename("final.txt")
#--- path-iterdir: files by size
from pathlib import Path
files = [p for p in Path().iterdir() if p.is_file()]
for p in sorted(files, key=lambda p: p.stat().st_size, reverse=True)[:5]:
    print(p.name)
#--- path-tmp: pathlib in /tmp
from pathlib import Path
p = Path("/tmp") / "cache" / "x.json"
p.parent.mkdir(parents=True, exist_ok=True)
p.write_text("{}")
#--- path-with-suffix: another ending
from pathlib import Path
src = Path("report.md")
print(src.with_suffix(".html"), src.with_name("index.md"), src.parts)
#--- path-purepath: paths as text only
from pathlib import PurePosixPath
p = PurePosixPath("/usr/local/lib/python3/site.py")
print(p.name, p.parent.name, p.suffix, p.relative_to("/usr"))
#--- tempfile-directory: a directory that goes away
import os, tempfile
with tempfile.TemporaryDirectory() as d:
    p = os.path.join(d, "x.txt")
    with open(p, "w") as f:
        f.write("hi")
    print(os.path.getsize(p))
#--- tempfile-named: a file that goes away
import tempfile
with tempfile.NamedTemporaryFile("w+", suffix=".csv") as f:
    f.write("a,b\n1,2\n")
    f.seek(0)
    print(f.read())
#--- tempfile-spooled: a file in memory first
from tempfile import SpooledTemporaryFile
with SpooledTemporaryFile(max_size=1024, mode="w+") as f:
    f.write("x" * 100)
    print(f.tell())
#--- glob-csv: CSV files by glob
import glob
for name in sorted(glob.glob("data/*.csv")):
    with open(name) as f:
        print(name, sum(1 for _ in f))
#--- os-walk-workspace: the tree below here
import os
for root, dirs, files in os.walk("."):
    dirs[:] = [d for d in dirs if not d.startswith(".")]
    print(root, len(files))
#--- os-path-functions: path functions only
import os.path
p = os.path.join("out", "2024", "a.tar.gz")
print(os.path.dirname(p), os.path.basename(p), os.path.splitext(p), os.path.exists(p))
#--- os-path-alias: os.path under another name
import os.path as osp
from os.path import join, exists
print(osp.abspath("x"), join("a", "b"), exists("a"))
#--- os-mkdir-rename-remove: work in the workspace
import os
os.makedirs("build/tmp", exist_ok=True)
with open("build/a.txt", "w") as f:
    f.write("a")
os.rename("build/a.txt", "build/b.txt")
os.remove("build/b.txt")
#--- zipfile-write-read: an archive in the workspace
import zipfile
with zipfile.ZipFile("out.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("a.txt", "hello")
    z.write("notes.txt")
with zipfile.ZipFile("out.zip") as z:
    print(z.namelist(), z.read("a.txt"))
#--- tarfile-write: a tar archive in the workspace
import tarfile
with tarfile.open("out.tar.gz", "w:gz") as t:
    t.add("results")
with tarfile.open("out.tar.gz") as t:
    print(t.getnames())
#--- gzip-text: a compressed text
import gzip
with gzip.open("log.txt.gz", "wt") as f:
    f.write("line\n" * 1000)
with gzip.open("log.txt.gz", "rt") as f:
    print(sum(1 for _ in f))
#--- fileinput-workspace: lines of two files
import fileinput
with fileinput.input(["a.txt", "b.txt"]) as f:
    for line in f:
        print(f.filename(), line.rstrip())
#--- linecache-own: a line of a file
import linecache
print(linecache.getline("notes.txt", 2))
#--- io-open-relative: open of the io module
import io
with io.open("u.txt", "w", encoding="utf-8", newline="\n") as f:
    f.write("é\n")
#--- codecs-open-relative: open of the codecs module
import codecs
with codecs.open("latin.txt", "w", "latin-1") as f:
    f.write("é")
#--- open-own-name-variable: a path in a variable
name = "report"
for ext in ("md", "html"):
    with open(f"out/{name}.{ext}", "w") as f:
        f.write(name)
#--- open-argv-file: the file named by the user
import sys
name = sys.argv[1] if len(sys.argv) > 1 else "input.txt"
with open(name) as f:
    print(len(f.read().split()), "words")
#--- open-missing-file: a missing file
try:
    with open("missing.txt") as f:
        print(f.read())
except FileNotFoundError as e:
    print("not found:", e.filename)
#--- filecmp-own: two own files compared
import filecmp
for n in ("x1", "x2"):
    with open(n, "w") as f:
        f.write("same")
print(filecmp.cmp("x1", "x2", shallow=False))
#--- duplicates-by-hash: files with the same content
import hashlib
from collections import defaultdict
from pathlib import Path
seen = defaultdict(list)
for p in Path("photos").rglob("*"):
    if p.is_file():
        seen[hashlib.sha256(p.read_bytes()).hexdigest()].append(p)
for paths in seen.values():
    if len(paths) > 1:
        print(*paths)
#--- replace-in-files: a word replaced in all files
from pathlib import Path
for p in Path("src").rglob("*.txt"):
    text = p.read_text()
    if "colour" in text:
        p.write_text(text.replace("colour", "color"))
#--- tail-of-file: the last lines
from collections import deque
with open("app.log") as f:
    for line in deque(f, maxlen=10):
        print(line, end="")
#--- sqlite-file: a database in the workspace
import sqlite3
with sqlite3.connect("app.db") as db:
    db.execute("create table if not exists t (id integer primary key, v text)")
    db.execute("insert into t (v) values (?)", ("x",))
    print(db.execute("select count(*) from t").fetchone())
#--- pillow-resize: a picture made smaller
from PIL import Image
im = Image.open("in.png").convert("RGB")
im.thumbnail((200, 200))
im.save("thumb.jpg", quality=85)
#--- openpyxl-write: a sheet written
from openpyxl import Workbook
wb = Workbook()
ws = wb.active
ws.append(["name", "n"])
ws.append(["a", 1])
wb.save("book.xlsx")
#--- markdown-table-file: a table written
rows = [("a", 1), ("b", 2)]
with open("table.md", "w") as f:
    f.write("| k | v |\n|---|---|\n")
    f.writelines(f"| {k} | {v} |\n" for k, v in rows)
