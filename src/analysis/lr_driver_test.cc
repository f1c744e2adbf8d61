#include "analysis/lr_driver.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/javascript_grammar.h"
#include "analysis/lr_compare.h"
#include "analysis/python_tree.h"
#include "analysis/rule.h"
#include "analysis/shell_context.h"

namespace belljar::analysis {
namespace {

const Grammar& GrammarFor(Language language) {
  if (language == Language::kPython) return python::PythonGrammar();
  if (language == Language::kBash) return shell::ShellGrammar();
  return javascript::GrammarOf(language);
}

void ExpectSame(Language language, std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    EXPECT_EQ(CompareReaders(GrammarFor(language), text), Compared::kSame) << text;
  }
}

// With comments, lines and blanks in every place where they are not part of the tree.
TEST(LrDriver, ReadsPythonAsTheRuntimeDoes) {
  ExpectSame(
      Language::kPython,
      {"", "\n\n", "# only\n", "  # a comment\nx = 1 # another\n# and the last", "x=1;y=2",
       "def f(a, /, b: int = 1, *, c, **d) -> 'x':\n    # inside\n\n    return a # end\n",
       "class A(B, metaclass=C):\n\t@property\n\tdef x(self): return self._x\n\n\n# after\n",
       "if a:\n  pass\nelif b:\n      pass\n  # odd\nelse:\n pass\n",
       "x = [\n  1, # one\n\n  2,\n]\ny = {**a, 'b': 1, }\nz = (yield)\nw = (1,)\n",
       "s = f'{x!r:>{w}} {{}} {y=}' rb'\\x00' \"\"\"a\n'b' \\\n\"\"\"\n",
       "a = b = c\na, *b = c, d\nfor i, (j, k) in x: pass\nlambda *a, b=1: (a, b)\n",
       "try:\n  x\nexcept* (A, B) as e:\n  raise X from e\nfinally:\n  del y, z\n",
       "async def f():\n  async with a as b, c:\n    await d\n  return [x async for x in y if z]\n",
       "x = a if b else c and not d or e in f is not g\nx @= y ** -z // 2\n"});
}

// Where the scanner may go over more than a byte at once.
TEST(LrDriver, ReadsStringsAndCommentsAsTheRuntimeDoes) {
  using namespace std::string_view_literals;
  const std::string_view inners[] = {"",
                                     "a",
                                     "ab",
                                     "abc def",
                                     "a\\nb",
                                     "a\\Nb{c}d",
                                     "ab\\\\c",
                                     "a\\\nb c",
                                     "\xC3\xA9tude \xE2\x82\xAC x",
                                     "a{b}c{d!r:>{e}}f",
                                     "{{ab}}cd",
                                     "a`b",
                                     "a\tb\x7F"
                                     "c\x01"
                                     "d",
                                     "{a}{b}",
                                     "abc\\",
                                     "ab{",
                                     "ab}c"};
  for (const std::string_view inner : inners) {
    for (const std::string_view prefix : {"", "r", "b", "f", "rb", "fr", "u"}) {
      for (const std::string_view quote : {"'", "\"", "'''", "\"\"\""}) {
        std::string text = "x = (";
        text.append(prefix).append(quote).append(inner).append(quote).append(", 1)  # ab'\"\n");
        const Compared compared = CompareReaders(python::PythonGrammar(), text);
        EXPECT_TRUE(compared == Compared::kSame || compared == Compared::kGaveUp) << text;
      }
    }
  }
  ExpectSame(Language::kPython,
             {"if a:\n  # one\r\n    # \xC3\xA9 two # three\n  b\n# four\nc # five",
              "'''ab\n  cd\r\n\n  ef'''\n"});
  for (const std::string_view text : {"x = '''a\0b # c\n d'''\n# e\n"sv, "# a\0b\nc\n"sv}) {
    EXPECT_NE(CompareReaders(python::PythonGrammar(), text), Compared::kDifferent);
  }
}

// Here the grammar can go on in several ways.
TEST(LrDriver, FollowsSeveralReadingsOfPythonAtOnce) {
  ExpectSame(
      Language::kPython,
      {"print a", "print(a)", "print(a)\nx\n", "print >>f, 'a' % (b)\n", "print", "exec 'x' in y",
       "exec(x)", "print (a), b", "print(a)(b)[c].d = e",
       "match x:\n  case [A(b=1), *_] if c: pass\n  case {'k': v, **r} | None: pass\n",
       "match = 1\nmatch(x)\nmatch[x]\nmatch, case = 1, 2\n", "type X[T] = list[T]\ntype = 1\n",
       "with (a as b, c as d): pass\nwith (a, b): pass\nwith a, b as c: pass\n",
       "a, b = c\na, b += c\na.b, c[d] = e\n[a, b] = c\n(a, b) = c\n",
       "x = (a for a in b)\nf(a for a in b)\nf(*a, **b, c=d)\nprint(*f(x))\n",
       "async = 1\nawait = 2\nnonlocal_ = global_\n"});
}

TEST(LrDriver, ReadsJavaScriptAsTheRuntimeDoes) {
  ExpectSame(
      Language::kJavaScript,
      {"", "#!/usr/bin/node\nx\n", "let a = 1\nlet b\n++c\nreturn\nx", "a\n(b)\n[c]",
       "x = a / b / c; y = /[/]\\//g.test(z)", "f(`a${b + `c${d}`}e`)",
       "(a, b) => ({a, b}); async x => await x; (a)\n", "({a, b: c, ...d}) => a; ({a} = b)",
       "for (const x of y) ; for (let i = 0, j; ; ) { } for await (x of y) {}",
       "class A extends (B, C) { static #p = 1; get x() { return 1 } async *[y]() {} }",
       "label: while (1) { break label }\nx", "if (a) b; else if (c) { d } /* e */",
       "let x = <a b={c}>d {e} <f/></a>", "var async; async = async(x); let yield_ = of",
       "a ? b : c ? (d) : (e) => f", "x = {get: 1, set() {}, async a() {}, 'b': c, [d]: e}"});
}

TEST(LrDriver, ReadsTypeScriptAsTheRuntimeDoes) {
  ExpectSame(Language::kTypeScript,
             {"let a: A<B<C>> = <D>e; f<T>(x)", "type A = { [k in B]?: C } & (D | E)[]",
              "interface A<T extends B = C> { (x: T): void; readonly y?: z }",
              "const f = <T,>(x: T): x is U => x as any; a < b; c > (d)",
              "abstract class A { constructor(private x: number) { super() } declare y: z }",
              "namespace A.B { export enum C { D = 1 } } function f(this: A): asserts x {}"});
}

TEST(LrDriver, ReadsBashAsTheRuntimeDoes) {
  ExpectSame(Language::kBash,
             {"", "#!/bin/bash\n\nls -la | grep x > /dev/null 2>&1 &\n", "a=1 b=(1 2) c d\n",
              "cat <<A\n$x ${y}\nA\ncat <<-'B' | c\n\ty\n\tB\n",
              "if [ -f x ]; then y; elif z; then :; fi # end\n",
              "case $x in a|b) c;; *) d ;; esac\n", "for i in {1..3} \"$@\"; do echo $i; done\n",
              "[[ $a =~ ^b+$ && -n ${c:-d} ]] || exit 1\n", "f() { local x=$(( y + 1 )); }\n",
              "x=\"a ${b%%/*} $(c `d`) $'e' \"\necho <(f) >(g)\n", "((i++)); let j=1; a[1]+=2\n"});
}

TEST(LrDriver, ReadsTheExamplesOfAllRules) {
  int freely = 0;
  for (const auto rules : {PythonRules(), JavaScriptRules(), ShellRules()}) {
    for (const Rule& rule : rules) {
      for (const std::string_view text : {rule.bad, rule.good}) {
        const Compared compared = CompareReaders(GrammarFor(rule.language), text);
        EXPECT_NE(compared, Compared::kDifferent) << text;
        if (compared == Compared::kGaveUpFreely) ++freely;
      }
    }
  }
  EXPECT_EQ(freely, 0);
}

TEST(LrDriver, LeavesErrorsToTheRuntime) {
  for (const std::string_view text : {"x = (1,\ndef f(:\n", "x = )", "'", "x = = 1",
                                      "\xEF\xBB\xBFx = 1\n", "x = '\xFF'\n", "f'{'"}) {
    EXPECT_FALSE(Syntax::Parse(python::PythonGrammar(), text, text, Reader::kDriver)) << text;
    EXPECT_TRUE(Syntax::Parse(python::PythonGrammar(), text, text, Reader::kRuntime)) << text;
  }
}

// Depths and indentations beyond what a scanner can write down, and many versions.
TEST(LrDriver, ReadsWhatIsDeepOrWideAsTheRuntimeDoes) {
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "if x:\n";
  const std::string nested = std::string(2000, '(') + "1" + std::string(2000, ')');
  const std::string tabs = "if x:\n\t" + std::string(40, '\t') + "y\nz\n";
  std::string prints;
  for (int i = 0; i < 200; ++i) prints += "print(a % (b))\nmatch(x)\n";
  for (const std::string& text : {deep + std::string(300, ' ') + "y\n", nested, tabs, prints}) {
    EXPECT_NE(CompareReaders(python::PythonGrammar(), text), Compared::kDifferent);
  }
}

}  // namespace
}  // namespace belljar::analysis
