// Word: the abstract value of one word of a command after the shell's expansions. Stream: the same
// for the input or output of a command.
//
// A word is a sequence of pieces: constant text, patterns that the shell would match against file
// names, the home directory, and unknown parts. For an unknown part it is recorded whether it may
// be empty (which turns "$X/data" into "/data") and where it came from (a download, a decoder, a
// file), since the rules depend on both.
//
// These are plain values and bounded: words are cut at kMaxWord, and what is cut off becomes an
// unknown part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belljar::judgement::analysis::shell {

constexpr std::size_t kMaxWord = 64 * 1024;

// Where a text came from, as a set of bits.
enum Origin : std::uint8_t {
  kPlain = 0,
  kDownloaded = 1,
  kDecoded = 2,      // output of base64 -d and similar decoders
  kFileContent = 4,  // content of a file or of the environment
  kSocket = 8,
  kShellOutput = 16,  // output of a shell that gets its commands from elsewhere
  kOfService = 32,    // process id of a service
};
using Origins = std::uint8_t;

struct Piece {
  enum class Kind : std::uint8_t { kText, kGlob, kHome, kUnknown };

  Kind kind = Kind::kText;
  bool may_be_empty = false;
  bool unset = false;  // a variable that the script never sets
  Origins origins = kPlain;
  std::string text = {};  // kUnknown: an identifier; equal identifiers mean equal values
  bool matched = false;   // a pattern that stands for the file names which it matched

  bool operator==(const Piece&) const = default;
};

// True for the unknown part that stands for the cut-off rest of a long word.
bool IsCut(const Piece& piece);

class Word {
 public:
  Word() = default;
  static Word OfText(std::string_view text);
  static Word Unknown(std::string_view name, Origins origins = kPlain);

  void AddText(std::string_view text);
  void AddGlob(std::string_view text);
  void Add(Piece piece);
  void Add(const Word& other);

  const std::vector<Piece>& pieces() const { return pieces_; }
  bool empty() const { return pieces_.empty(); }

  // True if the word contains neither unknown parts nor the home directory. A pattern counts as its
  // own text.
  bool IsConstant() const;
  std::optional<std::string> Constant() const;
  bool Is(std::string_view text) const;
  // The constant text at the start of the word.
  std::string Lead() const;
  bool StartsWith(std::string_view text) const { return Lead().starts_with(text); }
  bool HasGlob() const;
  Origins origins() const;
  // A textual form for messages and for comparing words: "$TMP/install.sh".
  std::string Shown() const;

  bool operator==(const Word&) const = default;

 private:
  std::vector<Piece> pieces_;
  std::size_t size_ = 0;
};

// The data in a pipe or a file.
struct Stream {
  bool fed = false;                 // false: it is the input of the script itself
  std::optional<std::string> text;  // the whole content, if it is constant
  std::optional<Word> parts;        // the whole content, with unknown parts
  Origins origins = kPlain;
  bool never_empty = false;
  std::string lead;             // prefix of each line, if known: "find /etc" prints paths in /etc
  std::vector<Word> all_below;  // the lines are all files below these directories
  std::vector<Word> listed;     // the lines are all names in these directories

  static Stream OfText(std::string text);
  static Stream Of(Origins origins);
  // Concatenates the other stream.
  void Append(const Stream& other);
};

// Decodes escape sequences such as "a\nb" as $'…', echo -e and printf do.
std::string Unescape(std::string_view text);

// True if a list of names, separated by spaces, contains the name.
bool IsListed(std::string_view list, std::string_view name);

// Splits a text at any of the separator characters.
std::vector<std::string_view> SplitAt(std::string_view text, std::string_view separators);

}  // namespace belljar::judgement::analysis::shell
