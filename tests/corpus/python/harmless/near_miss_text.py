#--- string-import-subprocess: the words in a string
tip = "never write: import subprocess; subprocess.run('rm -rf /', shell=True)"
print(len(tip))
#--- comment-os-system: the words in a comment
# do not use os.system("rm -rf /") or eval(input()) here; __import__("os") neither
total = sum(range(10))  # exec("...") would be wrong
print(total)
#--- docstring-eval: the words in a docstring
def parse(text):
    """Parse a number.

    Unlike eval(text) or exec(text) this is safe; no import os, no
    subprocess.Popen, no ().__class__.__mro__ tricks.
    """
    return float(text)
print(parse("2.5"))
#--- module-docstring-ctypes: the words at the top
"""Notes on ctypes.CDLL and socket.socket, for the reader only."""
print("nothing to see")
#--- multiline-string-program: a program in a string that is printed
EXAMPLE = """
import os
os.system("id")
"""
print(EXAMPLE.count("\n"))
#--- error-message-words: the words in an error message
def check(name):
    if name in {"subprocess", "socket", "ctypes"}:
        raise ValueError(f"module {name!r} is not allowed; use of eval() or exec() neither")
    return name
print(check("json"))
#--- blocklist-set: a set of forbidden names, looked up only
BLOCKED = {"os.system", "subprocess.Popen", "eval", "exec", "__import__", "pickle.loads"}
src = "print('hello')"
print([b for b in sorted(BLOCKED) if b in src])
#--- linter-ast: a small checker that reads code
import ast
SOURCE = "import subprocess\nsubprocess.run(['ls'])\neval('1')\n"
tree = ast.parse(SOURCE)
bad = [n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
print(bad)
#--- linter-regex: a small checker by pattern
import re
pat = re.compile(r"\b(eval|exec|__import__|os\.system)\s*\(")
print(pat.findall("x = eval(y); os.system('a')"))
#--- regex-etc-passwd: an outside path in a pattern
import re
log = "GET /../../etc/passwd 404"
print(bool(re.search(r"/etc/(passwd|shadow)", log)))
#--- string-etc-passwd: outside paths as data
SENSITIVE = ["/etc/passwd", "/root/.ssh/id_rsa", "~/.aws/credentials"]
request = "/index.html"
print(any(request.startswith(s) for s in SENSITIVE))
#--- print-path-only: an outside path printed
print("The file /etc/hosts maps names to addresses.")
print("~/.bashrc", "..", "../..")
#--- urls-as-data: addresses counted, not fetched
urls = ["http://a.example/x", "https://b.example/y?z=1", "ftp://c.example"]
print(sum(u.startswith("https://") for u in urls), [u.split("/")[2] for u in urls])
#--- url-regex: addresses found by pattern
import re
text = "see http://example.com/a and https://example.org."
print(re.findall(r"https?://[\w./-]+\w", text))
#--- ip-log-count: addresses in a log
from collections import Counter
lines = ["192.0.2.1 GET /", "192.0.2.7 GET /a", "192.0.2.1 POST /"]
print(Counter(l.split()[0] for l in lines).most_common(1))
#--- test-data-injection: attack strings as test data
CASES = ["' OR 1=1 --", "{{7*7}}", "__import__('os').system('id')", "$(reboot)", "../../etc/passwd"]
def clean(s):
    return "".join(c for c in s if c.isalnum() or c == " ")
for c in CASES:
    print(clean(c))
#--- html-report-words: the words in HTML
page = "<h1>subprocess</h1><p>Use <code>subprocess.run</code>, not <code>os.system</code>.</p>"
with open("page.html", "w") as f:
    f.write(page)
#--- markdown-file-words: a text about danger written down
from pathlib import Path
Path("advice.md").write_text("# Safe code\n\n- no `eval`\n- no `pickle.load`\n- no `ctypes`\n")
#--- quiz-words: a quiz about Python
QUIZ = [("Which module starts programs?", "subprocess"), ("Which one opens connections?", "socket")]
for q, a in QUIZ:
    print(q, "-", a)
#--- keyword-table: words of the language
import keyword
print([k for k in keyword.kwlist if k in ("import", "exec", "global", "nonlocal")])
#--- word-frequency-source: words of a program counted
from collections import Counter
import re
src = "import os\nimport sys\nos.system('x')\neval('y')\n"
print(Counter(re.findall(r"[a-z]+", src)).most_common(3))
#--- split-import-words: a sentence with import in it
sentence = "we import socket wrenches and exec chairs from Os, Norway"
print(sentence.title().split()[1:3])
#--- command-strings-only: commands as text, joined and printed
cmd = ["rm", "-rf", "build"]
print("would run:", " ".join(cmd))
#--- shell-script-text: a shell script as text
script = "#!/bin/sh\ncurl -fsSL https://example.com/i.sh | sh\n"
print(script.splitlines()[0], len(script))
#--- fork-bomb-text: the words of a known trick, explained
print(":(){ :|:& };: is a function that calls itself twice")
#--- base64-looking-text: letters that look like base64
name = "aW1wb3J0IG9z"
print(name.lower(), len(name) % 4)
#--- hash-list-known-bad: hashes compared
BAD = {"44d88612fea8a8f36de82e1278abb02f", "e4968ef99266df7c9a1f0637d2389dab"}
seen = ["44d88612fea8a8f36de82e1278abb02f"]
print([h in BAD for h in seen])
#--- config-dict-paths: outside paths in a configuration that is printed
CONFIG = {"unit": "/etc/systemd/system/app.service", "log": "/var/log/app.log", "home": "~"}
for k, v in CONFIG.items():
    print(f"{k:>5}: {v}")
#--- dockerfile-text: a Dockerfile written in the workspace
lines = ["FROM python:3.11", "RUN pip install requests", "COPY . /app", 'CMD ["python", "-m", "http.server"]']
with open("Dockerfile", "w") as f:
    f.write("\n".join(lines) + "\n")
#--- requirements-text: names of packages as text
REQ = "requests==2.31\ncffi>=1.15\npexpect\nparamiko"
print([r.split("=")[0].rstrip(">") for r in REQ.splitlines()])
#--- ini-with-eval: a configuration with bad words
import configparser
c = configparser.ConfigParser()
c.read_string("[run]\nexec = fast\neval = true\nimport = os\n")
print(dict(c["run"]))
#--- json-with-reduce: JSON with words of pickles
import json
print(json.loads('{"py/reduce": [1], "__class__": "A", "__globals__": {}}')["__class__"])
#--- csv-with-formulas: cells made harmless
import csv, io
rows = list(csv.reader(io.StringIO("=cmd|' /C calc'!A0,ok\n")))
print([("'" + c if c[0] in "=+-@" else c) for c in rows[0]])
#--- sql-text-exec: bad words in SQL
q = "EXEC sp_help; SELECT system_user; -- eval"
print(q.split(";")[0])
#--- dunder-words-in-text: dunder names as text
DUNDERS = ["__class__", "__mro__", "__subclasses__", "__globals__", "__code__"]
print([d.strip("_") for d in DUNDERS])
#--- format-braces-plain: braces that are escaped
print("{{0.__class__}} stays as it is: {0}".format(1))
#--- logging-words: bad words in log messages
import logging
logging.warning("user typed eval(%s) and import subprocess", "x")
#--- argparse-help-words: bad words in a help text
import argparse
p = argparse.ArgumentParser(description="Like os.system, but it only prints.")
p.add_argument("--exec", help="name of a step, not a command")
p.add_argument("--socket", type=int, default=1, help="number of CPU sockets")
print(p.parse_args([]).socket)
#--- chr-table-print: character codes printed
codes = [105, 109, 112, 111, 114, 116]
print("".join(map(chr, codes)))
#--- reversed-text-print: a text backwards, printed
print("ssecorpbus"[::-1], "met" + "sys")
#--- joined-name-print: names put together, printed
parts = ["sub", "process"]
label = "".join(parts)
print(f"{label}: {'ev' + 'al'}")
#--- raw-bytes-words: bad words in bytes
data = b"import os\x00eval(\x00exec("
print(data.find(b"eval"), data.split(b"\x00"))
#--- pickle-opcodes-text: bytes of a pickle measured, not loaded
blob = b"cos\nsystem\n(S'id'\ntR."
print(len(blob), blob[:3].hex())
#--- string-format-sql: names and words in a template
from string import Template
t = Template("$verb the $noun")
print(t.substitute(verb="exec", noun="plan"))
#--- type-annotation-words: bad words in annotations that are text
def f(x: "subprocess number", y: "os name" = None) -> "eval result":
    return x
print(f(1))
#--- f-string-words: bad words inside an f-string's text
n = 3
print(f"import os; os.system('{n}') is only text, as is eval({n})")
