#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis {
namespace {

constexpr auto kPy = Language::kPython;

constexpr Rule kPythonRules[] = {
    {"py-import", kPy, Class::kImport, Severity::kNote, "a module is imported",
     "Which modules a program may use is for the policy to say; this names each, in whatever "
     "spelling: import, from, __import__, importlib, sys.modules, another module's own import.",
     "Use a module that the policy allows, or ask for one that it does not.", "import csv\n",
     "csv = 'import csv'\n"},
    {"py-member", kPy, Class::kMember, Severity::kNote, "a member of os or sys is used",
     "os and sys hold harmless things and doors out of the sandbox side by side; the policy lists "
     "the harmless ones.",
     "Use a harmless member, or pathlib for paths.", "import os\nos.getcwd()\n",
     "class os:\n    pass\nos.getcwd = 1\n"},
    {"py-dynamic-import", kPy, Class::kDynamicCode, Severity::kWarning,
     "a module is imported by a name that is made at run time",
     "What is imported cannot be read from the text.", "Import the module by its name.",
     "__import__(input())\n", "__import__('json')\n"},
    {"py-eval", kPy, Class::kDynamicCode, Severity::kWarning, "a text is run as code",
     "What eval, exec and compile run need not be in the text, so nobody can have read it.",
     "Use ast.literal_eval for data, a dictionary of functions for choices.", "eval(input())\n",
     "import re\nre.compile('eval(x)')\n"},
    {"py-deserialise", kPy, Class::kDeserialisation, Severity::kDanger,
     "data is read in a form that can run code",
     "pickle and its like call whatever the data names while it is being read.",
     "Use json, csv or yaml.safe_load.", "import pickle\npickle.loads(b'')\n",
     "import json\njson.loads('{}')\n"},
    {"py-process", kPy, Class::kProcess, Severity::kDanger, "a process is started or signalled",
     "A child process is a program that this analysis has not read.",
     "Do the work in Python, or ask for the command itself with belljar exec.",
     "import os\nos.system('id')\n", "def system(x):\n    return x\nsystem('id')\n"},
    {"py-network", kPy, Class::kNetwork, Severity::kDanger, "the network is used",
     "A cell has no network; code that wants one wants to fetch or to send.",
     "Give the data as input or as a file.", "import socket\nsocket.socket()\n",
     "socket = 3\nprint(socket)\n"},
    {"py-native", kPy, Class::kNative, Severity::kDanger, "a door to machine code is used",
     "ctypes and its like read and write any memory of the process, and no check made in Python "
     "holds against that.",
     "Use a library that is in the image.", "import ctypes\nctypes.CDLL(None)\n",
     "ctypes_count = 1\n"},
    {"py-introspection", kPy, Class::kIntrospection, Severity::kWarning,
     "a walk from an object to what it was not given",
     "Subclasses, frames, globals and module tables lead from any object to any other, past every "
     "list of what may be imported.",
     "Pass what is needed as an argument.", "print(().__class__.__base__.__subclasses__())\n",
     "print(type(3).__name__)\n"},
    {"py-environment", kPy, Class::kIntrospection, Severity::kWarning,
     "the whole environment is read", "The environment often has keys and passwords in it.",
     "Read the one variable that is needed, by its name.", "import os\nprint(dict(os.environ))\n",
     "import os\nprint(os.environ.get('LANG'))\n"},
    {"py-format-attribute", kPy, Class::kIntrospection, Severity::kWarning,
     "a format text reads hidden attributes",
     "A field of a format text may walk attributes like code does.", "Format plain values.",
     "'{0.__class__.__init__}'.format(3)\n", "'{0.real} {name}'.format(3, name=1)\n"},
    {"py-tampering", kPy, Class::kTampering, Severity::kWarning,
     "something that others rely on is replaced",
     "A replaced builtin or library function changes what code does that nobody suspects.",
     "Define a function of your own and call that.", "import builtins\nbuiltins.print = id\n",
     "import sys\nsys.stdout = None\n"},
    {"py-code-object", kPy, Class::kDynamicCode, Severity::kDanger, "code is built from parts",
     "Byte code that is put together by hand can break the interpreter's own rules.",
     "Define functions by def and lambda.", "import types\ntypes.CodeType(0)\n",
     "def f():\n    pass\nprint(f.__code__.co_name)\n"},
    {"py-obfuscation", kPy, Class::kObfuscation, Severity::kDanger,
     "a hidden text is run or used as a name", "Honest code has no reason to encode what it runs.",
     "Write the code as it is.", "import base64\nexec(base64.b64decode('cHJpbnQoMSk='))\n",
     "import base64\nprint(base64.b64decode('cHJpbnQoMSk='))\n"},
    {"py-file-outside", kPy, Class::kFiles, Severity::kWarning,
     "a file outside the workspace is named",
     "The cell shows its image and its workspace and nothing of the host; code that looks "
     "elsewhere expects something that it should not have.",
     "Use a path relative to the workspace, or a vault.", "open('/etc/passwd')\n",
     "open('data/etc.csv')\n"},
    {"py-bomb", kPy, Class::kBomb, Severity::kWarning, "more is asked for than any machine has",
     "It will end at the limit of memory or time, after having used all of it.",
     "Work in pieces, or with a generator.", "x = [0] * 10**10\n", "x = [0] * 1000\n"},
    {"py-missing-module", kPy, Class::kMissing, Severity::kWarning,
     "a module is imported that is not there",
     "The program will end at that line; it is told before anything has run. Looked for in the "
     "image, and in the files that come along; one in a try with an except, or for type checkers "
     "alone, may be missing.",
     "Use an image that has it (--image), or build one: belljar image build NAME --venv DIR.",
     "import no_such_module\n",
     "try:\n    import no_such_module\nexcept ImportError:\n    no_such_module = None\n"},
    {"py-syntax", kPy, Class::kSyntax, Severity::kWarning, "this is not Python",
     "What cannot be parsed cannot be judged.", "Mend the line.", "def f(:\n", "def f(): pass\n"},
    {"py-unclear", kPy, Class::kUnclear, Severity::kWarning, "this could not be judged",
     "Reading is bounded in time and depth; what goes beyond was not read to its end.",
     "Make the program smaller or simpler.", "exec('exec(\"exec(\\'exec(chr(49))\\')\")')\n",
     "exec('print(1)')\n"},
};

}  // namespace

std::span<const Rule> PythonRules() { return kPythonRules; }

}  // namespace belljar::judgement::analysis
