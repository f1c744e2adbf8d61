#include "judgement/analysis/shell/bombs.h"

#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace belljar::judgement::analysis::shell {
namespace {

constexpr std::size_t kMaxFunctions = 200;

enum class Beside { kNot, kPiped, kBackground };
// How one function starts another.
struct Starts {
  int piped = 0;
  int in_background = 0;

  // One call in a pipeline is how a tree is walked; it takes two of them to multiply.
  bool Multiply() const { return piped > 1 || in_background > 0; }
};
struct Definition {
  NodeId node = kNoNode;
  std::map<std::string_view, Starts> starts;
};
using Definitions = std::map<std::string_view, Definition>;

// Whether what is at `id` runs beside what follows, up to the function that it is in.
Beside RunsBeside(const Syntax& syntax, NodeId id, NodeId function) {
  Beside beside = Beside::kNot;
  int steps = 0;
  for (NodeId at = id; at != kNoNode && at != function; at = syntax.at(at).parent) {
    if (++steps > kMaxDepth) break;
    if (syntax.Is(syntax.at(at).parent, Part::kPipeline)) beside = Beside::kPiped;
    const NodeId after = syntax.at(at).next;
    const bool background =
        after != kNoNode && !syntax.at(after).named && syntax.Text(after) == "&";
    if (background) return Beside::kBackground;
  }
  return beside;
}

NodeId FunctionAround(const Syntax& syntax, NodeId id) {
  NodeId at = id;
  for (int steps = 0; at != kNoNode && steps < kMaxDepth; ++steps) {
    if (syntax.Is(at, Part::kFunction)) return at;
    at = syntax.at(at).parent;
  }
  return kNoNode;
}

// From `name` back to it, by at least one start that is beside.
bool ReachesItself(const Definitions& definitions, std::string_view name) {
  std::set<std::pair<std::string_view, bool>> seen;
  std::vector<std::pair<std::string_view, bool>> todo{{name, false}};
  while (!todo.empty()) {
    const auto [at, beside] = todo.back();
    todo.pop_back();
    const auto found = definitions.find(at);
    if (found == definitions.end()) continue;
    for (const auto& [callee, starts] : found->second.starts) {
      const bool now = beside || starts.Multiply();
      if (callee == name && now) return true;
      if (seen.emplace(callee, now).second) todo.emplace_back(callee, now);
    }
  }
  return false;
}

std::string WithoutBlanks(std::string_view text) {
  std::string kept(text);
  std::erase(kept, ' ');
  return kept;
}

// A loop without end, whose body waits for nothing and starts something beside itself.
bool StartsWithoutEnd(const Syntax& syntax, NodeId loop) {
  const NodeId condition = syntax.Field(loop, kConditionField);
  const NodeId body = syntax.Field(loop, kBodyField);
  const bool counts = syntax.Is(loop, Part::kCStyleFor);  // for ((;;))
  if ((condition == kNoNode) != counts || body == kNoNode) return false;
  const std::string_view says = counts ? "true" : syntax.Text(condition);
  if (!IsListed("true : ((1)) [[1]] [1]", WithoutBlanks(says))) return false;
  bool starts = false;
  for (NodeId id = body; id < syntax.size() && syntax.at(id).start < syntax.at(body).end; ++id) {
    if (!syntax.Is(id, Part::kCommandName)) continue;
    const bool beside = RunsBeside(syntax, id, body) == Beside::kBackground;
    starts |= beside;
    const bool paces = IsListed("sleep wait break exit return read kill", syntax.Text(id));
    if (paces && !beside) return false;
  }
  return starts;
}

bool IsOwnName(std::string_view text) {
  return text.ends_with("$0") || text.ends_with("$0\"") || text.ends_with("$BASH_SOURCE\"");
}

}  // namespace

void LookForBombs(Context& context, const Syntax& syntax, std::optional<Place> place) {
  Definitions definitions;
  std::vector<NodeId> names;
  for (NodeId id = 0; id < syntax.size(); ++id) {
    if (syntax.Is(id, Part::kFunction) && definitions.size() < kMaxFunctions) {
      const NodeId name = syntax.Field(id, kNameField);
      if (name != kNoNode) definitions[syntax.Text(name)].node = id;
    }
    if (syntax.Is(id, Part::kCommandName)) names.push_back(id);
    const bool loops = syntax.Is(id, Part::kWhile) || syntax.Is(id, Part::kCStyleFor);
    if (loops && StartsWithoutEnd(syntax, id)) {
      context.Find("sh-fork-bomb", place.value_or(syntax.PlaceOf(id)), "while",
                   "The loop starts processes without end, and waits for none.");
    }
  }
  int own = 0;
  for (const NodeId id : names) {
    const std::string_view callee = syntax.Text(id);
    const bool itself = IsOwnName(callee);
    if (!itself && !definitions.contains(callee)) continue;
    const NodeId function = FunctionAround(syntax, id);
    const Beside beside = RunsBeside(syntax, id, function);
    if (itself && beside != Beside::kNot && ++own == 2) {
      context.Find("sh-fork-bomb", place.value_or(syntax.PlaceOf(id)), "$0",
                   "The script starts copies of itself without end.");
    }
    const NodeId name = function == kNoNode ? kNoNode : syntax.Field(function, kNameField);
    if (name == kNoNode) continue;
    Starts& starts = definitions[syntax.Text(name)].starts[callee];
    starts.piped += beside == Beside::kPiped ? 1 : 0;
    starts.in_background += beside == Beside::kBackground ? 1 : 0;
  }
  for (const auto& [name, definition] : definitions) {
    if (definition.node == kNoNode || !ReachesItself(definitions, name)) continue;
    context.Find("sh-fork-bomb", place.value_or(syntax.PlaceOf(definition.node)), name,
                 "The function starts copies of itself without end.");
  }
}

}  // namespace belljar::judgement::analysis::shell
