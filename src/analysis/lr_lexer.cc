#include "analysis/lr_lexer.h"

namespace belljar::analysis {
namespace {

// Longer ones may have been cut.
constexpr std::size_t kLongestKept = 200;
// A text whose scanner writes down more than this is not for us.
constexpr std::size_t kMostWritten = std::size_t{4} << 20U;

}  // namespace

LrLexer::LrLexer() {
  source_.seen.advance = &Advance;
  source_.seen.mark_end = &MarkEnd;
  source_.seen.get_column = &Column;
  source_.seen.is_at_included_range_start = &AtStart;
  source_.seen.eof = &AtEnd;
}

void LrLexer::Begin(const LrTables& tables, const ScannerTraits& scanner, std::string_view text) {
  tables_ = &tables;
  traits_ = scanner;
  source_.comment = scanner.comment;
  source_.text = text.data();
  source_.size = static_cast<std::uint32_t>(text.size());
  source_.at = 0;
  began_ = 0;
  read_ = 0;
  source_.odd = text.starts_with("\xEF\xBB\xBF");
  written_.clear();
  places_.assign(1, {0, 0});
  holds_ = kUnknown;
  const auto& calls = tables.language().external_scanner;
  if (calls.states != nullptr && calls.create != nullptr) scanner_ = calls.create();
}

void LrLexer::End() {
  const auto& scanner = tables_->language().external_scanner;
  if (scanner_ != nullptr && scanner.destroy != nullptr) scanner.destroy(scanner_);
  scanner_ = nullptr;
}

void LrLexer::Advance(TSLexer* lexer, bool skip) {
  Source& source = *Of(lexer);
  if (source.at >= source.size) return;
  if (skip && source.text[source.at] == source.comment) {
    PassComment(source);
  } else if (!skip && source.alike != nullptr) {
    PassAlike(source);
  } else {
    source.at += source.width;
  }
  if (skip) source.start = source.at;
  LookAt(source);
}

// One step, or as many as lead to the last one of a run.
void LrLexer::PassAlike(Source& source) {
  const auto alike = [&source](std::uint32_t at) {
    return source.alike[static_cast<unsigned char>(source.text[at])];
  };
  const bool begins = alike(source.at);
  source.at += source.width;
  if (!begins) return;
  while (source.at + 1 < source.size && alike(source.at) && alike(source.at + 1)) ++source.at;
}

// As many steps as there are to the end of a comment.
void LrLexer::PassComment(Source& source) {
  const auto is_plain = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0 && byte < 0x80 && byte != '\n';
  };
  do {
    ++source.at;
  } while (source.at < source.size && is_plain(source.text[source.at]));
}

// Characters since the start of the line.
std::uint32_t LrLexer::Column(TSLexer* lexer) {
  const Source& source = *Of(lexer);
  std::uint32_t column = 0;
  for (std::uint32_t at = source.at; at > 0 && source.text[at - 1] != '\n'; --at) {
    if ((static_cast<unsigned char>(source.text[at - 1]) & 0xC0U) != 0x80U) ++column;
  }
  return column;
}

bool LrLexer::AtStart(const TSLexer* lexer) {
  const auto& source = *reinterpret_cast<const Source*>(lexer);
  return source.at == 0 && source.size > 0;
}

bool LrLexer::AtEnd(const TSLexer* lexer) {
  const auto& source = *reinterpret_cast<const Source*>(lexer);
  return source.at >= source.size;
}

void LrLexer::Take(ScannerState before) {
  const std::string_view known = Written(before);
  tables_->language().external_scanner.deserialize(scanner_, known.data(),
                                                   static_cast<unsigned>(known.size()));
  holds_ = traits_.keeps == ScannerKeeps::kState ? before : kUnknown;
}

ScannerState LrLexer::Written(std::size_t length, ScannerState before) {
  const std::string_view now(buffer_, length);
  const bool all = length <= kLongestKept && traits_.keeps == ScannerKeeps::kState;
  if (now == Written(before)) {
    if (!all) holds_ = kUnknown;
    return before;
  }
  ScannerState state = 0;
  if (length > 0) {
    if (written_.size() > kMostWritten) source_.odd = true;
    state = static_cast<ScannerState>(places_.size());
    places_.push_back(
        {static_cast<std::uint32_t>(written_.size()), static_cast<std::uint32_t>(length)});
    written_ += now;
  }
  holds_ = all ? state : kUnknown;
  return state;
}

bool LrLexer::Scan(LookupMemory& memory, const Look& look, Token& token) {
  const TSLanguage& language = tables_->language();
  Start(look.position);
  if (holds_ != look.before) Take(look.before);
  const bool* wanted = tables_->ExternalTokens(look.mode.external_lex_state);
  if (traits_.in_string != nullptr && traits_.in_string(wanted, Written(look.before))) {
    source_.alike = traits_.alike;
  }
  const bool found = language.external_scanner.scan(scanner_, &source_.seen, wanted);
  source_.alike = nullptr;
  if (!found) return false;
  Finish();
  const unsigned length = language.external_scanner.serialize(scanner_, buffer_);
  token.scanner = Written(length, look.before);
  token.symbol = language.external_scanner.symbol_map[source_.seen.result_symbol];
  if (source_.end > look.position || token.scanner != look.before) return true;
  // An empty token that changes nothing could be found for ever, where the parser steps over it.
  return !look.anywhere && tables_->AfterToken(memory, token.state, token.symbol) != token.state;
}

void LrLexer::AsKeyword(LookupMemory& memory, TSStateId state, Token& token) {
  Start(token.start);
  token.keyword = memory.keywords.Run(source_, 0);
  if (token.keyword && source_.end == token.end &&
      tables_->Lookup(memory, state, source_.seen.result_symbol) != 0) {
    token.symbol = source_.seen.result_symbol;
  }
}

}  // namespace belljar::analysis
