#include "judgement/redaction/compiled.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace belljar::judgement::redaction {
namespace {

bool IsWanted(Group group, const Options& options) {
  if (group == Group::kCredential) return options.credentials;
  if (group == Group::kPersonal) return options.personal;
  return options.machine_addresses;
}

// Adds a sequence for a finder other than Vectorscan.
void AddOther(Sequence sequence, RuleEntry entry, std::size_t order, SequenceTable& table) {
  const Finder finder = entry.rule->finder;
  std::vector<std::size_t>& found = finder == Finder::kAtSign     ? table.at_signs
                                    : finder == Finder::kCapitals ? table.capitals
                                    : finder == Finder::kSmall    ? table.small
                                    : finder == Finder::kDots     ? table.dots
                                                                  : table.colons;
  const bool by_letters = finder == Finder::kCapitals || finder == Finder::kSmall;
  sequence.anchor_bytes = by_letters ? 2 : 1;
  for (const Item& item : sequence.items) {
    const bool before = by_letters ? !item.set.Has('0') : item.set.Has('0');
    if (sequence.has_lead || !before) break;
    sequence.anchor_bytes += item.least;
  }
  found.push_back(table.sequences.size());
  table.sequences.push_back({std::move(sequence), entry.rule, order, entry.group});
}

Error HsError(std::string_view call, hs_error_t error) {
  const Kind kind = error == HS_NOMEM ? Kind::kExhausted : Kind::kInternal;
  return Error(kind, fmt::format("{}: Vectorscan error {}", call, error));
}

}  // namespace

Result<SequenceTable> BuildSequences() {
  SequenceTable table;
  std::map<std::pair<std::vector<Item>, Case>, std::size_t> known;
  const auto entries = AllRules();
  for (std::size_t order = 0; order < entries.size(); ++order) {
    const auto [rule, group] = entries[order];
    if (rule->finder == Finder::kNumber) continue;
    auto sequences = BJ_TRY(ParsePattern(rule->pattern, rule->letter_case).While(rule->kind));
    for (Sequence& sequence : sequences) {
      if (rule->finder != Finder::kAnchor) {
        AddOther(std::move(sequence), entries[order], order, table);
        continue;
      }
      if (sequence.anchor_bytes < 2) {
        return Error(Kind::kInternal, fmt::format("{}: a pattern has no anchor", rule->kind));
      }
      const auto key = std::pair(sequence.anchor, rule->letter_case);
      const auto [place, is_new] = known.try_emplace(key, table.anchors.size());
      if (is_new) table.anchors.push_back({sequence.anchor, rule->letter_case, {}});
      table.anchors[place->second].sequences.push_back(table.sequences.size());
      table.sequences.push_back({std::move(sequence), rule, order, group});
    }
  }
  return table;
}

Result<DatabasePtr> CompileDatabase(const SequenceTable& table,
                                    const hs_platform_info_t* platform) {
  std::vector<std::string> texts;
  for (const Anchor& anchor : table.anchors) texts.push_back(AnchorText(anchor.items));
  std::vector<const char*> patterns;
  std::vector<unsigned> flags, ids;
  for (const Anchor& anchor : table.anchors) {
    ids.push_back(static_cast<unsigned>(patterns.size()));
    patterns.push_back(texts[patterns.size()].c_str());
    flags.push_back(anchor.letter_case == Case::kAny ? HS_FLAG_CASELESS : 0);
  }
  hs_database_t* database = nullptr;
  hs_compile_error_t* problem = nullptr;
  const hs_error_t error = ::hs_compile_multi(patterns.data(), flags.data(), ids.data(),
                                              static_cast<unsigned>(patterns.size()),
                                              HS_MODE_STREAM, platform, &database, &problem);
  if (error == HS_SUCCESS) return DatabasePtr(database);
  const std::string message = problem != nullptr ? problem->message : "no reason given";
  ::hs_free_compile_error(problem);
  return Error(Kind::kInternal, "compile the rules of redaction: " + message);
}

std::span<const unsigned long long> EmbeddedCpuFeatures() {
  static constexpr unsigned long long kLevels[] = {HS_CPU_FEATURES_AVX2 | HS_CPU_FEATURES_AVX512,
                                                   HS_CPU_FEATURES_AVX2, 0};
  return kLevels;
}

Result<> CompiledRules::Load() {
  for (const std::string_view bytes : EmbeddedDatabases()) {
    hs_database_t* database = nullptr;
    const hs_error_t error = ::hs_deserialize_database(bytes.data(), bytes.size(), &database);
    if (error != HS_SUCCESS) continue;  // built by another version of Vectorscan, or out of memory
    database_.reset(database);
    hs_scratch_t* scratch = nullptr;
    // Fails if the database needs CPU features that this machine lacks.
    if (::hs_alloc_scratch(database, &scratch) == HS_SUCCESS) {
      scratch_.reset(scratch);
      return {};
    }
  }
  database_ = BJ_TRY(CompileDatabase(table_, nullptr));
  hs_scratch_t* scratch = nullptr;
  const hs_error_t error = ::hs_alloc_scratch(database_.get(), &scratch);
  if (error != HS_SUCCESS) return HsError("hs_alloc_scratch", error);
  scratch_.reset(scratch);
  return {};
}

// Drops the rules that `options` exclude. Their anchors stay in the database, and hits are ignored.
void CompiledRules::Choose(const Options& options) {
  const auto unwanted = [&](std::size_t index) {
    return !IsWanted(table_.sequences[index].group, options);
  };
  for (Anchor& anchor : table_.anchors) std::erase_if(anchor.sequences, unwanted);
  for (auto* sequences :
       {&table_.at_signs, &table_.capitals, &table_.small, &table_.dots, &table_.colons}) {
    std::erase_if(*sequences, unwanted);
  }
  for (std::size_t order = 0; order < entries_.size(); ++order) {
    const auto [rule, group] = entries_[order];
    if (rule->finder == Finder::kNumber && IsWanted(group, options)) {
      shapes_.Add(*rule, order);
    }
  }
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto value = static_cast<unsigned char>(byte);
    // Only IPv6 and MAC addresses begin with letters and colons; and holding back colons would
    // delay prompts, which often end with one.
    if (value == ':' && !options.machine_addresses) continue;
    if (TokenBytes().Has(value)) held_bytes_.Add(value);
  }
}

Result<std::unique_ptr<const CompiledRules>> CompiledRules::Create(const Options& options) {
  std::unique_ptr<CompiledRules> rules(new CompiledRules());
  rules->entries_ = AllRules();
  rules->table_ = BJ_TRY(BuildSequences());
  BJ_TRY(rules->Load());
  rules->Choose(options);
  return std::unique_ptr<const CompiledRules>(std::move(rules));
}

}  // namespace belljar::judgement::redaction
