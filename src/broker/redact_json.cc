#include "broker/redact_json.h"

namespace belljar::broker {
namespace {

// Every text of a value and every name in it, one below the other.
void AddTexts(const json::value& value, std::string& texts) {
  if (const json::string* text = value.if_string()) {
    texts.append(text->data(), text->size()).append("\n");
  } else if (redact::IsLongNumber(value)) {
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

// One by one: cut out of the written form, a secret might take a quote with it.
void RedactTexts(const redact::Redactor& redactor, json::value& value) {
  redact::Counts counts;
  if (json::string* text = value.if_string()) {
    *text = redactor.RedactWhole(*text, counts);
  } else if (redact::IsLongNumber(value)) {
    // The number of a card may come as a number.
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

// Most hold nothing to take out, which one look at all their texts tells.
void RedactJson(const redact::Redactor* redactor, json::value& value) {
  if (redactor == nullptr) return;
  std::string texts;
  AddTexts(value, texts);
  redact::Counts counts;
  static_cast<void>(redactor->RedactWhole(texts, counts));
  if (!counts.empty()) RedactTexts(*redactor, value);
}

}  // namespace belljar::broker
