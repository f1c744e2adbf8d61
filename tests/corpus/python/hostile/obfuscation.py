#--- b64-exec: base64 into exec
import base64
exec(base64.b64decode("aW1wb3J0IG9zO29zLnN5c3RlbSgnaWQnKQ=="))
#--- b64-exec-decoded: base64, decoded to text, into exec
import base64
src = base64.b64decode(b"X19pbXBvcnRfXygnc3VicHJvY2VzcycpLnJ1bihbJ2lkJ10p").decode("utf-8")
exec(src)
#--- b64-renamed: the decoder under another name
from base64 import b64decode as unpack
exec(unpack("aW1wb3J0IG9zO29zLnBvcGVuKCdpZCcp"))
#--- b64-eval: base64 into eval
import base64 as b
eval(b.b64decode("X19pbXBvcnRfXygnb3MnKS5zeXN0ZW0oJ2lkJyk="))
#--- b64-split-constants: the text in several parts
import base64
p1 = "aW1wb3J0IG9zO29"
p2 = "zLnN5c3RlbSgnaWQnKQ=="
exec(base64.b64decode(p1 + p2))
#--- b64-twice: two layers
import base64
exec(base64.b64decode(base64.b64decode("YVcxd2IzSjBJRzl6TzI5ekxuTjVjM1JsYlNnbmFXUW5LUT09")))
#--- b64-reversed: base64 backwards
import base64
exec(base64.b64decode("==QKnQWangSblR3c5NnLz92Oz9GI0J3bw1Wa"[::-1]))
#--- b64-dynamic-import: the decoder imported in place
exec(__import__("base64").b64decode("aW1wb3J0IG9zO29zLnN5c3RlbSgnaWQnKQ=="))
#--- b64-getattr-exec: built exec and base64
import base64, builtins
getattr(builtins, "".join(["e", "x", "e", "c"]))(base64.b64decode("aW1wb3J0IG9zO29zLnN5c3RlbSgnaWQnKQ=="))
#--- b64-binascii: binascii's function
import binascii
exec(binascii.a2b_base64("aW1wb3J0IG9zO29zLnN5c3RlbSgnaWQnKQ=="))
#--- b32-exec: base32 into exec
import base64
exec(base64.b32decode("NFWXA33SOQQG64Z3N5ZS443ZON2GK3JIE5UWIJZJ"))
#--- b85-exec: base85 into exec
import base64
exec(base64.b85decode("X>D+Ca&#bXb31QyE^~QvbY*QQCuw9SDF"))
#--- a85-exec: ascii85 into exec
import base64
exec(base64.a85decode(b"Bl.g-Ec`FBF$\";]/ou;ZFCf;;-Y[*=.0"))
#--- b16-exec: base16 into exec
import base64
exec(base64.b16decode("696D706F7274206F733B6F732E73797374656D282769642729"))
#--- hex-exec: hex digits into exec
exec(bytes.fromhex("696d706f7274206f733b6f732e73797374656d282769642729").decode())
#--- hex-unhexlify: binascii's unhexlify
from binascii import unhexlify
exec(unhexlify("696d706f7274206f733b6f732e73797374656d282769642729"))
#--- hex-codec: the hex codec
import codecs
exec(codecs.decode("696d706f7274206f733b6f732e73797374656d282769642729", "hex"))
#--- rot13-exec: rot13 into exec
import codecs
exec(codecs.decode("vzcbeg bf;bf.flfgrz('vq')", "rot_13"))
#--- rot13-getdecoder: rot13 by its decoder
import codecs
exec(codecs.getdecoder("rot13")("vzcbeg bf;bf.flfgrz('vq')")[0])
#--- rot13-by-hand: rot13 by translate
import string
lo = string.ascii_lowercase
t = str.maketrans(lo, lo[13:] + lo[:13])
exec("vzcbeg bf;bf.flfgrz('vq')".translate(t))
#--- zlib-b64-exec: compressed and base64
import base64, zlib
exec(zlib.decompress(base64.b64decode("eNrLzC3ILypRyC+2zi/WK64sLknN1VDPTFHXBAB9fgj6")))
#--- zlib-marker-lambda: the packer's usual lambda
_ = lambda __: __import__("zlib").decompress(__import__("base64").b64decode(__[::-1]))
exec(_("6jgf9BABXHFTPDV1NnkLs46KW/iz2+CyRpyLI3CzLrNe"))
#--- zlib-hex-exec: compressed and hex
import zlib
exec(zlib.decompress(bytes.fromhex("78dacbcc2dc82f2a51c82fb6ce2fd62bae2c2e49cdd550cf4c51d704007d7e08fa")))
#--- bz2-exec: bz2 and base64
import base64, bz2
exec(bz2.decompress(base64.b64decode("QlpoOTFBWSZTWZCf8aAAAAUZgEDhAAgGItwgIAAiINDJ6nkhTAATRcfukw3mA58JNqVFvi7kinChISE/40A=")))
#--- lzma-exec: lzma and base64
import base64, lzma
exec(lzma.decompress(base64.b64decode("/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAYaW1wb3J0IG9zO29zLnN5c3RlbSgnaWQnKQAAAAD/67uEvGHh3QABMRlZGrCCH7bzfQEAAAAABFla")))
#--- gzip-exec: gzip and base64
import base64, gzip
exec(gzip.decompress(base64.b64decode("H4sIAAAAAAACA8vMLcgvKlHIL7bOL9YrriwuSc3VUM9MUdcEALrJ3CMZAAAA")))
#--- chr-chain-exec: characters joined with plus
exec(chr(105) + chr(109) + chr(112) + chr(111) + chr(114) + chr(116) + chr(32) + chr(111) + chr(115) + chr(59) + chr(111) + chr(115) + chr(46) + chr(115) + chr(121) + chr(115) + chr(116) + chr(101) + chr(109) + chr(40) + chr(39) + chr(105) + chr(100) + chr(39) + chr(41))
#--- chr-list-exec: a list of codes
exec("".join(chr(c) for c in [105, 109, 112, 111, 114, 116, 32, 111, 115, 59, 111, 115, 46, 115, 121, 115, 116, 101, 109, 40, 39, 105, 100, 39, 41]))
#--- chr-map-exec: a list of codes by map
exec("".join(map(chr, (105, 109, 112, 111, 114, 116, 32, 111, 115, 59, 111, 115, 46, 112, 111, 112, 101, 110, 40, 39, 105, 100, 39, 41))))
#--- bytes-list-exec: a bytes object of codes
exec(bytes([95, 95, 105, 109, 112, 111, 114, 116, 95, 95, 40, 39, 111, 115, 39, 41, 46, 115, 121, 115, 116, 101, 109, 40, 39, 105, 100, 39, 41]))
#--- xor-exec: bytes xor-ed with a key
data = [67, 71, 90, 69, 88, 94, 10, 69, 89, 17, 69, 89, 4, 89, 83, 89, 94, 79, 71, 2, 13, 67, 78, 13, 3]
exec("".join(chr(b ^ 42) for b in data))
#--- xor-key-string: bytes xor-ed with a text key
from itertools import cycle
blob = bytes.fromhex("02080904170d4b0a0a500a0a45160018111c064d5e02015e42")
exec(bytes(a ^ b for a, b in zip(blob, cycle(b"key"))))
#--- shift-exec: letters shifted by three
exec("".join(chr(ord(c) - 3) for c in "lpsruw#rv>rv1v|vwhp+*lg*,"))
#--- reversed-exec: the program backwards
exec(")'di'(metsys.so;so tropmi"[::-1])
#--- escape-exec: hex escapes in the literal
exec("\x69\x6d\x70\x6f\x72\x74\x20\x6f\x73\x3b\x6f\x73\x2e\x73\x79\x73\x74\x65\x6d\x28\x27\x69\x64\x27\x29")
#--- unicode-escape-codec: escapes decoded at run time
exec("\\x69\\x6d\\x70\\x6f\\x72\\x74\\x20\\x6f\\x73\\x3b\\x6f\\x73\\x2e\\x73\\x79\\x73\\x74\\x65\\x6d\\x28\\x27\\x69\\x64\\x27\\x29".encode().decode("unicode_escape"))
#--- urlquote-exec: percent codes
import re
s = "%69%6d%70%6f%72%74%20%6f%73%3b%6f%73%2e%73%79%73%74%65%6d%28%27%69%64%27%29"
exec(re.sub("%(..)", lambda m: chr(int(m[1], 16)), s))
#--- big-int-exec: the program as one number
n = 661779123604962330906340743551380262272507754004450218616617
exec(n.to_bytes((n.bit_length() + 7) // 8, "big"))
#--- whitespace-exec: the program in spaces and tabs
data = " \t\t \t  \t\n \t\t  \t  "
cmd = "".join(chr(int(w.replace(" ", "0").replace("\t", "1"), 2)) for w in data.split("\n"))
exec(f"import os; os.system({cmd!r})")
#--- shuffled-exec: the program by index order
text = ["os.system('id')", "import ", "os", ";"]
exec("".join(text[i] for i in (1, 2, 3, 0)))
#--- interleaved-exec: the program between fill letters
exec("izmzpzozrztz zozsz;zozsz.zszyzsztzezmz(z'zizdz'z)z"[::2])
#--- replace-marker-exec: markers replaced
exec("impXXort oXXs;oXXs.sysXXtem('iXXd')".replace("XX", ""))
#--- template-exec: a string template
from string import Template
exec(Template("import $m;$m.$f('id')").substitute(m="os", f="sys" + "tem"))
#--- dict-alphabet-exec: an own alphabet
key = "qwertyuiopasdfghjklzxcvbnm"
plain = "abcdefghijklmnopqrstuvwxyz"
exec("odhgkz gl;gl.lnlztd('or')".translate(str.maketrans(key, plain)))
#--- staged-layers-exec: three layers, each its own function
import base64, codecs, zlib
def one(x): return codecs.decode(x, "rot13")
def two(x): return base64.b64decode(x)
def three(x): return zlib.decompress(x)
exec(three(two(one("rAeYmP3VYlcElP+2mv/JX64fYxaA1IQCGSUKONO9stw6"))))
#--- marshal-exec: a marshalled code object
import base64, marshal
exec(marshal.loads(base64.b64decode("4wAAAAA=")))
#--- polyglot-underscore-names: names of underscores only
_ = getattr
__ = __builtins__
___ = _(__, "ev" "al")
___("__import__('os').system('id')")
#--- one-letter-soup: lambdas, chr and getattr in one line
(lambda g, c: g(g(__builtins__, c(95) * 2 + "import" + c(95) * 2)("os"), c(115) + "ystem")("id"))(getattr, chr)
#--- hidden-after-blanks: the bad call far to the right
total = sum(range(10));                                                                                                                                                      __import__("os").system("id")
#--- hidden-in-long-data: the program inside a data list
ROWS = ["12,3", "7,8", "aW1wb3J0IG9zO29zLnN5c3RlbSgnaWQnKQ==", "9,1"]
import base64
for r in ROWS:
    if "," not in r:
        exec(base64.b64decode(r))
#--- length-coded-exec: the program as lengths of strings
rows = [" " * n for n in (105, 100)]
__import__("os").system("".join(chr(len(r)) for r in rows))
#--- quoted-printable-exec: mail coding
import quopri
exec(quopri.decodestring(b"import=20os=3Bos=2Esystem=28=27id=27=29"))
#--- uu-codec-exec: a little-used codec
import codecs
exec(codecs.decode(codecs.encode(b"import os;os.system('id')", "uu"), "uu"))
#--- punycode-name: a codec for a name
getattr(__import__("os"), b"system-".decode("punycode"))("id")
#--- utf7-name: another codec for a name
getattr(__import__("os"), b"s+AHk-stem".decode("utf-7"))("id")
#--- utf16-exec: two bytes for each letter
exec(bytes.fromhex("69006d0070006f007200740020006f0073003b006f0073002e00730079007300740065006d00280027006900640027002900").decode("utf-16-le"))
