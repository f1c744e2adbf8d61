// The part of Walk for simple commands: assignments, redirections, arguments.
#include <algorithm>

#include "judgement/analysis/shell/walk.h"

namespace belljar::judgement::analysis::shell {
namespace {

constexpr std::size_t kMostCopied = 64 * 1024;

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string WithoutTabs(std::string_view text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && c == '\t') continue;
    at_start = c == '\n';
    out.push_back(c);
  }
  return out;
}

}  // namespace

void Walk::Assignments(const Ids& ids) {
  for (const NodeId id : ids) Assign(id);
}

void Walk::Assign(NodeId id) {
  NodeId name = syntax_.Field(id, kNameField);
  if (name == kNoNode) return;
  const bool indexed = syntax_.Is(name, Part::kSubscript);
  if (indexed) {
    const NodeId index = syntax_.Field(name, kIndexField);
    if (index != kNoNode) expander_.Words(index);  // an index may contain commands: a[$(id)]=1
    name = syntax_.Field(name, kNameField);
  }
  const NodeId value = syntax_.Field(id, kValueField);
  const NodeId op = syntax_.at(syntax_.at(id).first).next;
  const bool appends = op != kNoNode && syntax_.Text(op) == "+=";
  std::vector<Value> values;
  ForEachVariant([&] { values.push_back(expander_.ValueOf(value)); });
  if (name == kNoNode || values.empty()) return;
  const std::string_view variable = syntax_.Text(name);
  if (indexed) values[0].is_list = true;
  CheckCodeVariable(context_, variable, values, PlaceOf(id));
  if (!appends && !indexed) return context_.scope.Set(variable, std::move(values));
  context_.scope.Append(variable, values[0]);
}

Stream Walk::Declaration(NodeId id) {
  bool refers = false;
  for (const NodeId child : syntax_.NamedChildren(id)) {
    if (syntax_.Is(child, Part::kAssignment)) {
      Assign(child);
      const std::string_view name = syntax_.Text(syntax_.at(child).first);
      const NodeId target = syntax_.Field(child, kValueField);
      // declare -n makes a reference to another variable. It is modelled as a copy of the current
      // value.
      if (refers && target != kNoNode)
        context_.scope.Put(name, context_.scope.Find(syntax_.Text(target)));
    } else {
      refers |= syntax_.Text(child) == "-n";
      expander_.Words(child);
    }
  }
  return Stream::OfText("");
}

// A script that tests whether a variable is empty, or how many parameters it has, is assumed to
// handle those cases.
void Walk::Test(NodeId id) {
  const NodeId end = SubtreeEnd(id);
  for (NodeId at = id + 1; at < end; ++at) {
    if (syntax_.Is(at, Part::kSimpleExpansion) || syntax_.Is(at, Part::kExpansion)) {
      const std::string_view text = syntax_.Text(at);
      const bool counts = text == "$#" || text == "${#}";
      if (counts) {
        for (const std::string_view number : {"1", "2", "3", "4", "5"}) {
          context_.scope.Check(number);
        }
      }
      const NodeId name = syntax_.Named(at, 0);
      if (name != kNoNode) context_.scope.Check(syntax_.Text(name));
    } else if (syntax_.Is(at, Part::kCommandSubstitution) ||
               syntax_.Is(at, Part::kProcessSubstitution)) {
      expander_.Words(at);
      at = SubtreeEnd(at) - 1;
    }
  }
}

NodeId Walk::SubtreeEnd(NodeId id) const {
  // Nodes are in source order (pre-order), so a subtree ends where the next node outside it starts.
  for (NodeId at = id; at != kNoNode; at = syntax_.at(at).parent) {
    if (syntax_.at(at).next != kNoNode) return syntax_.at(at).next;
  }
  return static_cast<NodeId>(syntax_.size());
}

Stream Walk::Command(NodeId id, const Stream& in, const Ids& redirects) {
  Stream out;
  ForEachVariant([&] { out = CommandOnce(id, in, redirects); });
  return out;
}

// Adjacent nodes with nothing but an escaped line break between them are one word.
std::vector<Walk::Ids> Walk::JoinedArguments(NodeId command) const {
  std::vector<Ids> groups;
  std::uint32_t end = 0;
  for (NodeId child = syntax_.at(command).first; child != kNoNode; child = syntax_.at(child).next) {
    const auto& node = syntax_.at(child);
    if (node.field != kNameField && node.field != kArgumentField) continue;
    const std::string_view gap = syntax_.source().substr(end, node.start - end);
    const bool glued = !groups.empty() && (gap.empty() || gap == "\\\n");
    if (!glued) groups.emplace_back();
    groups.back().push_back(child);
    end = node.end;
  }
  return groups;
}

