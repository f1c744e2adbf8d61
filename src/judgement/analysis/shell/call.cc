#include "judgement/analysis/shell/call.h"

#include <algorithm>

namespace belljar::judgement::analysis::shell {
Word WithoutLead(const Word& word, std::size_t count) {
  Word rest;
  for (Piece piece : word.pieces()) {
    const std::size_t cut = std::min(count, piece.text.size());
    if (piece.kind == Piece::Kind::kUnknown || piece.kind == Piece::Kind::kHome) count = 0;
    if (count > 0) piece.text.erase(0, cut);
    count -= std::min(count, cut);
    if (!piece.text.empty() || piece.kind == Piece::Kind::kHome) rest.Add(std::move(piece));
  }
  return rest;
}

Arguments::Arguments(std::span<const Word> words, const OptionSpec& spec, Order order) {
  bool no_more = false;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string text = words[at].Lead();
    if (no_more || text.size() < 2 || text[0] != '-') {
      operands_.push_back(words[at]);
      no_more |= order == Order::kOptionsFirst;
    } else if (text == "--" && words[at].IsConstant()) {
      no_more = true;
    } else if (text[1] == '-') {
      AddLong(text, words[at], words, at, spec);
    } else {
      AddShort(text, words[at], words, at, spec);
    }
  }
}

void Arguments::AddLong(const std::string& text, const Word& word, std::span<const Word> words,
                        std::size_t& at, const OptionSpec& spec) {
  const std::size_t equals = text.find('=');
  Option option{text.substr(0, equals), {}};
  option.is_whole = IsListed(spec.longs, option.name);
  if (equals != std::string::npos) {
    option.value = WithoutLead(word, equals + 1);
  } else if (option.is_whole && at + 1 < words.size()) {
    option.value = words[++at];
  } else if (IsListed(spec.pairs, option.name)) {
    option.is_whole = true;
    at = std::min(at + 2, words.size() - 1);
  }
  options_.push_back(std::move(option));
}

void Arguments::AddShort(const std::string& text, const Word& word, std::span<const Word> words,
                         std::size_t& at, const OptionSpec& spec) {
  if (IsListed(spec.pairs, text)) {
    at = std::min(at + 2, words.size() - 1);
    options_.push_back({text, {}, true});
    return;
  }
  // Some programs have long options with a single dash.
  if (IsListed(spec.longs, text)) {
    options_.push_back({text, at + 1 < words.size() ? words[++at] : Word(), true});
    return;
  }
  for (std::size_t letter = 1; letter < text.size(); ++letter) {
    Option option{{'-', text[letter]}, {}};
    const bool takes_value = spec.shorts.find(text[letter]) != std::string_view::npos;
    if (takes_value) {
      option.value = WithoutLead(word, letter + 1);
      if (option.value.empty() && at + 1 < words.size()) option.value = words[++at];
    }
    options_.push_back(std::move(option));
    if (takes_value) break;
  }
}

const Option* Arguments::Find(std::string_view names) const {
  for (const std::string_view name : SplitAt(names, " ")) {
    for (const Option& option : options_) {
      const bool shortened = !option.is_whole && name.starts_with("--") &&
                             option.name.size() >= 5 && name.starts_with(option.name);
      if (shortened || option.name == name) return &option;
    }
  }
  return nullptr;
}

std::string Arguments::Operand(std::size_t number) const {
  return number < operands_.size() ? operands_[number].Constant().value_or("") : "";
}

}  // namespace belljar::judgement::analysis::shell
