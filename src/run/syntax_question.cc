#include "run/syntax_question.h"

#include <fmt/format.h>

#include <charconv>

#include "cell/native/host/embedded.h"
#include "foundation/base/json.h"
#include "foundation/base/text.h"
#include "resource/skill/skill.h"

namespace belljar::run {
namespace {

using request::Lang;

constexpr std::size_t kMaxMessageBytes = 400;
constexpr std::chrono::seconds kPatience{5};

constexpr std::string_view kCodeFile = "main.code";

// A text that fails to parse as CommonJS for a reason that does not apply to ES modules is checked
// as a module by a second Node process (--check): only that parses a module without running it.
constexpr std::string_view kAskNode = R"(const fs = require('fs'), vm = require('vm');
const text = fs.readFileSync(0, 'utf8').replace(/^#!.*/, '');
const told = (message, stack) => {
  const lines = stack.split('\n');
  const line = Number((/:(\d+)$/.exec(lines[0]) || [0, 1])[1]);
  const at = lines.length > 2 ? lines[2].indexOf('^') : 0;
  const source = lines.length > 2 ? lines[1] : '';
  return {accepted: false, line, column: Buffer.byteLength(source.slice(0, Math.max(at, 0))) + 1,
          message, text: source.trim().slice(0, 80)};
};
const asModule = () => {
  fs.writeFileSync('main.mjs', text);
  const done = require('child_process').spawnSync(process.execPath, ['--check', 'main.mjs'],
                                                  {encoding: 'utf8'});
  if (done.error) throw done.error;
  if (done.status === 0) return {accepted: true};
  const message = /^SyntaxError: (.*)$/m.exec(done.stderr);
  return told(message ? message[1] : 'it is no module', done.stderr.trimStart());
};
// Of f(await x) V8 only says that something is missing.
const awaits = () => {
  try {
    new vm.Script(`(async () => {${text}\n})`);
    return true;
  } catch {
    return false;
  }
};
let answer = {accepted: true};
try {
  vm.compileFunction(text, ['exports', 'require', 'module', '__filename', '__dirname'],
                     {filename: 'main.js'});
} catch (error) {
  const other =
      /import statement|import\.meta|Unexpected token 'export'|await is only valid|reserved word/;
  answer = other.test(error.message) || awaits() ? asModule() : told(error.message, error.stack);
}
console.log(JSON.stringify(answer));
)";

Error NoAnswer(const RunResult& answer) {
  return Error(Kind::kUnavailable,
               fmt::format("the interpreter did not answer: {}",
                           answer.reason.empty() ? OutcomeName(answer.outcome)
                                                 : std::string_view(answer.reason)));
}

std::uint32_t NumberIn(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  if (value == nullptr || !value->is_int64()) return 1;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value->get_int64(), 1, 1 << 30));
}

std::string TextIn(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return "";
  return std::string(value->get_string().data(), value->get_string().size());
}

std::string Bounded(std::string_view text) {
  return ToValidUtf8(text.substr(0, kMaxMessageBytes)).text;
}

// Reads the one line of JSON that the programs above print.
Result<SyntaxVerdict> ReadJson(Lang lang, const RunResult& answer) {
  if (answer.outcome != Outcome::kOk) return NoAnswer(answer);
  const auto value = ParseJson(answer.stdout_captured.bytes);
  if (!value || !value->is_object()) return NoAnswer(answer);
  const json::object& object = value->get_object();
  const json::value* const accepted = object.if_contains("accepted");
  if (accepted == nullptr || !accepted->is_bool()) return NoAnswer(answer);
  if (accepted->get_bool()) return SyntaxVerdict{};
  const std::string text = TextIn(object, "text");
  std::string message = fmt::format("{} says: {}", lang == Lang::kPython ? "Python" : "Node",
                                    TextIn(object, "message"));
  if (!text.empty()) message += fmt::format(", in: {}", text);
  return SyntaxVerdict{
      false, {NumberIn(object, "line"), NumberIn(object, "column")}, Bounded(message)};
}

// Reads bash's message: "bash: line 3: syntax error near unexpected token `)'".
Result<SyntaxVerdict> ReadBash(const RunResult& answer) {
  if (answer.outcome == Outcome::kOk) return SyntaxVerdict{};
  const std::string_view said = answer.stderr_captured.bytes;
  constexpr std::string_view kLine = ": line ";
  const std::size_t at = said.find(kLine);
  if (answer.outcome != Outcome::kExit || at == std::string_view::npos) {
    return NoAnswer(answer);
  }
  const std::string_view rest = said.substr(at + kLine.size());
  SyntaxVerdict verdict;
  verdict.accepted = false;
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), verdict.place.line);
  const std::string_view message(read.ptr, static_cast<std::size_t>(rest.end() - read.ptr));
  if (read.ec != std::errc() || !message.starts_with(": ")) return NoAnswer(answer);
  verdict.message = "bash says: " + Bounded(message.substr(2, message.find('\n') - 2));
  return verdict;
}

}  // namespace

request::Request SyntaxQuestion(const request::Request& request, Keep keep) {
  request::Request question;
  question.lang = request.lang;
  question.image = request.image;
  question.stdin_bytes = request.code;
  question.limits.wall = kPatience;
  switch (request.lang) {
    case Lang::kPython:
      question.code = cell::native::SyntaxProgram();
      if (keep == Keep::kNothing) break;
      question.args = {"keep"};
      question.fetch = {std::string(kCodeFile)};
      break;
    case Lang::kJavaScript:
    case Lang::kTypeScript:
      question.code = kAskNode;
      break;
    case Lang::kBash:
      question.command = {"bash", "-n"};
      break;
  }
  return question;
}

Result<SyntaxVerdict> ReadVerdict(const request::Request& request, const RunResult& answer) {
  if (request.lang == Lang::kBash) return ReadBash(answer);
  return ReadJson(request.lang, answer);
}

std::string CompiledIn(const RunResult& answer) {
  const auto found = answer.files.fetched.find(std::string(kCodeFile));
  const bool fits = answer.outcome == Outcome::kOk && found != answer.files.fetched.end() &&
                    found->second.size() <= resource::skill::kMaxCompiledBytes;
  return fits ? found->second : "";
}

}  // namespace belljar::run
