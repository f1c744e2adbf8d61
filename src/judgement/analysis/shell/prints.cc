// The output of commands: echo, printf, and programs that print their input.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "judgement/analysis/shell/judge.h"

namespace belljar::judgement::analysis::shell {
namespace {

Word JoinedWords(std::span<const Word> words) {
  Word all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) all.AddText(" ");
    all.Add(words[i]);
  }
  return all;
}

Stream StreamOf(const Word& word, std::string_view end) {
  Stream stream = Stream::Of(word.origins());
  if (auto text = word.Constant()) {
    stream.text = *std::move(text) + std::string(end);
  } else {
    stream.parts = word;
    stream.never_empty = !word.pieces().empty() && !word.pieces()[0].may_be_empty;
  }
  return stream;
}

Stream Echoed(std::span<const Word> words) {
  bool escapes = false;
  bool newline = true;
  while (!words.empty()) {
    const std::string flag = words[0].Constant().value_or("");
    if (flag.size() < 2 || flag[0] != '-' ||
        flag.find_first_not_of("neE", 1) != std::string::npos) {
      break;
    }
    escapes |= flag.find('e') != std::string::npos;
    newline &= flag.find('n') == std::string::npos;
    words = words.subspan(1);
  }
  Stream stream = StreamOf(JoinedWords(words), newline ? "\n" : "");
  if (escapes && stream.text) stream.text = Unescape(*stream.text);
  return stream;
}

// Formats once; printf repeats the format while arguments remain. `next` is the first unused
// argument.
void FormatOnce(std::string_view format, std::span<const Word> arguments, std::size_t& next,
                Word& out) {
  for (std::size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%' || at + 1 == format.size()) {
      out.AddText(format.substr(at, 1));
      continue;
    }
    ++at;
    while (at < format.size() &&
           std::string_view("-+ #0123456789.*").find(format[at]) != std::string_view::npos) {
      ++at;
    }
    if (at == format.size()) break;
    if (format[at] == '%') {
      out.AddText("%");
      continue;
    }
    if (next >= arguments.size()) continue;
    const Word& argument = arguments[next++];
    const auto text = argument.Constant();
    if (format[at] == 'b' && text) {
      out.AddText(Unescape(*text));
    } else if (text && (format[at] == 'o' || format[at] == 'x')) {
      int number = 0;
      std::from_chars(text->data(), text->data() + text->size(), number);
      out.AddText(format[at] == 'o' ? fmt::format("{:o}", number) : fmt::format("{:x}", number));
    } else {
      out.Add(argument);
    }
  }
}

Stream Formatted(Context& context, std::span<const Word> words) {
  std::string_view variable;
  std::string name;
  if (words.size() > 1 && words[0].Is("-v")) {
    name = words[1].Constant().value_or("");
    variable = name;
    words = words.subspan(2);
  }
  if (!words.empty() && words[0].Is("--")) words = words.subspan(1);
  if (words.empty()) return Stream::OfText("");
  Word out;
  const auto format = words[0].Constant();
  if (!format) {
    out = JoinedWords(words);
  } else {
    const std::string text = Unescape(*format);
    const auto arguments = words.subspan(1);
    std::size_t next = 0;
    for (std::size_t before = 1; before != next && (next < arguments.size() || next == 0);) {
      before = next;
      FormatOnce(text, arguments, next, out);
      if (next == 0) break;
    }
  }
  if (!variable.empty()) {
    context.scope.Set(variable, Value{{out}, false});
    return Stream::OfText("");
  }
  return StreamOf(out, "");
}

// The input of a program that reads its file operands, or else standard input.
Stream Source(Context& context, const Call& call, const Arguments& arguments) {
  // The first operand of these programs is a pattern or a program, not a file.
  static constexpr std::string_view kPatternFirst[] = {"sed",   "gsed", "grep", "egrep", "fgrep",
                                                       "zgrep", "rg",   "ag",   "awk",   "gawk",
                                                       "mawk",  "jq",   "yq"};
  const bool pattern = std::find(std::begin(kPatternFirst), std::end(kPatternFirst), call.name) !=
                           std::end(kPatternFirst) &&
                       !arguments.Has("-e -f --expression --file");
  std::span<const Word> files = arguments.operands();
  const bool no_files = call.name == "tr" || call.name == "tar" || call.name == "openssl";
  if (no_files || (pattern && files.size() <= 1)) files = {};
  if (pattern && !files.empty()) files = files.subspan(1);
  Stream all;
  for (const Word& file : files) {
    if (file.Is("-")) {
      all.Append(call.in);
      continue;
    }
    const Stream* known = KnownFile(context, file);
    Stream one = known != nullptr ? *known : Stream::Of(kFileContent);
    one.origins |= file.origins();
    const std::string lead = file.Lead();
    const bool is_pid =
        (lead.starts_with("/run/") || lead.starts_with("/var/run/")) && lead.ends_with(".pid");
    if (is_pid) one.origins |= kOfService;
    one.fed = true;
    all.Append(one);
  }
  return files.empty() ? call.in : all;
}

