#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "foundation/base/text.h"
#include "foundation/log/logger.h"

namespace belljar::log {
namespace {

constexpr std::size_t kMaxMembers = 32;

template <class Enum, std::size_t n>
std::optional<Enum> ByName(const std::array<std::pair<Enum, std::string_view>, n>& names,
                           std::string_view name) {
  for (const auto& [value, text] : names) {
    if (text == name) return value;
  }
  return std::nullopt;
}

constexpr std::array<std::pair<Detail, std::string_view>, 3> kDetails = {
    {{Detail::kMinimal, "minimal"},
     {Detail::kStandard, "standard"},
     {Detail::kVerbose, "verbose"}}};
constexpr std::array<std::pair<Format, std::string_view>, 2> kFormats = {
    {{Format::kJson, "json"}, {Format::kText, "text"}}};

std::string TimeText(std::int64_t time_ms) {
  const auto seconds = static_cast<std::time_t>(time_ms / 1000);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), time_ms % 1000);
}

void Escape(std::string& out, unsigned char byte) { out += fmt::format("\\u{:04x}", byte); }

// Whether the text needs neither escaping nor repair; true of nearly all texts.
bool IsPlain(std::string_view text) {
  return std::ranges::all_of(text,
                             [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; });
}

void Quote(std::string& out, std::string_view text, std::size_t most) {
  if (text.size() > most || !IsPlain(text)) {
    out += Quoted(text, most);
  } else {
    out.append(1, '"').append(text).append(1, '"');
  }
}

// The maximum length: code and output may be longer than other texts.
std::size_t MostOf(std::string_view key) {
  const bool body = key == "code" || key == "stdout" || key == "stderr";
  return body ? kMaxBodyBytes : kMaxTextBytes;
}

// Builds a line from its members, in order.
class Members {
 public:
  explicit Members(Format format) : format_(format) { out_.reserve(kUsualBytes); }

  // Adds the time, the level or the event. In the text format these have no key.
  void AddWord(std::string_view key, std::string_view word) {
    if (format_ == Format::kJson) return AddText(key, word);
    std::string quoted;
    Quote(quoted, word, kMaxTextBytes);
    if (!out_.empty()) out_ += ' ';
    out_ += std::string_view(quoted).substr(1, quoted.size() - 2);
  }
  void AddText(std::string_view key, std::string_view text) {
    if (text.empty()) return;
    AddKey(key);
    Quote(out_, text, kMaxTextBytes);
  }
  void Add(std::string_view key, const json::value& value) {
    AddKey(key);
    if (value.is_string()) return Quote(out_, value.get_string(), MostOf(key));
    if (value.is_structured()) return Quote(out_, json::serialize(value), MostOf(key));
    out_ += json::serialize(value);
  }

  std::string Whole() && {
    if (format_ == Format::kJson) out_ += '}';
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kUsualBytes = 320;

  void AddKey(std::string_view key) {
    if (format_ == Format::kJson) {
      out_ += out_.empty() ? '{' : ',';
      Quote(out_, key, kMaxTextBytes);
      out_ += ':';
    } else {
      if (!out_.empty()) out_ += ' ';
      out_.append(key).append(1, '=');
    }
  }

  const Format format_;
  std::string out_;
};

}  // namespace

std::string_view DetailName(Detail detail) {
  return kDetails.at(static_cast<std::size_t>(detail)).second;
}
std::optional<Detail> ParseDetail(std::string_view name) { return ByName(kDetails, name); }
std::string_view FormatName(Format format) {
  return kFormats.at(static_cast<std::size_t>(format)).second;
}
std::optional<Format> ParseFormat(std::string_view name) { return ByName(kFormats, name); }

std::string_view LevelName(Level level) {
  switch (level) {
    case Level::kInfo:
      return "info";
    case Level::kWarning:
      return "warning";
    case Level::kError:
      return "error";
  }
  return "error";
}

std::string Quoted(std::string_view text, std::size_t most) {
  const bool cut = text.size() > most;
  const std::string clean = ToValidUtf8(text.substr(0, most)).text;
  std::string out = "\"";
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const auto byte = static_cast<unsigned char>(clean[i]);
    if (byte == '"' || byte == '\\') {
      out += {'\\', clean[i]};
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      Escape(out, byte);
    } else if (byte == 0xC2 && static_cast<unsigned char>(clean[i + 1]) < 0xA0) {
      // U+0080 to U+009F: C1 controls, which terminals obey
      Escape(out, static_cast<unsigned char>(clean[++i]));
    } else {
      out += clean[i];
    }
  }
  return out + (cut ? "…\"" : "\"");
}

std::string Render(const Line& line, std::int64_t time_ms, Format format) {
  Members members(format);
  members.AddWord("time", TimeText(time_ms));
  members.AddWord("level", LevelName(line.level));
  members.AddWord("event", line.event);
  members.AddText("id", line.id);
  members.AddText("correlation_id", line.correlation_id);
  members.AddText("trace_id", TraceId(line.traceparent));
  members.AddText("traceparent", line.traceparent);
  members.AddText("caller", line.caller);
  std::size_t count = 0;
  for (const auto& [key, value] : line.more) {
    if (++count > kMaxMembers) break;
    members.Add(key, value);
  }
  return std::move(members).Whole();
}

std::string TraceId(std::string_view traceparent) {
  return traceparent.size() >= 35 ? std::string(traceparent.substr(3, 32)) : std::string();
}

}  // namespace belljar::log
