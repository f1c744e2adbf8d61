#include "judgement/analysis/shell/judge.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "judgement/analysis/shell/injection.h"
#include "judgement/analysis/shell/path.h"

namespace belljar::judgement::analysis::shell {
namespace {

// Directories in which programs are what their names say.
bool IsProgramFolder(std::string_view folder) {
  return folder == "/bin" || folder == "/sbin" || folder == "/usr/bin" || folder == "/usr/sbin" ||
         folder == "/usr/local/bin" || folder == "/usr/local/sbin" ||
         folder == "/opt/homebrew/bin" || folder == "/snap/bin";
}

// The normalised form of a path such as "/usr/./bin//rm".
std::string TidyPath(const Context& context, const Word& word) {
  const Path path = PathOf(context, word);
  std::string tidy;
  if (path.start != Path::Start::kRoot) return word.Lead();
  for (const Component& component : path.components) tidy += "/" + component.text;
  return tidy;
}

// The name of a program without its directory; "" if the path is not in a program directory.
std::string ProgramName(const Context& context, const Word& word) {
  const std::string text = word.Lead();
  const std::size_t slash = text.rfind('/');
  if (slash == std::string::npos) return text;
  if (text[0] != '/') {
    // In other bin directories, such as that of a virtual environment, only interpreters and
    // installers are taken to be what their names say.
    const std::string base = text.substr(slash + 1);
    const Program* program = FindProgram(base);
    const bool known = FindInterpreter(base) != nullptr ||
                       (program != nullptr && program->level == Level::kRunsCode);
    return known && text.find("bin/") != std::string::npos ? base : "";
  }
  const std::string tidy = TidyPath(context, word);
  const std::size_t end = tidy.rfind('/');
  if (end == std::string::npos) return "";
  const std::string base = tidy.substr(end + 1);
  if (IsProgramFolder(std::string_view(tidy).substr(0, end))) return base;
  return FindInterpreter(base) != nullptr ? base : "";
}

// The known program that a pattern such as "/bin/r?" matches.
std::string MatchedName(const Word& word) {
  static constexpr std::string_view kNames[] = {
      "rm",     "sh",    "bash",  "dash", "zsh",   "curl",   "wget",    "nc",
      "ncat",   "chmod", "dd",    "sudo", "su",    "python", "python3", "perl",
      "base64", "mkfs",  "shred", "find", "xargs", "env",    "cat",     "ls"};
  const std::string pattern = word.Lead();
  for (const std::string_view name : kNames) {
    for (const std::string_view folder : {"/bin/", "/usr/bin/", ""}) {
      const std::string path = std::string(folder) + std::string(name);
      if (::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME) == 0) return std::string(name);
    }
  }
  return "";
}

// "python3.11" is treated as "python3" or "python".
std::string WithoutVersion(std::string name) {
  if (IsKnown(name)) return name;
  const std::size_t end = name.find_last_not_of("0123456789.-");
  if (end == std::string::npos || end + 1 == name.size()) return name;
  const std::string base = name.substr(0, end + 1);
  return IsKnown(base) ? base : name;
}

// Judges the call again with never-set variables taken as empty, which is the usual case.
bool JudgeWithoutUnset(Context& context, const Call& call) {
  std::vector<Word> words;
  for (const Word& word : call.words) {
    Word kept;
    for (const Piece& piece : word.pieces()) {
      if (!piece.may_be_empty || word.pieces().size() == 1) kept.Add(piece);
    }
    words.push_back(std::move(kept));
  }
  const bool differs = words[0].IsConstant() && !words[0].empty() && IsKnown(words[0].Lead());
  if (differs) Judge(context, WithWords(call, std::move(words)));
  return differs;
}

// "cmd_$1" "$@": judges the script's own functions whose names have that prefix.
bool JudgeByPrefix(Context& context, const Call& call) {
  const std::string lead = call.words[0].Lead();
  if (lead.size() < 3) return false;
  std::vector<std::string> names;
  const auto& functions = context.scope.functions;
  for (auto at = functions.lower_bound(lead); at != functions.end(); ++at) {
    if (!at->first.starts_with(lead)) break;
    names.push_back(at->first);
  }
  for (const std::string& name : names) {
    Call one = call;
    one.words[0] = Word::OfText(name);
    Judge(context, std::move(one));
  }
  return !names.empty();
}

Stream JudgeUnknownName(Context& context, const Call& call) {
  const Word& name = call.words[0];
  // The arithmetic command (( … )) is not a program call.
  if (name.Shown() == "$(number)") return Stream::OfText("");
  if (JudgeByPrefix(context, call)) return Stream::Of(kPlain);
  context.Need(Level::kRunsCode);
  JudgeWithoutUnset(context, call);
  const Stream* file = KnownFile(context, name);
  CheckRun(
      context, call.place, name.Shown(),
      static_cast<Origins>(name.origins() | (file != nullptr ? file->origins : Origins{kPlain})));
  if (file != nullptr && file->text)
    RunText(context, Word::OfText(*file->text), call.place, call.in);
  // "./$f" runs some file at a known place, but "$f" may be any program.
  const bool is_file = name.Lead().find('/') != std::string::npos || file != nullptr;
  if (!is_file) {
    context.Find("sh-unclear", call.place, name.Shown(),
                 fmt::format("Which program \"{}\" is cannot be told by reading.", name.Shown()));
  }
  return Stream::Of(kPlain);
}

bool JudgeAlias(Context& context, const Call& call, Stream& out) {
  const auto alias = context.scope.aliases.find(call.name);
  if (alias == context.scope.aliases.end() || context.active.contains("alias " + call.name)) {
    return false;
  }
  std::vector<Word> words;
  for (const std::string_view word : SplitAt(alias->second, " \t\n")) {
    words.push_back(Word::OfText(word));
  }
  words.insert(words.end(), call.words.begin() + 1, call.words.end());
  const std::string mark = "alias " + call.name;
  context.active.insert(mark);
  out = Judge(context, WithWords(call, std::move(words)));
  context.active.erase(mark);
  return true;
}

// Programs whose operands are all names of files or hosts.
bool TakesFileNames(std::string_view name) {
  return IsListed(
      "ls cat head tail cp mv rm touch mkdir rmdir stat file wc chmod chown ln less more du df "
      "tar gtar bsdtar zip unzip gzip gunzip bzip2 xz zcat diff cmp comm sort uniq tac nl tee "
      "md5sum sha1sum sha256sum sha512sum truncate realpath readlink basename dirname tree ping "
      "host dig nslookup",
      name);
}

// The operands that are plain names. For grep, the pattern may contain anything, so only the file
// operands count.
std::span<const Word> PlainOperands(std::string_view name, const Arguments& arguments) {
  const std::span<const Word> operands = arguments.operands();
  if (TakesFileNames(name)) return operands;
  if (!IsListed("grep egrep fgrep zgrep", name) || operands.empty()) return {};
  return arguments.Has("-e -f --regexp --file") ? operands : operands.subspan(1);
}

void CheckOperandsWritten(Context& context, const Program& program, const Call& call,
                          const Arguments& arguments) {
  const auto& operands = arguments.operands();
  std::size_t from = 0;
  if (program.writes_to == WritesTo::kNone) return;
  if (program.writes_to == WritesTo::kAllButFirst) from = 1;
  if (program.writes_to == WritesTo::kLast && !operands.empty()) from = operands.size() - 1;
  for (std::size_t i = from; i < operands.size(); ++i) {
    CheckWritten(context, operands[i], call.place, call.name);
  }
}

Stream JudgeProgram(Context& context, const Call& call) {
  const Program* program = FindProgram(call.name);
  if (program == nullptr) {
    context.Need(Level::kRunsCode);
    return Stream::Of(kPlain);
  }
  const Arguments arguments(call.arguments(), program->options);
  Level level = program->level;
  if (program->check != nullptr) level = program->check(context, call, arguments);
  CheckOperandsWritten(context, *program, call, arguments);
  CheckShown(context, call, arguments.operands());
  for (const Word& operand : PlainOperands(call.name, arguments)) {
    if (const auto text = operand.Constant()) CheckPlain(context, call.place, call.name, *text);
  }
  context.Need(level);
  return PrintedBy(context, *program, call, arguments);
}

}  // namespace

