// Scope: the variables, functions and aliases of a script at one point of the walk.
//
// The analysis is flow-sensitive and follows source order. An assignment in straight-line code
// replaces the old value; an assignment in a conditional branch is joined to it. Each branch is
// walked between Enter and Leave; Leave undoes the branch's changes and returns them, and Join
// merges the changes of all branches. Only changed variables are copied.
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

// The number of values that a variable may have; beyond it, they become one unknown value.
constexpr std::size_t kMaxValues = 64;

struct Value {
  std::vector<Word> items;  // one item, unless it is a list
  bool is_list = false;
  bool operator==(const Value&) const = default;
};

struct Variable {
  std::vector<Value> values;
  bool may_be_unset = false;
};
// Immutable, so that it can be shared between the scope and the changes of its branches.
using VariablePtr = std::shared_ptr<const Variable>;

struct Function {
  const Syntax* syntax = nullptr;
  NodeId body = kNoNode;
  std::optional<Place> place;  // where to report findings, if the source was an argument
  NodeId redirect = kNoNode;   // redirections of the definition, which apply to each call
};

enum class Branches { kOneIsTaken, kMayBeSkipped };

class Scope {
 public:
  using Changes = std::map<std::string, VariablePtr, std::less<>>;

  // Null if the variable was never set.
  VariablePtr Find(std::string_view name) const;
  void Set(std::string_view name, Value value);
  void Set(std::string_view name, const std::vector<Value>& values);
  void Unset(std::string_view name) { Put(name, nullptr); }
  void Put(std::string_view name, VariablePtr variable);
  // Appends to the value as += does.
  void Append(std::string_view name, const Value& value);

  void Enter() { marks_.push_back(log_.size()); }
  Changes Leave();
  void Join(std::span<const Changes> branches, Branches kind);

  // Records that the script tests whether the variable is empty.
  void Check(std::string_view name) { checked_.emplace(name); }
  bool IsChecked(std::string_view name) const { return checked_.contains(name); }

  std::map<std::string, Function, std::less<>> functions;
  std::map<std::string, std::string, std::less<>> aliases;
  // The positional parameters $1… of each active function or script, innermost last; nullopt if
  // unknown.
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
