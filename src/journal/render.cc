#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/text.h"
#include "journal/journal.h"

namespace belljar::journal {
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

// Code and output may be longer than what names things.
std::size_t MostOf(std::string_view key) {
  const bool body = key == "code" || key == "stdout" || key == "stderr";
  return body ? kMaxBodyBytes : kMaxTextBytes;
}

std::string Shown(std::string_view key, const json::value& value) {
  if (value.is_string()) return Quoted(value.get_string(), MostOf(key));
  if (value.is_structured()) return Quoted(json::serialize(value), MostOf(key));
  return json::serialize(value);
}

// In the order they are shown, with the values as they are written.
class Members {
 public:
  void Add(std::string_view key, std::string value) { all_.emplace_back(key, std::move(value)); }
  void AddText(std::string_view key, std::string_view text) {
    if (!text.empty()) Add(key, Quoted(text, kMaxTextBytes));
  }

  std::string Json() const {
    std::string out = "{";
    for (const auto& [key, value] : all_) {
      if (out.size() > 1) out += ',';
      out += Quoted(key, kMaxTextBytes) + ":" + value;
    }
    return out + "}";
  }

  // Time, level and event as words, and the others behind their names.
  std::string Text() const {
    std::string out;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const auto& [key, value] = all_[i];
      if (i > 0) out += ' ';
      out += i < 3 ? value.substr(1, value.size() - 2) : std::string(key) + "=" + value;
    }
    return out;
  }

 private:
  std::vector<std::pair<std::string_view, std::string>> all_;
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
      Escape(out, static_cast<unsigned char>(clean[++i]));  // U+0080 to U+009F: terminals obey them
    } else {
      out += clean[i];
    }
  }
  return out + (cut ? "…\"" : "\"");
}

std::string Render(const Line& line, std::int64_t time_ms, Format format) {
  Members members;
  members.AddText("time", TimeText(time_ms));
  members.AddText("level", LevelName(line.level));
  members.AddText("event", line.event);
  members.AddText("id", line.id);
  members.AddText("correlation_id", line.correlation_id);
  members.AddText("trace_id", TraceId(line.traceparent));
  members.AddText("traceparent", line.traceparent);
  members.AddText("caller", line.caller);
  std::size_t count = 0;
  for (const auto& [key, value] : line.more) {
    if (++count > kMaxMembers) break;
    members.Add(key, Shown(key, value));
  }
  return format == Format::kJson ? members.Json() : members.Text();
}

std::string TraceId(std::string_view traceparent) {
  return traceparent.size() >= 35 ? std::string(traceparent.substr(3, 32)) : std::string();
}

}  // namespace belljar::journal
