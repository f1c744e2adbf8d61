// Checks: what a candidate must satisfy beyond the shape of its pattern.
//
// The shape alone gives false alarms: every sixteen-digit number looks like a payment card, and
// `password = getpass()` like a password. A check sees the candidate and the bytes directly around
// it, nothing else. It returns how many of the candidate's bytes are the secret: 0 for none, and
// fewer than all when the pattern took too much (the full stop after an e-mail address).
#pragma once

#include <cstddef>
#include <string_view>

namespace belljar::judgement::redaction {

struct Candidate {
  std::string_view text;
  std::string_view before;  // at least kContextBytes, or everything before it
  int next = -1;            // the byte after it, or -1 at the end
};

constexpr std::size_t kContextBytes = 64;

using Check = std::size_t (*)(const Candidate&);

// The Shannon entropy in bits per byte.
double Entropy(std::string_view text);

// Texts that stand in place of a secret: "changeme", "<token>", "${VAR}", "xxxx".
bool IsPlaceholder(std::string_view text);

// Accepts what is neither a placeholder nor a repetition of few different bytes. The default check
// of rules.
std::size_t Plausible(const Candidate& candidate);

// Entropy of at least 3 bits per byte, with digits.
std::size_t RandomLooking(const Candidate& candidate);
std::size_t MixedCase(const Candidate& candidate);  // the same, with upper- and lower-case letters
std::size_t Password(const Candidate& candidate);   // the value of `password = …`
std::size_t PassValue(const Candidate& candidate);  // the value of `PASS=…`
std::size_t DefinedValue(const Candidate& candidate);
std::size_t SecretValue(const Candidate& candidate);  // the value of `api_key = …`
std::size_t UrlPassword(const Candidate& candidate);  // between `user:` and `@host`
std::size_t BasicAuth(const Candidate& candidate);    // base64 of `user:password`
std::size_t Jwt(const Candidate& candidate);          // its header is base64url of JSON
std::size_t KeyBlock(const Candidate& candidate);     // the inside of a PEM block
std::size_t Anything(const Candidate& candidate);

std::size_t Email(const Candidate& candidate);
std::size_t PaymentCard(const Candidate& candidate);
std::size_t Iban(const Candidate& candidate);
std::size_t SmallIban(const Candidate& candidate);  // an IBAN in lower-case letters
std::size_t Ipv4(const Candidate& candidate);
std::size_t Ipv6(const Candidate& candidate);

}  // namespace belljar::judgement::redaction