bool Decodes(const Call& call, const Arguments& arguments) {
  if (call.name == "base64" || call.name == "base32") return arguments.Has("-d -D --decode");
  if (call.name == "xxd") return arguments.Has("-r");
  if (call.name == "openssl" || call.name == "gpg") return arguments.Has("-d --decrypt");
  if (call.name == "gzip" || call.name == "bzip2" || call.name == "xz" || call.name == "zstd" ||
      call.name == "pigz" || call.name == "lz4" || call.name == "brotli") {
    return arguments.Has("-d --decompress");
  }
  if (call.name == "zcat" || call.name == "bzcat" || call.name == "xzcat") return true;
  if (call.name == "tar") return false;
  return call.name == "gunzip" || call.name == "bunzip2" || call.name == "unxz" ||
         call.name == "tr" || call.name == "rev" || call.name == "uudecode";
}

// The output of dirname, basename, which, realpath and readlink -f.
Stream PathPart(const Call& call, const Arguments& arguments) {
  Stream sure = Stream::Of(kPlain);
  sure.never_empty = true;
  const bool leads_elsewhere = call.name == "readlink" && !arguments.Has("-f -e -m --canonicalize");
  if (arguments.operands().empty() || leads_elsewhere) return sure;
  const auto text = arguments.operands()[0].Constant();
  const bool resolves = call.name == "realpath" || call.name == "readlink";
  if (!text && resolves) sure.parts = arguments.operands()[0];
  if (!text || text->empty()) return sure;
  const std::size_t slash = text->find_last_of('/');
  sure.text = *text;
  if (call.name == "basename" && slash != std::string::npos) sure.text = text->substr(slash + 1);
  if (call.name == "dirname") {
    sure.text = slash == std::string::npos ? "." : text->substr(0, std::max<std::size_t>(slash, 1));
  }
  return sure;
}

// ls prints its operands with -d, and else the names in the directories among them.
Stream Listing(const Arguments& arguments) {
  Stream names = Stream::Of(kPlain);
  if (!arguments.Has("-d")) {
    names.listed = arguments.operands();
    if (names.listed.empty()) names.listed.push_back(Word::OfText("."));
    return names;
  }
  Word all = JoinedWords(arguments.operands());
  names.parts = std::move(all);
  return names;
}

// The output of programs that print their input, or parts of it.
Stream PassedOn(Context& context, const Program& program, const Call& call,
                const Arguments& arguments) {
  if (call.name == "openssl" && arguments.Operand(0) == "s_client") return Stream::Of(kSocket);
  if (call.name.ends_with("awk") && arguments.Operand(0).starts_with("BEGIN")) {
    return OutputOfProgram(arguments.Operand(0));
  }
  const bool is_tee = call.name == "tee" || call.name == "sponge";
  Stream source = is_tee ? call.in : Source(context, call, arguments);
  if (is_tee) {
    for (const Word& file : arguments.operands()) context.files[FileKey(context, file)] = call.in;
  }
  source.fed = true;
  if (Decodes(call, arguments)) source.origins |= kDecoded;
  const bool whole = program.prints == Prints::kInput && (is_tee || call.name == "cat");
  if (!whole || Decodes(call, arguments)) {
    source.text.reset();
    source.parts.reset();
  }
  // "ls -t | tail -n +6" omits some names.
  if (!whole && !IsListed("sort tac shuf tr uniq nl rev", call.name)) source.listed.clear();
  return source;
}

}  // namespace

bool JudgeEcho(Context& context, const Call& call, Stream& out) {
  if (call.name == "echo" || call.name == "yes") {
    out = Echoed(call.arguments());
  } else if (call.name == "printf") {
    out = Formatted(context, call.arguments());
  } else {
    return false;
  }
  return true;
}

// True for tar -c and tar cz, which print contents of files.
static bool PacksFiles(const Call& call, const Arguments& arguments) {
  if (!IsListed("tar gtar bsdtar", call.name)) return false;
  const std::string first = call.arguments().empty() ? "" : call.arguments()[0].Lead();
  const bool bundled = !first.starts_with('-') && first.find('c') != std::string::npos &&
                       first.find_first_of("xt") == std::string::npos;
  return bundled || arguments.Has("-c --create");
}

static Stream NeverNothing() {
  Stream sure = Stream::Of(kPlain);
  sure.never_empty = true;
  return sure;
}

Stream PrintedBy(Context& context, const Program& program, const Call& call,
                 const Arguments& arguments) {
  if (PacksFiles(call, arguments)) return Stream::Of(kFileContent);
  switch (program.prints) {
    case Prints::kNothing:
      return Stream::OfText("");
    case Prints::kAlways:
      return NeverNothing();
    case Prints::kDownload:
      return Stream::Of(kDownloaded);
    case Prints::kFiles:
      return Stream::Of(kFileContent);
    case Prints::kSocket:
      return Stream::Of(kSocket);
    case Prints::kSomething:
      if (call.name == "git" && arguments.Operand(0) == "rev-parse") return NeverNothing();
      return Stream::Of(call.name == "printenv" || call.name == "history" ? kFileContent : kPlain);
    case Prints::kHere:
      return Stream::OfText(".\n");
    case Prints::kPathPart:
      return PathPart(call, arguments);
    case Prints::kListing:
      return Listing(arguments);
    case Prints::kProcesses:
      return Stream::Of(IsService(arguments.Operand(0)) ? kOfService : kPlain);
    default:
      break;
  }
  return PassedOn(context, program, call, arguments);
}

}  // namespace belljar::judgement::analysis::shell
