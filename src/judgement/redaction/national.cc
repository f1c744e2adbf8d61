#include "judgement/redaction/national.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace belljar::judgement::redaction {
namespace {

std::size_t All(const Candidate& candidate, bool holds) {
  return holds ? candidate.text.size() : 0;
}

int Value(char c) { return c - '0'; }

int Number(std::string_view digits, std::size_t first, std::size_t count) {
  int number = 0;
  for (const char c : digits.substr(first, count)) number = number * 10 + Value(c);
  return number;
}

bool IsDay(int day) { return day >= 1 && day <= 31; }
bool IsMonth(int month) { return month >= 1 && month <= 12; }

template <std::size_t kCount>
int Weighted(std::string_view digits, const std::array<int, kCount>& weights) {
  int sum = 0;
  for (std::size_t i = 0; i < kCount; ++i) sum += Value(digits[i]) * weights[i];
  return sum;
}

int Remainder(std::string_view digits, int divisor) {
  int rest = 0;
  for (const char c : digits) rest = (rest * 10 + Value(c)) % divisor;
  return rest;
}

bool AllSame(std::string_view digits) {
  return digits.find_first_not_of(digits[0]) == std::string_view::npos;
}

bool IsAmerican(std::string_view ten) {
  return ten.size() == 10 && ten[0] >= '2' && ten[3] >= '2' && !AllSame(ten) &&
         ten.substr(1, 2) != "11" && ten.substr(4, 2) != "11";
}

}  // namespace

std::string DigitsOf(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9') digits += c;
  }
  return digits;
}

