#include "judgement/redaction/rule.h"

#include <charconv>
#include <cstdint>

namespace belljar::judgement::redaction {
namespace {

struct Alphabet {
  std::string_view macro;
  std::string_view letters;
};
constexpr Alphabet kAlphabets[] = {
    {"%x", "0123456789abcdef"},
    {"%X", "0123456789ABCDEFabcdef"},
    {"%d", "0123456789"},
    {"%U", "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"},
    {"%w", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"},
    {"%u", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"},
    {"%6", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"},
};

class Filler {
 public:
  void Fill(std::string_view letters, std::size_t count, std::string& text) {
    for (std::size_t i = 0; i < count; ++i) {
      state_ = state_ * 6364136223846793005U + 1442695040888963407U;
      text += letters[(state_ >> 33) % letters.size()];
    }
  }

 private:
  std::uint64_t state_ = 20;
};

// Parses "{N}" at `at` and moves `at` behind it; 1 if there is none.
std::size_t TakeCount(std::string_view text, std::size_t& at) {
  if (at >= text.size() || text[at] != '{') return 1;
  std::size_t count = 1;
  const auto read = std::from_chars(text.data() + at + 1, text.data() + text.size(), count);
  at = static_cast<std::size_t>(read.ptr - text.data()) + 1;
  return count;
}

}  // namespace

std::vector<RuleEntry> AllRules() {
  std::vector<RuleEntry> all;
  const auto add = [&](std::span<const Rule> rules, Group group) {
    for (const Rule& rule : rules) all.push_back({&rule, group});
  };
  add(CloudRules(), Group::kCredential);
  add(DeveloperRules(), Group::kCredential);
  add(ServiceRules(), Group::kCredential);
  add(NamedServiceRules(), Group::kCredential);
  add(KeyRules(), Group::kCredential);
  add(GeneralRules(), Group::kCredential);
  add(PersonalRules(), Group::kPersonal);
  add(MachineRules(), Group::kMachine);
  return all;
}

std::string ExpandExample(std::string_view example) {
  std::string text;
  Filler filler;
  for (std::size_t at = 0; at < example.size();) {
    if (example.substr(at).starts_with("%i")) {
      text += ExpandExample("%x{8}-%x{4}-%x{4}-%x{4}-%x{12}");
      at += 2;
      continue;
    }
    const Alphabet* chosen = nullptr;
    for (const Alphabet& alphabet : kAlphabets) {
      if (example.substr(at).starts_with(alphabet.macro)) chosen = &alphabet;
    }
    if (chosen == nullptr) {
      text += example[at++];
      continue;
    }
    at += chosen->macro.size();
    const std::size_t count = TakeCount(example, at);
    filler.Fill(chosen->letters, count, text);
  }
  return text;
}

}  // namespace belljar::judgement::redaction
