#include "judgement/analysis/shell/scope.h"

#include <algorithm>

namespace belljar::judgement::analysis::shell {
namespace {

void AddValue(Variable& variable, const Value& value) {
  const auto& have = variable.values;
  if (std::find(have.begin(), have.end(), value) != have.end()) return;
  if (have.size() + 1 < kMaxValues) {
    variable.values.push_back(value);
  } else if (have.size() < kMaxValues) {
    variable.values.push_back({{Word::Unknown("(many)")}, false});
  }
}

void AddAll(Variable& variable, const VariablePtr& other) {
  if (!other) {
    variable.may_be_unset = true;
    return;
  }
  variable.may_be_unset |= other->may_be_unset;
  for (const Value& value : other->values) AddValue(variable, value);
}

}  // namespace

VariablePtr Scope::Find(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : found->second;
}

void Scope::Put(std::string_view name, VariablePtr variable) {
  auto found = variables_.find(name);
  if (found == variables_.end()) found = variables_.emplace(name, nullptr).first;
  if (!marks_.empty()) log_.push_back({std::string(name), found->second});
  found->second = std::move(variable);
}

void Scope::Set(std::string_view name, Value value) {
  std::vector<Value> values;
  values.push_back(std::move(value));
  Set(name, values);
}

void Scope::Set(std::string_view name, const std::vector<Value>& values) {
  Variable variable;
  for (const Value& value : values) AddValue(variable, value);
  Put(name, std::make_shared<const Variable>(std::move(variable)));
}

void Scope::Append(std::string_view name, const Value& value) {
  const VariablePtr before = Find(name);
  if (!before || before->values.empty()) {
    Set(name, value);
    return;
  }
  Variable variable;
  variable.may_be_unset = before->may_be_unset;
  for (Value longer : before->values) {
    if (value.is_list || longer.is_list) {
      if (longer.items.size() + value.items.size() > kMaxWord) continue;
      longer.items.insert(longer.items.end(), value.items.begin(), value.items.end());
      longer.is_list = true;
    } else {
      longer.items.resize(1);
      if (!value.items.empty()) longer.items[0].Add(value.items[0]);
    }
    AddValue(variable, longer);
  }
  Put(name, std::make_shared<const Variable>(std::move(variable)));
}

Scope::Changes Scope::Leave() {
  const std::size_t mark = marks_.back();
  marks_.pop_back();
  Changes changes;
  while (log_.size() > mark) {
    Change& change = log_.back();
    const auto now = variables_.find(change.name);
    // The log is read backwards, so the newest value is kept.
    changes.try_emplace(change.name, now->second);
    now->second = std::move(change.before);
    log_.pop_back();
  }
  return changes;
}

void Scope::Join(std::span<const Changes> branches, Branches kind) {
  std::set<std::string_view> names;
  for (const Changes& changes : branches) {
    for (const auto& [name, variable] : changes) names.insert(name);
  }
  for (const std::string_view name : names) {
    const VariablePtr before = Find(name);
    Variable joined;
    if (kind == Branches::kMayBeSkipped) AddAll(joined, before);
    for (const Changes& changes : branches) {
      const auto changed = changes.find(name);
      AddAll(joined, changed == changes.end() ? before : changed->second);
    }
    Put(name, std::make_shared<const Variable>(std::move(joined)));
  }
}

}  // namespace belljar::judgement::analysis::shell
