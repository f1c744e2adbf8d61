#--- word-count: the most common words
from collections import Counter
text = "the quick brown fox jumps over the lazy dog the end"
print(Counter(text.split()).most_common(3))
#--- palindrome: a text backwards
def is_pal(s):
    t = "".join(c for c in s.lower() if c.isalnum())
    return t == t[::-1]
print(is_pal("A man, a plan, a canal: Panama"))
#--- caesar: letters shifted, not run
def caesar(s, k):
    out = []
    for c in s:
        if c.isalpha():
            b = ord("A") if c.isupper() else ord("a")
            out.append(chr((ord(c) - b + k) % 26 + b))
        else:
            out.append(c)
    return "".join(out)
print(caesar(caesar("Hello, World", 3), -3))
#--- rot13-text: rot13 of a text that is printed
import codecs
print(codecs.encode("Why did the chicken cross the road?", "rot13"))
#--- vowels: letters counted
print(sum(c in "aeiou" for c in "sphinx of black quartz"))
#--- anagram-groups: words by their letters
from collections import defaultdict
g = defaultdict(list)
for w in ["tea", "eat", "tan", "ate", "nat", "bat"]:
    g["".join(sorted(w))].append(w)
print(list(g.values()))
#--- snake-to-camel: names changed
def camel(s):
    first, *rest = s.split("_")
    return first + "".join(p.title() for p in rest)
print(camel("max_retry_count"))
#--- camel-to-snake: names changed back
import re
print(re.sub(r"(?<!^)(?=[A-Z])", "_", "maxRetryCount").lower())
#--- regex-compile: a pattern compiled
import re
pat = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
for y, m, d in pat.findall("from 2024-01-02 to 2024-03-04"):
    print(d, m, y)
#--- regex-compile-renamed: compile imported by name
from re import compile as rx, IGNORECASE
print(rx(r"\bcat\b", IGNORECASE).sub("dog", "Cat concat cat"))
#--- regex-named-groups: fields of a log line
import re
line = '10.0.0.1 - - [10/Oct/2023] "GET /a HTTP/1.1" 200'
m = re.match(r'(?P<ip>\S+) .*"(?P<verb>\w+) (?P<path>\S+)', line)
print(m.groupdict())
#--- regex-sub-function: replaced by a function
import re
print(re.sub(r"\d+", lambda m: str(int(m.group()) * 2), "3 apples, 12 pears"))
#--- regex-verbose: a pattern with comments
import re
num = re.compile(r"""
    ^[+-]?          # sign
    \d+(\.\d+)?     # digits
    ([eE][+-]?\d+)?$
""", re.VERBOSE)
print([bool(num.match(s)) for s in ("1", "-2.5e10", "x")])
#--- regex-email-check: addresses checked
import re
EMAIL = re.compile(r"^[\w.+-]+@[\w-]+\.[\w.-]+$")
print([a for a in ("bob@example.com", "nope@", "x.y@z.org") if EMAIL.match(a)])
#--- regex-split: a text cut at several signs
import re
print(re.split(r"[;,\s]+", "a, b;c  d"))
#--- regex-tokeniser: a small tokeniser
import re
spec = [("NUM", r"\d+"), ("OP", r"[-+*/()]"), ("WS", r"\s+")]
master = re.compile("|".join(f"(?P<{n}>{p})" for n, p in spec))
print([(m.lastgroup, m.group()) for m in master.finditer("3 + 4*(2-1)") if m.lastgroup != "WS"])
#--- format-specs: numbers in columns
rows = [("apples", 3, 0.5), ("pears", 12, 1.25)]
for name, n, price in rows:
    print("{:<10}|{:>5d}|{:>8.2f}".format(name, n, price))
#--- format-attribute: a plain attribute in a format string
from types import SimpleNamespace
p = SimpleNamespace(name="Ann", age=33)
print("{0.name} is {0.age}".format(p))
print("{p.name!r:>10}".format(p=p))
#--- format-index: items in a format string
d = {"a": [1, 2, 3]}
print("{0[a][1]} {d[a]}".format({"a": "xy"}, d=d))
#--- format-map-defaults: a dictionary in a format string
class Default(dict):
    def __missing__(self, key):
        return "{" + key + "}"
