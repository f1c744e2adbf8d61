#include <gtest/gtest.h>

#include <string>

#include "judgement/analysis/analyse.h"
#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis {
namespace {

// The findings as "rule@line subject", without notes (harmless imports and members).
std::string Found(std::string_view source) {
  std::string all;
  for (const Finding& finding : AnalysePython(source).findings) {
    if (finding.rule->severity == Severity::kNote) continue;
    if (!all.empty()) all += ", ";
    all += std::string(finding.rule->id) + "@" + std::to_string(finding.place.line) + " " +
           finding.subject;
  }
  return all;
}

std::string Modules(std::string_view source) {
  std::string all;
  for (const Import& import : AnalysePython(source).imports) {
    all += (all.empty() ? "" : " ") + import.module + (import.optional ? "?" : "");
  }
  return all;
}

TEST(PythonAnalysis, NamesImportsInEverySpelling) {
  EXPECT_EQ(Modules("import a.b as c, d"), "a.b d");
  EXPECT_EQ(Modules("from a import *"), "a");
  EXPECT_EQ(Modules("__import__('sub' + 'process')"), "subprocess");
  EXPECT_EQ(Modules("import importlib as i\ni.import_module('so' 'cket')"), "importlib socket");
  EXPECT_EQ(Modules("import random\nrandom._os.getcwd()"), "random os");
  EXPECT_EQ(Modules("try:\n  import lxml\nexcept ImportError:\n  lxml = None"), "lxml?");
  EXPECT_EQ(Modules("from . import x"), "");
  EXPECT_EQ(Modules("import ｓｕｂｐｒｏｃｅｓｓ"), "subprocess");
  EXPECT_EQ(Modules("import 𝓼𝓾𝓫𝓹𝓻𝓸𝓬𝓮𝓼𝓼 as s"), "subprocess");
  EXPECT_EQ(Modules("import ｘｍｌ . ｓａｘ, größe"), "xml.sax größe");
  EXPECT_EQ(Modules("from ｏｓ import system"), "os");
}

TEST(PythonAnalysis, FollowsValuesThroughAssignmentsCallsAndContainers) {
  EXPECT_EQ(Found("import os\nf = os.system\nf('id')"), "py-process@2 os.system");
  EXPECT_EQ(Found("import os\nd = {'k': os}\nd['k'].system('id')"), "py-process@3 os.system");
  EXPECT_EQ(Found("import os\ndef get():\n  return os\nget().popen('id')"),
            "py-process@4 os.popen");
  EXPECT_EQ(Found("import os\ndef use(m):\n  m.fork()\nuse(os)"), "py-process@3 os.fork");
  EXPECT_EQ(Found("import os\nclass A:\n  def __init__(self, m):\n    self.m = m\n"
                  "  def go(self):\n    self.m.system('x')\nA(os).go()"),
            "py-process@6 os.system");
  EXPECT_EQ(Found("e = [eval][0]\ne('1')"), "py-eval@1 builtins.eval");
}

TEST(PythonDoors, ThatImportByNameAreSeen) {
  for (const std::string_view code :
       {"import pydoc\npydoc.safeimport('x')", "import pydoc\npydoc.importfile('x.py')",
        "import unittest\nunittest.defaultTestLoader.loadTestsFromName('x')",
        "import unittest\nunittest.TestLoader().loadTestsFromNames(['x'])",
        "import unittest\nunittest.main(module='x')", "import unittest\nunittest.main('x')",
        "import xml.sax\nxml.sax.make_parser(['x'])",
        "import xml.sax\nxml.sax.make_parser(input().split())"}) {
    EXPECT_NE(Found(code).find("py-dynamic-import"), std::string::npos) << code;
  }
  EXPECT_NE(Found("import pydoc\npydoc.safeimport('subprocess').run('id')"), "");
  for (const std::string_view code :
       {"import unittest\nunittest.main()", "import unittest\nunittest.main('__main__')",
        "import unittest\nunittest.main(module=None)", "import xml.sax\nxml.sax.make_parser()",
        "import xml.sax\nxml.sax.make_parser([])",
        "import unittest\nclass T(unittest.TestCase): pass\n"
        "unittest.TestLoader().loadTestsFromTestCase(T)"}) {
    EXPECT_EQ(Found(code), "") << code;
  }
}

TEST(PythonDoors, ThatRunTextsAreSeen) {
  for (const std::string_view code :
       {"import cProfile\ncProfile.run(input())", "import profile\nprofile.runctx(x, {}, {})",
        "import cProfile\ncProfile.Profile().run(input())",
        "import timeit\ntimeit.timeit(f'f({input()})')",
        "import typing\ntyping.ForwardRef(input())"}) {
    EXPECT_NE(Found(code).find("py-eval"), std::string::npos) << code;
  }
  for (const std::string_view code :
       {"import typing\ndef f(x: \"__import__('os').system('id')\"): pass\n"
        "typing.get_type_hints(f)",
        "import inspect\nclass A:\n  x: \"__import__('os').system('id')\"\n"
        "inspect.get_annotations(A, eval_str=True)"}) {
    EXPECT_NE(Found(code).find("py-process"), std::string::npos) << code;
  }
  for (const std::string_view code :
       {"import cProfile\ncProfile.run('f(1)')", "import timeit\ntimeit.timeit(f, number=3)",
        "import timeit\ntimeit.timeit('sum(range(9))', number=3)",
        "import typing\nclass A:\n  x: 'list[int]'\ntyping.get_type_hints(A)",
        "import inspect\ndef f(x: \"g('os')\"): pass\ninspect.signature(f)"}) {
    EXPECT_EQ(Found(code), "") << code;
  }
}

TEST(PythonAnalysis, ReadsNamesAsPythonNormalisesThem) {
  EXPECT_EQ(Found("from ｏｓ import system"), "py-process@1 os.system");
  EXPECT_EQ(Found("from os import ｓystem as f\nf('id')"),
            Found("from os import system as f\nf('id')"));
  EXPECT_EQ(Found("import os as ｏ\no.system('id')"), "py-process@2 os.system");
  EXPECT_EQ(Found("import ｏｓ\nｏｓ.ｓystem('id')"), "py-process@2 os.system");
  EXPECT_EQ(Found("import ｏｓ as o\no.system('id')"), "py-process@2 os.system");
}

TEST(PythonAnalysis, FollowsTextsThatAreBuilt) {
  for (const char* const name :
       {"'sys' + 'tem'", "''.join(['sys', 'tem'])", "'metsys'[::-1]", "'xsystemx'[1:-1]",
        "'s-y-s-t-e-m'[::2]", "f\"sys{'tem'}\"", "'%stem' % 'sys'", "'{}tem'.format('sys')",
        "'SYSTEM'.lower()", "'sxstem'.replace('x', 'y')",
        "bytes([115, 121, 115, 116, 101, 109]).decode()",
        "''.join(map(chr, [115, 121, 115, 116, 101, 109]))",
        "''.join(chr(c) for c in [115, 121, 115, 116, 101, 109])", "'sys\\x74em'"}) {
    const std::string found = Found(std::string("import os\ngetattr(os, ") + name + ")('id')");
    EXPECT_NE(found.find("py-process@2 os.system"), std::string::npos) << name << ": " << found;
  }
}

TEST(PythonAnalysis, ReadsTextsThatAreRun) {
  EXPECT_NE(Found("exec('import os; os.system(\"id\")')").find("py-process@1 os.system"),
            std::string::npos);
  EXPECT_NE(Found("import base64\nexec(base64.b64decode('aW1wb3J0IG9zO29zLmZvcmsoKQ=='))")
                .find("py-process@2 os.fork"),
            std::string::npos);
}

TEST(PythonAnalysis, LeavesWordsInCommentsTextsAndNamesAlone) {
  EXPECT_EQ(Found("# os.system('rm')\ns = 'import os; eval(x)'\nsubprocess_count = 1\n"
                  "class M:\n  def eval(self):\n    return 1\nM().eval()\n"
                  "import re\nre.compile('x')\ndf.eval('a+b')\n"),
            "");
}

TEST(PythonAnalysis, TellsPathsInsideFromThoseOutside) {
  EXPECT_EQ(Found("open('data/x.csv')\nopen('/tmp/x')\nopen('a/../b')"), "");
  EXPECT_EQ(Found("open('/etc/' + name)"), "py-file-outside@1 /etc/…");
  EXPECT_EQ(Found("open(**{'file': '/etc/x'})"), "py-file-outside@1 /etc/x");
  EXPECT_EQ(Found("import numpy as np\nnp.memmap('/etc/x')"), "py-file-outside@2 /etc/x");
  EXPECT_EQ(Found("import pathlib\n(pathlib.Path('..') / 'x').read_text()"),
            "py-file-outside@2 ../x, py-file-outside@2 ..");
}

// The number of findings is bounded, but a dangerous call after many harmless findings must still
// be reported.
TEST(PythonAnalysis, NothingHidesBehindACrowdOfFindings) {
  std::string crowd = "import os\n";
  for (int i = 0; i < 3000; ++i) crowd += "os.getcwd()\n";
  EXPECT_EQ(Found(crowd + "os.system('id')\n"), "py-process@3002 os.system");
  std::string louder;
  for (int i = 0; i < 3000; ++i) louder += "open('/etc/x" + std::to_string(i) + "')\n";
  EXPECT_NE(Found(louder + "import os\nos.system('id')\n").find("py-unclear"), std::string::npos);
}

TEST(PythonAnalysis, KnowsWhatLibrariesStart) {
  EXPECT_EQ(Found("import pydoc\npydoc.pipepager('x', 'sh')"), "py-process@2 pydoc.pipepager");
  EXPECT_NE(Found("from wsgiref.simple_server import make_server\nmake_server('', 80, None)")
                .find("py-network"),
            std::string::npos);
  EXPECT_NE(Found("import collections\ncollections.Counter(range(10**12))").find("py-bomb"),
            std::string::npos);
}

TEST(PythonAnalysis, FollowsWhatLibrariesOpen) {
  EXPECT_EQ(Found("import cv2\ncv2.imread('/root/x.png')\ncv2.imread('x.png')\n"),
            "py-file-outside@2 /root/x.png");
  EXPECT_EQ(Found("import zipfile\nz = zipfile.ZipFile('x', 'w')\nz.write('/etc/x')\n"),
            "py-file-outside@3 /etc/x");
  EXPECT_EQ(Found("import pandas as pd\npd.read_sql('q', 'postgresql://u@h/d')\n"),
            "py-network@2 pandas.read_sql");
  EXPECT_EQ(Found("import sqlite3\nc = sqlite3.connect('a')\nc.execute(\"attach '/x' as y\")\n"),
            "py-file-outside@3 /x");
}

// Loops and recursive calls that terminate are not reported.
TEST(PythonAnalysis, LoopsAndCallsThatEndAreNoBombs) {
  EXPECT_EQ(Found("a = []\nwhile True:\n    a.append(input())\n"), "");
  EXPECT_EQ(Found("def f(m):\n    old = m.f\n    m.f = lambda: old()\n"), "");
  EXPECT_EQ(Found("f = lambda: f()\n"), "py-bomb@1 a function that calls itself without end");
  EXPECT_EQ(Found("class A:\n    def __repr__(self):\n        return repr(self)\n"),
            "py-bomb@2 a function that calls itself without end");
  EXPECT_EQ(Found("x = [*range(10**11)]\n"), "py-bomb@1 *range(10**11)");
}

TEST(PythonAnalysis, AFieldNamedSystemTellsNothing) {
  EXPECT_EQ(Found("def f(args):\n    print(args.system)\n    return args.system == 'x'\n"), "");
  EXPECT_EQ(Found("def f(m):\n    m.system('id')\n"), "py-unclear@2 system");
}

TEST(PythonAnalysis, AskingForTheTypeOfAFunctionMakesNone) {
  for (const char* const use :
       {"isinstance(f, types.FunctionType)", "isinstance(f, (int, types.LambdaType))",
        "type(f) is types.CodeType", "d = {types.FunctionType: 1}",
        "def g(f: types.FunctionType) -> types.CodeType: pass", "x: types.LambdaType = f",
        "isinstance(f, types.FunctionType | types.MethodType)"}) {
    EXPECT_EQ(Found(std::string("import types\n") + use), "") << use;
  }
  EXPECT_EQ(Found("from types import FunctionType\nisinstance(f, FunctionType)"), "");
  EXPECT_EQ(Found("from types import CodeType as C\ntype(f) == C"), "");
  for (const char* const use :
       {"types.FunctionType(c, {})", "F = types.FunctionType\nF(c, {})", "g(types.CodeType)",
        "def isinstance(a, b): b(a, {})\nisinstance(c, types.FunctionType)"}) {
    EXPECT_NE(Found(std::string("import types\n") + use), "") << use;
  }
  EXPECT_NE(Found("from types import FunctionType\nFunctionType(c, {})"), "");
  EXPECT_NE(Found("def g(): return F(c, {})\nfrom types import FunctionType as F"), "");
}

TEST(PythonAnalysis, SomeOfImportlibImportsNothing) {
  EXPECT_EQ(Modules("from importlib import resources, metadata as m"),
            "importlib.resources importlib.metadata");
  EXPECT_EQ(Found("import importlib.metadata\nimportlib.metadata.version('x')"), "");
  EXPECT_EQ(Found("from importlib.resources import files\nfiles('x')"), "");
  EXPECT_EQ(Modules("from importlib import resources, util"), "importlib importlib.resources");
  EXPECT_NE(Found("import importlib.metadata\nimportlib.import_module(x)"), "");
  EXPECT_NE(Found("import importlib.metadata as m\nm.EntryPoint('a', 'os:system', 'g').load()"),
            "");
  EXPECT_NE(Found("from importlib.metadata import import_module"), "");
}

// Passing an import function to another function counts as importing.
TEST(PythonAnalysis, AnImporterThatIsHandedOnImports) {
  EXPECT_EQ(Modules("x = list(map(__import__, ['os', 'socket']))"), "os socket");
  EXPECT_EQ(Modules("import importlib as i\npool.submit(i.import_module, 'socket')"),
            "importlib socket");
  EXPECT_NE(Found("x = [*map(__import__, names)]").find("py-dynamic-import"), std::string::npos);
  EXPECT_EQ(Found("x = [*map(int, ['1', '2'])]"), "");
}

TEST(PythonAnalysis, TheTablesOfModulesAreTheModules) {
  for (const char* const change :
       {"vars(json).update(loads=f)", "json.__dict__.pop('loads')", "delattr(json, 'loads')",
        "dict.update(json.__dict__, loads=f)", "json.__setattr__('loads', f)",
        "object.__setattr__(json, 'loads', f)", "__builtins__.__dict__.update(len=f)"}) {
    EXPECT_NE(Found(std::string("import json\n") + change).find("py-tampering"), std::string::npos)
        << change;
  }
  EXPECT_EQ(Found("import random\nvars(random)[x]"), "py-unclear@2 any member of random");
  EXPECT_NE(Found("__builtins__.__dict__[x]").find("py-unclear"), std::string::npos);
  EXPECT_NE(Found("__builtins__.__dict__.get(x)").find("py-unclear"), std::string::npos);
  EXPECT_EQ(Found("import os\ntype(os).__getattribute__(os, 'system')"), "py-process@2 os.system");
  EXPECT_EQ(Found("x = super(type(o), o).__getattribute__('system')"), "py-unclear@1 system");
  EXPECT_EQ(Found("import argparse\na = argparse.ArgumentParser().parse_args()\n"
                  "vars(a).update(x=1)\nvars(a)['x'] = vars(a)[y]"),
            "");
  EXPECT_EQ(Found("class A:\n    def f(self, n, v):\n        object.__setattr__(self, n, v)\n"
                  "        self.__dict__.update(a=1)\n        return self.__dict__[n]"),
            "");
}

TEST(PythonAnalysis, FilesAreOpenedByClassesToo) {
  EXPECT_EQ(Found("import bz2\nbz2.BZ2File('/root/x')"), "py-file-outside@2 /root/x");
  EXPECT_EQ(Found("from pathlib import Path\nPath('a').rename('/etc/a')"),
            "py-file-outside@2 /etc/a");
}

TEST(PythonAnalysis, WhoLooksAtTheEnvironmentSteersNothing) {
  for (const char* const use :
       {"os.environ.get('PYTHONPATH', '')", "os.environ.pop('LD_PRELOAD', None)"}) {
    EXPECT_EQ(Found(std::string("import os\n") + use), "") << use;
  }
  for (const char* const use :
       {"os.environ.setdefault('PYTHONPATH', x)", "os.environ.update(LD_PRELOAD=x)"}) {
    EXPECT_NE(Found(std::string("import os\n") + use).find("py-tampering"), std::string::npos)
        << use;
  }
}

TEST(PythonAnalysis, WhatIsOrdinaryIsSoInEverySpelling) {
  EXPECT_EQ(Found("import sys\nsetattr(sys, 'stdout', x)"), "");
  EXPECT_NE(Found("import sys\nsetattr(sys, 'modules', x)"), "");
  EXPECT_EQ(Found("'{0.__name__:>9} {t.__module__!r} {c.__class__.__qualname__}'.format(f)"), "");
  EXPECT_NE(Found("'{0.__globals__}'.format(f)"), "");
  EXPECT_NE(Found("'{0.__class__.__base__.__name__}'.format(f)"), "");
}

TEST(PythonAnalysis, FollowsWhatIsOnlyCastOrBeginsHere) {
  EXPECT_NE(Found("import typing as t, os\nt.cast('x', os).system('id')").find("py-process"),
            std::string::npos);
  EXPECT_NE(Found("import pathlib\n(pathlib.Path() / '../../etc/x').read_text()"), "");
  EXPECT_EQ(Found("import pathlib\n(pathlib.Path() / 'data' / 'x').read_text()"), "");
  EXPECT_EQ(Found("import typing as t\nt.cast('int', 3).bit_length()"), "");
  EXPECT_EQ(Found("import torch\ntorch.hub.load('u/r', 'm')"), "py-network@2 torch.hub.load");
}

TEST(PythonAnalysis, WeightsAloneAreData) {
  EXPECT_EQ(Found("import torch\ntorch.load('m.pt', weights_only=True)"), "");
  for (const char* const use : {"torch.load('m.pt')", "torch.load('m', weights_only=False)",
                                "torch.load('m', weights_only=x)", "map(torch.load, files)"}) {
    EXPECT_NE(Found(std::string("import torch\n") + use).find("py-deserialise"), std::string::npos)
        << use;
  }
}

TEST(PythonAnalysis, ArchivesAreUnpackedWhereTheyAreTold) {
  for (const char* const where : {"t.extract(m, '/')", "t.extract(m, path='/')",
                                  "t.extractall(path='/')", "t.extractall('/')"}) {
    EXPECT_NE(Found(where).find("py-file-outside"), std::string::npos) << where;
  }
  EXPECT_EQ(Found("t.extract(m, 'out')\nt.extractall(path='.')"), "");
}

TEST(PythonAnalysis, SaysWhatIsNoPython) {
  const Analysis analysis = AnalysePython("x = 1\ndef f(:\n");
  ASSERT_FALSE(analysis.findings.empty());
  EXPECT_EQ(analysis.findings.front().rule->id, "py-syntax");
  EXPECT_EQ(analysis.findings.front().place.line, 2U);
}

}  // namespace
}  // namespace belljar::judgement::analysis
