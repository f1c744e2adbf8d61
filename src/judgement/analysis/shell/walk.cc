#include "judgement/analysis/shell/walk.h"

#include <algorithm>

namespace belljar::judgement::analysis::shell {
namespace {

constexpr std::size_t kMaxLoose = 1000;

bool IsStatementList(const Syntax& syntax, NodeId id) {
  return syntax.Is(id, Part::kProgram) || syntax.Is(id, Part::kCompound) ||
         syntax.Is(id, Part::kDoGroup) || syntax.Is(id, Part::kElse) || syntax.Is(id, Part::kElif);
}

bool IsStatement(const Syntax& syntax, NodeId id) {
  switch (static_cast<Part>(syntax.at(id).kind)) {
    case Part::kCommand:
    case Part::kRedirected:
    case Part::kPipeline:
    case Part::kList:
    case Part::kNegated:
    case Part::kFunction:
    case Part::kTest:
    case Part::kAssignment:
    case Part::kAssignments:
    case Part::kDeclaration:
    case Part::kUnset:
    case Part::kSubshell:
    case Part::kIf:
    case Part::kWhile:
    case Part::kCStyleFor:
    case Part::kFor:
    case Part::kCase:
      return true;
    default:
      return IsStatementList(syntax, id) || syntax.at(id).kind == kErrorKind;
  }
}

}  // namespace

Walk::Walk(Context& context, const Syntax& syntax, std::optional<Place> place)
    : context_(context),
      syntax_(syntax),
      place_(place),
      expander_(
          context, syntax,
          [this](NodeId id) { return Subshell(id, input_ == nullptr ? Stream() : *input_); },
          [this](const std::string& text, NodeId id) {
            return RunText(context_, Word::OfText(text), PlaceOf(id), Stream());
          }) {}

Stream Walk::Run(NodeId id, const Stream& in, const Ids& redirects) {
  const Deeper deeper(context_.depth);
  if (context_.gave_up) return Stream::Of(kPlain);
  if (context_.depth > kMaxDepth) {
    context_.GiveUp(PlaceOf(id), "The script is nested too deep to be followed.");
    return Stream::Of(kPlain);
  }
  return RunKind(id, in, redirects);
}

Stream Walk::RunKind(NodeId id, const Stream& in, const Ids& redirects) {
  switch (static_cast<Part>(syntax_.at(id).kind)) {
    case Part::kCommand:
      return Command(id, in, redirects);
    case Part::kRedirected:
      return Redirected(id, in, redirects);
    case Part::kPipeline:
      return Pipeline(id, in, redirects);
    case Part::kList:
      return List(id, in, redirects);
    case Part::kNegated:
      return syntax_.Named(id, 0) == kNoNode ? Stream() : Run(syntax_.Named(id, 0), in, redirects);
    case Part::kFunction:
      return Stream::OfText("");
    case Part::kAssignment:
      Assignments({id});
      return Stream::OfText("");
    case Part::kAssignments:
      Assignments(syntax_.ListOfNamedChildren(id));
      return Stream::OfText("");
    case Part::kDeclaration:
      return Declaration(id);
    case Part::kUnset:
      for (const NodeId name : syntax_.NamedChildren(id)) {
        CheckUnsetVariable(context_, syntax_.Text(name), PlaceOf(id));
        context_.scope.Unset(syntax_.Text(name));
      }
      return Stream::OfText("");
    default:
      return Compound(id, in, redirects);
  }
}

Stream Walk::Compound(NodeId id, const Stream& in, const Ids& redirects) {
  Redirects read = ReadRedirects(redirects, in);
  Stream out = Stream::OfText("");
  switch (static_cast<Part>(syntax_.at(id).kind)) {
    case Part::kTest:
      Test(id);
      break;
    case Part::kSubshell:
    case Part::kCommandSubstitution:
    case Part::kProcessSubstitution:
      if (IsArithmetic(id)) {
        Test(id);
      } else {
        out = Subshell(id, read.in);
      }
      break;
    case Part::kIf:
      out = If(id, read.in);
      break;
    case Part::kWhile:
    case Part::kCStyleFor:
      out = Loop(id, read.in);
      break;
    case Part::kFor:
      out = For(id, read.in);
      break;
    case Part::kCase:
      out = Case(id, read.in);
      break;
    default:
      if (IsBraceWord(id)) return BraceWord(id, read.in);
      if (IsArithmetic(id)) {
        Test(id);
      } else {
        out = IsStatementList(syntax_, id) || syntax_.at(id).kind == kErrorKind
                  ? Sequence(id, read.in)
                  : LooseWords({id}, read.in);
      }
  }
  for (const Output& output : read.outputs) KeepOutput(context_, output, out, PlaceOf(id));
  if (!read.outputs.empty() && read.outputs.back().is_standard) out = Stream::OfText("");
  return Then(read, std::move(out));
}

Stream Walk::Sequence(NodeId id, const Stream& in) {
  Stream out = Stream::OfText("");
  const bool broken = syntax_.at(id).kind == kErrorKind;
  Ids loose;  // words outside any statement, up to the next statement
  for (NodeId child = syntax_.at(id).first; child != kNoNode; child = syntax_.at(child).next) {
    if (syntax_.at(child).kind == kCommentKind) continue;
    if (broken && !IsStatement(syntax_, child)) {
      if (loose.size() < kMaxLoose) loose.push_back(child);
      continue;
    }
    if (!loose.empty()) out.Append(LooseWords(loose, in));
    loose.clear();
    if (syntax_.at(child).named) out.Append(Run(child, in, Ids()));
  }
  if (!loose.empty()) out.Append(LooseWords(loose, in));
  return out;
}

// True for "((x > 1))", an arithmetic test. Behind "!" the grammar parses it as a subshell within a
// subshell.
bool Walk::IsArithmetic(NodeId id) const {
  if (!syntax_.Text(id).starts_with("((")) return false;
  if (syntax_.Is(id, Part::kCompound)) return true;
  const NodeId inside = syntax_.Named(id, 0);
  return syntax_.Is(id, Part::kSubshell) && syntax_.Is(inside, Part::kSubshell) &&
         syntax_.at(inside).start == syntax_.at(id).start + 1 &&
         syntax_.at(inside).end + 1 == syntax_.at(id).end;
}

// True for "{rm,-rf,x}", a brace expansion that the grammar takes for a command group.
bool Walk::IsBraceWord(NodeId id) const {
  const std::string_view text = syntax_.Text(id);
  return syntax_.Is(id, Part::kCompound) && text.size() > 2 && text[1] != ' ' && text[1] != '\n' &&
         text[1] != '\t' && text[1] != '(' && text[1] != '{';
}

Stream Walk::BraceWord(NodeId id, const Stream& in) {
  const std::string_view text = syntax_.Text(id);
  Fields fields;
  fields.AddLiteral(text.substr(0, text.find_first_of(" \t\n;&|")));
  Call call;
  call.words = fields.Take(context_);
  call.in = in;
  call.place = PlaceOf(id);
  return Judge(context_, std::move(call));
}

// Judges words that belong to no statement because of a syntax error.
Stream Walk::LooseWords(const Ids& words, const Stream& in) {
  std::vector<Ids> groups;
  for (const NodeId at : words) {
    const bool glued =
        !groups.empty() && syntax_.at(groups.back().back()).end == syntax_.at(at).start;
    if (!glued) groups.emplace_back();
    groups.back().push_back(at);
  }
  Call call;
  call.in = in;
  call.place = PlaceOf(words[0]);
  for (const Ids& group : groups) {
    for (Word& word : expander_.Words(group)) call.words.push_back(std::move(word));
  }
  // Such words are a command only if the first one could be a program's name.
  if (call.words.empty() || !call.words[0].IsConstant()) return Stream::Of(kPlain);
  const std::string name = call.words[0].Lead();
  if (name.find_first_of("()\"'`;&|<>") != std::string::npos) return Stream::Of(kPlain);
  return Judge(context_, std::move(call));
}

Stream Walk::Subshell(NodeId id, const Stream& in) {
  const Deeper deeper(context_.depth);
  if (context_.depth > kMaxDepth) {
    context_.GiveUp(PlaceOf(id), "The script is nested too deep to be followed.");
    return Stream::Of(kPlain);
  }
  const auto directory = context_.directory;
  context_.scope.Enter();
  Stream out;
  const NodeId first = syntax_.Named(id, 0);
  if (syntax_.Is(first, Part::kFileRedirect)) {  // $(<file)
    out = ReadRedirects({first}, in).in;
  } else {
    out = Sequence(id, in);
  }
  context_.scope.Leave();
  context_.directory = directory;
  return out;
}

Stream Walk::Pipeline(NodeId id, const Stream& in, const Ids& redirects) {
  const Ids stages = syntax_.ListOfNamedChildren(id);
  Stream stream = in;
  for (const NodeId stage : stages) {
    stream = Run(stage, stream, stage == stages.back() ? redirects : Ids());
    stream.fed = true;
  }
  return stream;
}

Stream Walk::List(NodeId id, const Stream& in, const Ids& redirects) {
  // Lists are left-leaning trees, as deep as they are long, and are walked iteratively.
  Ids items;
  std::vector<std::string_view> operators;
  NodeId at = id;
  for (; syntax_.Is(at, Part::kList); at = syntax_.at(at).first) {
    const NodeId op = syntax_.at(syntax_.at(at).first).next;
    const NodeId right = syntax_.Named(at, 1);
    operators.push_back(op == kNoNode ? "&&" : syntax_.Text(op));
    if (right != kNoNode) items.push_back(right);
    if (syntax_.at(at).first == kNoNode) break;
  }
  items.push_back(at);
  std::reverse(items.begin(), items.end());
  std::reverse(operators.begin(), operators.end());
  Stream out = Stream::OfText("");
  bool conditional = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Ids own = i + 1 == items.size() ? redirects : Ids();
    const auto run = [&] { out.Append(Run(items[i], in, own)); };
    const bool or_else = i > 0 && i - 1 < operators.size() && operators[i - 1] == "||";
    if (!or_else && !conditional) {
      run();
    } else {
      const Scope::Changes changes = Branch(run);
      context_.scope.Join({&changes, 1}, Branches::kMayBeSkipped);
    }
    conditional |= syntax_.Is(items[i], Part::kTest) || IsArithmetic(items[i]);
  }
  return out;
}

