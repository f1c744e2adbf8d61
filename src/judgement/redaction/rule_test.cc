#include "judgement/redaction/rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "judgement/redaction/compiled.h"
#include "judgement/redaction/redactor.h"

namespace belljar::judgement::redaction {
namespace {

const Redactor& Everything() {
  static const std::shared_ptr<const Redactor> kRedactor = [] {
    Options options;
    options.machine_addresses = true;
    auto created = Redactor::Create(options);
    EXPECT_TRUE(created) << created.error().message();
    return *created;
  }();
  return *kRedactor;
}

TEST(Rules, CatchTheirExample) {
  for (const auto [rule, group] : AllRules()) {
    const std::string text = ExpandExample(rule->caught);
    Counts counts;
    const std::string out = Everything().RedactWhole(text, counts);
    EXPECT_EQ(counts.count(std::string(rule->kind)), 1U)
        << rule->kind << " did not catch " << text << "\n  but gave " << out;
  }
}

TEST(Rules, SpareTheirCounterExample) {
  for (const auto [rule, group] : AllRules()) {
    const std::string text = ExpandExample(rule->spared);
    Counts counts;
    const std::string out = Everything().RedactWhole(text, counts);
    EXPECT_EQ(counts.count(std::string(rule->kind)), 0U)
        << rule->kind << " caught " << text << "\n  and gave " << out;
  }
}

TEST(Rules, KnowEnoughKinds) {
  std::set<std::string_view> credentials, personal;
  for (const auto [rule, group] : AllRules()) {
    (group == Group::kCredential ? credentials : personal).insert(rule->kind);
    EXPECT_EQ(rule->kind.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
              std::string_view::npos)
        << rule->kind;
  }
  EXPECT_GE(credentials.size(), 150U);
  EXPECT_GE(personal.size(), 30U);
}

// What a stream holds back before an anchor is complete relies on these properties.
TEST(Rules, BeginWithBytesThatAreHeldBack) {
  const auto table = BuildSequences();
  ASSERT_TRUE(table) << table.error().message();
  for (const CompiledSequence& compiled : table->sequences) {
    const Sequence& sequence = compiled.sequence;
    std::uint32_t bytes = sequence.has_lead ? sequence.items[0].most : 0;
    if (sequence.secret_first == 0) {
      EXPECT_TRUE(sequence.items[0].set.Within(TokenBytes())) << compiled.rule->kind;
    }
    for (unsigned byte = 0; byte < 256 && sequence.secret_first == 0 && !sequence.has_lead;
         ++byte) {
      const auto value = static_cast<unsigned char>(byte);
      EXPECT_TRUE(!sequence.items[0].set.Has(value) || IsFirstByte(value)) << compiled.rule->kind;
    }
    bytes += sequence.anchor_bytes;
    EXPECT_LE(bytes, kMaxUnanchoredBytes) << compiled.rule->kind;
  }
}

TEST(Rules, HoldBoundedSecrets) {
  const auto table = BuildSequences();
  ASSERT_TRUE(table);
  for (const CompiledSequence& compiled : table->sequences) {
    std::size_t most = 0;
    for (std::size_t i = compiled.sequence.secret_first; i < compiled.sequence.items.size(); ++i) {
      const Item& item = compiled.sequence.items[i];
      most += item.most == kOpen ? kJudgedBytes : item.most;
    }
    EXPECT_LE(most, kMaxHeldBytes) << compiled.rule->kind;
  }
}

TEST(Rules, HaveShapesOfAtLeastTenBytesWithinTheLimit) {
  for (const auto [rule, group] : AllRules()) {
    if (rule->finder != Finder::kNumber || rule->pattern == "+*") continue;
    std::string_view rest = rule->pattern;
    while (!rest.empty()) {
      const std::string_view shape = rest.substr(0, rest.find('|'));
      EXPECT_GE(shape.size(), 10U) << rule->kind;
      EXPECT_LE(shape.size() + 20, kNumberBytes) << rule->kind;
      rest.remove_prefix(std::min(shape.size() + 1, rest.size()));
    }
  }
}

}  // namespace
}  // namespace belljar::judgement::redaction