Stream Walk::CommandOnce(NodeId id, const Stream& in, const Ids& redirects) {
  const Place place = PlaceOf(id);
  if (!context_.Spend(place)) return Stream::Of(kPlain);
  Ids assignments;
  Ids all_redirects;
  for (NodeId child = syntax_.at(id).first; child != kNoNode; child = syntax_.at(child).next) {
    if (syntax_.Is(child, Part::kAssignment)) assignments.push_back(child);
    if (syntax_.at(child).field == kRedirectField) all_redirects.push_back(child);
    if (syntax_.Is(child, Part::kSubshell)) Subshell(child, in);
  }
  all_redirects.insert(all_redirects.end(), redirects.begin(), redirects.end());
  const Stream* const outer = input_;
  input_ = &in;
  Call call;
  for (const Ids& group : JoinedArguments(id)) {
    for (Word& word : expander_.Words(group)) call.words.push_back(std::move(word));
  }
  Redirects read = ReadRedirects(all_redirects, in);
  input_ = outer;
  for (Word& word : read.more_words) call.words.push_back(std::move(word));
  call.in = read.in;
  call.place = place;
  // Assignments before a command apply to that command only.
  std::vector<std::pair<std::string_view, VariablePtr>> before;
  for (const NodeId assignment : assignments) {
    const std::string_view name = syntax_.Text(syntax_.at(assignment).first);
    before.emplace_back(name, context_.scope.Find(name));
    Assign(assignment);
  }
  Stream out = Judge(context_, std::move(call));
  for (auto& [name, variable] : before) context_.scope.Put(name, std::move(variable));
  for (const Output& output : read.outputs) KeepOutput(context_, output, out, place);
  const bool taken = std::any_of(read.outputs.begin(), read.outputs.end(),
                                 [](const Output& output) { return output.is_standard; });
  if (taken) out = Stream::OfText("");
  return Then(read, std::move(out));
}

Stream Walk::Redirected(NodeId id, const Stream& in, const Ids& redirects) {
  Ids all;
  NodeId body = kNoNode;
  for (const NodeId child : syntax_.NamedChildren(id)) {
    if (syntax_.at(child).field == kBodyField) {
      body = child;
    } else {
      all.push_back(child);
    }
  }
  all.insert(all.end(), redirects.begin(), redirects.end());
  if (body != kNoNode) return Run(body, in, all);
  const Redirects read = ReadRedirects(all, in);
  for (const Output& output : read.outputs) {
    KeepOutput(context_, output, Stream::OfText(""), PlaceOf(id));
  }
  return Then(read, Stream::OfText(""));
}

Stream Walk::Then(const Redirects& read, Stream out) {
  for (const NodeId next : read.then) {
    if (syntax_.at(next).field == kRightField) {
      out.Append(Run(next, Stream(), Ids()));
    } else {
      out.fed = true;
      out = Pipeline(next, out, Ids());
    }
  }
  return out;
}

Walk::Redirects Walk::ReadRedirects(const Ids& redirects, const Stream& in) {
  Redirects read;
  read.in = in;
  for (const NodeId id : redirects) {
    if (syntax_.Is(id, Part::kFileRedirect)) {
      FileRedirect(id, read);
    } else if (syntax_.Is(id, Part::kHeredocRedirect)) {
      HeredocRedirect(id, read);
    } else if (syntax_.Is(id, Part::kHerestring)) {
      const NodeId last = syntax_.Named(id, syntax_.Field(id, kDescriptorField) == kNoNode ? 0 : 1);
      if (last == kNoNode) continue;
      const Word word = expander_.Single(last);
      read.in = Stream::Of(word.origins());
      if (const auto text = word.Constant()) read.in.text = *text + "\n";
    }
  }
  return read;
}

