// Programs that run other programs: sudo, env, timeout, xargs, find -exec …
#include <fmt/format.h>

#include <algorithm>

#include "judgement/analysis/shell/expand.h"
#include "judgement/analysis/shell/judge.h"
#include "judgement/analysis/shell/path.h"

namespace belljar::judgement::analysis::shell {
namespace {

constexpr std::size_t kMaxItems = 64;

bool IsAssignment(const Word& word) {
  const std::string lead = word.Lead();
  const std::size_t equals = lead.find('=');
  return equals != std::string::npos && equals > 0 && lead.find_first_of("/-.") > equals;
}

Word Joined(std::span<const Word> words) {
  Word all;
  for (const Word& word : words) {
    if (!all.empty()) all.AddText(" ");
    all.Add(word);
  }
  return all;
}

void ReportUser(Context& context, const Call& call) {
  context.Find("sh-sudo", call.place, call.name,
               fmt::format("\"{}\" runs a command as somebody else.", call.name));
}

// The command that a wrapper runs, or none.
std::vector<Word> Wrapped(const Wrapper& wrapper, const Arguments& arguments) {
  std::span<const Word> rest = arguments.operands();
  while (!rest.empty() && IsAssignment(rest[0])) rest = rest.subspan(1);
  const auto skipped = static_cast<std::size_t>(wrapper.skipped);
  if (rest.size() <= skipped) return {};
  rest = rest.subspan(skipped);
  while (!rest.empty() && (rest[0].Is("{") || rest[0].Is("!") || rest[0].Is("--"))) {
    rest = rest.subspan(1);
  }
  return {rest.begin(), rest.end()};
}

// Replaces `mark`, such as "{}", in the words of find -exec and xargs -I.
Word Replaced(const Word& word, std::string_view mark, const Word& with) {
  Word out;
  for (const Piece& piece : word.pieces()) {
    if (piece.kind == Piece::Kind::kUnknown || piece.kind == Piece::Kind::kHome) {
      out.Add(piece);
      continue;
    }
    std::string_view text = piece.text;
    for (std::size_t at = text.find(mark); at != std::string_view::npos && !mark.empty();
         at = text.find(mark)) {
      out.AddText(text.substr(0, at));
      out.Add(with);
      text.remove_prefix(at + mark.size());
    }
    if (piece.kind == Piece::Kind::kGlob && text.size() == piece.text.size()) {
      out.Add(piece);
    } else {
      out.AddText(text);
    }
  }
  return out;
}

// One word for each item of a stream, or one word that stands for all items.
std::vector<Word> ItemsOf(const Stream& in, std::string_view separators) {
  std::vector<Word> items;
  if (in.text) {
    for (const std::string_view item : SplitAt(*in.text, separators)) {
      if (items.size() == kMaxItems) break;
      items.push_back(Word::OfText(item));
    }
    return items;
  }
  if (in.parts) {
    Fields fields;
    fields.AddSplit(*in.parts);
    Context unused;
    return fields.Take(unused);
  }
  Word item = Word::OfText(in.lead.empty() || in.lead.ends_with('/') ? in.lead : in.lead + "/");
  item.Add(Word::Unknown("(input)", in.origins));
  items.push_back(std::move(item));
  return items;
}

// The parsed arguments of find.
struct Search {
  std::vector<Word> roots;
  bool narrowed = false;  // it has a test that excludes some files
  bool selects = false;   // it has a test that is not negated
  bool deletes = false;
  std::vector<Word> written;
  std::vector<std::vector<Word>> commands;
};

// True for tests that exclude nothing, such as "-name '*'".
bool IsForEverything(std::string_view test, const Word& pattern) {
  if (!IsListed("-name -iname -path -ipath -wholename -regex -iregex", test)) return false;
  const std::string text = pattern.Constant().value_or("x");
  return text.find_first_not_of("*.?/") == std::string::npos && text.find('*') != text.npos;
}

Search SearchOf(std::span<const Word> words) {
  Search search;
  std::size_t at = 0;
  for (; at < words.size(); ++at) {
    const std::string lead = words[at].Lead();
    if (lead.starts_with('-') || lead == "(" || lead == "!") break;
    search.roots.push_back(words[at]);
  }
  for (; at < words.size(); ++at) {
    const std::string text = words[at].Lead();
    search.deletes |= text == "-delete";
    const bool everything = at + 1 < words.size() && IsForEverything(text, words[at + 1]);
    const bool tests =
        !everything &&
        IsListed(
            "-name -iname -path -ipath -regex -iregex -mtime -mmin -newer -empty -size -user -perm "
            "-atime -ctime -wholename -inum -maxdepth -group -nouser -amin -cmin -samefile -links",
            text);
    search.narrowed |= tests;
    const bool negated = at > 0 && (words[at - 1].Is("!") || words[at - 1].Is("-not"));
    search.selects |= tests && !negated;
    if (IsListed("-fprint -fprint0 -fls -fprintf", text) && at + 1 < words.size()) {
      search.written.push_back(words[++at]);
    }
    if (!IsListed("-exec -execdir -ok -okdir", text)) continue;
    std::vector<Word> command;
    for (++at; at < words.size() && !words[at].Is(";") && !words[at].Is("+"); ++at) {
      command.push_back(words[at]);
    }
    search.commands.push_back(std::move(command));
  }
  if (search.roots.empty()) search.roots.push_back(Word::OfText("."));
  return search;
}

bool Removes(const std::vector<Word>& command) {
  const std::string name = command.empty() ? "" : command[0].Lead();
  return name == "rm" || name.ends_with("/rm") || name == "shred";
}

bool RemovesTrees(const std::vector<Word>& command) {
  if (!Removes(command)) return false;
  const std::span<const Word> words = std::span(command).subspan(1);
  const Arguments arguments(words, {});
  return arguments.Has("-r -R --recursive");
}

// "find / | xargs rm" and "ls / | xargs rm -r" remove everything that is listed.
void CheckPrintedRemoved(Context& context, const Call& call, const Stream& in,
                         const std::vector<Word>& command) {
  if (!Removes(command)) return;
  for (const Word& root : in.all_below) CheckRemoved(context, root, call.place, "xargs rm");
  if (!RemovesTrees(command)) return;
  for (const Word& root : in.listed) CheckRemoved(context, root, call.place, "xargs rm");
}

// Checks a search whose results are all removed, which is as bad as removing its starting
// directory.
void CheckSearchRemoves(Context& context, const Call& call, const Search& search) {
  for (const Word& root : search.roots) {
    const Where where = WhereRemoved(PathOf(context, root));
    const bool own = where == Where::kHere || where == Where::kUnset;
    if (own && search.narrowed) continue;
    if (where == Where::kHome && search.selects) continue;
    if (where == Where::kSystemTop && search.narrowed) {
      CheckWritten(context, root, call.place, "find");
      continue;
    }
    CheckRemoved(context, root, call.place, "find");
  }
}

void RunFound(Context& context, const Call& call, const Search& search,
              const std::vector<Word>& command) {
  if (command.empty()) return;
  for (const Word& root : search.roots) {
    // The found file: something below the root, or the root itself if no test narrows the search.
    Word found = root;
    if (search.narrowed) {
      if (!found.Lead().ends_with('/')) found.AddText("/");
      found.Add(Word::Unknown("(found)"));
    }
    std::vector<Word> words;
    for (const Word& word : command) words.push_back(Replaced(word, "{}", found));
    Judge(context, WithWords(call, std::move(words)));
  }
}

void RunWrapped(Context& context, const Call& call, const Wrapper& wrapper, std::vector<Word> inner,
                Stream& out) {
  const bool remote = wrapper.is_text && wrapper.level == Level::kRunsCode;
  if (remote && (call.in.origins & kFileContent) != 0) {
    context.Find("sh-upload", call.place, call.name,
                 fmt::format("\"{}\" sends a file to another machine.", call.name));
  }
  const bool reads_script = wrapper.skipped > 0 || wrapper.changes_user;
  if (!inner.empty() && wrapper.each_text) {
    for (const Word& text : inner) out = RunText(context, text, call.place, call.in);
  } else if (!inner.empty() && wrapper.is_text) {
    out = RunText(context, Joined(inner), call.place, call.in);
    // Output of a remote command counts as downloaded.
    if (remote) out = Stream::Of(kDownloaded);
  } else if (!inner.empty()) {
    out = Judge(context, WithWords(call, std::move(inner)));
  } else if (reads_script && call.in.fed && call.in.text) {
    out = RunText(context, Word::OfText(*call.in.text), call.place, Stream());
  } else if (reads_script && call.in.fed) {
    CheckRun(context, call.place, call.name, call.in.origins);
  }
}

// Checks variables that wrappers set: env LESSOPEN=… less, sudo EDITOR=… visudo
void CheckVariables(Context& context, const Call& call, const Arguments& arguments) {
  for (const Word& word : arguments.operands()) {
    if (!IsAssignment(word)) return;
    const std::size_t equals = word.Lead().find('=');
    const std::vector<Value> values{{{WithoutLead(word, equals + 1)}, false}};
    CheckCodeVariable(context, word.Lead().substr(0, equals), values, call.place);
  }
}

// Runs option values that are shell source text. Some programs accept options after operands: su
// root -c. False if there are none.
bool RunTextOptions(Context& context, const Call& call, const Wrapper& wrapper, Stream& out) {
  bool has_text = false;
  const Arguments first(call.arguments(), wrapper.options, Arguments::Order::kOptionsFirst);
  const bool leads = first.Has(wrapper.text_options);
  const Arguments mixed(call.arguments(), wrapper.options);
  for (const Option& option : leads ? first.options() : mixed.options()) {
    if (!IsListed(wrapper.text_options, option.name)) continue;
    has_text = true;
    out = RunText(context, option.value, call.place, call.in);
  }
  return has_text;
}

// Judges wrappers with a subcommand: "poetry run", "docker exec".
bool JudgeSubcommand(Context& context, const Call& call, const Wrapper& wrapper, Stream& out) {
  const Arguments all(call.arguments(), wrapper.options, Arguments::Order::kOptionsFirst);
  if (all.operands().empty() || !IsListed(wrapper.subcommand, all.Operand(0))) return false;
  const auto rest = std::span(all.operands()).subspan(1);
  const Arguments own(rest, wrapper.options, Arguments::Order::kOptionsFirst);
  context.Need(std::max(wrapper.level, Level::kRunsCode));
  CheckContainer(context, call, own);
  out = Stream::Of(kPlain);
  std::vector<Word> inner = Wrapped(wrapper, own);
  if (!inner.empty()) RunWrapped(context, call, wrapper, std::move(inner), out);
  return true;
}

}  // namespace

bool JudgeWrapper(Context& context, const Call& call, Stream& out) {
  const Wrapper* wrapper = FindWrapper(call.name);
  if (wrapper == nullptr) return false;
  if (!wrapper->subcommand.empty()) return JudgeSubcommand(context, call, *wrapper, out);
  const Arguments arguments(call.arguments(), wrapper->options, Arguments::Order::kOptionsFirst);
  out = Stream::Of(call.name == "env" ? kFileContent : kPlain);
  if (call.name == "command" && (arguments.Has("-v") || arguments.Has("-V"))) {
    if (!arguments.Operand(0).empty()) out = Stream::OfText(arguments.Operand(0));
    return true;
  }
  context.Need(wrapper->level);
  const bool other_user = wrapper->changes_user &&
                          (wrapper->user_options.empty() || arguments.Has(wrapper->user_options));
  if (other_user) ReportUser(context, call);
  if (call.name == "sudoedit") {
    for (const Word& file : arguments.operands()) {
      CheckWritten(context, file, call.place, call.name);
    }
  }
  CheckVariables(context, call, arguments);
  const bool has_text = RunTextOptions(context, call, *wrapper, out);
  if (!has_text || wrapper->is_text) {
    RunWrapped(context, call, *wrapper, Wrapped(*wrapper, arguments), out);
  }
  return true;
}

bool JudgeXargs(Context& context, const Call& call, Stream& out) {
  if (call.name != "xargs") return false;
  const Arguments arguments(call.arguments(),
                            {"aEILnPsd",
                             "--arg-file --max-args --max-procs "
                             "--delimiter --replace --max-lines"},
                            Arguments::Order::kOptionsFirst);
  const Option* marked = arguments.Find("-I --replace");
  std::string mark = arguments.Has("-i") ? "{}" : "";
  if (marked != nullptr) mark = marked->value.Constant().value_or("{}");
  std::vector<Word> words = arguments.operands();
  if (words.empty()) words.push_back(Word::OfText("echo"));
  Stream in = call.in;
  if (const Option* file = arguments.Find("-a --arg-file")) {
    const Stream* known = KnownFile(context, file->value);
    in = known != nullptr ? *known : Stream::Of(kFileContent);
  }
  CheckPrintedRemoved(context, call, in, words);
  constexpr std::string_view kNul("\0", 1);
  const bool by_nul = arguments.Has("-0 --null");
  const std::vector<Word> items =
      ItemsOf(in, by_nul ? kNul : (mark.empty() ? std::string_view(" \t\n") : "\n"));
  out = Stream::Of(call.in.origins);
  Call inner = WithWords(call, words);
  inner.in = Stream::Of(kPlain);
  inner.in.text = "";
  if (mark.empty()) {
    inner.words.insert(inner.words.end(), items.begin(), items.end());
    out = Judge(context, std::move(inner));
    return true;
  }
  for (const Word& item : items) {
    for (std::size_t i = 0; i < words.size(); ++i) inner.words[i] = Replaced(words[i], mark, item);
    out.Append(Judge(context, inner));
  }
  return true;
}

bool JudgeParallel(Context& context, const Call& call, Stream& out) {
  if (call.name != "parallel") return false;
  const Arguments arguments(call.arguments(), {"jNaCIP", "--jobs --arg-file --colsep"},
                            Arguments::Order::kOptionsFirst);
  std::vector<Word> command;
  std::vector<Word> items;
  bool listed = false;
  for (const Word& word : arguments.operands()) {
    if (word.StartsWith(":::")) {
      listed = true;
    } else if (listed) {
      items.push_back(word);
    } else {
      command.push_back(word);
    }
  }
  if (!listed) items = ItemsOf(call.in, "\n");
  Word text = Joined(command);
  const bool marked = text.Shown().find("{}") != std::string::npos;
  out = Stream::Of(kPlain);
  for (const Word& item : items) {
    Word one = Replaced(text, "{}", item);
    if (!marked) one.AddText(" ");
    if (!marked) one.Add(item);
    out = RunText(context, one, call.place, Stream::OfText(""));
    if (context.gave_up) break;
  }
  return true;
}

bool JudgeFind(Context& context, const Call& call, Stream& out) {
  if (call.name != "find" && call.name != "fd" && call.name != "gfind") return false;
  const Search search = SearchOf(call.arguments());
  for (const Word& file : search.written) CheckWritten(context, file, call.place, call.name);
  if (!search.written.empty() || search.deletes) context.Need(Level::kWrites);
  if (search.deletes) CheckSearchRemoves(context, call, search);
  for (const auto& command : search.commands) {
    if (Removes(command)) CheckSearchRemoves(context, call, search);
    RunFound(context, call, search, command);
  }
  out = Stream::Of(kPlain);
  const std::string root = search.roots[0].Lead();
  if (root.starts_with('/') && search.roots.size() == 1) out.lead = root;
  if (!search.narrowed) out.all_below = search.roots;
  return true;
}

}  // namespace belljar::judgement::analysis::shell
