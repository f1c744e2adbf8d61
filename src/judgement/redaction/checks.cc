#include "judgement/redaction/checks.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>

#include "foundation/base/text.h"
#include "judgement/redaction/national.h"

namespace belljar::judgement::redaction {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// Words that people write in place of a secret.
constexpr std::string_view kStopWords[] = {
    "example",    "changeme", "change_me", "placeholder", "redacted",   "your_",        "your-",
    "yourpass",   "yourtok",  "yourkey",   "insert",      "replace",    "undefined",    "notreal",
    "dummy",      "sample",   "xxxx",      "****",        "....",       "----",         "____",
    "not_a_real", "fake",     "foobar",    "abcdef0123",  "0123456789", "1234567890ab", "%s"};

// Values that are not secrets, whatever name precedes them.
constexpr std::string_view kPlainWords[] = {
    "none",    "null",    "nil",     "true",     "false",    "string",   "bytes",   "required",
    "missing", "hidden",  "empty",   "unset",    "optional", "password", "secret",  "token",
    "default", "invalid", "expired", "disabled", "enabled",  "unknown",  "changed", "incorrect"};

// Prefixes of code that reads a secret from elsewhere.
constexpr std::string_view kReads[] = {
    "${",       "$(",     "{{",      "<",       "%(",      "os.",   "env.",     "env[",
    "process.", "getenv", "getpass", "config.", "self.",   "args.", "settings", "request.",
    "input(",   "vault:", "ref+",    "secret/", "/run/",   "file:", "arn:",     "op://",
    "@",        "#{",     "&",       "lambda",  "function"};

bool IsIdentifier(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLetter(c) || c == '_' || c == '.' || c == '-'; });
}

bool ReadsFromElsewhere(std::string_view text) {
  const bool variable = text.size() > 1 && text[0] == '$' && (IsLetter(text[1]) || text[1] == '_');
  return variable || text.find_first_of("()[]{}") != std::string_view::npos ||
         std::any_of(std::begin(kReads), std::end(kReads),
                     [&](std::string_view read) { return text.starts_with(read); });
}

bool IsPlainWord(std::string_view text) {
  const std::string lower = Lower(text);
  return std::find(std::begin(kPlainWords), std::end(kPlainWords), lower) != std::end(kPlainWords);
}

// Whether the text is a sentence about passwords and not a password.
bool IsProse(std::string_view text) {
  const std::string lower = " " + Lower(text) + " ";
  constexpr std::string_view kWords[] = {" the ", " must ", " is ",  " your ", " for ",
                                         " be ",  " of ",   " are ", " not ",  " was "};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return lower.contains(word); });
}

bool IsQuoted(const Candidate& candidate) {
  constexpr std::string_view kQuotes = "\"'`";
  return !candidate.before.empty() && kQuotes.contains(candidate.before.back());
}

bool HasDigit(std::string_view text) { return std::any_of(text.begin(), text.end(), IsDigit); }

// Whether the text is letters only and changes case as often as random text does; identifiers do
// not.
bool IsScrambled(std::string_view text) {
  if (text.size() < 16 || !std::all_of(text.begin(), text.end(), IsLetter)) return false;
  std::size_t changes = 0;
  for (std::size_t i = 1; i < text.size(); ++i) changes += IsUpper(text[i]) != IsUpper(text[i - 1]);
  return changes * 3 >= text.size();
}

// Whether the text is a path, a URL or a file name.
bool IsPath(std::string_view text) {
  return text.starts_with("/") || text.starts_with("./") || text.starts_with("~/") ||
         text.find("://") != std::string_view::npos || text.starts_with("//");
}

// Whether the candidate is in the user part of a URL: "https://user:secret@host".
bool IsInUrl(std::string_view before) {
  const std::size_t gap = before.find_last_of(" \t\r\n\"'<>()=,");
  return before.substr(gap == std::string_view::npos ? 0 : gap).contains("://");
}

// Converts base64url to padded standard base64, as the decoder needs.
std::string DecodeUrlBase64(std::string_view text) {
  std::string standard(text);
  std::replace(standard.begin(), standard.end(), '-', '+');
  std::replace(standard.begin(), standard.end(), '_', '/');
  while (standard.ends_with('=')) standard.pop_back();
  while (standard.size() % 4 != 0) standard += '=';
  std::string bytes;
  return Base64Decode(standard, bytes) ? bytes : std::string();
}

