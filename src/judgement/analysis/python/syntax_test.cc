// What the grammar reads of Python 3.11 to 3.14, and what is seen in it, and in what it cannot
// read.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "judgement/analysis/analyse.h"
#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis {
namespace {

// The rules of the findings, those of harmless imports and members left out.
std::string RulesIn(std::string_view source) {
  std::string all;
  for (const Finding& finding : AnalysePython(source).findings) {
    if (finding.rule->severity == Severity::kNote) continue;
    all += (all.empty() ? "" : " ") + std::string(finding.rule->id);
  }
  return all;
}

std::string WithCall(std::string_view text) {
  const std::size_t at = text.find("CALL");
  return std::string(text.substr(0, at)) + "os.system('id')" + std::string(text.substr(at + 4));
}

void ExpectRead(std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) EXPECT_EQ(RulesIn(text), "") << text;
}

// Each text has CALL where the call of a shell is to be found.
void ExpectSeen(std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    EXPECT_EQ(RulesIn("import os\n" + WithCall(text)), "py-process") << text;
  }
}

TEST(PythonSyntax, ReadsQuotesOfTheSameKindInFStrings) {
  ExpectRead({"x = f\"{a[\"b\"]}\"\n", "x = f'{a['b']!r:>{c['d']}}'\n", "x = f\"{f\"{1 + 1}\"}\"\n",
              "x = f\"{\"\\n\".join(a)}\"\n", "x = f\"{\n    a  # why\n}\"\n",
              "x = f\"{a:{\"{}\".format(1)}}\"\n", "x = f\"{'\\''}\"\n", "x = f\"{{}} {a = }\"\n",
              "x = f\"\"\"{a[\"\"\"b\"\"\"]}\"\"\"\n", "x = f\"{a != b} {a:=5}\"\n"});
}

TEST(PythonSyntax, SeesCallsInFStrings) {
  ExpectSeen({"x = f\"{CALL}\"\n", "x = f'{CALL}'\n", "x = f\"{a[\"b\"]}{CALL}\"\n",
              "x = f\"{f\"{CALL}\"}\"\n", "x = f\"{a:{CALL}}\"\n", "x = f\"{a:{b:{CALL}}}\"\n",
              "x = rf\"\\N{CALL}\"\n", "x = f\"\\{CALL}\"\n", "x = f\"{{{CALL}}}\"\n",
              "x = f\"{a  # }\n}{CALL}\"\n", "x = f\"{'{'}{CALL}\"\n",
              "x = f\"\"\"\n{\nCALL\n}\"\"\"\n"});
  EXPECT_EQ(RulesIn("x = f\"{eval(input())}\"\n"), "py-eval");
  EXPECT_EQ(RulesIn("x = f\"{{CALL}}\"\n"), "");
}

TEST(PythonSyntax, ReadsTemplateStrings) {
  ExpectRead({"x = t\"a {b} {c!r:>{d}}\"\n", "x = rt'\\{a}' t'{b['c']}'\n",
              "x = T\"\"\"{\na}\"\"\"\n", "t = 1\nx = t\n"});
  ExpectSeen({"x = t\"{CALL}\"\n", "x = t'{a['b']}{CALL}'\n", "x = tR\"\\N{CALL}\"\n",
              "x = t\"{a:{CALL}}\"\n", "x = Tr'a' t\"{t\"{CALL}\"}\"\n"});
}

TEST(PythonSyntax, ReadsTypeAliases) {
  ExpectRead({"type X = int\n", "type X[T] = list[T]\n", "type X[*Ts, **P] = C[P, tuple[*Ts]]\n",
              "type X = a | 'b'\n", "type = 1\nprint(type)\n", "type(3)\n",
              "import types\ntype F = types.FunctionType\n"});
  ExpectSeen({"type X = CALL\n", "type X[T] = list[CALL]\n", "type X = (lambda: CALL)()\n"});
  for (const std::string_view alias : {"type X = os", "type X[T] = os"}) {
    const std::string text = "import os\n" + std::string(alias) + "\nX.__value__.system('id')\n";
    EXPECT_EQ(RulesIn(text), "py-process") << alias;
  }
  EXPECT_EQ(RulesIn("import types\ntype F = types.FunctionType\nF.__value__(c, {})\n"),
            "py-code-object");
}

