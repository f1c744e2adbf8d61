// Call: one command with its words expanded, as Judge sees it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judgement/analysis/shell/context.h"
#include "judgement/analysis/shell/word.h"

namespace belljar::judgement::analysis::shell {

// A file that a redirection writes.
struct Output {
  Word file;
  bool append = false;
  bool is_standard = false;  // it takes what the command prints, not its complaints
};

struct Call {
  std::vector<Word> words;  // the program and its arguments
  Stream in;
  Place place;

  std::string name;  // of the program, without its folder; set by Judge
  std::span<const Word> arguments() const { return std::span(words).subspan(1); }
};

// What a command does, and what it prints.
Stream Judge(Context& context, Call call);

// The same for a text of commands, which comes from an argument at that place. Parts that are not
// known are kept as such.
Stream RunText(Context& context, const Word& text, Place place, const Stream& in);
// A function of the script; false: there is none of that name.
bool RunFunction(Context& context, const Call& call, Stream& out);

// Hands a stream to a process substitution, >(…), if the word is one.
bool FeedSink(Context& context, const Word& file, const Stream& content);
// Variables that the shell runs: PROMPT_COMMAND and its like.
void CheckCodeVariable(Context& context, std::string_view name, const std::vector<Value>& values,
                       Place place);
void CheckUnsetVariable(Context& context, std::string_view name, Place place);
// Judges the writing of a file, and remembers what it then holds.
void KeepOutput(Context& context, const Output& output, const Stream& content, Place place);
// A redirection to /dev/tcp is a connection.
void CheckSocket(Context& context, const Word& file, Place place);
void ReportSyntax(Context& context, const Syntax& syntax, std::optional<Place> place);

// The word without its first `count` characters, which are constant.
Word WithoutLead(const Word& word, std::size_t count);

// Options and operands of a command.
struct OptionSpec {
  std::string_view shorts = "";  // letters of options that take a value: "ok"
  std::string_view longs = "";   // the same for long ones: "--output --key"
  std::string_view pairs = "";   // long ones that take two: "--bind"
};
struct Option {
  std::string name;  // "-r", "--recursive"
  Word value;
  bool is_whole = false;  // a known name, and so no beginning of a longer one
};
class Arguments {
 public:
  enum class Order { kMixed, kOptionsFirst };

  Arguments(std::span<const Word> words, const OptionSpec& spec, Order order = Order::kMixed);

  const std::vector<Option>& options() const { return options_; }
  // Long options may be shortened, as the programs allow.
  bool Has(std::string_view names) const { return Find(names) != nullptr; }
  const Option* Find(std::string_view names) const;
  const std::vector<Word>& operands() const { return operands_; }
  // The constant text of an operand; "" if there is none, or it is not known.
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