Stream Walk::If(NodeId id, const Stream& in) {
  Stream out = Stream::OfText("");
  Ids first_branch;
  std::vector<Ids> branches;
  bool has_else = false;
  for (const NodeId child : syntax_.NamedChildren(id)) {
    if (syntax_.at(child).field == kConditionField) {
      out.Append(Run(child, in, Ids()));
    } else if (syntax_.Is(child, Part::kElif) || syntax_.Is(child, Part::kElse)) {
      has_else |= syntax_.Is(child, Part::kElse);
      branches.push_back({child});
    } else {
      first_branch.push_back(child);
    }
  }
  branches.insert(branches.begin(), first_branch);
  std::vector<Scope::Changes> changes;
  for (const Ids& branch : branches) {
    changes.push_back(Branch([&] {
      for (const NodeId statement : branch) out.Append(Run(statement, in, Ids()));
    }));
  }
  context_.scope.Join(changes, has_else ? Branches::kOneIsTaken : Branches::kMayBeSkipped);
  return out;
}

Stream Walk::Loop(NodeId id, const Stream& in) {
  const bool outermost = !context_.in_loop;
  context_.in_loop = true;
  Stream out;
  for (int round = 0; round < (outermost ? 2 : 1); ++round) {
    const Scope::Changes changes = Branch([&] {
      out = Stream::OfText("");
      for (const NodeId child : syntax_.NamedChildren(id)) {
        const auto field = syntax_.at(child).field;
        const bool followed =
            field == kConditionField || field == kBodyField || syntax_.Is(child, Part::kAssignment);
        if (followed && !syntax_.Is(child, Part::kBinary)) out.Append(Run(child, in, Ids()));
      }
    });
    context_.scope.Join({&changes, 1}, Branches::kMayBeSkipped);
  }
  if (outermost) context_.in_loop = false;
  return out;
}

