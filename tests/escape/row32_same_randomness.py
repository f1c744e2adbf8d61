"""Children of one zygote that share a random state: tokens of one tell those of another.

Two cells of the same process draw from every source the language has. No value may be equal. (The
hash seed and the address layout are shared by the cells of a zygote; nothing rests on them.) Python
does so twice: a module that the zygote has imported already, as an image can ask for, has a state
that its copies would share. Most modules of the language see to that themselves; numpy does not.
"""
import json

ROW = 32
SAYS = "random sources differ in two cells of one zygote"
HELDBY = [["reseed"]]

PYTHON = r"""
import json, os, random, secrets, ssl, tempfile, uuid
import numpy

drawn = {
    "random": random.getrandbits(64),
    "random.Random()": random.Random().getrandbits(64),
    "shuffle": random.sample(range(10**9), 4),
    "SystemRandom": random.SystemRandom().getrandbits(64),
    "urandom": os.urandom(16).hex(),
    "getrandom": os.getrandom(16).hex(),
    "secrets": secrets.token_hex(16),
    "uuid4": str(uuid.uuid4()),
    "uuid1": str(uuid.uuid1()),
    "mktemp": os.path.basename(tempfile.mktemp()),
    "NamedTemporaryFile": os.path.basename(tempfile.NamedTemporaryFile().name),
    "RAND_bytes": ssl.RAND_bytes(16).hex(),
    "numpy": numpy.random.random(4).tolist(),
    "numpy generator": numpy.random.default_rng().random(4).tolist(),
}
print(json.dumps(drawn))
"""

JAVASCRIPT = r"""
const crypto = require("crypto");
console.log(JSON.stringify({
  "Math.random": Math.random(),
  "randomBytes": crypto.randomBytes(16).toString("hex"),
  "randomUUID": crypto.randomUUID(),
}));
"""

BASH = 'echo "{\\"RANDOM\\": \\"$RANDOM $RANDOM $RANDOM\\", \\"mktemp\\": \\"$(mktemp -u)\\"}"'


def run(bench):
    build = bench.cli(["image", "build", "imported", "--from", str(bench.host.rootfs),
                       "--preimport", "random,ssl,tempfile,uuid,numpy"])
    assert build.returncode == 0, build.stderr
    # Its library has threads where it is loaded, which a copy of the template has not.
    product = "import numpy\na = numpy.ones((300, 300))\nprint((a @ a).sum())"
    result = bench.run({"code": product, "image": "imported", "timeout": 20})
    assert (result["outcome"], result["stdout"]) == ("ok", "27000000.0\n"), result
    for lang, code, image in (("python", PYTHON, "default"), ("python", PYTHON, "imported"),
                              ("javascript", JAVASCRIPT, "default"), ("bash", BASH, "default")):
        draws = [draw(bench, lang, code, image) for _ in range(3)]
        for name in draws[0]:
            values = [json.dumps(one[name]) for one in draws]
            assert len(set(values)) == len(values), f"{lang}, {image}: {name} came twice: {values}"
    removed = bench.cli(["image", "rm", "imported"])  # the directory of images is that of all tests
    assert removed.returncode == 0, removed.stderr


def draw(bench, lang, code, image):
    result = bench.run({"lang": lang, "code": code, "image": image})
    assert result["outcome"] == "ok", result
    return json.loads(result["stdout"])
