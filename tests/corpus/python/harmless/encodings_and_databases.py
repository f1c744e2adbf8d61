#--- b64-text: text to base64 and back
import base64
s = base64.b64encode("héllo".encode()).decode()
print(s, base64.b64decode(s).decode())
#--- b64-image-data-url: a picture as a data address
import base64
with open("logo.png", "rb") as f:
    data = base64.b64encode(f.read()).decode("ascii")
print(f"data:image/png;base64,{data[:40]}...")
#--- b64-decode-json: JSON out of a token, only read
import base64, json
token = "eyJhbGciOiAiSFMyNTYifQ.eyJzdWIiOiAiMTIzIn0.sig"
part = token.split(".")[1]
print(json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))))
#--- b64-decode-print: a decoded text printed
import base64
msg = base64.b64decode("SGVsbG8sIHdvcmxkIQ==").decode("utf-8")
print(msg)
#--- b64-decode-save: decoded bytes saved
import base64
blob = base64.b64decode("iVBORw0KGgo=")
with open("out.png", "wb") as f:
    f.write(blob)
#--- b85-roundtrip: base85 and base32
import base64
d = b"some data"
print(base64.b85decode(base64.b85encode(d)) == d, base64.b32encode(d))
#--- hex-roundtrip: hex and back
import binascii
print(binascii.hexlify(b"abc"), binascii.unhexlify("616263"), bytes.fromhex("61 62"))
#--- zlib-ratio: how well a text is compressed
import zlib
text = b"the same line again and again\n" * 200
z = zlib.compress(text, 9)
print(len(text), len(z), zlib.decompress(z) == text, zlib.crc32(text))
#--- zlib-b64-store: compressed JSON as text
import base64, json, zlib
doc = {"rows": list(range(100))}
packed = base64.b64encode(zlib.compress(json.dumps(doc).encode())).decode()
back = json.loads(zlib.decompress(base64.b64decode(packed)))
assert back == doc
#--- lzma-bz2-compare: three compressors compared
import bz2, gzip, lzma
data = open("big.txt", "rb").read()
for m in (bz2, gzip, lzma):
    print(m.__name__, len(m.compress(data)))
#--- sha-sums: hashes of a text
import hashlib
for name in ("md5", "sha1", "sha256"):
    print(name, hashlib.new(name, b"abc").hexdigest())
#--- sha-file: the hash of a file
import hashlib
h = hashlib.sha256()
with open("data.bin", "rb") as f:
    for part in iter(lambda: f.read(8192), b""):
        h.update(part)
print(h.hexdigest())
#--- hmac-sign: a signed message
import hashlib, hmac
sig = hmac.new(b"key", b"message", hashlib.sha256).hexdigest()
print(hmac.compare_digest(sig, sig))
#--- pbkdf2-password: a password hashed
import hashlib, secrets
salt = secrets.token_bytes(16)
print(hashlib.pbkdf2_hmac("sha256", b"pw", salt, 100_000).hex())
#--- proof-of-work-lesson: a tiny chain, for a lesson
import hashlib
def mine(block, difficulty=3):
    n = 0
    while True:
        h = hashlib.sha256(f"{block}{n}".encode()).hexdigest()
        if h.startswith("0" * difficulty):
            return n, h
        n += 1
print(mine("block 1"))
#--- xor-lesson: a text xor-ed, only printed
key = 0x2A
enc = bytes(b ^ key for b in b"attack at dawn")
print(enc.hex(), bytes(b ^ key for b in enc).decode())
#--- vigenere-lesson: an old cipher
from itertools import cycle
def vig(s, key, sign=1):
    return "".join(chr((ord(c) - 65 + sign * (ord(k) - 65)) % 26 + 65) for c, k in zip(s, cycle(key)))
print(vig(vig("ATTACK", "LEMON"), "LEMON", -1))
#--- quoted-printable-text: mail coding of a text
import quopri
print(quopri.encodestring("naïve café".encode()))
#--- utf-encodings: one text in four codings
for enc in ("utf-8", "utf-16", "latin-1", "unicode_escape"):
    print(enc, "é".encode(enc))
#--- sqlite-memory: a database in memory
import sqlite3
db = sqlite3.connect(":memory:")
db.execute("create table p (name text, age int)")
db.executemany("insert into p values (?, ?)", [("ann", 30), ("bob", 25)])
for row in db.execute("select name from p where age > ? order by name", (26,)):
    print(row)
#--- sqlite-cursor-execute: a cursor's execute
import sqlite3
con = sqlite3.connect(":memory:")
cur = con.cursor()
cur.execute("create table t (k text primary key, v int)")
cur.execute("insert into t values ('a', 1) on conflict(k) do update set v = v + 1")
con.commit()
print(cur.execute("select * from t").fetchall())
#--- sqlite-executescript: several statements
import sqlite3
db = sqlite3.connect(":memory:")
db.executescript("""
    create table a (id integer primary key, x text);
    create index ax on a (x);
    insert into a (x) values ('exec'), ('eval');
""")
print(db.execute("select count(*) from a").fetchone()[0])
#--- sqlite-row-factory: rows by name
import sqlite3
db = sqlite3.connect(":memory:")
db.row_factory = sqlite3.Row
row = db.execute("select 1 as one, 'x' as letter").fetchone()
print(row["one"], row.keys())
#--- sqlite-own-function: an own function in SQL
import sqlite3
db = sqlite3.connect(":memory:")
db.create_function("rev", 1, lambda s: s[::-1])
print(db.execute("select rev('abc')").fetchone())
#--- sqlite-transaction: all or nothing
import sqlite3
db = sqlite3.connect(":memory:")
db.execute("create table acc (id int, n int check (n >= 0))")
db.execute("insert into acc values (1, 5)")
try:
    with db:
        db.execute("update acc set n = n - 9 where id = 1")
except sqlite3.IntegrityError as e:
    print("rolled back:", e)
#--- sqlite-aggregate: an own aggregate
import sqlite3
class Prod:
    def __init__(self):
        self.v = 1
    def step(self, x):
        self.v *= x
    def finalize(self):
        return self.v
db = sqlite3.connect(":memory:")
db.create_aggregate("prod", 1, Prod)
print(db.execute("select prod(x) from (select 2 x union select 5)").fetchone())
#--- sqlalchemy-memory: a database by SQLAlchemy
from sqlalchemy import create_engine, text
engine = create_engine("sqlite:///:memory:")
with engine.connect() as c:
    print(c.execute(text("select 1 + 1")).scalar())
#--- pandas-sql: a query to a frame
import sqlite3
import pandas as pd
db = sqlite3.connect(":memory:")
pd.DataFrame({"a": [1, 2, 3]}).to_sql("t", db, index=False)
print(pd.read_sql("select avg(a) as m from t", db))
