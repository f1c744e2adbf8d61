#include "analysis/lr_driver.h"

#include <algorithm>
#include <utility>

namespace belljar::analysis {
namespace {

// As in tree-sitter's runtime: so many versions go on from one token to the next, and while a token
// is being worked on there may be some more.
constexpr std::size_t kMostVersions = 6;
constexpr std::size_t kMostForAWhile = kMostVersions + 4;
// A text that needs more parts than that is not for us.
constexpr std::size_t kMostParts = 12'000'000;

using Status = LrStack::Status;

}  // namespace

LookupMemory& LrDriver::MemoryOf(const TSLanguage& language) {
  for (const auto& memory : memories_) {
    if (memory->language == &language) return *memory;
  }
  return *memories_.emplace_back(std::make_unique<LookupMemory>(language));
}

void LrDriver::Begin(const Grammar& grammar, std::string_view text) {
  tables_ = &grammar.tables();
  if (memory_ == nullptr || memory_->language != &tables_->language()) {
    memory_ = &MemoryOf(tables_->language());
  }
  parts_.Clear();
  stack_.Clear();
  cached_at_ = kNowhere;
  root_.reset();
  work_ = 0;
  next_look_ = kBetweenLooks;
  lexer_.Begin(*tables_, grammar.scanner(), text);
}

bool LrDriver::Read(const Grammar& grammar, std::string_view text, const Bounds& bounds,
                    LrPool<Node>& nodes) {
  if (!grammar.tables().known()) return false;
  bounds_ = bounds;
  Begin(grammar, text);
  const bool all = Run();
  lexer_.End();
  return all && flatten_.All(parts_, grammar, *root_, bounds.most_nodes, nodes);
}

bool LrDriver::LooksLate() {
  next_look_ += kBetweenLooks;
  return bounds_.is_late(bounds_.deadline) || parts_.size() > kMostParts;
}

bool LrDriver::Run() {
  Reach reach;
  for (;;) {
    reach.first = 0;
    if (!GoPlainly(reach) || !Round(reach) || !Condense()) return false;
    if (stack_.versions().empty()) return root_.has_value();
  }
}

bool LrDriver::IsPlain() {
  return stack_.versions().size() == 1 && stack_.versions().front().status == Status::kActive;
}

// As long as there is one version: what Round and Condense come to then.
bool LrDriver::GoPlainly(Reach& reach) {
  while (IsPlain()) {
    LrTables::Cell cell;
    if (!LookAhead(0, cell)) return false;
    if (IsTimeToLook() && LooksLate()) return false;
    const Step step = GoStraight(cell, reach);
    if (step == Step::kGiveUp) return false;
    if (step == Step::kDone) continue;
    if (!Finish(0, cell)) return false;
    reach.Note(stack_.Top(0).position);
  }
  return true;
}

// Each version goes on by a token, or so.
bool LrDriver::Round(Reach& reach) {
  for (std::size_t version = reach.first; version < stack_.versions().size(); ++version) {
    while (stack_.versions()[version].status == Status::kActive) {
      if (!Advance(version)) return false;
      const std::uint32_t position = stack_.Top(version).position;
      if (position > reach.position || (version > 0 && position == reach.position)) {
        reach.position = position;
        break;
      }
    }
  }
  return true;
}

// Whether the last token that was read can be taken in this state, too.
bool LrDriver::Cached(TSStateId state, ScannerState scanner, LrTables::Cell& cell) const {
  if (!lexer_.Same(cached_before_, scanner)) return false;
  const TSLexMode here = tables_->ModeOf(state);
  if (here.lex_state == LrLexer::kNoLexing) return false;
  cell = tables_->CellOf(*memory_, state, cached_.symbol);
  const TSLexMode there = tables_->ModeOf(cached_.state);
  const TSSymbol word = tables_->language().keyword_capture_token;
  if (cell.count() > 0 && here.lex_state == there.lex_state &&
      here.external_lex_state == there.external_lex_state &&
      (cached_.symbol != word || (!cached_.keyword && cached_.state == state))) {
    return true;
  }
  if (cached_.start == cached_.end && cached_.symbol != 0) return false;
  return here.external_lex_state == 0 && cell.reusable();
}

bool LrDriver::LookAhead(std::size_t version, LrTables::Cell& cell) {
  const LrStack::Place& top = stack_.Top(version);
  const ScannerState scanner = stack_.versions()[version].scanner;
  if (cached_at_ == top.position && Cached(top.state, scanner, cell)) {
    token_ = cached_;
    return true;
  }
  if (!Fetch(top.state, top.position, scanner)) return false;
  cell = CellOf(top.state, token_.symbol);
  return true;
}

// A version takes the next token, or ends.
bool LrDriver::Advance(std::size_t version) {
  LrTables::Cell cell;
  return LookAhead(version, cell) && Finish(version, cell);
}

bool LrDriver::Finish(std::size_t version, LrTables::Cell& cell) {
  for (;;) {
    work_ += kStep;
    if (IsTimeToLook() && LooksLate()) return false;
    const Step step = Act(version, cell);
    if (step != Step::kGoOn) return step == Step::kDone;
  }
}

LrDriver::Step LrDriver::Act(std::size_t version, LrTables::Cell& cell) {
  if (cell.count() == 0) return Without(version, cell);
  const TSParseAction& action = cell.action(0);
  if (!cell.Only()) return Several(version, cell);
  if (action.type == TSParseActionTypeShift && !action.shift.repetition) {
    Shift(version, action);
    return Step::kDone;
  }
  if (action.type != TSParseActionTypeReduce) return Several(version, cell);
  if (stack_.versions().size() > 1 ? !ReduceBeside(version, action) : !ReducePlain(action)) {
    return Several(version, cell);
  }
  cell = CellOf(StateOf(version), token_.symbol);
  return Step::kGoOn;
}

// Reductions make versions; a shift goes on with the one at hand. Where there is none, the last of
// those made takes its place.
LrDriver::Step LrDriver::Several(std::size_t version, LrTables::Cell& cell) {
  bool reduced = false;
  std::size_t last = kNone;
  for (unsigned i = 0; i < cell.count(); ++i) {
    const TSParseAction& action = cell.action(i);
    if (action.type == TSParseActionTypeShift) {
      if (action.shift.repetition) continue;
      Shift(version, action);
      return Step::kDone;
    }
    if (action.type == TSParseActionTypeAccept) {
      return Accept(version) ? Step::kDone : Step::kGiveUp;
    }
    std::size_t made = kNone;
    if (action.type != TSParseActionTypeReduce || !Reduce(version, action, made)) {
      return Step::kGiveUp;
    }
    reduced = true;
    if (made != kNone) last = made;
  }
  if (last != kNone) {
    stack_.Rename(last, version);
    cell = CellOf(StateOf(version), token_.symbol);
    return Step::kGoOn;
  }
  if (!reduced) return Without(version, cell);
  stack_.versions()[version].status = Status::kHalted;  // it has become one with another
  return Step::kDone;
}

// The grammar has no use for the token here: but perhaps for the word that it is.
LrDriver::Step LrDriver::Without(std::size_t version, LrTables::Cell& cell) {
  const TSSymbol word = tables_->language().keyword_capture_token;
  if (token_.keyword && token_.symbol != word) {
    cell = CellOf(StateOf(version), word);
    if (cell.count() > 0) {
      token_.symbol = word;
      return Step::kGoOn;
    }
  }
  if (stack_.versions().size() == 1) return Step::kGiveUp;
  stack_.versions()[version].status = Status::kPaused;
  return Step::kDone;
}

void LrDriver::Shift(std::size_t version, const TSParseAction& action) {
  const bool extra = action.shift.extra;
  const TSStateId next = extra ? StateOf(version) : action.shift.state;
  stack_.Push(version, parts_.Add(token_, extra), next);
  if (token_.external) stack_.versions()[version].scanner = token_.scanner;
}

// What stands behind the last part, and may stand anywhere, is not taken into the new one.
void LrDriver::SetTrailing(std::vector<PartId>& reversed) {
  trailing_.clear();
  std::size_t count = 0;
  while (count < reversed.size() && parts_.at(reversed[count]).extra) ++count;
  trailing_.assign(reversed.begin(), reversed.begin() + static_cast<std::ptrdiff_t>(count));
  reversed.erase(reversed.begin(), reversed.begin() + static_cast<std::ptrdiff_t>(count));
}

bool LrDriver::ReducePlain(const TSParseAction& action) {
  reversed_.clear();
  if (!stack_.PopPlain(action.reduce.child_count, reversed_)) return false;
  std::size_t extras = 0;
  while (extras < reversed_.size() && parts_.at(reversed_[extras]).extra) ++extras;
  const LrStack::Place& base = stack_.Top(0);
  const PartId made = parts_.Add(action, std::span(reversed_).subspan(extras), base.position);
  const TSStateId next = tables_->After(*memory_, base.state, action.reduce.symbol);
  stack_.Push(0, made, next);
  while (extras > 0) stack_.Push(0, reversed_[--extras], next);
  return true;
}

// Reduce, where the version has one way down and does not become one with another. False: nothing
// was done.
bool LrDriver::ReduceBeside(std::size_t version, const TSParseAction& action) {
  const auto& versions = stack_.versions();
  if (versions.size() > kMostForAWhile) return false;
  reversed_.clear();
  const auto base = stack_.Walk(version, action.reduce.child_count, reversed_);
  if (!base || (!reversed_.empty() && parts_.at(reversed_.front()).extra)) return false;
  const LrStack::Place here = stack_.at(*base);
  const TSStateId next = tables_->After(*memory_, here.state, action.reduce.symbol);
  const std::uint32_t position = stack_.Top(version).position;
  for (std::size_t other = 0; other < versions.size(); ++other) {
    const LrStack::Place& top = stack_.Top(other);
    if (other != version && top.state == next && top.position == position) return false;
  }
  stack_.Replace(version, *base, parts_.Add(action, reversed_, here.position), next);
  return true;
}

// Of several readings that end in the same place, the one to keep: `number` becomes the last of
// them. What it leaves behind is in slices_ and trailing_ of that place.
bool LrDriver::Choose(const TSParseAction& action, std::size_t& number) {
  LrStack::Slice kept = std::move(slices_[number]);
  SetTrailing(kept.reversed);
  std::vector<PartId> trailing = trailing_;
  while (number + 1 < slices_.size() && slices_[number + 1].version == kept.version) {
    LrStack::Slice other = std::move(slices_[++number]);
    SetTrailing(other.reversed);
    TSParseAction bare = action;
    bare.reduce.dynamic_precedence = 0;
    const std::uint32_t position = stack_.Top(kept.version).position;
    const auto prefers = parts_.Prefers(parts_.Add(bare, kept.reversed, position),
                                        parts_.Add(bare, other.reversed, position));
    if (!prefers) return false;
    if (!*prefers) continue;
    kept.reversed = std::move(other.reversed);
    trailing = trailing_;
  }
  trailing_ = std::move(trailing);
  slices_[number] = std::move(kept);
  return true;
}

void LrDriver::Join(std::size_t version, std::size_t slice, std::size_t& removed) {
  for (std::size_t other = 0; other < slice; ++other) {
    if (other != version && stack_.Merge(other, slice)) {
      ++removed;
      return;
    }
  }
}

bool LrDriver::Reduce(std::size_t version, const TSParseAction& action, std::size_t& made) {
  const std::size_t before = stack_.versions().size();
  const auto halted = static_cast<std::size_t>(
      std::count_if(stack_.versions().begin(), stack_.versions().end(),
                    [](const auto& one) { return one.status == Status::kHalted; }));
  if (!stack_.Pop(version, action.reduce.child_count, slices_)) return false;
  std::size_t removed = 0;
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    for (std::size_t k = i; removed > 0 && k < slices_.size(); ++k) slices_[k].version -= removed;
    removed = 0;
    const std::size_t slice = slices_[i].version;
    if (slice > kMostForAWhile + halted || !Choose(action, i)) return false;
    const LrStack::Place base = stack_.Top(slice);
    const PartId part = parts_.Add(action, slices_[i].reversed, base.position);
    const TSStateId next = tables_->After(*memory_, base.state, action.reduce.symbol);
    stack_.Push(slice, part, next);
    for (std::size_t k = trailing_.size(); k-- > 0;) stack_.Push(slice, trailing_[k], next);
    Join(version, slice, removed);
    if (stack_.lost()) return false;
  }
  made = stack_.versions().size() > before ? before : kNone;
  return true;
}

