// Scope: the variables, functions and aliases of a script at one point of reading it.
//
// Reading follows the order of the text. What is assigned in a straight line replaces what was
// there; what is assigned in a branch that may not be taken is joined to it. A branch is read
// between Enter and Leave, which puts everything back and hands out the changes; Join then adds
// those of all branches. Nothing is copied but what changed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judgement/analysis/shell/word.h"
#include "judgement/analysis/syntax/syntax.h"

namespace belljar::judgement::analysis::shell {

// The most values a variable may have; more are one unknown value.
constexpr std::size_t kMaxValues = 64;

struct Value {
  std::vector<Word> items;  // one, unless it is a list
  bool is_list = false;
  bool operator==(const Value&) const = default;
};

struct Variable {
  std::vector<Value> values;
  bool may_be_unset = false;
};
// Shared between the scope and the changes of its branches, none of which alters it.
using VariablePtr = std::shared_ptr<const Variable>;

struct Function {
  const Syntax* syntax = nullptr;
  NodeId body = kNoNode;
  std::optional<Place> place;  // of the text that it is in, if that was an argument
  NodeId redirect = kNoNode;   // that goes with each call
};

enum class Branches { kOneIsTaken, kMayBeSkipped };

class Scope {
 public:
  using Changes = std::map<std::string, VariablePtr, std::less<>>;

  // Null: never set.
  VariablePtr Find(std::string_view name) const;
  void Set(std::string_view name, Value value);
  void Set(std::string_view name, const std::vector<Value>& values);
  void Unset(std::string_view name) { Put(name, nullptr); }
  void Put(std::string_view name, VariablePtr variable);
  // As += does.
  void Append(std::string_view name, const Value& value);

  void Enter() { marks_.push_back(log_.size()); }
  Changes Leave();
  void Join(std::span<const Changes> branches, Branches kind);

  // The script has looked whether it is empty.
  void Check(std::string_view name) { checked_.emplace(name); }
  bool IsChecked(std::string_view name) const { return checked_.contains(name); }

  std::map<std::string, Function, std::less<>> functions;
  std::map<std::string, std::string, std::less<>> aliases;
  // $1 and on, of the innermost function or script; nullopt: not known.
  std::vector<std::optional<std::vector<Word>>> parameters{std::nullopt};

 private:
  struct Change {
    std::string name;
    VariablePtr before;
  };

  Changes variables_;
  std::vector<Change> log_;
  std::vector<std::size_t> marks_;
  std::set<std::string, std::less<>> checked_;
};

}  // namespace belljar::judgement::analysis::shell
