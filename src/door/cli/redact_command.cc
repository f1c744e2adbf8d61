// belljar redact: a filter that redacts secrets from standard input.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdio>

#include "door/cli/command.h"
#include "foundation/base/json.h"
#include "foundation/base/sys.h"
#include "judgement/redaction/redactor.h"

namespace belljar::door::cli {
namespace {

constexpr std::size_t kMaxRedactLine = 64 << 20;

struct RedactArguments {
  bool jsonl = false, list = false, machine_addresses = false, no_personal = false;
};

// The next bytes of standard input; empty at its end.
Result<std::string_view> ReadSome(std::array<char, 65536>& chunk) {
  const long n = BJ_TRY(Check("read", "standard input",
                              [&] { return ::read(STDIN_FILENO, chunk.data(), chunk.size()); }));
  return std::string_view(chunk.data(), static_cast<std::size_t>(n));
}

Result<> WriteOut(std::string_view text) {
  while (!text.empty()) {
    const long n = BJ_TRY(Check("write", "standard output",
                                [&] { return ::write(STDOUT_FILENO, text.data(), text.size()); }));
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

// Prints a summary: "belljar: redacted 2 github-token, 1 e-mail"; nothing if nothing was redacted.
void TellCounts(const judgement::redaction::Counts& counts) {
  std::string told;
  for (const auto& [kind, count] : counts) {
    told += fmt::format("{}{} {}", told.empty() ? "" : ", ", count, kind);
  }
  if (!told.empty()) fmt::print(stderr, "belljar: redacted {}\n", told);
}

Result<> RedactStream(const std::shared_ptr<const judgement::redaction::Redactor>& redactor) {
  judgement::redaction::StreamRedactor stream(redactor);
  std::array<char, 65536> chunk;
  while (true) {
    const std::string_view bytes = BJ_TRY(ReadSome(chunk));
    BJ_TRY(WriteOut(bytes.empty() ? stream.Finish() : stream.Feed(bytes)));
    if (bytes.empty()) break;
  }
  TellCounts(stream.counts());
  return {};
}

json::array DescribeCounts(const judgement::redaction::Counts& counts) {
  json::array described;
  for (const auto& [kind, count] : counts) {
    described.push_back(json::object{{"kind", kind}, {"count", count}});
  }
  return described;
}

// {"id"?, "text"} -> {"id", "text", "redactions"}, or {"id", "error"}.
json::object AnswerRedaction(const judgement::redaction::Redactor& redactor, std::string_view line,
                             judgement::redaction::Counts& total) {
  const auto fail = [](json::value id, const Error& error) {
    return json::object{
        {"id", std::move(id)},
        {"error", {{"kind", KindName(error.kind())}, {"message", error.message()}}}};
  };
  const auto parsed = ParseJson(line);
  if (!parsed) return fail(nullptr, parsed.error());
  const json::object* const object = parsed->if_object();
  if (object == nullptr) return fail(nullptr, Error(Kind::kInvalid, "a line must be an object"));
  const json::value* const named = object->if_contains("id");
  json::value id = named != nullptr ? *named : json::value();
  for (const auto& member : *object) {
    if (member.key() == "id" || member.key() == "text") continue;
    return fail(std::move(id), Error(Kind::kInvalid, "only \"id\" and \"text\" are known"));
  }
  const json::value* const text = object->if_contains("text");
  if (text == nullptr || !text->is_string()) {
    return fail(std::move(id), Error(Kind::kInvalid, "\"text\" must be a string"));
  }
  judgement::redaction::Counts counts;
  const std::string clean = redactor.RedactWhole(text->get_string(), counts);
  for (const auto& [kind, count] : counts) total[kind] += count;
  return {{"id", std::move(id)}, {"text", clean}, {"redactions", DescribeCounts(counts)}};
}

Result<> AnswerRedactLine(const judgement::redaction::Redactor& redactor, std::string_view line,
                          judgement::redaction::Counts& total) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return {};
  return WriteOut(json::serialize(AnswerRedaction(redactor, line, total)) + "\n");
}

// Each answer is written before the next line is read.
Result<> RedactLines(const judgement::redaction::Redactor& redactor) {
  judgement::redaction::Counts total;
  std::string buffer;
  std::array<char, 65536> chunk;
  for (std::size_t scanned = 0;;) {
    const std::string_view bytes = BJ_TRY(ReadSome(chunk));
    buffer += bytes;
    std::size_t begin = 0;
    for (std::size_t end = buffer.find('\n', scanned); end != std::string::npos;
         end = buffer.find('\n', begin)) {
      BJ_TRY(
          AnswerRedactLine(redactor, std::string_view(buffer).substr(begin, end - begin), total));
      begin = end + 1;
    }
    buffer.erase(0, begin);
    scanned = buffer.size();
    if (bytes.empty()) break;
    if (buffer.size() > kMaxRedactLine) {
      return Error(Kind::kInvalid, fmt::format("a line is longer than {} bytes", kMaxRedactLine));
    }
  }
  BJ_TRY(AnswerRedactLine(redactor, buffer, total));
  TellCounts(total);
  return {};
}

Result<> ListRules() {
  std::string text;
  for (const judgement::redaction::KindInfo& info : judgement::redaction::ListKinds()) {
    text += fmt::format("{:<36} {}\n", info.kind, info.group);
  }
  return WriteOut(text);
}

Result<> RedactInput(const RedactArguments& arguments) {
  if (arguments.list) return ListRules();
  judgement::redaction::Options options;
  options.personal = !arguments.no_personal;
  options.machine_addresses = arguments.machine_addresses;
  const auto redactor = BJ_TRY(judgement::redaction::Redactor::Create(options));
  return arguments.jsonl ? RedactLines(*redactor) : RedactStream(redactor);
}

}  // namespace

void AddRedactCommand(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<RedactArguments>();
  CLI::App* const redact =
      app.add_subcommand("redact", "take credentials and personal data out of standard input");
  redact->add_flag("--jsonl", arguments->jsonl, "one JSON object with a \"text\" per line");
  redact->add_flag("--machine-addresses", arguments->machine_addresses, "IP and MAC addresses too");
  redact->add_flag("--no-personal", arguments->no_personal, "credentials only");
  redact->add_flag("--list", arguments->list, "list the kinds that are known");
  redact->callback([arguments, &status] {
    const auto done = RedactInput(*arguments).While("redact");
    status = done ? 0 : Fail(done.error());
  });
}

}  // namespace belljar::door::cli