// The length of an IBAN by country.
struct Country {
  std::string_view code;
  std::size_t letters;
};
constexpr Country kCountries[] = {
    {"AD", 24}, {"AE", 23}, {"AL", 28}, {"AT", 20}, {"AZ", 28}, {"BA", 20}, {"BE", 16}, {"BG", 22},
    {"BH", 22}, {"BR", 29}, {"BY", 28}, {"CH", 21}, {"CR", 22}, {"CY", 28}, {"CZ", 24}, {"DE", 22},
    {"DK", 18}, {"DO", 28}, {"EE", 20}, {"EG", 29}, {"ES", 24}, {"FI", 18}, {"FO", 18}, {"FR", 27},
    {"GB", 22}, {"GE", 22}, {"GI", 23}, {"GL", 18}, {"GR", 27}, {"GT", 28}, {"HR", 21}, {"HU", 28},
    {"IE", 22}, {"IL", 23}, {"IQ", 23}, {"IS", 26}, {"IT", 27}, {"JO", 30}, {"KW", 30}, {"KZ", 20},
    {"LB", 28}, {"LI", 21}, {"LT", 20}, {"LU", 20}, {"LV", 21}, {"MC", 27}, {"MD", 24}, {"ME", 22},
    {"MK", 19}, {"MT", 31}, {"MU", 30}, {"NL", 18}, {"NO", 15}, {"PK", 24}, {"PL", 28}, {"PS", 29},
    {"PT", 25}, {"QA", 29}, {"RO", 24}, {"RS", 22}, {"SA", 24}, {"SE", 24}, {"SI", 19}, {"SK", 24},
    {"SM", 27}, {"TN", 24}, {"TR", 26}, {"UA", 29}, {"VA", 22}, {"XK", 20}};

}  // namespace

double Entropy(std::string_view text) {
  std::array<unsigned, 256> counts{};
  for (const char c : text) ++counts[static_cast<unsigned char>(c)];
  double bits = 0;
  const double size = static_cast<double>(text.size());
  for (const unsigned count : counts) {
    if (count > 0) bits -= count / size * std::log2(count / size);
  }
  return bits;
}

bool IsPlaceholder(std::string_view text) {
  const std::string lower = Lower(text.substr(0, 512));
  if (std::any_of(std::begin(kStopWords), std::end(kStopWords),
                  [&](std::string_view word) { return lower.contains(word); })) {
    return true;
  }
  return ReadsFromElsewhere(text.substr(0, 512));
}

std::size_t Plausible(const Candidate& candidate) {
  const std::string_view text = candidate.text;
  // A sample key from documentation is redacted too, which does no harm; only masked values are let
  // through.
  const std::string lower = Lower(text.substr(0, 512));
  for (const std::string_view mask : {"xxxx", "****", "....", "your"}) {
    if (lower.contains(mask)) return 0;
  }
  return Entropy(text) >= (text.size() >= 16 ? 2.5 : 1.5) ? text.size() : 0;
}

std::size_t RandomLooking(const Candidate& candidate) {
  if (IsPlaceholder(candidate.text)) return 0;
  if (!HasDigit(candidate.text) && !IsScrambled(candidate.text)) return 0;
  return Entropy(candidate.text) >= 3.0 ? candidate.text.size() : 0;
}

std::size_t MixedCase(const Candidate& candidate) {
  const std::string_view text = candidate.text;
  const bool upper = std::any_of(text.begin(), text.end(), IsUpper);
  const bool lower = std::any_of(text.begin(), text.end(), [](char c) { return c >= 'a'; });
  return upper && lower ? RandomLooking(candidate) : 0;
}

// "/etc/passwd: …": here "passwd" is a file name, not the name of a value.
static bool IsNamedByPath(std::string_view before) {
  const std::string lower = Lower(before);
  const std::size_t name = lower.rfind("passw");
  return name != std::string::npos && name > 0 && lower[name - 1] == '/';
}

