#include "resource/redact_json.h"

namespace belljar::resource {
namespace {

// Collects all texts and names of a value, one per line.
void AddTexts(const json::value& value, std::string& texts) {
  if (const json::string* text = value.if_string()) {
    texts.append(text->data(), text->size()).append("\n");
  } else if (judgement::redaction::IsLongNumber(value)) {
    texts.append(json::serialize(value)).append("\n");
  } else if (const json::array* list = value.if_array()) {
    for (const json::value& each : *list) AddTexts(each, texts);
  } else if (const json::object* object = value.if_object()) {
    for (const auto& [name, member] : *object) {
      texts.append(name.data(), name.size()).append("\n");
      AddTexts(member, texts);
    }
  }
}

// Redacts each text separately: in the serialised form, a match might include a quotation mark.
void RedactTexts(const judgement::redaction::Redactor& redactor, json::value& value) {
  judgement::redaction::Counts counts;
  if (json::string* text = value.if_string()) {
    *text = redactor.RedactWhole(*text, counts);
  } else if (judgement::redaction::IsLongNumber(value)) {
    // A payment card's number may be a JSON number.
    const std::string digits = json::serialize(value);
    std::string clean = redactor.RedactWhole(digits, counts);
    if (clean != digits) value = std::move(clean);
  } else if (json::array* list = value.if_array()) {
    for (json::value& each : *list) RedactTexts(redactor, each);
  } else if (json::object* object = value.if_object()) {
    json::object clean;
    for (auto& [name, member] : *object) {
      RedactTexts(redactor, member);
      clean[redactor.RedactWhole(name, counts)] = std::move(member);
    }
    *object = std::move(clean);
  }
}

}  // namespace

// Fast path: one pass over all texts shows that most values contain no secret.
void RedactJson(const judgement::redaction::Redactor* redactor, json::value& value) {
  if (redactor == nullptr) return;
  std::string texts;
  AddTexts(value, texts);
  judgement::redaction::Counts counts;
  static_cast<void>(redactor->RedactWhole(texts, counts));
  if (!counts.empty()) RedactTexts(*redactor, value);
}

}  // namespace belljar::resource