bool LrDriver::Accept(std::size_t version) {
  if (token_.symbol != 0) return false;
  stack_.Push(version, parts_.Add(token_, false), TSStateId{1});
  reversed_.clear();
  if (!stack_.PopAll(version, reversed_)) return false;
  for (std::size_t i = 1; i < reversed_.size(); ++i) {
    if (parts_.at(reversed_[i]).extra) continue;
    if (parts_.at(reversed_[i]).production != 0) return false;
    const PartId root = parts_.AddRoot(reversed_[i], reversed_);
    const std::optional<bool> prefers = root_ ? parts_.Prefers(*root_, root) : true;
    if (!prefers) return false;
    if (*prefers) root_ = root;
    stack_.versions()[version].status = Status::kHalted;
    return true;
  }
  return false;
}

// Version `i` among those before it: of two, one that has found an error goes, those that have
// become the same become one, and that of higher precedence comes first. Returns its number then;
// the one before it, if it is no more.
int LrDriver::Rank(int i) {
  auto& versions = stack_.versions();
  const auto failed = [&](std::size_t one) { return versions[one].status == Status::kPaused; };
  const bool mine_failed = failed(static_cast<std::size_t>(i));
  // As it was at first, also when another has come to this place meanwhile: so the runtime has it.
  const std::int32_t mine = stack_.Top(static_cast<std::size_t>(i)).precedence;
  for (int j = 0; j < i; ++j) {
    const auto a = static_cast<std::size_t>(j);
    const auto b = static_cast<std::size_t>(i);
    const std::int32_t other = stack_.Top(a).precedence;
    if (mine_failed && !failed(a)) {
      stack_.Remove(b);
      return i - 1;
    }
    if (!mine_failed && failed(a)) {
      stack_.Remove(a);
      --i;
      --j;
    } else if (stack_.Merge(a, b)) {
      return i - 1;
    } else if (mine > other) {
      std::swap(versions[a], versions[b]);
    }
  }
  return i;
}

// After each round: the versions that have ended go, and those that are left are put in order.
bool LrDriver::Condense() {
  auto& versions = stack_.versions();
  for (int i = 0; i < static_cast<int>(versions.size()); ++i) {
    if (versions[static_cast<std::size_t>(i)].status == Status::kHalted) {
      stack_.Remove(static_cast<std::size_t>(i--));
    } else {
      i = Rank(i);
    }
  }
  if (stack_.lost()) return false;
  if (versions.size() > kMostVersions) versions.resize(kMostVersions);
  const bool failed = std::any_of(versions.begin(), versions.end(),
                                  [](const auto& one) { return one.status == Status::kPaused; });
  // Once a reading without errors is done, those that have met one are nothing to wait for.
  if (failed && root_) versions.clear();
  return !failed || root_;
}

}  // namespace belljar::analysis