// "password == confirm_password:" compares the password with another variable.
static bool IsCompared(const Candidate& candidate) {
  std::string_view before = candidate.before;
  while (before.ends_with(' ') || before.ends_with('\t')) before.remove_suffix(1);
  std::string_view name = candidate.text;
  while (!name.empty() && std::string_view(":?!").contains(name.back())) name.remove_suffix(1);
  const bool is_name = std::all_of(name.begin(), name.end(), [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '_' || c == '.';
  });
  return is_name && (IsIdentifier(name) || before.ends_with("==")) && !name.empty() &&
         !IsDigit(name[0]);
}

std::size_t Password(const Candidate& candidate) {
  const std::string_view text = candidate.text;
  if (IsNamedByPath(candidate.before)) return 0;
  if (candidate.next == '(' || IsPlaceholder(text) || IsPlainWord(text)) return 0;
  if (Entropy(text) < 1.5) return 0;     // "******", "111111"
  if (text.starts_with("x:")) return 0;  // passwd:x:1000, a line of /etc/passwd
  if (IsQuoted(candidate)) return IsProse(text) ? 0 : text.size();
  // Without quotes, the text may be code or prose.
  if (IsIdentifier(text) || IsPath(text) || IsCompared(candidate)) return 0;
  return text.size();
}

// `pass` is part of many words, and test output is full of it: it must be a whole word before an
// equals sign, or before a quoted value.
std::size_t PassValue(const Candidate& candidate) {
  const std::string lower = Lower(candidate.before);
  const std::size_t name = lower.rfind("pass");
  if (name == std::string::npos) return 0;
  const bool inside = name > 0 && (IsLetter(lower[name - 1]) || IsDigit(lower[name - 1]));
  const std::string_view rest = std::string_view(lower).substr(name + 4);
  const bool longer = !rest.empty() && (IsLetter(rest[0]) || IsDigit(rest[0]) || rest[0] == '_');
  const bool assigned = rest.contains('=') && !rest.contains("==");
  if (inside || longer || (!assigned && !IsQuoted(candidate))) return 0;
  return Password(candidate);
}

// define('DB_PASSWORD', '…') and putenv("API_TOKEN", "…"). Without such a call the quoted texts may
// be any list of words.
std::size_t DefinedValue(const Candidate& candidate) {
  const std::string lower = Lower(candidate.before);
  const bool defines = lower.contains("define(") || lower.contains("env(");
  return defines ? Password(candidate) : 0;
}

std::size_t SecretValue(const Candidate& candidate) {
  const std::string_view text = candidate.text;
  if (candidate.next == '(' || IsPlaceholder(text) || IsPath(text)) return 0;
  if (IsScrambled(text)) return Entropy(text) >= 3.0 ? text.size() : 0;
  if (IsIdentifier(text) || !HasDigit(text) || std::all_of(text.begin(), text.end(), IsDigit))
    return 0;
  return Entropy(text) >= (text.size() >= 24 ? 3.0 : 2.8) ? text.size() : 0;
}

std::size_t UrlPassword(const Candidate& candidate) {
  if (IsPlaceholder(candidate.text) || Lower(candidate.text) == "password") return 0;
  return candidate.text.size();
}

std::size_t BasicAuth(const Candidate& candidate) {
  const std::string bytes = DecodeUrlBase64(candidate.text);
  const bool pair = bytes.contains(':') && std::all_of(bytes.begin(), bytes.end(), [](char c) {
                      return static_cast<unsigned char>(c) >= ' ' && c != 0x7f;
                    });
  return pair ? candidate.text.size() : 0;
}

std::size_t Jwt(const Candidate& candidate) {
  const std::string_view header = candidate.text.substr(0, candidate.text.find('.'));
  const std::string bytes = DecodeUrlBase64(header);
  return bytes.starts_with("{\"") && bytes.ends_with("}") ? candidate.text.size() : 0;
}

std::size_t KeyBlock(const Candidate& candidate) {
  // Prose has no words of 40 letters; a base64 key consists of such runs.
  std::size_t run = 0;
  for (const char c : candidate.text) {
    run = IsLetter(c) || IsDigit(c) || c == '+' || c == '/' ? run + 1 : 0;
    if (run >= 40) return candidate.text.size();
  }
  return 0;
}

std::size_t Anything(const Candidate& candidate) { return candidate.text.size(); }

