// Names that decide what a program can reach must be written out as literals: a computed name is a
// finding even if the evaluator can compute its value.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "judgement/analysis/analyse.h"
#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis {
namespace {

bool NamesRule(const Analysis& analysis, std::string_view id) {
  for (const Finding& finding : analysis.findings) {
    if (finding.rule->id == id) return true;
  }
  return false;
}

bool HasIn(std::string_view python, std::string_view id) {
  return NamesRule(AnalysePython(python), id);
}
bool HasInScript(std::string_view script, std::string_view id) {
  return NamesRule(AnalyseJavaScript(script, Language::kJavaScript), id);
}

TEST(Plain, ModulesOfPythonThatAreMadeUpAreDynamic) {
  for (const char* const made :
       {"l = ['json']; l.insert(0, 'subprocess'); n = l[0]", "n = ''; n = n + 'sub'",
        "l = ['b', 'a']; l.reverse(); n = ''.join(l)", "n = ''.join(filter(str.isalpha, 's1o2'))",
        "from itertools import chain; n = ''.join(chain('sub', 'process'))",
        "n = ''.join(x[1:] for x in sorted(['2b', '1a']))", "n = 'js' + 'on'"}) {
    EXPECT_TRUE(HasIn(std::string(made) + "\n__import__(n)", "py-dynamic-import")) << made;
  }
}

TEST(Plain, ModulesOfPythonThatAreWrittenOutAreNot) {
  for (const char* const written :
       {"__import__('json')", "n = 'json'\n__import__(n)",
        "for n in ['json', 'csv']:\n    __import__(n)",
        "wanted = {'numpy': 'numpy', 'PIL': 'pillow'}\n"
        "for n, p in wanted.items():\n    __import__(n)",
        "for n in sorted(('json', 'csv')):\n    __import__(n)",
        "def load(n='json'):\n    return __import__(n)\nload('csv')",
        "T = {'a': 'json'}\n__import__(T[k])", "n = 'json' if fast else 'csv'\n__import__(n)"}) {
    EXPECT_FALSE(HasIn(written, "py-dynamic-import")) << written;
  }
}

TEST(Plain, MembersOfDoorsThatAreMadeUpAreUnclear) {
  EXPECT_TRUE(HasIn("import os\ngetattr(os, ''.join(filter(None, p)))('id')", "py-unclear"));
  EXPECT_TRUE(
      HasIn("l = ['a']; l.insert(0, 'eval')\n__builtins__.__dict__[l[0]]('1')", "py-unclear"));
  EXPECT_FALSE(HasIn("import os\ngetattr(os, 'O_BINARY', 0)", "py-unclear"));
  EXPECT_FALSE(HasIn("import math\nprint(getattr(math, input()))", "py-unclear"));
  EXPECT_TRUE(
      HasIn("import os\nfrom inspect import getmembers\n"
            "dict(getmembers(os))['system']('id')",
            "py-process"));
}

TEST(Plain, TheWholeEnvironmentIsMoreThanOneVariable) {
  for (const char* const whole : {"dict(os.environ)", "print(os.environ)", "os.environ.copy()",
                                  "{**os.environ}", "for k in os.environ:\n    print(k)"}) {
    EXPECT_TRUE(HasIn(std::string("import os\n") + whole, "py-environment")) << whole;
  }
  for (const char* const one : {"os.environ['A']", "os.environ.get('A')", "'A' in os.environ",
                                "os.environ['A'] = '1'", "len(os.environ)"}) {
    EXPECT_FALSE(HasIn(std::string("import os\n") + one, "py-environment")) << one;
  }
}

TEST(Plain, WhatIsTypedIsNotKnown) {
  EXPECT_TRUE(HasIn("import timeit\ntimeit.timeit(input())", "py-eval"));
  EXPECT_FALSE(HasIn("import timeit\ntimeit.timeit(lambda: 1)", "py-eval"));
}

TEST(Plain, ClassesOfTheTextMayListTheirOwn) {
  EXPECT_FALSE(
      HasIn("class A:\n    @classmethod\n    def all(cls):\n"
            "        return cls.__subclasses__()",
            "py-introspection"));
  EXPECT_TRUE(HasIn("object.__subclasses__()", "py-introspection"));
}

TEST(Plain, WhatOthersWroteIsRunByOtherNames) {
  EXPECT_TRUE(
      HasIn("from transformers import AutoModel\n"
            "AutoModel.from_pretrained('x', trust_remote_code=True)",
            "py-eval"));
  EXPECT_FALSE(HasIn("m.from_pretrained('x', trust_remote_code=False)", "py-eval"));
  EXPECT_TRUE(HasIn("from ruamel.yaml import YAML\nYAML(typ='unsafe')", "py-deserialise"));
  EXPECT_FALSE(HasIn("from ruamel.yaml import YAML\nYAML(typ='safe')", "py-deserialise"));
  EXPECT_TRUE(HasIn("from flask import Flask\napp = Flask('x')\napp.run()", "py-network"));
  EXPECT_TRUE(
      HasIn("import sqlite3\nsqlite3.connect('file:/etc/x.db', uri=True)", "py-file-outside"));
  EXPECT_FALSE(HasIn("import sqlite3\nsqlite3.connect('file:x.db', uri=True)", "py-file-outside"));
  EXPECT_TRUE(HasIn("print(globals()['__buil' 'tins__'])", "py-introspection"));
  EXPECT_FALSE(HasIn("open('/dev/urandom', 'rb').read(8)", "py-file-outside"));
  EXPECT_TRUE(HasIn("list(map(str, range(10 ** 12)))", "py-bomb"));
  EXPECT_TRUE(
      HasInScript("Object.getOwnPropertyDescriptor(Function.prototype, 'constructor')"
                  ".value('return 1')();",
                  "js-eval"));
  EXPECT_TRUE(HasInScript("Error.prepareStackTrace = (e, s) => s[0].getThis();", "js-unclear"));
}

TEST(Plain, WhatIsKeptInEachOfTooManyTurnsIsABomb) {
  EXPECT_TRUE(HasIn("a = []\nfor i in range(10 ** 12): a.append(i)", "py-bomb"));
  EXPECT_FALSE(HasIn("a = []\nfor i in range(10 ** 6): a.append(i)", "py-bomb"));
  EXPECT_FALSE(HasIn("for i in range(10 ** 12):\n    if f(i): break", "py-bomb"));
  EXPECT_TRUE(HasIn("import numpy as np\nnp.load('x', allow_pickle=1)", "py-deserialise"));
  EXPECT_FALSE(HasIn("import numpy as np\nnp.load('x', allow_pickle=False)", "py-deserialise"));
}

TEST(Plain, ModulesOfJavaScriptThatAreMadeUpAreDynamic) {
  for (const char* const made :
       {"const n = ['x'].concat('fs')[1];", "const n = ['a', 'fs'].filter((x) => x.length > 1)[0];",
        "let n = ''; ['f', 's'].forEach((c) => { n += c; });", "const n = 'f' + 's';",
        "const n = ['x', 'fs'].splice(1, 1)[0];"}) {
    EXPECT_TRUE(HasInScript(std::string(made) + "require(n);", "js-dynamic-import")) << made;
  }
  EXPECT_TRUE(HasInScript("(() => {})[names.find(Boolean)]('return this')();", "js-obfuscation"));
}

TEST(Plain, ModulesOfJavaScriptThatAreWrittenOutAreNot) {
  for (const char* const written :
       {"require('fs');", "require(`path`);", "require.call(null, 'fs');",
        "for (const n of ['fs', 'path']) require(n);", "['fs', 'path'].map((n) => require(n));",
        "const n = process.env.X ? 'fs' : 'path'; require(n);",
        "const t = { a: 'fs', b: 'path' }; require(t[process.argv[2]]);",
        "const { join } = require('path'); require(join(__dirname, 'lib', 'x'));",
        "require(require('path').join(__dirname, 'lib', 'x.js'));"}) {
    EXPECT_FALSE(HasInScript(written, "js-dynamic-import")) << written;
  }
}

}  // namespace
}  // namespace belljar::judgement::analysis