void Walk::FileRedirect(NodeId id, Redirects& read) {
  std::string_view op;
  std::string_view descriptor;
  Ids destinations;
  for (NodeId child = syntax_.at(id).first; child != kNoNode; child = syntax_.at(child).next) {
    const auto& node = syntax_.at(child);
    if (node.field == kDescriptorField) {
      descriptor = syntax_.Text(child);
    } else if (node.field == kDestinationField) {
      destinations.push_back(child);
    } else if (!node.named && op.empty()) {
      op = syntax_.Text(child);
    } else if (node.kind == kErrorKind && syntax_.Text(child) == ">") {
      op = "<>";  // the grammar does not know this operator
    }
  }
  const std::vector<Word> words = Destination(destinations, read);
  if (words.empty()) return;
  const Word& file = words[0];
  CheckSocket(context_, file, PlaceOf(id));
  const bool duplicates = op.ends_with('&') && (IsNumber(file.Lead()) || file.Is("-"));
  if (duplicates && op.starts_with('<') && IsNumber(file.Lead())) {
    const auto known = context_.files.find("/dev/fd/" + file.Lead());
    if (known != context_.files.end()) TakeInput(descriptor, Stream(known->second), read);
  }
  if (duplicates) return;
  if (op == "<>") {
    read.outputs.push_back({file, true, false});
  } else if (op == "<&" && file.Shown().find("COPROC") != std::string::npos) {
    read.in = Stream::Of(kShellOutput);
  } else if (op.starts_with('<')) {
    const auto known = context_.files.find(file.Shown());
    Stream in = known != context_.files.end() ? known->second : Stream::Of(kFileContent);
    if (file.Is("/dev/null")) in = Stream::OfText("");
    TakeInput(descriptor, std::move(in), read);
  } else {
    const bool standard = descriptor.empty() || descriptor == "1";
    read.outputs.push_back({file, op.ends_with(">>"), standard});
  }
}

// Input on another descriptor can be read later: exec 3< <(…); sh <&3. The content is copied to
// each descriptor; for long texts and descriptors above 99, only the origins are.
void Walk::TakeInput(std::string_view descriptor, Stream in, Redirects& read) {
  if (!descriptor.empty() && descriptor != "0") {
    const bool is_short = !in.parts && in.text.value_or("").size() <= kMostCopied;
    const Stream kept = is_short && descriptor.size() <= 2 ? in : Stream::Of(in.origins);
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
      context_.files[std::string(folder) + std::string(descriptor)] = kept;
    }
  }
  read.in = std::move(in);
}

// The file of a redirection. The grammar takes the words after it for more files. They are really
// arguments of the command, or the "2" in "> log 2>&1".
std::vector<Word> Walk::Destination(const Ids& destinations, Redirects& read) {
  if (destinations.empty()) return {};
  Ids first{destinations[0]};
  std::size_t more = 1;
  while (more < destinations.size() &&
         syntax_.at(destinations[more]).start == syntax_.at(first.back()).end) {
    first.push_back(destinations[more++]);
  }
  std::vector<Word> words = expander_.Words(first);
  for (; more < destinations.size(); ++more) {
    const NodeId extra = destinations[more];
    const std::string_view after = syntax_.source().substr(syntax_.at(extra).end);
    const bool describes =
        IsNumber(syntax_.Text(extra)) && (after.starts_with('>') || after.starts_with('<'));
    if (describes) continue;
    for (Word& word : expander_.Words(extra)) read.more_words.push_back(std::move(word));
  }
  return words;
}

void Walk::HeredocRedirect(NodeId id, Redirects& read) {
  bool quoted = false;
  bool strips_tabs = false;
  for (NodeId child = syntax_.at(id).first; child != kNoNode; child = syntax_.at(child).next) {
    const std::string_view text = syntax_.Text(child);
    const auto field = syntax_.at(child).field;
    if (syntax_.Is(child, Part::kHeredocStart)) {
      quoted = text.find_first_of("'\"\\") != std::string_view::npos;
    } else if (syntax_.Is(child, Part::kHeredocBody)) {
      const Word body = quoted ? Word::OfText(text) : expander_.Heredoc(child);
      read.in = Stream::Of(body.origins());
      if (auto constant = body.Constant()) {
        read.in.text = strips_tabs ? WithoutTabs(*constant) : *std::move(constant);
      } else {
        read.in.parts = body;
      }
    } else if (syntax_.Is(child, Part::kPipeline) || field == kRightField) {
      read.then.push_back(child);
    } else if (syntax_.Is(child, Part::kFileRedirect)) {
      FileRedirect(child, read);
    } else if (field == kArgumentField) {
      for (Word& word : expander_.Words(child)) read.more_words.push_back(std::move(word));
    } else if (!syntax_.at(child).named && text == "<<-") {
      strips_tabs = true;
    }
  }
}

}  // namespace belljar::judgement::analysis::shell
