#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "judgement/analysis/analyse.h"
#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis {
namespace javascript {
namespace {

Analysis Read(std::string_view text) { return AnalyseJavaScript(text, Language::kJavaScript); }
Analysis ReadTyped(std::string_view text) { return AnalyseJavaScript(text, Language::kTypeScript); }

// Each finding as "rule subject".
std::vector<std::string> Found(const Analysis& analysis) {
  std::vector<std::string> found;
  for (const Finding& finding : analysis.findings) {
    found.push_back(std::string(finding.rule->id) + " " + finding.subject);
  }
  return found;
}

bool Has(const Analysis& analysis, std::string_view rule, std::string_view subject) {
  const std::vector<std::string> found = Found(analysis);
  const std::string wanted = std::string(rule) + " " + std::string(subject);
  return std::find(found.begin(), found.end(), wanted) != found.end();
}

bool IsQuiet(const Analysis& analysis) {
  return std::all_of(
      analysis.findings.begin(), analysis.findings.end(),
      [](const Finding& finding) { return finding.rule->severity == Severity::kNote; });
}

TEST(JavaScript, NamesThePlaceOfAFinding) {
  const Analysis analysis = Read("const a = 1;\n  eval('2');\n");
  ASSERT_EQ(analysis.findings.size(), 1U);
  EXPECT_EQ(analysis.findings[0].rule->id, "js-eval");
  EXPECT_EQ(analysis.findings[0].place, (Place{2, 3}));
  EXPECT_EQ(analysis.findings[0].subject, "eval");
  EXPECT_EQ(analysis.level, Level::kRunsCode);
}

TEST(JavaScript, TellsWhereTheSyntaxIsWrong) {
  const Analysis analysis = Read("const ok = 1;\nconst = 2;\n");
  ASSERT_FALSE(analysis.findings.empty());
  EXPECT_EQ(analysis.findings[0].rule->id, "js-syntax");
  EXPECT_EQ(analysis.findings[0].place.line, 2U);
}

TEST(JavaScript, ReadsUsingDeclarations) {
  for (const std::string_view text :
       {"using x = f();", "await using x = f();", "for (using x of y) { x.z(); }"}) {
    EXPECT_TRUE(Read(text).findings.empty()) << text;
  }
  EXPECT_TRUE(Has(Read("using c = require('child_process'); c.exec('a');"), "js-process",
                  "child_process.exec"));
}

TEST(JavaScript, TakesUsingForANameWhereItIsOne) {
  for (const std::string_view text :
       {"const using = 1; using.x; print(using)", "using\nx = 1", "using(a)", "using = 2;",
        "if (using in a && using instanceof B) using[0]()", "f(using, { using: 1 }).using"}) {
    EXPECT_TRUE(Read(text).findings.empty()) << text;
  }
  EXPECT_TRUE(Has(Read("const using = require('child_process'); using.exec('a')"), "js-process",
                  "child_process.exec"));
}

// With no semicolon, the grammar takes "await" for a name.
TEST(JavaScript, FollowsWhatIsAwaited) {
  for (const std::string_view awaited :
       {"await (import('child_process'))\n", "await ((import('child_process')))\n",
        "await\nimport('child_process')\n", "await (0, require)('child_process')\n",
        "await (1, require('child_process'))\n", "await (() => require('child_process'))()\n",
        "await import('child_process');\n"}) {
    const std::string text = "const c = " + std::string(awaited) + "c.exec('a')\n";
    EXPECT_TRUE(Has(Read(text), "js-process", "child_process.exec")) << text;
  }
  EXPECT_TRUE(Read("await (async () => { print(1) })()\nawait [f]\nawait `a`\n").findings.empty());
  EXPECT_TRUE(Read("const o = { await: 1, await() {} }; o.await(o.await)\n").findings.empty());
}

TEST(JavaScript, SeesEverySpellingOfAnImport) {
  for (const std::string_view text : {
           "require('net')",
           "import 'net'",
           "import n from 'node:net'",
           "import * as n from 'net'",
           "import { connect } from 'net'",
           "export * from 'net'",
           "await import('net')",
           "module.require('net')",
           "const r = require; r('net')",
           "import { createRequire } from 'module'; createRequire(import.meta.url)('net')",
           "process.getBuiltinModule('net')",
           "Reflect.apply(require, null, ['net'])",
           "require.call(null, 'net')",
           "require.bind(null, 'net')()",
           "(0, require)('net')",
           "[require][0]('net')",
       }) {
    const Analysis analysis = Read(text);
    EXPECT_TRUE(Has(analysis, "js-import", "net")) << text;
    EXPECT_TRUE(Has(analysis, "js-network", "net")) << text;
    EXPECT_TRUE(std::any_of(analysis.imports.begin(), analysis.imports.end(),
                            [](const Import& import) { return import.module == "net"; }))
        << text;
  }
}

TEST(JavaScript, SaysWhichImportsMayBeMissing) {
  const Analysis analysis = Read("import 'a';\ntry { require('b'); } catch { }\n");
  ASSERT_EQ(analysis.imports.size(), 2U);
  EXPECT_FALSE(analysis.imports[0].optional);
  EXPECT_TRUE(analysis.imports[1].optional);
}

TEST(JavaScript, DoesNotReportFilesOfTheProgram) {
  EXPECT_TRUE(Read("require('./a'); import '../b.js';").findings.empty());
}

TEST(JavaScript, FoldsTheWaysOfBuildingAName) {
  for (const std::string_view name : {
           "'child' + '_process'",
           "`child_${'process'}`",
           "['child', 'process'].join('_')",
           "'ssecorp_dlihc'.split('').reverse().join('')",
           "'xchild_processx'.slice(1, -1)",
           "'CHILD_PROCESS'.toLowerCase()",
           "'child-process'.replace('-', '_')",
           "'c.h.i.l.d._process'.replace(/\\./g, '')",
           "'\\x63hild\\u005fprocess'",
           "String.fromCharCode(99, 104, 105, 108, 100) + '_process'",
           "atob('Y2hpbGRfcHJvY2Vzcw==')",
           "Buffer.from('6368696c645f70726f63657373', 'hex').toString()",
           "decodeURIComponent('child%5Fprocess')",
           "[100, 105, 106, 109, 101].map((c) => String.fromCharCode(c - 1)).join('') + '_process'",
           "JSON.parse('{\"m\": \"child_process\"}').m",
           "['a', 'child_process'].at(-1)",
           "new Map([['k', 'child_process']]).get('k')",
           "['child', '_process'].reduce((a, b) => a + b)",
           "((x) => x + 'process')('child_')",
           "(() => { let s = 'child'; s += '_'; s += 'process'; return s; })()",
           "(() => { let s = ''; for (const p of ['child', '_process']) s += p; return s; })()",
       }) {
    const std::string text = "require(" + std::string(name) + ")";
    EXPECT_TRUE(Has(Read(text), "js-process", "child_process")) << text;
  }
}

TEST(JavaScript, FollowsValuesThroughTheText) {
  for (const std::string_view text : {
           "const f = eval; const o = { f }; const { f: g } = o; g('1');",
           "function id(x) { return x; } id(require)('child_process').exec('a');",
           "class A { m = 'child_process'; go() { return require(this.m); } }",
           "function P(m) { this.m = m; } P.prototype.go = function () { return require(this.m); };"
           "new P('child_process');",
           "const t = []; t.push('child_process'); t.forEach((m) => require(m));",
           "import('child_process').then(({ exec }) => exec('a'));",
           "function run(cb) { cb(require('child_process')); } run((c) => c.exec('a'));",
           "const a = {}; a.b = require('child_process'); a.b.exec('x');",
           "const { [`ex${'ec'}`]: go } = require('child_process'); go('x');",
           "function* g() { yield 'child_process'; } for (const m of g()) require(m);",
       }) {
    EXPECT_FALSE(IsQuiet(Read(text))) << text;
  }
}

TEST(JavaScript, ReportsAThingOnceAndNotEachUseOfIt) {
  const Analysis analysis = Read("const go = fetch;\ngo('a');\ngo('b');\n");
  EXPECT_EQ(Found(analysis), (std::vector<std::string>{"js-network fetch"}));
}

TEST(JavaScript, LeavesWordsAndNamesOfTheTextAlone) {
  for (const std::string_view text : {
           "// eval(require('child_process'))",
           "const text = \"require('child_process').exec('id')\";",
           "class Calculator { eval(x) { return x; } }\nnew Calculator().eval(1);",
           "function fetch(name) { return name; }\nfetch('a');",
           "const process = { kill() {} };\nprocess.kill();",
           "if (typeof fetch === 'function' && f instanceof Function) console.log(1);",
           "if (require.main === module) console.log('main');",
           "console.log(this.constructor.name, [].constructor === Array);",
           "Object.prototype.hasOwnProperty.call({}, 'a');",
           "import { fetch as load } from './mine.js';\nload('a');",
           "const { HOME, PATH = '' } = process.env;",
       }) {
    EXPECT_TRUE(IsQuiet(Read(text))) << text << ": " << Found(Read(text)).front();
  }
}

TEST(JavaScript, ReadsTextThatIsRun) {
  const Analysis analysis = Read("\neval(\"eval('fetch(1)')\");");
  EXPECT_TRUE(Has(analysis, "js-network", "fetch"));
  for (const Finding& finding : analysis.findings) EXPECT_EQ(finding.place.line, 2U);
  EXPECT_TRUE(Has(Read("setTimeout('fetch(1)', 1)"), "js-network", "fetch"));
  EXPECT_TRUE(Has(Read("new Function('a', 'return fetch(a)')"), "js-network", "fetch"));
  EXPECT_TRUE(Has(Read("import('data:text/javascript,fetch(1)')"), "js-network", "fetch"));
}

TEST(JavaScript, KnowsTheWaysToFunction) {
  for (const std::string_view text : {
           "(() => {}).constructor('return 1')()",
           "''.constructor.constructor('return 1')()",
           "const c = 'constructor'; [][c][c]('return 1')()",
           "Object.getPrototypeOf(async function () {}).constructor('return 1')",
           "x.constructor.constructor('return 1')()",
           "class Code extends Function {}",
           "globalThis['Func' + 'tion']('return 1')()",
       }) {
    EXPECT_TRUE(Has(Read(text), "js-eval", "Function")) << text;
  }
}

TEST(JavaScript, KnowsThatMethodsAreMadeByFunction) {
  for (const std::string_view text :
       {"[].at.constructor(x)()", "[].map.constructor(x)()", "'a'.at.constructor(x)()",
        "({}).toString.constructor(x)()", "new Set().add.constructor(x)()",
        "(1).toFixed.constructor(x)()", "new Date().getTime.constructor(x)()",
        "Promise.resolve().then.constructor(x)()", "Buffer.from('a').toString.constructor(x)()",
        "[]['filter']['const' + 'ructor'](x)()", "new ([].find.constructor)(x)",
        "[].find.constructor.call(null, x)", "Reflect.construct([].find.constructor, [x])",
        "Reflect.get(isNaN, 'constructor')(x)", "const f = [].find.constructor; f(x)()",
        "const a = []; a.at.constructor(x)()", "function g(y) { y.trim.constructor(x)() }"}) {
    EXPECT_TRUE(Has(Read(text), "js-eval", "Function")) << text;
  }
  for (const std::string_view text :
       {"class A { f() { return new this.constructor(1) } }", "o.constructor.name",
        "class A { f() { return this.constructor(1) } }", "x.constructor === Foo",
        "function f(o, y) { return new o.constructor(y) }", "[].at.constructor.name",
        "function f(o, y) { return new o.data.constructor(y) }",
        "function f(o, y) { return [o, y][0].constructor(1) }",
        "class A { f() { return new this.data.constructor(this.size) } }"}) {
    EXPECT_TRUE(IsQuiet(Read(text))) << text;
  }
}

TEST(JavaScript, JudgesPathsOnlyWhenTheyLeaveTheWorkspace) {
  for (const std::string_view path :
       {"'/etc/passwd'", "'~/.ssh'", "'../../x'", "os.homedir() + '/x'", "'/tmp/../etc'",
        "`/proc/${x}/environ`", "process.env.HOME + '/.npmrc'", "path.join('/', 'etc')",
        "new URL('file:///etc/passwd')", "['', 'etc', 'passwd'].join('/')"}) {
    const std::string text =
        "const fs = require('fs'), os = require('os'), path = require('path');\nfs.readFileSync(" +
        std::string(path) + ");";
    EXPECT_FALSE(IsQuiet(Read(text))) << path;
  }
  for (const std::string_view path :
       {"'a/b.txt'", "'/tmp/x'", "'/workspace/a/../b'", "path.join(__dirname, 'a')", "name",
        "os.tmpdir() + '/x'", "`${name}/a`", "0"}) {
    const std::string text =
        "const fs = require('fs'), os = require('os'), path = require('path');\nfs.readFileSync(" +
        std::string(path) + ");";
    EXPECT_TRUE(IsQuiet(Read(text))) << path;
  }
}

TEST(JavaScript, AnObjectMadeFromAPrototypeIsAnotherObject) {
  EXPECT_TRUE(Found(Read("function E() {}\nE.prototype = Object.create(Error.prototype);\n"
                         "E.prototype.constructor = E;\nE.prototype.name = 'E';"))
                  .empty());
  const auto changes = [](std::string_view text) {
    const auto found = Found(Read(text));
    return std::any_of(found.begin(), found.end(),
                       [](const std::string& one) { return one.starts_with("js-prototype"); });
  };
  EXPECT_TRUE(changes("Error.prototype.name = 'x';"));
  EXPECT_TRUE(changes("Object.create(Error.prototype).__proto__.name = 'x';"));
  EXPECT_FALSE(
      Found(Read("Object.create(Error.prototype).constructor.constructor('return process')();"))
          .empty());
}

TEST(JavaScript, SeesTamperingWithWhatIsShared) {
  for (const std::string_view text : {
           "Array.prototype.x = 1",
           "Object.defineProperty(Object.prototype, 'x', {})",
           "const p = String.prototype; p.x = 1",
           "({}).__proto__.x = 1",
           "a.__proto__ = b",
           "({}).constructor.prototype.x = 1",
           "JSON.parse = 1",
           "globalThis.Promise = 1",
           "delete Array.prototype.map",
           "for (const C of [Map, Set]) C.prototype.x = 1",
           "JSON.parse('{\"__proto__\": {\"x\": 1}}')",
           "require('fs').readFileSync = 1",
           "require('events').prototype.emit = f",
           "const { EventEmitter: E } = require('events'); E.prototype.emit = f",
       }) {
    const Analysis analysis = Read(text);
    EXPECT_TRUE(std::any_of(analysis.findings.begin(), analysis.findings.end(),
                            [](const Finding& f) { return f.rule->id == "js-prototype"; }))
        << text;
  }
}

TEST(JavaScript, WhatIsAssignedAndNeverDeclaredIsAVariableToo) {
  for (const std::string_view text :
       {"fs = require('fs'); fs.writeFileSync('/etc/x', '')",
        "function f() { g = require('fs').rmSync; } f(); g('/home/u', { recursive: true })",
        "({ readFileSync: r } = require('fs')); r('/root/x')", "e = eval; e(x)"}) {
    EXPECT_FALSE(IsQuiet(Read(text))) << text;
  }
  EXPECT_TRUE(
      IsQuiet(Read("fs = require('fs'); fs.writeFileSync('x', ''); for (i of [1]) n = i;")));
  EXPECT_FALSE(IsQuiet(Read("JSON = {}")));
}

TEST(JavaScript, AClassOfItsOwnMayStandOnOneOfTheLibrary) {
  for (const std::string_view text :
       {"const E = require('events'); class A extends E {} A.prototype.x = 1;",
        "const E = require('events'); function A() {} A.prototype = Object.create(E.prototype);\n"
        "A.prototype.x = 1;",
        "require('util').inherits(A, require('events')); function A() {} A.prototype.x = 1;"}) {
    EXPECT_TRUE(IsQuiet(Read(text))) << text;
  }
}

TEST(JavaScript, ListsOfTheGlobalObjectAreLookups) {
  EXPECT_FALSE(IsQuiet(Read("Object.values(globalThis).find((f) => f.name === n)(x);")));
  EXPECT_FALSE(IsQuiet(Read("for (const [k, f] of Object.entries(globalThis)) f(k);")));
  EXPECT_TRUE(IsQuiet(Read("Object.entries(process.versions).forEach(console.log);")));
  EXPECT_FALSE(IsQuiet(Read("const { DatabaseSync: D } = require('sqlite'); new D('/var/x');")));
  EXPECT_TRUE(IsQuiet(Read("const { DatabaseSync: D } = require('sqlite'); new D(':memory:');")));
}

TEST(JavaScript, TellsBombsFromLoopsWithAWayOut) {
  for (const std::string_view text :
       {"while (true) {}", "for (;;) f();", "do { f(); } while (1);", "Array(4e9).fill(0)",
        "let s = 'a'; for (let i = 0; i < 1e6; i++) s += s;", "function f() { f(); }",
        "function* g() { for (;;) yield 1; } [...g()];", "while (true) { for (;;) break; }",
        "const f = () => queueMicrotask(f);", "2n ** 999999999n", "'x'.repeat(2 ** 29)"}) {
    EXPECT_FALSE(IsQuiet(Read(text))) << text;
  }
  for (const std::string_view text :
       {"while (true) { if (f()) break; }", "function f() { for (;;) { if (x) return; } }",
        "function* g() { for (;;) yield 1; } g().next();", "Array(1000).fill(0)",
        "function f(n) { return n < 2 ? n : f(n - 1); }", "for (let i = 0; i < 9; i++) s += 'a';",
        "function w(n) { if (!n) return; w(n.next); }",
        "async function p() { while (true) { await sleep(1); } }"}) {
    EXPECT_TRUE(IsQuiet(Read(text))) << text;
  }
}

TEST(JavaScript, ReadsTypesWithoutTakingThemForCode) {
  EXPECT_TRUE(
      IsQuiet(ReadTyped("import type { Server } from 'http';\n"
                        "let f: typeof fetch | Function; type E = typeof eval;\n"
                        "interface A { eval(x: string): void }\n")));
  EXPECT_TRUE(Has(ReadTyped("(globalThis as any)['fe' + 'tch']!('a')"), "js-network", "fetch"));
  EXPECT_TRUE(Has(ReadTyped("enum M { P = 'child_process' }\nrequire(M.P)"), "js-process",
                  "child_process"));
  EXPECT_TRUE(
      Has(ReadTyped("import cp = require('child_process');"), "js-process", "child_process"));
  EXPECT_TRUE(Has(ReadTyped("const f = (m: string = 'net') => require(m);"), "js-network", "net"));
}

std::string Repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(JavaScript, IsNotOverwhelmedByHostileTexts) {
  constexpr std::size_t kDeep = 20'000;
  const std::string texts[] = {
      "x = " + Repeated("[", kDeep) + Repeated("]", kDeep),
      Repeated("{", kDeep) + Repeated("}", kDeep),
      "x = f" + Repeated("()", kDeep),
      "x = a" + Repeated(".b()", kDeep),
      "x = 'a'" + Repeated(" + 'a'", kDeep),
      "x = " + Repeated("a => ", kDeep) + "1",
      "let " + Repeated("{a:", 2000) + "x" + Repeated("}", 2000) + " = y",
      "let s = 'a';" + Repeated("s = s + s;", 200) + "require(s)",
      "function f(x) { return f(x + 1) + f(x + 2); } require(f(1))",
      Repeated("eval(\"eval('eval(1)')\");", 500),
      "const a = [" + Repeated("1,", 400) + "]; require(a.map(x => a.map(y => a.map(z => x + y))))",
  };
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& text : texts) Read(text);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_TRUE(Has(Read(texts[0]), "js-unclear", ""));
  EXPECT_TRUE(Has(Read(texts[1]), "js-unclear", ""));
}

}  // namespace
}  // namespace javascript
}  // namespace belljar::judgement::analysis
