#include "judgement/analysis/value.h"

#include <algorithm>

namespace belljar::judgement::analysis {
namespace {

template <class Things>
void AddMissing(Things& to, const Things& from) {
  for (const auto& one : from) {
    if (to.size() >= kMaxAlternatives) return;
    if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
  }
}

}  // namespace

ValuePtr ValueStore::Keep(Value&& value) {
  for (const std::string& text : value.texts) bytes_ += text.size() > kShortText ? text.size() : 0;
  if (bytes_ > kMaxBytes) {
    const auto is_long = [](const std::string& text) { return text.size() > kShortText; };
    const auto end = std::remove_if(value.texts.begin(), value.texts.end(), is_long);
    value.texts.erase(end, value.texts.end());
  }
  return &Room().emplace_back(std::move(value));
}

std::vector<Value>& ValueStore::Room() {
  constexpr std::size_t kLump = 64;
  if (values_.empty() || values_.back().size() == kLump) values_.emplace_back().reserve(kLump);
  return values_.back();
}

ValuePtr ValueStore::Name(std::string name) {
  Value& value = Room().emplace_back();
  value.names.push_back(std::move(name));
  return &value;
}

ValuePtr ValueStore::Text(std::string text) {
  if (text.size() > kMaxText) text.resize(kMaxText);
  Value value;
  value.texts.push_back(std::move(text));
  return Keep(std::move(value));
}

ValuePtr ValueStore::Number(double number) {
  Value& value = Room().emplace_back();
  value.numbers.push_back(number);
  return &value;
}

ValuePtr ValueStore::Function(NodeId definition) {
  Value& value = Room().emplace_back();
  value.functions.push_back(definition);
  return &value;
}

ValuePtr ValueStore::Join(ValuePtr a, ValuePtr b, int depth) {
  if (a == nullptr || depth == 0) return b;
  if (b == nullptr || a == b || exhausted()) return a;
  work_ += 1 + a->items.size() + a->keyed.size();
  Value joined = *a;
  Merge(joined, b, depth);
  return Keep(std::move(joined));
}

void ValueStore::Merge(Value& into, ValuePtr from, int depth) {
  if (from == nullptr || exhausted()) return;
  work_ += 1 + from->items.size() + from->keyed.size();
  AddMissing(into.names, from->names);
  AddMissing(into.texts, from->texts);
  AddMissing(into.numbers, from->numbers);
  AddMissing(into.functions, from->functions);
  into.decoded = into.decoded || from->decoded;
  for (std::size_t i = 0; i < from->items.size(); ++i) {
    if (i < into.items.size()) {
      into.items[i] = Join(into.items[i], from->items[i], depth - 1);
    } else {
      into.items.push_back(from->items[i]);
    }
  }
  for (const auto& [key, part] : from->keyed) {
    const auto at = into.keyed.find(key);
    if (at != into.keyed.end()) {
      at->second = Join(at->second, part, depth - 1);
    } else if (into.keyed.size() < kMaxKeys) {
      into.keyed.emplace(key, part);
    } else {
      into.others = Join(into.others, part, depth - 1);
    }
  }
  into.others = Join(into.others, from->others, depth - 1);
}

ValuePtr AtKey(ValuePtr container, std::string_view key) {
  if (container == nullptr) return nullptr;
  const auto found = container->keyed.find(key);
  return found == container->keyed.end() ? container->others : found->second;
}

ValuePtr AtIndex(ValuePtr container, std::int64_t index) {
  if (container == nullptr) return nullptr;
  const auto size = static_cast<std::int64_t>(container->items.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size) return container->others;
  return container->items[static_cast<std::size_t>(index)];
}

ValuePtr AnyPart(ValueStore& store, ValuePtr container) {
  if (container == nullptr) return nullptr;
  ValuePtr any = container->others;
  for (const ValuePtr part : container->items) any = store.Join(any, part);
  for (const auto& [key, part] : container->keyed) any = store.Join(any, part);
  return any;
}

const std::string* OnlyText(ValuePtr value) {
  if (value == nullptr || value->texts.size() != 1) return nullptr;
  return &value->texts.front();
}

const double* OnlyNumber(ValuePtr value) {
  if (value == nullptr || value->numbers.size() != 1) return nullptr;
  return &value->numbers.front();
}

bool IsDecoded(ValuePtr value) { return value != nullptr && value->decoded; }

}  // namespace belljar::judgement::analysis