print("Dear {name}, {body}".format_map(Default(name="Ann")))
#--- fstring-debug: the equals sign
x = 41
print(f"{x + 1 = } {x!r:>5} {x:#x} {x:08b}")
#--- fstring-nested-width: the width as a value
value, width = 3.14159, 12
print(f"[{value:>{width}.3f}] [{'mid':^{width}}]")
#--- percent-format: the old way
print("%-10s|%05d|%.2e|%%" % ("left", 42, 12345.678))
#--- string-template: the Template class
from string import Template
print(Template("$who owes $$${amount}").substitute(who="Bob", amount=5))
#--- textwrap-fill: a text in lines
import textwrap
print(textwrap.fill("word " * 40, width=50, initial_indent="* ", subsequent_indent="  "))
#--- textwrap-dedent: a text moved left
from textwrap import dedent
print(dedent("""
    one
      two
""").strip())
#--- difflib-compare: two texts compared
import difflib
a = "one\ntwo\nthree\n".splitlines(keepends=True)
b = "one\n2\nthree\n".splitlines(keepends=True)
print("".join(difflib.unified_diff(a, b, "a", "b")))
#--- unicode-normalise: accents removed
import unicodedata
s = unicodedata.normalize("NFKD", "café naïve")
print("".join(c for c in s if not unicodedata.combining(c)))
#--- translate-table: signs removed
import string
print("Hi, there! (you)".translate(str.maketrans("", "", string.punctuation)))
#--- run-length: runs counted
from itertools import groupby
print("".join(f"{c}{len(list(g))}" for c, g in groupby("aaabbc")))
#--- morse: letters to signs
MORSE = {"s": "...", "o": "---", "e": ".", "t": "-"}
print(" ".join(MORSE[c] for c in "sos"))
#--- chr-alphabet: an alphabet by chr
letters = "".join(chr(c) for c in range(97, 123))
print(letters, [ord(c) for c in "abc"])
#--- hex-dump: bytes as hex
data = bytes(range(32))
for i in range(0, len(data), 16):
    part = data[i:i + 16]
    print(f"{i:04x}  {part.hex(' ')}")
#--- reverse-words: words in the other order
print(" ".join("world hello".split()[::-1]))
#--- shlex-split: a command line cut, not run
import shlex
print(shlex.split('grep -n "two words" file.txt'))
#--- html-escape: signs for HTML
import html
print(html.escape("<a href='x'>&</a>"), html.unescape("&lt;b&gt;"))
#--- xml-parse: a small XML text
import xml.etree.ElementTree as ET
root = ET.fromstring("<r><i n='1'>a</i><i n='2'>b</i></r>")
print({i.get("n"): i.text for i in root.iter("i")})
#--- ini-parse: a configuration text
import configparser
c = configparser.ConfigParser()
c.read_string("[server]\nport = 8080\nhost = localhost\n")
print(c.getint("server", "port"))
#--- toml-parse: a TOML text
import tomllib
doc = tomllib.loads('title = "x"\n[tool]\nlevel = 3\n')
print(doc["tool"]["level"])
#--- yaml-safe-load: a YAML text, the safe way
import yaml
doc = yaml.safe_load("a: 1\nb: [x, y]\n")
print(doc, yaml.safe_dump(doc))
#--- literal-eval: a literal out of a text
import ast
print(ast.literal_eval("{'a': [1, 2.5, None], 'b': (True, b'x')}"))
#--- ast-parse-only: a tree looked at, not run
import ast
tree = ast.parse("def f(a, b=2):\n    return a + b\n")
print([n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)])
#--- tokenise-source: tokens of a text
import io, tokenize
for t in tokenize.generate_tokens(io.StringIO("x = 1 + y\n").readline):
    print(tokenize.tok_name[t.type], repr(t.string))
#--- markdown-headings: headings of a text
import re
md = "# One\ntext\n## Two\n"
print([(len(h), t) for h, t in re.findall(r"^(#+) (.+)$", md, re.M)])