Call WithWords(const Call& call, std::vector<Word> words) {
  Call other;
  other.words = std::move(words);
  other.in = call.in;
  other.place = call.place;
  return other;
}

std::string FileKey(const Context& context, const Word& file) {
  std::string key = file.Shown();
  while (key.starts_with("./")) key.erase(0, 2);
  const bool relative = !key.starts_with('/') && !key.starts_with('$') && !key.starts_with('~');
  return relative && context.directory ? context.directory->Shown() + "/" + key : key;
}

const Stream* KnownFile(const Context& context, const Word& file) {
  const auto found = context.files.find(FileKey(context, file));
  return found == context.files.end() ? nullptr : &found->second;
}

void CheckRun(Context& context, Place place, std::string_view by, Origins origins) {
  if ((origins & kSocket) != 0) {
    context.Find("sh-reverse-shell", place, by,
                 fmt::format("\"{}\" runs what comes in over a connection.", by));
  } else if ((origins & kDownloaded) != 0) {
    context.Find("sh-download-run", place, by,
                 fmt::format("\"{}\" runs a text that was just downloaded.", by));
  } else if ((origins & kDecoded) != 0) {
    context.Find("sh-decoded-run", place, by,
                 fmt::format("\"{}\" runs a text that was just decoded.", by));
  }
}

