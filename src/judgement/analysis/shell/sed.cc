// Analyses sed scripts: which files they write and which commands they run.
//
// A script is parsed only as far as needed to find the end of each command. Input that is not
// understood is skipped by one character, so that the commands after it are still seen.
#include <algorithm>

#include "judgement/analysis/shell/judge.h"

namespace belljar::judgement::analysis::shell {
namespace {

// Stands for an unknown part of a script, so that the rest can still be parsed.
constexpr char kUnknownInScript = '\x01';

std::string ScriptOf(const Word& word) {
  std::string script;
  for (const Piece& piece : word.pieces()) {
    const bool known = piece.kind == Piece::Kind::kText || piece.kind == Piece::Kind::kGlob;
    script += known ? piece.text : std::string(1, kUnknownInScript);
  }
  return script;
}

Word WordOfScript(std::string_view text) {
  Word word;
  for (const char& c : text) {
    if (c == kUnknownInScript) {
      word.Add(Word::Unknown("(script)"));
    } else {
      word.AddText(std::string_view(&c, 1));
    }
  }
  return word;
}

class SedScript {
 public:
  SedScript(Context& context, const Call& call, std::string_view text)
      : context_(context), call_(call), text_(text) {}

  Level Read() {
    while (SkipAddress()) ReadCommand();
    return level_;
  }

 private:
  // Skips the address before a command; false at the end of the script.
  bool SkipAddress() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '/') {
        ++at_;
        Part('/');
      } else if (c == '\\' && at_ + 1 < text_.size()) {
        at_ += 2;
        Part(text_[at_ - 1]);
      } else if (std::string_view(" \t\n;{}!,$~+IM0123456789").find(c) != std::string_view::npos) {
        ++at_;
      } else {
        return true;
      }
    }
    return false;
  }

  // Reads up to the separator, and skips the separator.
  std::string_view Part(char separator) {
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] != separator) at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    const std::string_view part = text_.substr(start, at_ - start);
    at_ = std::min(at_ + 1, text_.size());
    return part;
  }

  std::string_view RestOfLine() {
    at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size());
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view rest = text_.substr(at_, end - at_);
    at_ = end;
    return rest;
  }

  void ReadCommand() {
    const char command = text_[at_++];
    switch (command) {
      case 'e':
        return RunCommand(RestOfLine());
      case 'w':
      case 'W':
        return Writes(RestOfLine());
      case 's':
        return Substitute();
      case 'y':
        return Transliterate();
      case 'a':
      case 'i':
      case 'c':
      case 'r':
      case 'R':
      case ':':
      case '#':
        RestOfLine();
        return;
      case 'b':
      case 't':
      case 'T':
        at_ = std::min(text_.find_first_of(";\n}", at_), text_.size());
        return;
      default:
        return;
    }
  }

  void Transliterate() {
    if (at_ == text_.size()) return;
    const char separator = text_[at_++];
    Part(separator);
    Part(separator);
  }

  void Substitute() {
    if (at_ == text_.size()) return;
    const char separator = text_[at_++];
    const std::string_view pattern = Part(separator);
    const std::string_view with = Part(separator);
    bool runs = false;
    for (; at_ < text_.size(); ++at_) {
      const char flag = text_[at_];
      if (flag == 'w') {
        ++at_;
        Writes(RestOfLine());
        break;
      }
      if (std::string_view("gpiImMe0123456789").find(flag) == std::string_view::npos) break;
      runs = runs || flag == 'e';
    }
    if (runs) RunReplaced(pattern, with);
  }

  void Writes(std::string_view file) {
    level_ = std::max(level_, Level::kWrites);
    CheckWritten(context_, WordOfScript(file), call_.place, call_.name);
  }

  void RunCommand(std::string_view command) {
    level_ = Level::kRunsCode;
    if (!command.empty()) {
      RunText(context_, WordOfScript(command), call_.place, Stream());
    } else {
      RunLines(call_.in.text ? Word::OfText(*call_.in.text) : call_.in.parts.value_or(Word()));
    }
  }

  // Handles sed's command `e`, which runs each input line as a shell command.
  void RunLines(const Word& lines) {
    CheckRun(context_, call_.place, call_.name, call_.in.origins);
    if (lines.empty()) {
      context_.Find("sh-dynamic-code", call_.place, call_.name,
                    "\"sed\" runs lines that are only known when the script runs.");
      context_.Find("sh-unclear", call_.place, call_.name,
                    "What \"sed\" runs cannot be told by reading.");
      return;
    }
    RunText(context_, lines, call_.place, Stream());
  }

  // "s/pattern/with/e" runs the line after the substitution. If the pattern matches the whole line,
  // the command is `with`.
  void RunReplaced(std::string_view pattern, std::string_view with) {
    level_ = Level::kRunsCode;
    CheckRun(context_, call_.place, call_.name, call_.in.origins);
    Word command;
    for (std::size_t i = 0; i < with.size(); ++i) {
      const bool escaped = with[i] == '\\' && i + 1 < with.size();
      if (escaped) ++i;
      const bool is_part = escaped ? with[i] >= '0' && with[i] <= '9' : with[i] == '&';
      if (is_part) {
        command.Add(Word::Unknown("(matched)", call_.in.origins));
      } else {
        command.Add(WordOfScript(with.substr(i, 1)));
      }
    }
    const bool whole = pattern == ".*" || pattern == "^.*$" || pattern == "^.*" || pattern == ".*$";
    if (!whole || !command.IsConstant()) {
      context_.Find("sh-dynamic-code", call_.place, call_.name,
                    "\"sed\" runs lines that are only known when the script runs.");
    }
    RunText(context_, command, call_.place, Stream());
  }

  Context& context_;
  const Call& call_;
  std::string_view text_;
  std::size_t at_ = 0;
  Level level_ = Level::kReads;
};

bool WritesInPlace(const Call& call, const Arguments& arguments) {
  bool in_place = arguments.Has("--in-place");
  for (const Word& word : call.arguments()) {
    const std::string lead = word.Lead();
    const bool flags = lead.size() > 1 && lead[0] == '-' && lead[1] != '-';
    in_place |= flags && lead[1] != 'e' && lead.find('i') != std::string::npos;
  }
  return in_place;
}

}  // namespace

Level CheckSed(Context& context, const Call& call, const Arguments& arguments) {
  const bool in_place = WritesInPlace(call, arguments);
  const auto& operands = arguments.operands();
  const bool has_script = arguments.Has("-e --expression -f --file");
  Level level = in_place ? Level::kWrites : Level::kReads;
  std::string script;
  for (const Option& option : arguments.options()) {
    const bool is_file = option.name == "-f" || option.name == "--file";
    const Stream* known = is_file ? KnownFile(context, option.value) : nullptr;
    if (known != nullptr) script += known->text.value_or("") + "\n";
    if (option.name == "-e" || option.name == "--expression")
      script += ScriptOf(option.value) + "\n";
  }
  if (!has_script && !operands.empty()) script = ScriptOf(operands[0]);
  for (std::size_t i = has_script ? 0 : 1; in_place && i < operands.size(); ++i) {
    CheckWritten(context, operands[i], call.place, call.name);
  }
  return std::max(level, SedScript(context, call, script).Read());
}

}  // namespace belljar::judgement::analysis::shell
