// Builtins: methods of strings and lists.
#include <algorithm>
#include <cmath>
#include <limits>

#include "judgement/analysis/javascript/builtins.h"
#include "judgement/analysis/javascript/text.h"

namespace belljar::judgement::analysis::javascript {
namespace {

constexpr std::size_t kMaxRepeat = 4096;
constexpr std::size_t kMaxMapped = 512;
constexpr double kWhole = std::numeric_limits<double>::infinity();

std::size_t Bounded(double at, std::size_t size) {
  if (std::isnan(at) || at <= 0) return 0;
  return at >= static_cast<double>(size) ? size : static_cast<std::size_t>(at);
}

// Negative indices count from the end.
std::size_t FromEnd(double at, std::size_t size) {
  return Bounded(at < 0 ? at + static_cast<double>(size) : at, size);
}

std::string Cased(std::string text, char first, char last) {
  for (char& c : text) {
    if (c >= first && c <= last) c = static_cast<char>(c ^ 0x20);
  }
  return text;
}

std::string Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

// The regular expression that a value is, if it is one.
std::optional<Pattern> PatternOf(ValuePtr value) {
  if (value == nullptr || value->names.size() != 1) return std::nullopt;
  const std::string& name = value->names.front();
  const std::size_t end = name.rfind('/');
  if (!name.starts_with('/') || end == 0) return std::nullopt;
  return Pattern::Parse(std::string_view(name).substr(1, end - 1),
                        std::string_view(name).substr(end + 1));
}

}  // namespace

const std::string* Builtins::TextArgument(std::size_t number) const {
  const std::string* text = OnlyText(call_.Argument(number));
  return text != nullptr && IsWhole(*text) ? text : nullptr;
}

double Builtins::NumberArgument(std::size_t number, double otherwise) const {
  const double* given = OnlyNumber(call_.Argument(number));
  return given == nullptr ? otherwise : *given;
}

ValuePtr Builtins::OfMethod() {
  if (call_.receiver == nullptr || call_.method.empty()) return nullptr;
  const Value& receiver = *call_.receiver;
  const std::string_view method = call_.method;
  if (method == "then") return eval_.Invoke(call_.Argument(0), {call_.receiver});
  if (method == "catch" || method == "finally") return call_.receiver;
  ValuePtr result = nullptr;
  for (const std::string& text : receiver.texts) result = eval_.Join(result, TextMethod(text));
  if (receiver.texts.empty() && receiver.decoded) return call_.receiver;
  if (!receiver.items.empty() || receiver.others != nullptr) {
    result = eval_.Join(result, ListMethod());
  }
  if (method == "get") {
    const std::string* key = TextArgument(0);
    return eval_.Join(result,
                      key == nullptr ? eval_.AnyOf(call_.receiver) : AtKey(call_.receiver, *key));
  }
  if (receiver.keyed.empty() || !receiver.items.empty()) return result;
  if (method == "values" || method == "keys" || method == "entries") {
    return eval_.Join(result, Entries(call_.receiver, method));
  }
  return result;
}

ValuePtr Builtins::TextMethod(const std::string& text) {
  if (!eval_.Charge(1 + text.size() / 16)) return nullptr;
  const std::string_view method = call_.method;
  if (method == "split") return Split(text);
  if (method == "replace" || method == "replaceAll") return Replaced(text);
  if (method == "match" || method == "matchAll") return MatchesIn(text);
  if (method == "concat") {
    ValuePtr whole = eval_.Text(text, call_.receiver);
    for (const ValuePtr part : call_.arguments) whole = eval_.Concat(whole, part);
    return whole;
  }
  const ValuePtr plain = PlainMethod(text);
  if (plain != nullptr || !IsWhole(text)) return plain;
  return CutMethod(CodesOf(text));
}

ValuePtr Builtins::PlainMethod(const std::string& text) {
  const std::string_view method = call_.method;
  const auto made = [&](std::string plain) { return eval_.Text(std::move(plain), call_.receiver); };
  if (method == "toLowerCase" || method == "toLocaleLowerCase") return made(Cased(text, 'A', 'Z'));
  if (method == "toUpperCase" || method == "toLocaleUpperCase") return made(Cased(text, 'a', 'z'));
  if (method == "trim" || method == "trimStart" || method == "trimEnd") return made(Trimmed(text));
  if (method == "toString" || method == "valueOf" || method == "normalize") {
    const std::string* coding = TextArgument(0);
    const bool encodes = coding != nullptr && (*coding == "base64" || *coding == "hex");
    return encodes ? nullptr : made(text);
  }
  if (method == "repeat") {
    const double times = NumberArgument(0, 0);
    if (!(times >= 0) || times * static_cast<double>(text.size()) > kMaxRepeat) return nullptr;
    std::string repeated;
    for (double i = 1; i <= times; ++i) repeated += text;
    return made(std::move(repeated));
  }
  return nullptr;
}

ValuePtr Builtins::CutMethod(const std::u32string& codes) {
  const std::string_view method = call_.method;
  const std::size_t size = codes.size();
  const auto cut = [&](std::size_t from, std::size_t to) {
    if (to < from) to = from;
    return eval_.Text(TextOf(std::u32string_view(codes).substr(from, to - from)), call_.receiver);
  };
  if (method == "slice") {
    return cut(FromEnd(NumberArgument(0, 0), size), FromEnd(NumberArgument(1, kWhole), size));
  }
  if (method == "substring") {
    const std::size_t a = Bounded(NumberArgument(0, 0), size);
    const std::size_t b = Bounded(NumberArgument(1, kWhole), size);
    return cut(std::min(a, b), std::max(a, b));
  }
  const std::size_t at = FromEnd(NumberArgument(0, 0), size);
  if (method == "substr") {
    return cut(at, Bounded(static_cast<double>(at) + NumberArgument(1, kWhole), size));
  }
  if (method == "charAt" || method == "at") return cut(at, std::min(at + 1, size));
  if (method == "charCodeAt" || method == "codePointAt") {
    return at < size ? eval_.store().Number(codes[at]) : nullptr;
  }
  if (method == "indexOf") {
    const std::string* wanted = TextArgument(0);
    if (wanted == nullptr) return nullptr;
    const std::size_t found = codes.find(CodesOf(*wanted));
    return eval_.store().Number(found == std::u32string::npos ? -1 : static_cast<double>(found));
  }
  return nullptr;
}

ValuePtr Builtins::Split(const std::string& text) {
  const std::string* by = TextArgument(0);
  if (by == nullptr) return nullptr;
  if (by->empty()) return eval_.ListOf(eval_.ItemsOf(eval_.Text(text, call_.receiver)));
  std::vector<ValuePtr> parts;
  for (std::size_t at = 0; at <= text.size() && parts.size() < kMaxItems;) {
    const std::size_t end = std::min(text.find(*by, at), text.size());
    parts.push_back(eval_.Text(text.substr(at, end - at), call_.receiver));
    at = end + by->size();
  }
  return eval_.ListOf(std::move(parts));
}

ValuePtr Builtins::Replaced(const std::string& text) {
  if (!eval_.Charge(text.size())) return nullptr;
  const std::u32string codes = CodesOf(text);
  std::vector<Pattern::Match> places;
  if (const std::string* wanted = TextArgument(0); wanted != nullptr && !wanted->empty()) {
    const std::u32string what = CodesOf(*wanted);
    for (std::size_t at = codes.find(what); at != std::u32string::npos;
         at = codes.find(what, at + what.size())) {
      places.push_back({at, at + what.size()});
      if (call_.method == "replace") break;
    }
  } else if (const auto pattern = PatternOf(call_.Argument(0))) {
    places = pattern->Find(codes);
  } else {
    return nullptr;
  }
  ValuePtr whole = eval_.Text("", call_.receiver);
  const std::u32string_view all = codes;
  std::size_t done = 0;
  for (const auto& [begin, end] : places) {
    whole = eval_.Concat(whole, eval_.Text(TextOf(all.substr(done, begin - done)), nullptr));
    const ValuePtr found = eval_.Text(TextOf(all.substr(begin, end - begin)), nullptr);
    const ValuePtr with = call_.Argument(1);
    const bool is_text = with != nullptr && !with->texts.empty();
    whole = eval_.Concat(whole, is_text ? with : eval_.Invoke(with, {found}));
    done = end;
  }
  return eval_.Concat(whole, eval_.Text(TextOf(all.substr(done)), nullptr));
}

ValuePtr Builtins::MatchesIn(const std::string& text) {
  const auto pattern = PatternOf(call_.Argument(0));
  if (!pattern || !eval_.Charge(text.size())) return nullptr;
  const std::u32string codes = CodesOf(text);
  std::vector<ValuePtr> found;
  for (const auto& [begin, end] : pattern->Find(codes)) {
    const auto part = std::u32string_view(codes).substr(begin, end - begin);
    found.push_back(eval_.Text(TextOf(part), call_.receiver));
  }
  return eval_.ListOf(std::move(found));
}

ValuePtr Builtins::ListMethod() {
  const std::vector<ValuePtr>& items = call_.receiver->items;
  const std::string_view method = call_.method;
  if (!eval_.Charge(1 + items.size())) return nullptr;
  if (method == "join") return Joined(items);
  if (method == "map" || method == "flatMap") return Mapped(items);
  if (method == "reduce" || method == "reduceRight") return Reduced(items);
  if (method == "pop" || method == "shift" || method == "at" || method == "find" ||
      method == "findLast") {
    return Part();
  }
  return Rearranged(items);
}

ValuePtr Builtins::Part() {
  if (call_.method == "at") {
    return AtIndex(call_.receiver, static_cast<std::int64_t>(NumberArgument(0, 0)));
  }
  return eval_.AnyOf(call_.receiver);
}

// Methods that return a list of the same elements.
ValuePtr Builtins::Rearranged(std::vector<ValuePtr> items) {
  const std::string_view method = call_.method;
  if (method == "reverse" || method == "toReversed") {
    std::reverse(items.begin(), items.end());
    return eval_.ListOf(std::move(items));
  }
  if (method == "slice") {
    const std::size_t from = FromEnd(NumberArgument(0, 0), items.size());
    const std::size_t to = FromEnd(NumberArgument(1, kWhole), items.size());
    if (to <= from) return eval_.ListOf({});
    return eval_.ListOf({items.begin() + static_cast<std::ptrdiff_t>(from),
                         items.begin() + static_cast<std::ptrdiff_t>(to)});
  }
  if (method == "concat") {
    for (const ValuePtr more : call_.arguments) {
      const std::vector<ValuePtr> added = eval_.ItemsOf(more);
      if (added.empty()) items.push_back(more);
      items.insert(items.end(), added.begin(), added.end());
    }
    return eval_.ListOf(std::move(items));
  }
  if (method == "flat") {
    Value flat;
    for (const ValuePtr item : items) {
      const bool is_list = item != nullptr && !item->items.empty();
      if (is_list) eval_.AddSpread(flat, item);
      if (!is_list && flat.items.size() < kMaxItems) flat.items.push_back(item);
    }
    return eval_.store().Keep(std::move(flat));
  }
  const bool keeps = method == "filter" || method == "sort" || method == "toSorted" ||
                     method == "values" || method == "fill" || method == "splice";
  return keeps ? call_.receiver : nullptr;
}

ValuePtr Builtins::Joined(const std::vector<ValuePtr>& items) {
  const std::string* by = call_.arguments.empty() ? nullptr : TextArgument(0);
  if (items.empty() || (by == nullptr && !call_.arguments.empty())) return nullptr;
  ValuePtr whole = eval_.Text("", nullptr);
  const ValuePtr between = eval_.Text(by == nullptr ? "," : *by, nullptr);
  const bool is_bare = by != nullptr && by->empty();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0 && !is_bare) whole = eval_.Concat(whole, between);
    whole = eval_.Concat(whole, items[i]);
  }
  return whole;
}

ValuePtr Builtins::Mapped(const std::vector<ValuePtr>& items) {
  const ValuePtr callback = call_.Argument(0);
  if (items.empty() || items.size() > kMaxMapped) {
    Value list;
    list.others = eval_.Invoke(callback, {eval_.AnyOf(call_.receiver)});
    return eval_.store().Keep(std::move(list));
  }
  std::vector<ValuePtr> mapped;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const ValuePtr number = eval_.store().Number(static_cast<double>(i));
    mapped.push_back(eval_.Invoke(callback, {items[i], number}));
  }
  return eval_.ListOf(std::move(mapped));
}

ValuePtr Builtins::Reduced(std::vector<ValuePtr> items) {
  if (items.empty() || items.size() > kMaxMapped) return nullptr;
  if (call_.method == "reduceRight") std::reverse(items.begin(), items.end());
  const bool is_seeded = call_.arguments.size() > 1;
  ValuePtr sum = is_seeded ? call_.Argument(1) : items.front();
  for (std::size_t i = is_seeded ? 0 : 1; i < items.size(); ++i) {
    sum = eval_.Invoke(call_.Argument(0), {sum, items[i]});
  }
  return sum;
}

}  // namespace belljar::judgement::analysis::javascript
