#include "foundation/http/server/media.h"

#include <cstdint>

namespace belljar::http::server {
namespace {

constexpr unsigned kWhole = 1000;

std::string_view Trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Returns the part before `mark`, and removes both from `text`.
std::string_view Cut(std::string_view& text, char mark) {
  const std::size_t end = text.find(mark);
  const std::string_view part = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return Trim(part);
}

// Parses "0.25", with at most three digits after the point.
unsigned ReadWeight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return kWhole;
  if (text.size() > 1 && text[1] != '.') return kWhole;
  unsigned weight = text[0] == '1' ? kWhole : 0;
  unsigned place = 100;
  for (const char digit : text.substr(text.size() > 1 ? 2 : 1)) {
    if (digit < '0' || digit > '9') return kWhole;
    weight += place * static_cast<unsigned>(digit - '0');
    place /= 10;
  }
  return weight > kWhole ? kWhole : weight;
}

unsigned WeightIn(std::string_view parameters) {
  while (!parameters.empty()) {
    std::string_view parameter = Cut(parameters, ';');
    if (EqualIgnoringCase(Cut(parameter, '='), "q")) return ReadWeight(Trim(parameter));
  }
  return kWhole;
}

}  // namespace

std::optional<unsigned> NamedWeight(const Headers& headers, std::string_view range) {
  for (const Header& header : headers.all()) {
    if (!EqualIgnoringCase(header.name, "accept")) continue;
    std::string_view rest = header.value;
    while (!rest.empty()) {
      std::string_view named = Cut(rest, ',');
      if (EqualIgnoringCase(Cut(named, ';'), range)) return WeightIn(named);
    }
  }
  return std::nullopt;
}

std::optional<StreamKind> StreamWanted(const Headers& headers) {
  const unsigned lines = NamedWeight(headers, "application/x-ndjson").value_or(0);
  const unsigned events = NamedWeight(headers, "text/event-stream").value_or(0);
  auto whole = NamedWeight(headers, "application/json");
  if (!whole) whole = NamedWeight(headers, "application/*");
  if (!whole) whole = NamedWeight(headers, "*/*");
  const unsigned most = lines > events ? lines : events;
  if (most == 0 || most < whole.value_or(0)) return std::nullopt;
  return lines == most ? StreamKind::kNdjson : StreamKind::kSse;
}

}  // namespace belljar::http::server