bool PassesLuhn(std::string_view digits) {
  int sum = 0;
  bool twice = false;
  for (auto c = digits.rbegin(); c != digits.rend(); ++c, twice = !twice) {
    const int value = Value(*c) * (twice ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return !digits.empty() && sum % 10 == 0;
}

bool PassesVerhoeff(std::string_view digits) {
  // Multiplication in the dihedral group D5 (order 10), and the permutation of digits by position.
  const auto multiply = [](int a, int b) {
    const int turned = a < 5 ? (b < 5 ? (a + b) % 5 : 5 + (a + b) % 5)
                             : (b < 5 ? 5 + (a - b + 5) % 5 : (a - b + 5) % 5);
    return turned;
  };
  constexpr std::array<int, 10> kPermutation = {1, 5, 7, 6, 2, 8, 3, 0, 9, 4};
  int check = 0;
  std::size_t place = 0;
  for (auto c = digits.rbegin(); c != digits.rend(); ++c, ++place) {
    int value = Value(*c);
    for (std::size_t i = 0; i < place % 8; ++i)
      value = kPermutation[static_cast<std::size_t>(value)];
    check = multiply(check, value);
  }
  return check == 0;
}

std::size_t InternationalPhone(const Candidate& candidate) {
  // The longest prefix, ending at a separator or the end, with a valid number of digits.
  const std::string_view text = candidate.text;
  const bool american = text.starts_with("+1");
  std::size_t digits = 0, best = 0;
  for (std::size_t i = 1; i <= text.size(); ++i) {
    const bool was_digit = text[i - 1] >= '0' && text[i - 1] <= '9';
    const bool is_digit = i < text.size() && text[i] >= '0' && text[i] <= '9';
    if (was_digit) ++digits;
    if (!was_digit || is_digit) continue;
    if (american ? digits == 11 : digits >= 9 && digits <= 15) best = i;
  }
  if (best == 0) return 0;
  const std::string number = DigitsOf(text.substr(0, best));
  if (american && !IsAmerican(std::string_view(number).substr(1))) return 0;
  const std::string_view groups = text.substr(1, best - 1);
  const bool in_groups = groups.find_first_of(" .-()") != std::string_view::npos;
  // A decimal number such as +35236450.6.
  const bool decimal = std::count(groups.begin(), groups.end(), '.') == 1 &&
                       groups.find_first_of(" -()") == std::string_view::npos;
  if (decimal) return 0;
  // A short ungrouped number after a plus sign may be a line of a diff or an offset.
  if (!in_groups && number.size() < 11) return 0;
  return AllSame(number) ? 0 : best;
}

std::size_t AmericanPhone(const Candidate& candidate) {
  return All(candidate, IsAmerican(DigitsOf(candidate.text)));
}

std::size_t NamedPhone(const Candidate& candidate) {
  std::string_view text = candidate.text;
  while (!text.empty() && (text.back() < '0' || text.back() > '9')) text.remove_suffix(1);
  const std::string digits = DigitsOf(text);
  if (digits.size() < 7 || digits.size() > 15 || AllSame(digits)) return 0;
  return text.size();
}

std::size_t UsSocialSecurity(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  const int area = Number(digits, 0, 3);
  const bool issued = area != 0 && area != 666 && area < 900 && Number(digits, 3, 2) != 0 &&
                      Number(digits, 5, 4) != 0;
  return All(candidate, digits.size() == 9 && issued && digits != "123456789");
}

std::size_t UsTaxpayer(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  const int group = Number(digits, 3, 2);
  return All(candidate, digits[0] == '9' && group >= 50 && group != 89 && group != 93);
}

std::size_t CanadianSin(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  return All(candidate, digits[0] != '0' && digits[0] != '8' && PassesLuhn(digits));
}

std::size_t BritishNino(const Candidate& candidate) {
  const std::string_view text = candidate.text;
  constexpr std::string_view kNeverFirst = "DFIQUV";
  constexpr std::string_view kNeverSecond = "DFIQUVO";
  if (kNeverFirst.contains(text[0]) || kNeverSecond.contains(text[1])) return 0;
  for (const std::string_view pair : {"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"}) {
    if (text.starts_with(pair)) return 0;
  }
  return text.size();
}

std::size_t BritishNhs(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  const int sum = Weighted<9>(digits, {10, 9, 8, 7, 6, 5, 4, 3, 2});
  return All(candidate, (11 - sum % 11) % 11 == Value(digits[9]) && !AllSame(digits));
}

std::size_t IrishPps(const Candidate& candidate) {
  const std::string_view text = candidate.text;
  int sum = Weighted<7>(text, {8, 7, 6, 5, 4, 3, 2});
  if (text.size() == 9 && text[8] != 'W') sum += (text[8] - 'A' + 1) * 9;
  return All(candidate, text[7] == "WABCDEFGHIJKLMNOPQRSTUV"[sum % 23]);
}

std::size_t SpanishDni(const Candidate& candidate) {
  std::string text(candidate.text);
  std::erase(text, '-');
  if (text[0] >= 'X' && text[0] <= 'Z') text[0] = static_cast<char>('0' + text[0] - 'X');
  const char letter = "TRWAGMYFPDXBNJZSQVHLCKE"[Number(text, 0, 8) % 23];
  return All(candidate, text.back() == letter);
}

std::size_t ItalianCodiceFiscale(const Candidate& candidate) {
  constexpr std::array<int, 26> kOdd = {1,  0,  5, 7, 9, 13, 15, 17, 19, 21, 2,  4,  18,
                                        20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23};
  int sum = 0;
  for (std::size_t i = 0; i < 15; ++i) {
    const char c = candidate.text[i];
    const auto value = static_cast<std::size_t>(c <= '9' ? c - '0' : c - 'A');
    sum += i % 2 == 0 ? kOdd[value] : static_cast<int>(value);
  }
  return All(candidate, candidate.text[15] == 'A' + sum % 26);
}

std::size_t FrenchNir(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  if (digits.size() != 15 || (digits[0] != '1' && digits[0] != '2')) return 0;
  const int month = Number(digits, 3, 2);
  const bool born = IsMonth(month) || (month >= 20 && month <= 42);
  const int key = 97 - Remainder(std::string_view(digits).substr(0, 13), 97);
  return All(candidate, born && key == Number(digits, 13, 2));
}

std::size_t GermanTaxId(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  int product = 10;
  for (std::size_t i = 0; i < 10; ++i) {
    const int sum = (Value(digits[i]) + product) % 10;
    product = (sum == 0 ? 10 : sum) * 2 % 11;
  }
  return All(candidate, digits[0] != '0' && (11 - product) % 10 == Value(digits[10]));
}

std::size_t GermanIdCard(const Candidate& candidate) {
  int sum = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    const char c = candidate.text[i];
    sum += (c <= '9' ? c - '0' : c - 'A' + 10) * (i % 3 == 0 ? 7 : i % 3 == 1 ? 3 : 1);
  }
  return All(candidate, candidate.text.size() == 9 || sum % 10 == Value(candidate.text[9]));
}

std::size_t DutchBsn(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  const int sum = Weighted<9>(digits, {9, 8, 7, 6, 5, 4, 3, 2, -1});
  return All(candidate, sum % 11 == 0 && sum != 0);
}

std::size_t BelgianNationalNumber(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  const int key = Number(digits, 9, 2);
  const std::string born = digits.substr(0, 9);
  return All(candidate, key == 97 - Remainder(born, 97) || key == 97 - Remainder("2" + born, 97));
}

std::size_t SwedishPersonnummer(const Candidate& candidate) {
  std::string digits = DigitsOf(candidate.text);
  if (digits.size() == 12) digits.erase(0, 2);
  const bool born = IsMonth(Number(digits, 2, 2)) && IsDay(Number(digits, 4, 2) % 60);
  return All(candidate, born && PassesLuhn(digits));
}

std::size_t FinnishHetu(const Candidate& candidate) {
  const std::string_view text = candidate.text;
  const std::string digits = DigitsOf(text.substr(0, 10));
  const bool born = IsDay(Number(digits, 0, 2)) && IsMonth(Number(digits, 2, 2));
  const auto key = static_cast<std::size_t>(Remainder(digits, 31));
  return All(candidate, born && text[10] == "0123456789ABCDEFHJKLMNPRSTUVWXY"[key]);
}

std::size_t NorwegianFodselsnummer(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  const int first = Weighted<10>(digits, {3, 7, 6, 1, 8, 9, 4, 5, 2, 1});
  const int second = Weighted<11>(digits, {5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1});
  return All(candidate, first % 11 == 0 && second % 11 == 0 && !AllSame(digits));
}

std::size_t DanishCpr(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  return All(candidate, IsDay(Number(digits, 0, 2)) && IsMonth(Number(digits, 2, 2)));
}

std::size_t PolishPesel(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  const int sum = Weighted<11>(digits, {1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1});
  const bool born = IsMonth(Number(digits, 2, 2) % 20) && IsDay(Number(digits, 4, 2));
  return All(candidate, born && sum % 10 == 0);
}

std::size_t PortugueseNif(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  const int rest = Weighted<8>(digits, {9, 8, 7, 6, 5, 4, 3, 2}) % 11;
  return All(candidate, Value(digits[8]) == (rest < 2 ? 0 : 11 - rest));
}

std::size_t TurkishTckn(const Candidate& candidate) {
  const std::string d = DigitsOf(candidate.text);
  const int tenth = Weighted<9>(d, {7, -1, 7, -1, 7, -1, 7, -1, 7});
  const int all =
      std::accumulate(d.begin(), d.begin() + 10, 0, [](int sum, char c) { return sum + Value(c); });
  return All(candidate,
             d[0] != '0' && (tenth % 10 + 10) % 10 == Value(d[9]) && all % 10 == Value(d[10]));
}

std::size_t BrazilianCpf(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  const int first = Weighted<9>(digits, {10, 9, 8, 7, 6, 5, 4, 3, 2}) * 10 % 11 % 10;
  const int second = Weighted<10>(digits, {11, 10, 9, 8, 7, 6, 5, 4, 3, 2}) * 10 % 11 % 10;
  return All(candidate,
             !AllSame(digits) && first == Value(digits[9]) && second == Value(digits[10]));
}

std::size_t ChileanRut(const Candidate& candidate) {
  const std::string_view text = candidate.text;
  const std::string digits = DigitsOf(text.substr(0, text.size() - 1));
  int sum = 0, weight = 2;
  for (auto c = digits.rbegin(); c != digits.rend(); ++c) {
    sum += Value(*c) * weight;
    weight = weight == 7 ? 2 : weight + 1;
  }
  return All(candidate, text.back() == "0K987654321"[sum % 11]);
}

std::size_t MexicanCurp(const Candidate& candidate) {
  // N with tilde has the value between N and O, so letters after N are shifted by one.
  int sum = 0;
  for (std::size_t i = 0; i < 17; ++i) {
    const char c = candidate.text[i];
    const int value = c <= '9' ? c - '0' : c - 'A' + 10 + (c > 'N' ? 1 : 0);
    sum += value * static_cast<int>(18 - i);
  }
  return All(candidate, Value(candidate.text[17]) == (10 - sum % 10) % 10);
}

std::size_t IndianAadhaar(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  return All(candidate, digits.size() == 12 && digits[0] >= '2' && PassesVerhoeff(digits));
}

std::size_t IndianPan(const Candidate& candidate) {
  constexpr std::string_view kHolders = "ABCFGHLJPT";
  return All(candidate, kHolders.contains(candidate.text[3]));
}

std::size_t ChineseResidentId(const Candidate& candidate) {
  const std::string_view text = candidate.text;
  const int year = Number(text, 6, 4);
  const bool born =
      year >= 1900 && year < 2100 && IsMonth(Number(text, 10, 2)) && IsDay(Number(text, 12, 2));
  const int sum = Weighted<17>(text, {7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2});
  return All(candidate, born && text[17] == "10X98765432"[sum % 11]);
}

std::size_t KoreanRrn(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  const bool born = IsMonth(Number(digits, 2, 2)) && IsDay(Number(digits, 4, 2));
  const int sum = Weighted<12>(digits, {2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5});
  return All(candidate, born && (11 - sum % 11) % 10 == Value(digits[12]));
}

std::size_t SouthAfricanId(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  const bool born = IsMonth(Number(digits, 2, 2)) && IsDay(Number(digits, 4, 2));
  return All(candidate, born && digits[10] <= '2' && PassesLuhn(digits));
}

std::size_t AustralianTfn(const Candidate& candidate) {
  const std::string digits = DigitsOf(candidate.text);
  return All(candidate, Weighted<9>(digits, {1, 4, 3, 7, 5, 8, 6, 9, 10}) % 11 == 0);
}

}  // namespace belljar::judgement::redaction
