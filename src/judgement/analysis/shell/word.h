// Word: what one word of a command stands for once the shell has expanded it, as far as reading
// can tell; and Stream, the same for what a command reads or writes.
//
// A word is a row of pieces: text that is known, patterns that the shell would match against file
// names, the home directory, and parts that nobody knows before the script runs. An unknown part
// remembers whether it may be empty (which turns "$X/data" into "/data") and where it came from
// (a download, a decoder, a file), since that is what the rules ask about.
//
// Plain values, bounded: texts are cut at kMaxWord, and what is cut off becomes an unknown part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belljar::judgement::analysis::shell {

constexpr std::size_t kMaxWord = 64 * 1024;

// Where a text came from: a set of bits.
enum Origin : std::uint8_t {
  kPlain = 0,
  kDownloaded = 1,
  kDecoded = 2,      // base64 -d and its like
  kFileContent = 4,  // what a file or the environment holds
  kSocket = 8,
  kShellOutput = 16,  // what a shell says that takes its commands from elsewhere
  kOfService = 32,    // the number of a service's process
};
using Origins = std::uint8_t;

struct Piece {
  enum class Kind : std::uint8_t { kText, kGlob, kHome, kUnknown };

  Kind kind = Kind::kText;
  bool may_be_empty = false;
  bool unset = false;  // a variable that the script never sets
  Origins origins = kPlain;
  std::string text = {};  // kUnknown: a name, the same wherever the value is the same
  bool matched = false;   // a pattern that stands for the names it matched

  bool operator==(const Piece&) const = default;
};

// The rest of a word that was too long.
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

  // Nothing in it is unknown, nor the home directory. A pattern counts as its own text.
  bool IsConstant() const;
  std::optional<std::string> Constant() const;
  bool Is(std::string_view text) const;
  // The constant text that it starts with.
  std::string Lead() const;
  bool StartsWith(std::string_view text) const { return Lead().starts_with(text); }
  bool HasGlob() const;
  Origins origins() const;
  // For messages, and to tell whether two words are the same: "$TMP/install.sh".
  std::string Shown() const;

  bool operator==(const Word&) const = default;

 private:
  std::vector<Piece> pieces_;
  std::size_t size_ = 0;
};

// What flows through a pipe, or is kept in a file.
struct Stream {
  bool fed = false;                 // false: whatever the script itself was given
  std::optional<std::string> text;  // all of it, if known
  std::optional<Word> parts;        // all of it, with what is not known in between
  Origins origins = kPlain;
  bool never_empty = false;
  std::string lead;  // what each line starts with, if known: "find /etc" prints names in /etc
  std::vector<Word> all_below;  // each line is a file below one of these, and none is left out
  std::vector<Word> listed;     // each line is a name in one of these, and none is left out

  static Stream OfText(std::string text);
  static Stream Of(Origins origins);
  // This and then the other.
  void Append(const Stream& other);
};

// "a\nb" as $'…', echo -e and printf read it.
std::string Unescape(std::string_view text);

// Whether a list of names with blanks between them has that name.
bool IsListed(std::string_view list, std::string_view name);

// The rows of a text, and its words at blanks.
std::vector<std::string_view> SplitAt(std::string_view text, std::string_view separators);

}  // namespace belljar::judgement::analysis::shell
