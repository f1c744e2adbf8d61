"""Code is planted where an interpreter or the loader would run it before, or beside, the program:
start-up files, customisation modules, .pth files, modules of the same name, preloads, options.

None of it may run, and variables that speak to the loader or to Belljar are refused.
"""
import base64
import os
import subprocess
import tempfile

ROW = 9
SAYS = "nothing but the program itself runs, whatever lies beside it and whatever is set"
HELDBY = []
MARK = "import os; open('/workspace/ran-' + os.path.basename(__file__), 'w').close()\n"
MARK_JS = "require('fs').writeFileSync('/workspace/ran-evil.js', '');\n"
PYTHON_NAMES = ("sitecustomize.py", "usercustomize.py", "startup.py", "site.py", "encodings.py",
                "codecs.py", "io.py", "_belljar.py", "guest.py",
                ".local/lib/python3.11/site-packages/usercustomize.py")
FILES = {**{name: base64.b64encode(MARK.encode()).decode() for name in PYTHON_NAMES},
         "evil.pth": base64.b64encode(MARK.strip().encode()).decode(),
         "evil.js": base64.b64encode(MARK_JS.encode()).decode(),
         "node_modules/evil/index.js": base64.b64encode(MARK_JS.encode()).decode(),
         "pyvenv.cfg": base64.b64encode(b"home = /workspace\n").decode()}
ENV = {"PYTHONSTARTUP": "/workspace/startup.py", "PYTHONPATH": "/workspace",
       "PYTHONHOME": "/workspace", "PYTHONUSERBASE": "/workspace/.local",
       "PYTHONPLATLIBDIR": "../workspace", "PYTHONINSPECT": "1", "PYTHONBREAKPOINT": "startup.x",
       "PYTHONWARNINGS": "error::startup.Warning", "PYTHONCASEOK": "1",
       "NODE_OPTIONS": "--require /workspace/evil.js", "NODE_PATH": "/workspace/node_modules",
       "LC_ALL": "../../workspace/evil", "LOCPATH": "/workspace", "GCONV_PATH": "/workspace",
       "LANGUAGE": "../../workspace", "NLSPATH": "/workspace/%N", "OPENSSL_CONF": "/workspace/x",
       "MALLOC_TRACE": "/workspace/trace", "GLIBC_TUNABLES": "glibc.malloc.check=3"}
RESERVED = ("LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "LD_DEBUG_OUTPUT", "BELLJAR_STATE",
            "BELLJAR_X")
PYTHON = r'''
tell({"ran": sorted(name for name in os.listdir("/workspace") if name.startswith("ran-")),
      "trace": os.path.exists("/workspace/trace"),
      "from_workspace": sorted(name for name, module in list(sys.modules.items())
                               if name != "__main__"
                               and str(getattr(module, "__file__", "")).startswith("/workspace")),
      "executable": os.path.realpath(sys.executable), "prefix": sys.prefix})
'''
JAVASCRIPT = r'''
const fs = require("fs");
const ran = fs.readdirSync("/workspace").filter(name => name.startsWith("ran-"));
console.log(JSON.stringify({ran}));
'''


def run(bench):
    results = {"python": bench.run({"code": bench.program(PYTHON), "files": FILES, "env": ENV}),
               "cold": bench.run({"code": bench.program(PYTHON), "files": FILES, "env": ENV,
                                  "deterministic": 7}),
               "javascript": bench.run({"lang": "javascript", "code": JAVASCRIPT, "files": FILES,
                                        "env": ENV})}
    refused = {name: bench.run({"code": "print(1)", "env": {name: "/workspace/evil.so"}})
               for name in RESERVED}
    return {what: (bench.seen(result), result) for what, result in results.items()}, refused


def check(results, refused, host):
    for what, (seen, result) in results.items():
        assert result["outcome"] == "ok", (what, result.get("error"), result.get("stderr"))
        assert seen["ran"] == [], (what, seen)
        if what != "javascript":
            assert seen["from_workspace"] == [] and seen["trace"] is False, (what, seen)
            assert seen["executable"].startswith("/usr/"), (what, seen)
            assert not seen["prefix"].startswith("/workspace"), (what, seen)
    for name, answer in refused.items():
        assert "outcome" not in answer and answer["error"]["kind"] == "invalid", (name, answer)


def control():
    """Outside, a customisation module on the path runs unasked."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "sitecustomize.py"), "w", encoding="utf-8") as file:
            file.write("print('ran')\n")
        done = subprocess.run(["/usr/bin/python3", "-c", "pass"], text=True, check=True,
                              capture_output=True, env={"PYTHONPATH": folder})
        assert done.stdout == "ran\n", done