Stream Walk::For(NodeId id, const Stream& in) {
  const NodeId name = syntax_.Field(id, kVariableField);
  std::vector<Value> values;
  bool has_values = false;
  ForEachVariant([&] {
    for (const NodeId child : syntax_.NamedChildren(id)) {
      if (syntax_.at(child).field != kValueField) continue;
      has_values = true;
      for (Word& word : expander_.Words(child)) {
        // The loop variable takes words that exist, so it is not empty.
        Word sure;
        for (Piece piece : word.pieces()) {
          piece.may_be_empty &= word.pieces().size() > 1;
          piece.unset &= piece.may_be_empty;
          piece.matched = piece.kind == Piece::Kind::kGlob;
          sure.Add(std::move(piece));
        }
        values.push_back({{std::move(sure)}, false});
      }
    }
  });
  const auto& parameters = context_.scope.parameters.back();
  if (!has_values && parameters) {
    for (const Word& word : *parameters) values.push_back({{word}, false});
  }
  if (values.empty()) values.push_back({{Word::Unknown("(each)")}, false});
  if (name != kNoNode) context_.scope.Set(syntax_.Text(name), std::move(values));
  return Loop(id, in);
}

Stream Walk::Case(NodeId id, const Stream& in) {
  Stream out = Stream::OfText("");
  std::vector<Scope::Changes> changes;
  Branches kind = Branches::kMayBeSkipped;
  for (const NodeId child : syntax_.NamedChildren(id)) {
    if (!syntax_.Is(child, Part::kCaseItem)) {
      expander_.Words(child);
      continue;
    }
    changes.push_back(Branch([&] {
      for (const NodeId part : syntax_.NamedChildren(child)) {
        if (syntax_.at(part).field != kValueField) {
          out.Append(Run(part, in, Ids()));
        } else if (syntax_.Text(part) == "*") {
          kind = Branches::kOneIsTaken;
        }
      }
    }));
  }
  context_.scope.Join(changes, kind);
  return out;
}

Scope::Changes Walk::Branch(const std::function<void()>& run) {
  const auto directory = context_.directory;
  context_.scope.Enter();
  run();
  if (context_.directory != directory) context_.directory.reset();
  return context_.scope.Leave();
}

void Walk::ForEachVariant(const std::function<void()>& run) {
  Variant& variant = context_.variant;
  if (variant.active) {  // the outermost call iterates over the variants
    run();
    return;
  }
  variant = {0, 1, true};
  for (; variant.number < variant.count && variant.number < kMaxValues; ++variant.number) {
    if (context_.gave_up) break;
    run();
  }
  variant = {};
}

Stream Walk::Run(NodeId id, const Stream& in, NodeId redirect) {
  return Run(id, in, redirect == kNoNode ? Ids() : Ids{redirect});
}

}  // namespace belljar::judgement::analysis::shell
