// Checks of telephone numbers and national identification numbers.
//
// Plain digits are accepted as such a number only with a keyword nearby, or with separators in the
// right places and a valid checksum. The rule's pattern decides which of the two applies; the check
// verifies the checksum.
#pragma once

#include <string>

#include "judgement/redaction/checks.h"

namespace belljar::judgement::redaction {

// The digits of `text`, without separators.
std::string DigitsOf(std::string_view text);
bool PassesLuhn(std::string_view digits);
bool PassesVerhoeff(std::string_view digits);

std::size_t InternationalPhone(const Candidate& candidate);  // starting at its `+`
std::size_t AmericanPhone(const Candidate& candidate);
std::size_t NamedPhone(const Candidate& candidate);  // after "phone:"

std::size_t UsSocialSecurity(const Candidate& candidate);
std::size_t UsTaxpayer(const Candidate& candidate);
std::size_t CanadianSin(const Candidate& candidate);
std::size_t BritishNino(const Candidate& candidate);
std::size_t BritishNhs(const Candidate& candidate);
std::size_t IrishPps(const Candidate& candidate);
std::size_t SpanishDni(const Candidate& candidate);  // and NIE (foreign residents)
std::size_t ItalianCodiceFiscale(const Candidate& candidate);
std::size_t FrenchNir(const Candidate& candidate);
std::size_t GermanTaxId(const Candidate& candidate);
std::size_t GermanIdCard(const Candidate& candidate);
std::size_t DutchBsn(const Candidate& candidate);
std::size_t BelgianNationalNumber(const Candidate& candidate);
std::size_t SwedishPersonnummer(const Candidate& candidate);
std::size_t FinnishHetu(const Candidate& candidate);
std::size_t NorwegianFodselsnummer(const Candidate& candidate);
std::size_t DanishCpr(const Candidate& candidate);
std::size_t PolishPesel(const Candidate& candidate);
std::size_t PortugueseNif(const Candidate& candidate);
std::size_t TurkishTckn(const Candidate& candidate);
std::size_t BrazilianCpf(const Candidate& candidate);
std::size_t ChileanRut(const Candidate& candidate);
std::size_t MexicanCurp(const Candidate& candidate);
std::size_t IndianAadhaar(const Candidate& candidate);
std::size_t IndianPan(const Candidate& candidate);
std::size_t ChineseResidentId(const Candidate& candidate);
std::size_t KoreanRrn(const Candidate& candidate);
std::size_t SouthAfricanId(const Candidate& candidate);
std::size_t AustralianTfn(const Candidate& candidate);

}  // namespace belljar::judgement::redaction
