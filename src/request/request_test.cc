#include "request/request.h"

#include <gtest/gtest.h>

namespace belljar::request {
namespace {

// The error message of `result`, or "accepted".
std::string Verdict(const Result<>& result) {
  return result ? "accepted" : result.error().message();
}

std::string VerdictOnEnv(const std::string& name, const std::string& value) {
  Request request;
  request.env[name] = value;
  return Verdict(Validate(request));
}

Request WithFiles(const std::vector<std::string>& paths) {
  Request request;
  for (const std::string& path : paths) request.files.push_back({.path = path, .bytes = "x"});
  return request;
}

TEST(Lang, NamesGoThereAndBack) {
  for (const Lang lang : {Lang::kPython, Lang::kJavaScript, Lang::kTypeScript, Lang::kBash}) {
    EXPECT_EQ(*ParseLang(LangName(lang)), lang);
  }
  EXPECT_EQ(*ParseLang("py"), Lang::kPython);
  EXPECT_EQ(*ParseLang("js"), Lang::kJavaScript);
  EXPECT_EQ(*ParseLang("node"), Lang::kJavaScript);
  EXPECT_EQ(*ParseLang("sh"), Lang::kBash);
  EXPECT_EQ(ParseLang("Ruby").error().message(),
            R"(the language "Ruby" is not known; use python, javascript or bash)");
}

TEST(CheckRelativePath, AcceptsOrdinaryRelativePaths) {
  for (const char* path : {"a", "a/b/c.txt", ".hidden", "..a", "a..", "...", "with space",
                           "grüße/漢字", "back\\slash", "-rf", "~", "$HOME"}) {
    EXPECT_EQ(Verdict(CheckRelativePath(path)), "accepted") << path;
  }
}

TEST(CheckRelativePath, RefusesEveryWayOut) {
  EXPECT_EQ(Verdict(CheckRelativePath("/etc/passwd")),
            R"(the path "/etc/passwd" is absolute; paths are relative to the workspace)");
  for (const char* path : {"..", "../x", "a/..", "a/../b"}) {
    EXPECT_EQ(Verdict(CheckRelativePath(path)),
              "the path \"" + std::string(path) + "\" has a \"..\" part");
  }
  for (const char* path : {".", "./a", "a/.", "a/./b"}) {
    EXPECT_EQ(Verdict(CheckRelativePath(path)),
              "the path \"" + std::string(path) + "\" has a \".\" part");
  }
}

TEST(CheckRelativePath, RefusesEmptyPathsAndParts) {
  EXPECT_EQ(Verdict(CheckRelativePath("")), "a path is empty");
  for (const char* path : {"a/", "a//b"}) {
    EXPECT_EQ(Verdict(CheckRelativePath(path)),
              "the path \"" + std::string(path) + "\" has an empty part");
  }
}

TEST(CheckRelativePath, RefusesCharactersThatMislead) {
  EXPECT_EQ(Verdict(CheckRelativePath(std::string_view("a\0b", 3))),
            R"(the path "a\u0000b" has a NUL byte at offset 1)");
  EXPECT_EQ(Verdict(CheckRelativePath("a\nb")),
            R"(the path "a\u000ab" has a control character at offset 1)");
  EXPECT_EQ(Verdict(CheckRelativePath("txt.\u202Eexe")),
            R"(the path "txt.\u202eexe" has a bidirectional character at offset 4)");
  EXPECT_EQ(Verdict(CheckRelativePath("a\xff")),
            "the path \"a\uFFFD\" is not UTF-8: byte 0xff at offset 1");
}

TEST(CheckRelativePath, HoldsLengthAndDepth) {
  std::string deep = "d";
  for (std::size_t i = 1; i < kMaxPathDepth; ++i) deep += "/d";
  EXPECT_EQ(Verdict(CheckRelativePath(deep)), "accepted");
  EXPECT_NE(Verdict(CheckRelativePath(deep + "/d")).find("33 levels deep"), std::string::npos);
  EXPECT_EQ(Verdict(CheckRelativePath(std::string(255, 'n'))), "accepted");
  EXPECT_NE(Verdict(CheckRelativePath(std::string(256, 'n'))).find("part of 256 bytes"),
            std::string::npos);
  std::string longest;
  for (int i = 0; i < 4; ++i) longest += std::string(200, 'n') + "/";
  longest += std::string(kMaxPathBytes - longest.size(), 'n');
  EXPECT_EQ(Verdict(CheckRelativePath(longest)), "accepted");
  EXPECT_NE(Verdict(CheckRelativePath(longest + "n")).find("at most 1024 are allowed"),
            std::string::npos);
}

TEST(Validate, AcceptsTheDefaultsAndAnEmptyProgram) {
  EXPECT_EQ(Verdict(Validate(Request{})), "accepted");
}

TEST(ValidateToRun, RefusesTypeScriptWhichIsOnlyRead) {
  Request request;
  EXPECT_EQ(Verdict(ValidateToRun(request)), "accepted");
  request.lang = Lang::kTypeScript;
  EXPECT_EQ(Verdict(Validate(request)), "accepted");
  EXPECT_EQ(Verdict(ValidateToRun(request)),
            "TypeScript is read, but not run: compile it, and send the JavaScript");
}

TEST(Validate, SaysWhichByteOfTheCodeIsNotUtf8) {
  Request request;
  request.code = "print('0123456789\xff')";
  EXPECT_EQ(Verdict(Validate(request)), "the code is not UTF-8: byte 0xff at offset 17");
}

TEST(Validate, HoldsTheSizeOfTheCode) {
  Request request;
  request.code.assign(kMaxCodeBytes, '#');
  EXPECT_EQ(Verdict(Validate(request)), "accepted");
  request.code += '#';
  EXPECT_EQ(Verdict(Validate(request)), "the code has 8388609 bytes; at most 8388608 are allowed");
}

TEST(Validate, RefusesCodeAndCommandTogether) {
  Request request;
  request.code = "1";
  request.command = {"ls"};
  EXPECT_EQ(Verdict(Validate(request)), R"(give either "code" or "command", not both)");
}

TEST(Validate, RefusesArgumentsBesideACommand) {
  Request request;
  request.command = {"ls"};
  request.args = {"-l"};
  EXPECT_EQ(Verdict(Validate(request)),
            R"("args" goes with "code"; a command's arguments belong into "command")");
}

TEST(Validate, RefusesACommandWithoutAProgram) {
  Request request;
  request.command = {"", "x"};
  EXPECT_EQ(Verdict(Validate(request)), R"("command" must begin with a program's name)");
}

TEST(Validate, RefusesNulBytesInWhatBecomesACString) {
  const std::string bad("a\0b", 3);
  Request with_args;
  with_args.args = {"fine", bad};
  EXPECT_EQ(Verdict(Validate(with_args)), R"("args" item 2 has a NUL byte at offset 1)");
  Request with_command;
  with_command.command = {bad};
  EXPECT_EQ(Verdict(Validate(with_command)), R"("command" item 1 has a NUL byte at offset 1)");
  EXPECT_EQ(VerdictOnEnv("A", bad), R"("env" variable "A" has a NUL byte at offset 1)");
}

TEST(Validate, HoldsTheKernelsLimitsOnArguments) {
  Request request;
  request.args = {std::string(kMaxArgBytes - 1, 'x')};
  EXPECT_EQ(Verdict(Validate(request)), "accepted");
  request.args[0] += 'x';
  EXPECT_EQ(Verdict(Validate(request)),
            R"("args" item 1 has 131072 bytes; at most 131071 are allowed)");
  request.args.assign(8, std::string(kMaxArgBytes - 1, 'x'));
  EXPECT_EQ(Verdict(Validate(request)), "accepted");
  request.env["A"] = "";
  EXPECT_EQ(
      Verdict(Validate(request)),
      R"("args", "command" and "env" together has 1048579 bytes; at most 1048576 are allowed)");
  request.args.assign(kMaxArgs + 1, "");
  EXPECT_EQ(Verdict(Validate(request)), R"("args" has 1025 entries; at most 1024 are allowed)");
}

TEST(Validate, RefusesNamesThatAreNotVariables) {
  for (const char* name : {"", "1A", "A-B", "A=B", "A B", "ü"}) {
    EXPECT_NE(VerdictOnEnv(name, "v").find("is not allowed; use letters"), std::string::npos)
        << name;
  }
}

TEST(Validate, KeepsTheLoadersAndItsOwnVariablesFromCallers) {
  EXPECT_EQ(VerdictOnEnv("LD_PRELOAD", "/x.so"),
            R"("env" name "LD_PRELOAD" is not allowed: names beginning with LD_ are reserved)");
  EXPECT_EQ(VerdictOnEnv("BELLJAR_X", "1"),
            R"("env" name "BELLJAR_X" is not allowed: names beginning with BELLJAR_ are reserved)");
  for (const char* name : {"PYTHONPATH", "NODE_OPTIONS", "_", "LD", "LDFLAGS", "a1", "PATH"}) {
    EXPECT_EQ(VerdictOnEnv(name, "v"), "accepted") << name;
  }
}

TEST(Validate, RefusesIdsThatCouldBreakALog) {
  Request request;
  request.id = std::string(kMaxIdBytes, 'i');
  EXPECT_EQ(Verdict(Validate(request)), "accepted");
  request.id += 'i';
  EXPECT_EQ(Verdict(Validate(request)), R"("id" has 257 bytes; at most 256 are allowed)");
  request.id = "a\nb";
  EXPECT_EQ(Verdict(Validate(request)), R"("id" has a control character at offset 1)");
  request.id = "a\xff";
  EXPECT_EQ(Verdict(Validate(request)), R"("id" is not UTF-8: byte 0xff at offset 1)");
  request.id = "";
  request.correlation_id = "\x7f";
  EXPECT_EQ(Verdict(Validate(request)), R"("correlation_id" has a control character at offset 0)");
}

TEST(Validate, RefusesImageNamesThatAreNotNames) {
  for (const char* name : {"", "../default", ".x", "a/b", "a b"}) {
    Request request;
    request.image = name;
    EXPECT_NE(Verdict(Validate(request)).find("is not an image name"), std::string::npos) << name;
  }
}

TEST(Validate, RefusesFilesThatCannotBothExist) {
  EXPECT_EQ(Verdict(Validate(WithFiles({"a", "a"}))), R"("files" has the path "a" twice)");
  // "a-b" sorts between "a" and "a/b/c", so comparing only neighbours would miss the conflict.
  EXPECT_EQ(Verdict(Validate(WithFiles({"a/b/c", "a-b", "a"}))),
            R"("files" has both "a" and "a/b/c", but the first is a file)");
  EXPECT_EQ(Verdict(Validate(WithFiles({"a/b", "a/c", "ab"}))), "accepted");
}

TEST(Validate, ChecksFetchPathsLikeFiles) {
  Request request;
  request.fetch = {"../up"};
  EXPECT_EQ(Verdict(Validate(request)), R"("fetch": the path "../up" has a ".." part)");
  request.fetch = {"a", "a/b"};
  EXPECT_EQ(Verdict(Validate(request)),
            R"("fetch" has both "a" and "a/b", but the first is a file)");
  request.fetch.assign(kMaxFiles + 1, "a");
  EXPECT_EQ(Verdict(Validate(request)), R"("fetch" has 1001 entries; at most 1000 are allowed)");
}

TEST(Validate, RefusesMoreFileBytesThanTheWorkspaceHolds) {
  Request request = WithFiles({"a"});
  request.limits.workspace_bytes = 64 * 1024;
  request.files[0].bytes.assign(64 * 1024, 'x');
  EXPECT_EQ(Verdict(Validate(request)), "accepted");
  request.files[0].bytes += 'x';
  EXPECT_EQ(Verdict(Validate(request)),
            R"("files" together has 65537 bytes, and the workspace holds 65536)");
}

TEST(Validate, HoldsTheTotalsOfStdinAndFiles) {
  Request request;
  request.stdin_bytes.assign(kMaxStdinBytes + 1, 'x');
  EXPECT_EQ(Verdict(Validate(request)),
            R"("stdin" has 67108865 bytes; at most 67108864 are allowed)");
  request = WithFiles({"a"});
  request.files[0].bytes.assign(kMaxFileBytesTotal + 1, 'x');
  EXPECT_EQ(Verdict(Validate(request)),
            R"("files" together has 67108865 bytes; at most 67108864 are allowed)");
}

TEST(Validate, ChecksLimitsThatCameFromFlags) {
  Request request;
  request.limits.wall = std::chrono::hours(25);
  EXPECT_EQ(Verdict(Validate(request)), R"("timeout" must be from 0.001 s to 24 h, not 25 h)");
  request.limits.wall = std::chrono::milliseconds(-5);
  EXPECT_EQ(Verdict(Validate(request)), R"("timeout" must be from 0.001 s to 24 h, not 0 s)");
  request.limits = Limits{};
  request.limits.cpu_millis = 9;
  EXPECT_EQ(Verdict(Validate(request)), R"("cpus" must be from 0.01 to 64, not 0.009)");
  request.limits = Limits{};
  request.limits.memory_bytes = kMiB;
  EXPECT_EQ(Verdict(Validate(request)), R"("memory" must be from 16 MiB to 1 TiB, not 1 MiB)");
}

}  // namespace
}  // namespace belljar::request
