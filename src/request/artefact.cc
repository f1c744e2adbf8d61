#include "request/artefact.h"

#include <algorithm>
#include <set>

#include "foundation/base/glob.h"
#include "foundation/base/quote.h"

namespace belljar::request {
namespace {

constexpr std::string_view kDigestAlgorithm = "sha256:";
constexpr std::size_t kArtefactDigestBytes = kDigestAlgorithm.size() + 64;

bool IsArtefactStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsArtefactChar(char c) { return IsArtefactStart(c) || c == '.' || c == '_' || c == '-'; }

struct Divided {
  std::string_view name;
  std::string_view digest;
};

// A name contains no '@', so the first one separates it from the digest.
Result<Divided> DivideArtefact(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) return Divided{text, {}};
  const Divided divided{text.substr(0, at), text.substr(at + 1)};
  BJ_TRY(ValidateArtefactDigest(divided.digest));
  return divided;
}

}  // namespace

Result<> ValidateArtefactName(std::string_view name) {
  const bool good = !name.empty() && name.size() <= kMaxArtefactName &&
                    IsArtefactStart(name.front()) && std::ranges::all_of(name, IsArtefactChar);
  if (good) return {};
  return Invalid(
      "an artefact's name has letters, digits, '.', '_' and '-', begins with a letter or a digit, "
      "and is at most {} long, not {}",
      kMaxArtefactName, Quote(name));
}

Result<> ValidateArtefactDigest(std::string_view digest) {
  const bool good = digest.size() == kArtefactDigestBytes && digest.starts_with(kDigestAlgorithm) &&
                    digest.find_first_not_of("0123456789abcdef", kDigestAlgorithm.size()) ==
                        std::string_view::npos;
  if (good) return {};
  return Invalid("a digest is \"sha256:\" and 64 digits of 0-9 and a-f, not {}", Quote(digest));
}

Result<Artefact> ParseArtefact(std::string_view text) {
  const Divided divided = BJ_TRY(DivideArtefact(text));
  BJ_TRY(ValidateArtefactName(divided.name));
  return Artefact{std::string(divided.name), std::string(divided.digest)};
}

std::string ArtefactText(const Artefact& artefact) {
  return artefact.digest.empty() ? artefact.name : artefact.name + "@" + artefact.digest;
}

Result<std::vector<Artefact>> ReadArtefacts(const json::value& value) {
  if (!value.is_array()) return Invalid("\"artefacts\" must be a list of texts");
  std::vector<Artefact> artefacts;
  for (const json::value& item : value.get_array()) {
    if (!item.is_string()) return Invalid("\"artefacts\" must be a list of texts");
    const std::string_view text(item.get_string().data(), item.get_string().size());
    artefacts.push_back(BJ_TRY(ParseArtefact(text).While("\"artefacts\"")));
  }
  return artefacts;
}

Result<> ValidateArtefacts(const std::vector<Artefact>& artefacts) {
  if (artefacts.size() > kMaxArtefacts) {
    return Invalid("\"artefacts\" has {} entries; at most {} are allowed", artefacts.size(),
                   kMaxArtefacts);
  }
  std::set<std::string_view> names;
  for (const Artefact& artefact : artefacts) {
    BJ_TRY(ValidateArtefactName(artefact.name));
    if (!artefact.digest.empty()) BJ_TRY(ValidateArtefactDigest(artefact.digest));
    if (names.insert(artefact.name).second) continue;
    return Invalid("the artefact {} is asked for twice", Quote(artefact.name));
  }
  return {};
}

Result<> ValidateArtefactPattern(std::string_view text) {
  const Divided divided = BJ_TRY(DivideArtefact(text));
  const auto proper = [](char c) { return IsArtefactChar(c) || c == '*' || c == '?'; };
  const std::string_view name = divided.name;
  if (!name.empty() && name.size() <= kMaxArtefactName && std::ranges::all_of(name, proper)) {
    return {};
  }
  return Invalid("takes names of artefacts with * and ? in them, or NAME@sha256:…, not {}",
                 Quote(text));
}

bool IsArtefactOpen(const std::vector<std::string>& allow, const Artefact& artefact) {
  return std::ranges::any_of(allow, [&](const std::string& text) {
    const auto divided = DivideArtefact(text);
    return divided && GlobMatches(divided->name, artefact.name) &&
           (divided->digest.empty() || divided->digest == artefact.digest);
  });
}

}  // namespace belljar::request