TEST(PythonSyntax, ReadsTypeParameters) {
  ExpectRead({"def f[T](x: T) -> T:\n    return x\n", "async def f[*Ts](*x: *Ts): pass\n",
              "class A[T: (int, str), **P](B[T]): pass\n", "class A[T: int]: pass\n"});
  ExpectSeen({"def f[T: CALL](x): pass\n", "class A[T: (int, CALL)]: pass\n",
              "def f[T](x: T = CALL): pass\n"});
}

// Python 3.13.
TEST(PythonSyntax, ReadsDefaultsOfTypeParameters) {
  ExpectRead({"def f[T = int](x: T): pass\n", "class A[T: int = str, *Ts = *tuple[int]](B): pass\n",
              "class A[**P = [int, str]]: pass\n", "type X[T = int, U = list[T]] = dict[T, U]\n",
              "class A[T: (a, b) = b.c]: pass\nx = 1\n",
              "class A[\n    T = int,  # don't\n    U = '=]',\n]:\n    pass\n"});
  ExpectSeen({"class A[T = CALL](B): pass\n", "def f[T: int = CALL](x): pass\n",
              "def f[T: a.b = CALL, U = c](x): pass\n", "type X[T = CALL] = int\n"});
  EXPECT_EQ(AnalysePython("\nclass A[T = eval]: pass\n").findings.at(0).place, (Place{2, 13}));
}

TEST(PythonSyntax, ReadsGroupsOfExceptions) {
  ExpectRead({"try:\n    f()\nexcept* E:\n    pass\n",
              "try:\n    f()\nexcept *(A, B) as e:\n    print(e)\nelse:\n    g()\n"});
  ExpectSeen(
      {"try:\n    f()\nexcept* CALL:\n    pass\n", "try:\n    f()\nexcept* E as e:\n    CALL\n"});
}

// Python 3.14; in Python 2 the second was a name.
TEST(PythonSyntax, ReadsExceptionsWithoutParentheses) {
  ExpectRead({"try:\n    f()\nexcept A, B:\n    pass\n",
              "try:\n    f()\nexcept* A, B, C:\n    pass\n",
              "try:\n    f()\nexcept A, B.c:\n    pass\nexcept D:\n    pass\nfinally:\n    g()\n"});
  ExpectSeen(
      {"try:\n    f()\nexcept A, CALL:\n    pass\n", "try:\n    f()\nexcept A, B:\n    CALL\n"});
}

// The grammar takes the end of such a line for the end of a block.
TEST(PythonSyntax, ReadsLinesThatGoOnWithinBrackets) {
  ExpectRead({"def f():\n    x = (a +\nb)\n    return x\n", "def f():\n    return (a.  # why\nb)\n",
              "class A:\n    def f(self):\n        return [a for a in\n b if\nc]\n",
              "def f():\n    x = {1: 2, 3:\n4, **\nd}\n    return f\"{x +\ny}\"\n"});
  for (const std::string_view text :
       {"def f():\n    (os.\nsystem('id'))\n", "def f(o=os):\n    (o.\\\n# x\nsystem('id'))\n",
        "def f():\n    (x +\nos.path.\nos.system('id'))\n",
        "def f():\n    (x +\nos.system('id'))\nclass A[T = int]: pass\n"}) {
    EXPECT_EQ(RulesIn("import os\n" + std::string(text)), "py-process") << text;
  }
}

TEST(PythonSyntax, SeesNamesInWhatDoesNotParse) {
  for (const std::string_view text : {"def f(:\n    x = os.system\n", "x = os.system ]\n",
                                      "(os.system\n", "x = [o for o in os . system (\n"}) {
    EXPECT_NE(RulesIn(text).find("py-syntax"), std::string::npos) << text;
    EXPECT_NE(RulesIn(text).find("py-process"), std::string::npos) << text;
  }
}

// The grammar's scanner writes down two bytes for each, as long as one byte is left.
TEST(PythonSyntax, ManyIndentationsAreHarmless) {
  for (const std::string_view string : {"", "f'{", "f'{f\"{"}) {
    std::string text;
    for (int depth = 0; depth < 600; ++depth) {
      text += std::string(static_cast<std::size_t>(depth), ' ') + "if x:\n";
    }
    text += std::string(600, ' ') + "y = " + std::string(string) + "z\n";
    static_cast<void>(AnalysePython(text));
  }
}

}  // namespace
}  // namespace belljar::judgement::analysis