std::size_t Email(const Candidate& candidate) {
  std::string_view text = candidate.text;
  while (!text.empty() && (text.back() == '.' || text.back() == '-')) text.remove_suffix(1);
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos || at == 0) return 0;
  const std::string_view local = text.substr(0, at);
  const std::string_view domain = text.substr(at + 1);
  // git@host:path is the address of a repository.
  if (IsInUrl(candidate.before) || local == "git") return 0;
  if (local.back() == '.' || local.contains("..") || domain.contains("..")) return 0;
  const std::size_t dot = domain.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return 0;
  const std::string_view top = domain.substr(dot + 1);
  const bool letters = std::all_of(top.begin(), top.end(), IsLetter);
  if (!letters || top.size() < 2 || top.size() > 24) return 0;
  constexpr std::string_view kFiles[] = {"png", "jpg", "gif", "svg", "js", "css", "py", "service"};
  const std::string ending = Lower(top);
  // "icon@2x.png" and "unit@1.service" are file names.
  if (std::find(std::begin(kFiles), std::end(kFiles), ending) != std::end(kFiles)) return 0;
  return text.size();
}

std::size_t PaymentCard(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  const auto number = [&](std::size_t count) { return std::stoi(digits.substr(0, count)); };
  const std::size_t size = digits.size();
  const bool mastercard =
      (number(2) >= 51 && number(2) <= 55) || (number(4) >= 2221 && number(4) <= 2720);
  const bool discover =
      number(4) == 6011 || number(2) == 65 || (number(3) >= 644 && number(3) <= 649);
  const bool sixteen = digits[0] == '4' || mastercard || discover || number(2) == 62 ||
                       (number(4) >= 3528 && number(4) <= 3589);
  const bool amex = number(2) == 34 || number(2) == 37;
  const bool diners = number(2) == 36 || number(2) == 38 || (number(3) >= 300 && number(3) <= 305);
  const bool issued = (size == 16 && sixteen) || (size == 15 && amex) || (size == 14 && diners);
  if (!issued || !PassesLuhn(digits)) return 0;
  return candidate.text.size();
}

std::size_t Iban(const Candidate& candidate) {
  // Takes as many letters and digits as an IBAN of that country has, then verifies the checksum.
  const std::string_view text = candidate.text;
  const auto country = std::find_if(std::begin(kCountries), std::end(kCountries),
                                    [&](const Country& c) { return text.starts_with(c.code); });
  if (country == std::end(kCountries)) return 0;
  std::string compact;
  std::size_t end = 0;
  while (end < text.size() && compact.size() < country->letters) {
    if (text[end] != ' ') compact += text[end];
    ++end;
  }
  const int after = end < text.size() ? text[end] : candidate.next;
  if (compact.size() != country->letters || (after >= 0 && std::isalnum(after) != 0)) return 0;
  std::rotate(compact.begin(), compact.begin() + 4, compact.end());
  int rest = 0;
  for (const char c : compact)
    rest = (IsDigit(c) ? rest * 10 + (c - '0') : rest * 100 + (c - 'A' + 10)) % 97;
  return rest == 1 ? end : 0;
}

// In lower case, prose is easily mistaken for an IBAN. It must be written in groups of four or
// without gaps, and mostly in digits.
static bool IsWrittenLikeIban(std::string_view text) {
  constexpr std::size_t kMostLetters = 8;  // including the two of the country code
  const bool has_gaps = text.contains(' ');
  std::size_t letters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool gap_is_due = has_gaps && at % 5 == 4;
    if ((text[at] == ' ') != gap_is_due) return false;
    if (IsLetter(text[at])) ++letters;
  }
  return letters <= kMostLetters;
}

std::size_t SmallIban(const Candidate& candidate) {
  std::string capitals(candidate.text);
  for (char& c : capitals) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const std::size_t end = Iban({capitals, candidate.before, candidate.next});
  return IsWrittenLikeIban(candidate.text.substr(0, end)) ? end : 0;
}

std::size_t Ipv4(const Candidate& candidate) {
  const std::string text(candidate.text);
  in_addr address{};
  return ::inet_pton(AF_INET, text.c_str(), &address) == 1 ? text.size() : 0;
}

std::size_t Ipv6(const Candidate& candidate) {
  std::string text(candidate.text);
  while (text.ends_with('.') || (text.ends_with(':') && !text.ends_with("::"))) text.pop_back();
  in6_addr address{};
  return ::inet_pton(AF_INET6, text.c_str(), &address) == 1 ? text.size() : 0;
}

}  // namespace belljar::judgement::redaction
