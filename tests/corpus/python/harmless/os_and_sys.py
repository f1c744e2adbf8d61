#--- os-getcwd-listdir: where and what
import os
print(os.getcwd())
for name in sorted(os.listdir(".")):
    print(name, os.path.isdir(name))
#--- os-from-names: harmless names of os
from os import getcwd, listdir, sep, linesep, path
print(getcwd(), len(listdir()), repr(sep), repr(linesep), path.join("a", "b"))
#--- os-alias-path: os under another name
import os as o
print(o.path.splitext("a.b.c"), o.sep)
#--- os-environ-get: a setting from the environment
import os
debug = os.environ.get("DEBUG", "0") == "1"
level = os.getenv("LOG_LEVEL", "INFO")
print(debug, level)
#--- os-cpu-count: workers by processors
import os
workers = min(8, (os.cpu_count() or 1) + 1)
print(workers, os.getpid())
#--- os-path-in-function: os imported in a function
def ext(name):
    import os
    return os.path.splitext(name)[1].lower()
print(ext("A.TXT"))
#--- os-getattr-path: a harmless name as text
import os
print(getattr(os, "sep"), getattr(os, "getcwd")())
#--- os-function-alias: a harmless function under another name
import os
join = os.path.join
isfile = os.path.isfile
print([f for f in os.listdir(".") if isfile(join(".", f))])
#--- os-in-dict: harmless functions in a table
import os
FUN = {"cwd": os.getcwd, "base": os.path.basename}
print(FUN["cwd"](), FUN["base"]("a/b.txt"))
#--- os-walk-sizes: sizes by ending
import os
from collections import Counter
sizes = Counter()
for root, _, files in os.walk("project"):
    for f in files:
        p = os.path.join(root, f)
        sizes[os.path.splitext(f)[1]] += os.path.getsize(p)
print(sizes.most_common(5))
#--- os-path-normalise: paths as text
import os
print(os.path.normpath("a/./b//c"), os.path.commonprefix(["abc", "abd"]), os.path.isabs("/x"))
#--- os-path-basename-absolute: the name of an absolute path, as text
import os.path
print(os.path.basename("/usr/lib/libfoo.so"), os.path.split("/etc/hosts"))
#--- os-remove-if-exists: an own file cleaned up
import os
for n in ("a.tmp", "b.tmp"):
    if os.path.exists(n):
        os.remove(n)
#--- os-mkdir-try: a directory that may be there
import os
try:
    os.mkdir("out")
except FileExistsError:
    pass
#--- sys-argv: arguments
import sys
args = sys.argv[1:]
print(f"{len(args)} arguments", *args)
#--- sys-exit-zero: a clean end
import sys
def main():
    print("ok")
    return 0
if __name__ == "__main__":
    sys.exit(main())
#--- sys-exit-usage: an end with a message
import sys
if len(sys.argv) < 2:
    sys.exit("usage: prog FILE")
print(sys.argv[1])
#--- sys-stdin-lines: lines summed
import sys
print(sum(int(line) for line in sys.stdin if line.strip()))
#--- sys-stdin-read: words counted
from sys import stdin
print(len(stdin.read().split()))
#--- sys-stderr: a message to stderr
import sys
print("warning: low", file=sys.stderr)
sys.stdout.write("done\n")
sys.stdout.flush()
#--- sys-version: which Python
import sys
print(sys.version.split()[0], sys.version_info >= (3, 9), sys.platform, sys.byteorder)
#--- sys-version-branch: two spellings by version
import sys
if sys.version_info >= (3, 11):
    import tomllib
    print(tomllib.loads("a = 1"))
else:
    print("too old")
#--- sys-limits: numbers of the machine
import sys
print(sys.maxsize, sys.float_info.epsilon, sys.float_info.max)
#--- sys-recursion-limit: a moderate limit
import sys
sys.setrecursionlimit(5000)
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)
print(depth(2000), sys.getrecursionlimit())
#--- sys-getsizeof: sizes of objects
import sys
for o in (1, "x" * 100, [0] * 100, {}):
    print(type(o).__name__, sys.getsizeof(o))
#--- sys-path-read: where modules come from
import sys
for p in sys.path:
    print(p)
#--- sys-executable: which interpreter
import sys
print("running under", sys.executable)
#--- sys-from-names: harmless names of sys
from sys import argv, exit, maxsize, stderr
if len(argv) > 99:
    print("too many", file=stderr)
    exit(2)
print(maxsize)
#--- sys-fast-io: quick reading for contests
import sys
input = sys.stdin.readline
n = int(input())
xs = list(map(int, input().split()))
print(n, max(xs))
#--- sys-alias: sys under another name
import sys as system_info
print(system_info.platform, system_info.maxsize)
#--- os-sys-together: both on a line
import os, sys
print(os.path.basename(sys.argv[0]), file=sys.stderr)
#--- os-environ-default-int: a number from the environment
import os
try:
    n = int(os.environ.get("N", "10"))
except ValueError:
    n = 10
print(n)
#--- os-path-file-relative: a file beside this one
import os
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "data.txt")) as f:
    print(f.readline())
