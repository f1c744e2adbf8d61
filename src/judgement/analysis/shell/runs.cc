// Runs nested code: functions, source text in arguments, and the commands of >(…).
#include <algorithm>

#include "judgement/analysis/shell/bombs.h"
#include "judgement/analysis/shell/pieces.h"
#include "judgement/analysis/shell/walk.h"

namespace belljar::judgement::analysis::shell {
namespace {

constexpr std::size_t kMaxCalls = 24;  // depth of nested function calls

void CollectFunctions(Context& context, const Syntax& syntax, std::optional<Place> place) {
  for (NodeId id = 0; id < syntax.size(); ++id) {
    if (!syntax.Is(id, Part::kFunction)) continue;
    const NodeId name = syntax.Field(id, kNameField);
    const NodeId body = syntax.Field(id, kBodyField);
    if (name == kNoNode || body == kNoNode) continue;
    context.scope.functions[std::string(syntax.Text(name))] = {&syntax, body, place,
                                                               syntax.Field(id, kRedirectField)};
  }
}

}  // namespace

void Walk::RunScript() {
  CollectFunctions(context_, syntax_, place_);
  LookForBombs(context_, syntax_, place_);
  Run(syntax_.root(), Stream(), Ids());
  for (const auto& [name, function] : context_.scope.functions) {
    if (context_.called.contains(name)) continue;
    Walk(context_, *function.syntax, function.place).Run(function.body, Stream());
  }
}

bool FeedSink(Context& context, const Word& file, const Stream& content) {
  const auto sink = context.sinks.find(file.Shown());
  if (sink == context.sinks.end()) return false;
  const Function command = sink->second;
  Stream in = content;
  in.fed = true;
  Walk(context, *command.syntax, command.place).Run(command.body, in);
  return true;
}

bool RunFunction(Context& context, const Call& call, Stream& out) {
  const auto found = context.scope.functions.find(call.words[0].Lead());
  if (found == context.scope.functions.end() || !call.words[0].IsConstant()) return false;
  context.called.insert(found->first);
  out = Stream::Of(kPlain);
  const bool repeats = context.active.contains(found->first);
  if (repeats || context.active.size() > kMaxCalls) return true;
  context.active.insert(found->first);
  const auto arguments = call.arguments();
  context.scope.parameters.emplace_back(std::vector<Word>(arguments.begin(), arguments.end()));
  const Function function = found->second;
  Walk walk(context, *function.syntax, function.place);
  out = walk.Run(function.body, call.in, function.redirect);
  context.scope.parameters.pop_back();
  context.active.erase(call.words[0].Lead());
  return true;
}

Stream RunText(Context& context, const Word& text, Place place, const Stream& in) {
  // Each unknown part is replaced by a variable that stands for it.
  std::string source;
  for (const Piece& piece : text.pieces()) {
    if (piece.kind == Piece::Kind::kText || piece.kind == Piece::Kind::kGlob) {
      source += piece.text;
      continue;
    }
    const std::string name = "__part" + std::to_string(context.next_part++);
    Word value;
    value.Add(piece);
    context.scope.Set(name, Value{{value}, false});
    source += "${" + name + "}";
  }
  const Deeper deeper(context.text_depth);
  if (context.text_depth > kMaxTexts) {
    context.GiveUp(place, "Commands within commands within commands: too deep to be followed.");
    return Stream::Of(kPlain);
  }
  if (!context.Spend(place, 20 + static_cast<int>(source.size() / 16))) return Stream::Of(kPlain);
  context.texts.push_back(std::move(source));
  auto syntax = context.Parse(context.texts.back());
  if (!syntax) {
    context.GiveUp(place, "The text of the command cannot be read: " + syntax.error().message());
    return Stream::Of(kPlain);
  }
  context.syntaxes.push_back(*std::move(syntax));
  const Syntax& kept = context.syntaxes.back();
  if (!kept.errors().empty()) ReportSyntax(context, kept, place);
  CollectFunctions(context, kept, place);
  LookForBombs(context, kept, place);
  Stream out = Walk(context, kept, place).Run(kept.root(), in);
  if (IsBroken(kept)) ReadPieces(context, kept, place);
  return out;
}

}  // namespace belljar::judgement::analysis::shell
