// Shell builtins that change the meaning of later commands.
#include <algorithm>

#include "judgement/analysis/shell/judge.h"
#include "judgement/analysis/shell/path.h"

namespace belljar::judgement::analysis::shell {

Level CheckCd(Context& context, const Call& call, const Arguments& arguments) {
  Word home;
  home.Add(Piece{.kind = Piece::Kind::kHome});
  const Word target = arguments.operands().empty() ? home : arguments.operands()[0];
  const bool at_home = !target.empty() && target.pieces()[0].kind == Piece::Kind::kHome;
  if (call.name == "popd" || target.empty() || target.Is("-")) {
    context.directory.reset();
  } else if (at_home || target.StartsWith("/")) {
    context.directory = target;
  } else if (!target.IsConstant() && target.Lead().empty()) {
    context.directory.reset();
  } else if (context.directory) {
    context.directory->AddText("/");
    context.directory->Add(target);
  }
  return Level::kReads;
}

Level CheckRead(Context& context, const Call& call, const Arguments& arguments) {
  const bool is_list = call.name != "read" || arguments.Has("-a");
  std::vector<Value> values;
  if (call.in.text) {
    for (const std::string_view line : SplitAt(*call.in.text, "\n")) {
      values.push_back({{Word::OfText(line)}, is_list});
    }
  }
  if (call.name != "read" && !values.empty()) {
    Value all{{}, true};
    for (Value& line : values) all.items.push_back(std::move(line.items[0]));
    values = {std::move(all)};
  }
  if (values.empty()) {
    Word line;
    line.Add(Piece{Piece::Kind::kUnknown, true, false, call.in.origins, "(input)"});
    values.push_back({{std::move(line)}, is_list});
  }
  std::vector<Word> names = arguments.operands();
  if (const Option* list = arguments.Find("-a")) names.push_back(list->value);
  // `read` assigns the words of a line to the variables in turn. Each variable is given all
  // possible values.
  for (const Word& name : names) {
    if (const auto text = name.Constant()) context.scope.Set(*text, values);
  }
  return Level::kReads;
}

Level CheckSet(Context& context, const Call& call, const Arguments& arguments) {
  if (arguments.Has("-u")) context.no_unset = true;
  for (const Option& option : arguments.options()) {
    if (option.name == "-o" && option.value.Is("nounset")) context.no_unset = true;
  }
  const auto words = call.arguments();
  if (words.size() > 1 && words[0].Is("+o") && words[1].Is("history")) {
    context.Find("sh-history", call.place, call.name, "The shell is told to keep no history.");
  }
  const auto dashes =
      std::find_if(words.begin(), words.end(), [](const Word& word) { return word.Is("--"); });
  if (dashes != words.end()) {
    context.scope.parameters.back() = std::vector<Word>(dashes + 1, words.end());
  } else if (!arguments.operands().empty() && arguments.options().empty() &&
             !words[0].StartsWith("+")) {
    context.scope.parameters.back() = arguments.operands();
  }
  return Level::kReads;
}

Level CheckShift(Context& context, const Call&, const Arguments&) {
  auto& parameters = context.scope.parameters.back();
  if (parameters && !parameters->empty()) parameters->erase(parameters->begin());
  return Level::kReads;
}

// The command of an alias is judged at its definition, since the alias may later run it under a
// harmless name.
Level CheckAlias(Context& context, const Call& call, const Arguments& arguments) {
  for (const Word& word : arguments.operands()) {
    const std::string text = word.Constant().value_or("");
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    const std::string name = text.substr(0, equals);
    const std::string value = text.substr(equals + 1);
    const Level before = context.level;
    RunText(context, Word::OfText(value), call.place, Stream());
    context.level = before;  // it has only been defined
    context.scope.aliases[name] = value;
  }
  return Level::kReads;
}

Level CheckTrap(Context& context, const Call& call, const Arguments& arguments) {
  const auto& operands = arguments.operands();
  if (operands.size() < 2 || operands[0].Is("-")) return Level::kReads;
  RunText(context, operands[0], call.place, Stream());
  return Level::kReads;
}

// hash -p /bin/rm ls: runs another program under that name.
Level CheckHash(Context& context, const Call&, const Arguments& arguments) {
  const Option* path = arguments.Find("-p");
  if (path == nullptr) return Level::kReads;
  const std::string program = path->value.Constant().value_or("");
  for (const Word& operand : arguments.operands()) {
    const std::string name = operand.Constant().value_or("");
    if (!name.empty() && !program.empty()) context.scope.aliases[name] = program;
  }
  return program.empty() ? Level::kRunsCode : Level::kReads;
}

// Runs the command of a key binding: bind -x '"\C-l": command'
Level CheckBind(Context& context, const Call& call, const Arguments& arguments) {
  const Option* keys = arguments.Find("-x");
  if (keys == nullptr) return Level::kReads;
  const std::size_t colon = keys->value.Lead().find(':');
  if (colon != std::string::npos) {
    RunText(context, WithoutLead(keys->value, colon + 1), call.place, Stream());
  }
  return Level::kReads;
}

// enable -f file name: loads machine code as a shell builtin.
Level CheckEnable(Context& context, const Call& call, const Arguments& arguments) {
  const Option* file = arguments.Find("-f");
  if (file == nullptr) return Level::kReads;
  if (const Stream* known = KnownFile(context, file->value)) {
    CheckRun(context, call.place, call.name, known->origins);
  }
  context.Find("sh-unclear", call.place, file->value.Shown(),
               "What a library does that the shell loads cannot be told by reading.");
  return Level::kRunsCode;
}

Level CheckHistory(Context& context, const Call& call, const Arguments& arguments) {
  if (!arguments.Has("-c -d -w")) return Level::kReads;
  context.Find("sh-history", call.place, call.name, "\"history\" forgets what was run.");
  return Level::kWrites;
}

Level CheckTest(Context& context, const Call& call, const Arguments&) {
  // A script that tests whether a variable is empty is assumed to handle that case.
  for (const Word& word : call.arguments()) {
    for (const Piece& piece : word.pieces()) {
      if (piece.kind == Piece::Kind::kUnknown) context.scope.Check(piece.text);
    }
  }
  return Level::kReads;
}

}  // namespace belljar::judgement::analysis::shell
