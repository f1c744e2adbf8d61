// Call: one command with its words expanded, the input of Judge.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judgement/analysis/shell/context.h"
#include "judgement/analysis/shell/word.h"

namespace belljar::judgement::analysis::shell {

// A redirection to a file.
struct Output {
  Word file;
  bool append = false;
  bool is_standard = false;  // redirects standard output, not standard error
};

struct Call {
  std::vector<Word> words;  // the program and its arguments
  Stream in;
  Place place;

  std::string name;  // the program's name without its directory; set by Judge
  std::span<const Word> arguments() const { return std::span(words).subspan(1); }
};

// Reports findings for a command, updates the context with its effects, and returns its output.
Stream Judge(Context& context, Call call);

// The same for shell source text that is an argument at `place`. Unknown parts of the text stay
// unknown parts of the script.
Stream RunText(Context& context, const Word& text, Place place, const Stream& in);
// Runs a function of the script; false if there is none of that name.
bool RunFunction(Context& context, const Call& call, Stream& out);

// Passes a stream to the command of a process substitution >(…), if the word denotes one.
bool FeedSink(Context& context, const Word& file, const Stream& content);
// Checks assignments to variables whose value the shell or another program runs, such as
// PROMPT_COMMAND.
void CheckCodeVariable(Context& context, std::string_view name, const std::vector<Value>& values,
                       Place place);
void CheckUnsetVariable(Context& context, std::string_view name, Place place);
// Judges writing to a file, and records the file's new content.
void KeepOutput(Context& context, const Output& output, const Stream& content, Place place);
// Reports redirections to /dev/tcp and /dev/udp, which open connections.
void CheckSocket(Context& context, const Word& file, Place place);
void ReportSyntax(Context& context, const Syntax& syntax, std::optional<Place> place);

// The word without its first `count` characters, which must be constant.
Word WithoutLead(const Word& word, std::size_t count);

// Options and operands of a command.
struct OptionSpec {
  std::string_view shorts = "";  // letters of the short options that take a value: "ok"
  std::string_view longs = "";   // long options that take a value: "--output --key"
  std::string_view pairs = "";   // long options that take two values: "--bind"
};
struct Option {
  std::string name;  // "-r", "--recursive"
  Word value;
  bool is_whole = false;  // the name is complete, and not an abbreviation
};
class Arguments {
 public:
  enum class Order { kMixed, kOptionsFirst };

  Arguments(std::span<const Word> words, const OptionSpec& spec, Order order = Order::kMixed);

  const std::vector<Option>& options() const { return options_; }
  // Tests for any of `names`. Long options may be abbreviated, as getopt allows.
  bool Has(std::string_view names) const { return Find(names) != nullptr; }
  const Option* Find(std::string_view names) const;
  const std::vector<Word>& operands() const { return operands_; }
  // The text of an operand; "" if there is none or it is not constant.
  std::string Operand(std::size_t number) const;

 private:
  void AddLong(const std::string& text, const Word& word, std::span<const Word> words,
               std::size_t& at, const OptionSpec& spec);
  void AddShort(const std::string& text, const Word& word, std::span<const Word> words,
                std::size_t& at, const OptionSpec& spec);

  std::vector<Option> options_;
  std::vector<Word> operands_;
};

}  // namespace belljar::judgement::analysis::shell