void KeepOutput(Context& context, const Output& output, const Stream& content, Place place) {
  const bool nowhere = output.file.StartsWith("/dev/") &&
                       WhereWritten(PathOf(context, output.file)) == Where::kElsewhere;
  if (FeedSink(context, output.file, content)) return;
  if (!nowhere) context.Need(Level::kWrites);
  CheckWritten(context, output.file, place, ">");
  if (!output.is_standard || nowhere) return;
  Stream& file = context.files[FileKey(context, output.file)];
  if (output.append && file.fed) {
    file.Append(content);
  } else {
    file = content;
    file.fed = true;
  }
}

// The stages run in the order in which the shell itself resolves a command name.
Stream Judge(Context& context, Call call) {
  const Deeper deeper(context.depth);
  while (!call.words.empty() && call.words[0].empty()) call.words.erase(call.words.begin());
  if (call.words.empty()) return Stream::OfText("");
  if (context.depth > kMaxDepth) {
    context.GiveUp(call.place, "The script is nested too deep to be followed.");
    return Stream::Of(kPlain);
  }
  if (!context.Spend(call.place)) return Stream::Of(kPlain);
  if (!call.words[0].IsConstant()) return JudgeUnknownName(context, call);
  Stream out;
  if (RunFunction(context, call, out)) return out;
  call.name = call.words[0].Lead();
  if (JudgeAlias(context, call, out)) return out;
  call.name = WithoutVersion(ProgramName(context, call.words[0]));
  if (call.words[0].HasGlob() && !IsKnown(call.name)) {
    if (const std::string matched = MatchedName(call.words[0]); !matched.empty()) {
      call.name = matched;
      call.words[0] = Word::OfText(matched);
    }
  }
  if (JudgeFile(context, call, out)) return out;
  using Stage = bool (*)(Context&, const Call&, Stream&);
  static constexpr Stage kStages[] = {JudgeEcho,     JudgeEval, JudgeInterpreter, JudgeXargs,
                                      JudgeParallel, JudgeFind, JudgeWrapper};
  RunCarried(context, call);
  for (const Stage stage : kStages) {
    if (stage(context, call, out)) return out;
  }
  return JudgeProgram(context, call);
}

}  // namespace belljar::judgement::analysis::shell
