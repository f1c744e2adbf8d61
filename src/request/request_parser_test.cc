#include <fmt/format.h>
#include <gtest/gtest.h>

#include "request/request.h"

namespace belljar::request {
namespace {

std::string Verdict(std::string_view json_text) {
  const auto request = ParseRequest(json_text);
  return request ? "accepted" : request.error().message();
}

// The result of parsing a request that has code and these additional members.
std::string VerdictWith(std::string_view members) {
  return Verdict(R"({"code":"1",)" + std::string(members) + "}");
}

Limits LimitsOf(std::string_view members) {
  const auto request = ParseRequest(R"({"code":"1",)" + std::string(members) + "}");
  EXPECT_TRUE(request) << request.error().message();
  return request ? request->limits : Limits{};
}

TEST(ParseRequest, NeedsOnlyCode) {
  const auto request = ParseRequest(R"({"code":"x = 1"})");
  ASSERT_TRUE(request);
  Request expected;
  expected.code = "x = 1";
  EXPECT_EQ(*request, expected);
}

TEST(ParseRequest, ReadsEveryKey) {
  const auto request =
      ParseRequest(R"({"id":"7","lang":"js","code":"x","level":"strict","image":"numpy",
    "backend":"native","session":"s-1","reason":"why","timeout":2.5,"memory":"64M","cpus":0.5,"processes":8,
    "output_lines":10,"output_bytes":"1K","workspace":1048576,"stdin":"in\u0000put",
    "args":["a","b"],"env":{"PYTHONPATH":"/x","A":""},"files":{"b.txt":"aGk=","a/c":""},
    "output_schema":{"type":"null"},"text":"plain","fallback":{"code":"y"},"writes":["out/*"],"fetch":["out"],"vaults":[{"host":"/srv/data","mode":"rw"}],"artefacts":["iris"],"deterministic":18446744073709551615,"correlation_id":"c-1","cpu_time":"1m",
    "workspace_inodes":100,"open_files":32,"file_size":"512K","file_operations":5})");
  ASSERT_TRUE(request) << request.error().message();
  const Request expected{
      .id = "7",
      .correlation_id = "c-1",
      .lang = Lang::kJavaScript,
      .code = "x",
      .command = {},
      .level = "strict",
      .image = "numpy",
      .backend = BackendKind::kNative,
      .session = "s-1",
      .reason = "why",
      .limits = {.wall = std::chrono::milliseconds(2500),
                 .cpu_time = std::chrono::minutes(1),
                 .memory_bytes = 64 * kMiB,
                 .cpu_millis = 500,
                 .processes = 8,
                 .output_lines = 10,
                 .output_bytes = 1024,
                 .workspace_bytes = kMiB,
                 .workspace_inodes = 100,
                 .open_files = 32,
                 .file_size_bytes = kMiB / 2,
                 .file_operations = 5},
      .stdin_bytes = std::string("in\0put", 6),
      .input = {},
      .input_schema = {},
      .output_schema = json::value{{"type", "null"}},
      .fallback = json::object{{"code", "y"}},
      .text = TextMode::kPlain,
      .args = {"a", "b"},
      .env = {{"A", ""}, {"PYTHONPATH", "/x"}},
      .files = {{.path = "b.txt", .bytes = "hi"}, {.path = "a/c", .bytes = ""}},
      .fetch = {"out"},
      .writes = std::vector<std::string>{"out/*"},
      .vaults = {{.host = "/srv/data", .mode = VaultMode::kReadWrite}},
      .allow_hosts = {},
      .artefacts = {{.name = "iris", .digest = ""}},
      .deterministic = UINT64_MAX,
  };
  EXPECT_EQ(*request, expected);
}

TEST(ParseRequest, ReadsACommand) {
  const auto request = ParseRequest(R"({"command":["ls","-l",""]})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->command, (std::vector<std::string>{"ls", "-l", ""}));
}

TEST(ParseRequest, WantsExactlyOneOfCodeAndCommand) {
  EXPECT_EQ(Verdict("{}"), R"(a request needs "code" or "command")");
  EXPECT_EQ(Verdict(R"({"code":"","command":["ls"]})"),
            R"(give either "code" or "command", not both)");
  EXPECT_EQ(Verdict(R"({"code":""})"), "accepted");
  EXPECT_EQ(Verdict(R"({"command":[]})"), R"("command" must name a program; the list is empty)");
  EXPECT_EQ(Verdict(R"({"command":[""]})"), R"("command" must begin with a program's name)");
}

TEST(ParseRequest, HintsAtTheKeyThatWasMeant) {
  EXPECT_EQ(VerdictWith(R"("tmeout":1)"), R"(unknown key "tmeout"; did you mean "timeout"?)");
  EXPECT_EQ(VerdictWith(R"("Timeout":1)"), R"(unknown key "Timeout"; did you mean "timeout"?)");
  EXPECT_EQ(VerdictWith(R"("argv":[])"), R"(unknown key "argv"; did you mean "args"?)");
  EXPECT_EQ(VerdictWith(R"("sesion":"s")"), R"(unknown key "sesion"; did you mean "session"?)");
  EXPECT_EQ(Verdict(R"({"cod":"1"})"), R"(unknown key "cod"; did you mean "code"?)");
}

TEST(ParseRequest, DoesNotHintAtFarKeys) {
  EXPECT_EQ(VerdictWith(R"("network":true)"), R"(unknown key "network")");
  EXPECT_EQ(VerdictWith(R"("x":1)"), R"(unknown key "x")");
  EXPECT_EQ(VerdictWith(R"("":1)"), R"(unknown key "")");
  EXPECT_EQ(VerdictWith(fmt::format("\"{}\":1", std::string(100'000, 'k'))),
            fmt::format("unknown key \"{}...\"", std::string(64, 'k')));
}

TEST(ParseRequest, RefusesHostsThatAreNone) {
  EXPECT_EQ(VerdictWith(R"("allow_hosts":["api.example.com","*.example.org:8443"])"), "accepted");
  EXPECT_EQ(VerdictWith(R"("allow_hosts":["*"])"),
            R"("allow_hosts": "*": a star stands for the first labels of a name, as in )"
            "*.example.com");
}

TEST(ParseRequest, RefusesKeysGivenTwice) {
  EXPECT_EQ(Verdict(R"({"code":"1","code":"1"})"), R"(the key "code" is given twice)");
  EXPECT_EQ(Verdict(R"({"code":"1","co\u0064e":"2"})"), R"(the key "code" is given twice)");
  EXPECT_EQ(VerdictWith(R"("env":{"A":"1","A":"2"})"), R"(the key "A" is given twice)");
  EXPECT_EQ(VerdictWith(R"("files":{"f":"","f":""})"), R"(the key "f" is given twice)");
  EXPECT_EQ(VerdictWith(R"("env":{"code":"1"},"files":{"code":""})"), "accepted");
}

TEST(ParseRequest, StopsAtAnObjectWithTooManyKeys) {
  std::string env = R"("env":{)";
  for (int i = 0; i < 5000; ++i) env += fmt::format("\"K{}\":\"\",", i);
  env.back() = '}';
  EXPECT_EQ(VerdictWith(env), "an object has more than 4096 keys");
}

TEST(ParseRequest, NamesTheBackendItDoesNotKnow) {
  EXPECT_EQ(VerdictWith(R"("backend":"chroot")"),
            R"(the backend "chroot" is not known; there are native, gvisor and docker)");
}

TEST(ParseRequest, RefusesWhatIsNotAnObject) {
  EXPECT_EQ(Verdict("[]"), "a request must be an object, not a list");
  EXPECT_EQ(Verdict("\"code\""), "a request must be an object, not a string");
  for (const char* text : {"", " ", "{", R"({"code":"1"} {})", R"({"code":"1",})", "{'code':'1'}",
                           R"({"code":"\ud800"})", "{\"code\":\"\xff\"}"}) {
    EXPECT_TRUE(Verdict(text).starts_with("malformed JSON")) << text << ": " << Verdict(text);
  }
}

TEST(ParseRequest, NamesKeyAndExpectedTypeOfWrongValues) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {R"("id":7.5)", R"("id" must be a string or a whole number)"},
      {R"("session":"")", R"("session" is empty: leave it out, or name one)"},
      {R"("level":"")", R"("level" is empty: leave it out, or name one)"},
      {R"("reason":null)", R"("reason" must be a string, not null)"},
      {R"("lang":["python"])", R"("lang" must be a string, not a list)"},
      {R"("args":"a")", R"("args" must be a list of strings, not a string)"},
      {R"("args":["a",1])", R"("args" must be a list of strings, but item 2 is a number)"},
      {R"("env":["A"])", R"("env" must be an object of strings, not a list)"},
      {R"("env":{"A":1})", R"("env" must be an object of strings, but "A" is a number)"},
      {R"("files":{"a":{}})",
       R"("files" must be an object of paths and base64 strings, but "a" is an object)"},
      {R"("timeout":true)",
       R"("timeout" must be a number of seconds or a time such as "2m", not a boolean)"},
      {R"("memory":[])",
       R"("memory" must be a whole number of bytes or a size such as "512M", not a list)"},
      {R"("cpus":"2")", R"("cpus" must be a number, not a string)"},
      {R"("processes":"8")", R"("processes" must be a whole number, not a string)"},
  };
  for (const auto& [members, verdict] : cases) EXPECT_EQ(VerdictWith(members), verdict);
}

TEST(ParseRequest, NamesKeyValueAndRangeOfLimitsOutOfRange) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {R"("timeout":0)", R"("timeout" must be from 0.001 s to 24 h, not 0)"},
      {R"("timeout":0.0009)", R"("timeout" must be from 0.001 s to 24 h, not 0.0009)"},
      {R"("timeout":-1)", R"("timeout" must be from 0.001 s to 24 h, not -1)"},
      {R"("timeout":86400.5)", R"("timeout" must be from 0.001 s to 24 h, not 86400.5)"},
      {R"("timeout":1e300)", R"("timeout" must be from 0.001 s to 24 h, not 1e+300)"},
      {R"("timeout":"25h")", R"("timeout" must be from 0.001 s to 24 h, not "25h")"},
      {R"("cpu_time":1e9)", R"("cpu_time" must be from 0.001 s to 1536 h, not 1000000000)"},
      {R"("memory":16777215)", R"("memory" must be from 16 MiB to 1 TiB, not 16777215)"},
      {R"("memory":"2T")", R"("memory" must be from 16 MiB to 1 TiB, not "2T")"},
      {R"("cpus":0.009)", R"("cpus" must be from 0.01 to 64, not 0.009)"},
      {R"("cpus":64.5)", R"("cpus" must be from 0.01 to 64, not 64.5)"},
      {R"("processes":0)", R"("processes" must be from 1 to 32768, not 0)"},
      {R"("processes":4294967297)", R"("processes" must be from 1 to 32768, not 4294967297)"},
      {R"("processes":-9223372036854775808)",
       R"("processes" must be from 1 to 32768, not -9223372036854775808)"},
      {R"("processes":1e20)", R"("processes" must be from 1 to 32768, not 1e+20)"},
      {R"("output_lines":10000001)", R"("output_lines" must be from 1 to 10000000, not 10000001)"},
      {R"("output_bytes":0)", R"("output_bytes" must be from 1 byte to 1 GiB, not 0)"},
      {R"("workspace":"63K")", R"("workspace" must be from 64 KiB to 1 TiB, not "63K")"},
      {R"("workspace_inodes":1)", R"("workspace_inodes" must be from 16 to 16777216, not 1)"},
      {R"("open_files":65537)", R"("open_files" must be from 16 to 65536, not 65537)"},
      {R"("file_size":0)", R"("file_size" must be from 1 byte to 1 TiB, not 0)"},
      {R"("file_operations":0)", R"("file_operations" must be from 1 to 1000000000, not 0)"},
  };
  for (const auto& [members, verdict] : cases) EXPECT_EQ(VerdictWith(members), verdict);
}

TEST(ParseRequest, AcceptsBothEndsOfTheRanges) {
  EXPECT_EQ(LimitsOf(R"("timeout":0.001)").wall, std::chrono::milliseconds(1));
  EXPECT_EQ(LimitsOf(R"("timeout":86400)").wall, std::chrono::hours(24));
  EXPECT_EQ(LimitsOf(R"("timeout":"24h")").wall, std::chrono::hours(24));
  EXPECT_EQ(LimitsOf(R"("cpus":0.01)").cpu_millis, 10u);
  EXPECT_EQ(LimitsOf(R"("cpus":64)").cpu_millis, 64'000u);
  EXPECT_EQ(LimitsOf(R"("memory":16777216)").memory_bytes, 16 * kMiB);
  EXPECT_EQ(LimitsOf(R"("memory":"1T")").memory_bytes, kMiB << 20);
  EXPECT_EQ(LimitsOf(R"("processes":32768)").processes, 32'768u);
}

TEST(ParseRequest, TakesWholeNumbersHoweverTheyAreWritten) {
  EXPECT_EQ(LimitsOf(R"("processes":64.0)").processes, 64u);
  EXPECT_EQ(LimitsOf(R"("output_lines":1e6)").output_lines, 1'000'000u);
  EXPECT_EQ(VerdictWith(R"("processes":1.5)"), R"("processes" must be a whole number, not 1.5)");
}

TEST(ParseRequest, LetsAFileFillAWorkspaceThatWasAskedFor) {
  EXPECT_EQ(LimitsOf(R"("workspace":"1G")").file_size_bytes, 1024 * kMiB);
  EXPECT_EQ(LimitsOf(R"("workspace":"1G","file_size":"1M")").file_size_bytes, kMiB);
  EXPECT_EQ(LimitsOf(R"("file_size":"1M","workspace":"1G")").file_size_bytes, kMiB);
  EXPECT_EQ(LimitsOf(R"("processes":1)").file_size_bytes, Limits{}.file_size_bytes);
}

TEST(ParseRequest, SaysWhatIsWrongWithTextualLimits) {
  EXPECT_TRUE(VerdictWith(R"("timeout":"soon")").starts_with(R"("timeout": "soon" is not a time)"));
  EXPECT_TRUE(VerdictWith(R"("memory":"512MB")").starts_with(R"("memory": "512MB" is not a size)"));
}

TEST(ParseRequest, WantsASeedThatIsAWholeNumber) {
  for (const char* seed : {"-1", "1.5", "1e300", "true", "\"7\"", "null"}) {
    EXPECT_TRUE(VerdictWith(fmt::format("\"deterministic\":{}", seed))
                    .starts_with(R"("deterministic" must be a seed)"))
        << seed;
  }
}

TEST(ParseRequest, RefusesFilesThatAreNotBase64) {
  EXPECT_EQ(VerdictWith(R"("files":{"a":"a"})"),
            R"("files": the content of "a" is not base64 (standard alphabet, padded))");
}

TEST(ParseRequest, ValidatesWhatItHasRead) {
  EXPECT_EQ(VerdictWith(R"("files":{"../a":""})"), R"("files": the path "../a" has a ".." part)");
  EXPECT_EQ(VerdictWith(R"("args":["\u0000"])"), R"("args" item 1 has a NUL byte at offset 0)");
  EXPECT_EQ(VerdictWith(R"("id":"a\u0000")"), R"("id" has a control character at offset 1)");
}

TEST(SalvageId, FindsTheIdOfRequestsThatAreRefused) {
  EXPECT_EQ(SalvageId(R"({"id":"7","tmeout":1})"), "7");
  EXPECT_EQ(SalvageId(R"({"code":"1","env":{"id":"no"},"id":"y\u00fcs"})"), "yüs");
  EXPECT_EQ(SalvageId(R"({"code":"1","code":"2","id":"7"})"), "7");
}

TEST(SalvageId, FindsTheIdBeforeTheMistake) {
  EXPECT_EQ(SalvageId(R"({"id":"7", broken)"), "7");
  EXPECT_EQ(SalvageId(R"({"id":"7")"), "7");
  EXPECT_EQ(SalvageId(R"({"id":"7"} trailing)"), "7");
  EXPECT_EQ(SalvageId("{\"id\":\"7\",\"code\":\"\xff\"}"), "7");
}

TEST(SalvageId, IsEmptyRatherThanWrong) {
  for (const char* text :
       {"", "{", "null", R"(["id","7"])", R"({"id":7.5})", R"({"id":["7"]})",
        R"({"id":{"id":"7"}})", R"({"id":"7)", R"({"code":"\"id\":\"7\"", broken)",
        R"({"env":{"id":"7"}})", R"({"id":"7","id":"8"})", R"({"id":"a\u0007"})", R"([{"id":"7"}])",
        R"({"code":id,"id":"7"})"}) {
    EXPECT_EQ(SalvageId(text), "") << text;
  }
}

TEST(SalvageId, GivesNumbersBackAsNumbers) {
  EXPECT_EQ(json::serialize(SalvageIdJson(R"({"id":7,"cod":1})")), "7");
  EXPECT_EQ(json::serialize(SalvageIdJson(R"({"id":"7","cod":1})")), R"("7")");
  const auto request = ParseRequest(R"({"id":-3,"code":""})");
  ASSERT_TRUE(request);
  EXPECT_EQ(json::serialize(IdJson(request->id, request->numeric_id)), "-3");
}

TEST(SalvageId, IsBounded) {
  EXPECT_EQ(SalvageId(fmt::format(R"({{"id":"{}")", std::string(256, 'i'))), std::string(256, 'i'));
  EXPECT_EQ(SalvageId(fmt::format(R"({{"id":"{}")", std::string(257, 'i'))), "");
  EXPECT_EQ(SalvageId(fmt::format(R"({{"id":"{}")", std::string(1'000'000, 'i'))), "");
  EXPECT_EQ(SalvageId(std::string(1'000'000, '[')), "");
}

}  // namespace
}  // namespace belljar::request
