// LrStack: what a parser has read and not yet put together, in several versions where the grammar
// has several ways to go on.
//
// Versions share what they have in common: a place knows the one before it. Two versions that have
// come to the same state at the same position become one, and their place then has several links to
// what was before; which of the two readings stays is decided when a reduction takes them up. All
// this is as in tree-sitter's runtime, whose choices are to be made again, link for link.
//
// As long as there is one version, places are a plain array that grows and shrinks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <vector>

#include "analysis/lr_parts.h"
#include "analysis/lr_pool.h"

namespace belljar::analysis {

using PlaceId = std::uint32_t;

class LrStack {
 public:
  static constexpr PlaceId kNoPlace = ~0U;

  enum class Status : std::uint8_t { kActive, kPaused, kHalted };
  struct Version {
    PlaceId top = 0;
    ScannerState scanner = 0;
    Status status = Status::kActive;
  };
  struct Link {
    PlaceId before = kNoPlace;
    PartId part = 0;
  };
  // Of a size that makes a number of a pointer by a shift.
  struct alignas(32) Place {
    TSStateId state = 0;
    std::uint16_t links = 0;
    std::uint32_t position = 0;
    Link link;               // the first of them
    std::uint32_t more = 0;  // where the others are
    std::int32_t precedence = 0;
  };
  // One of the ways down that a reduction can take.
  struct Slice {
    std::size_t version = 0;
    std::vector<PartId> reversed;
  };

  LrStack(const LrParts& parts, const LrLexer& lexer) : parts_(parts), lexer_(lexer) {}

  void Clear();

  std::vector<Version>& versions() { return versions_; }
  const Place& at(PlaceId id) const { return places_[id]; }
  const Place& Top(std::size_t version) const { return places_[versions_[version].top]; }

  void Push(std::size_t version, PartId part, TSStateId state) {
    if (versions_.size() > 1 || parts_.at(part).extra) shared_ = true;
    versions_[version].top = Above(versions_[version].top, part, state);
  }

  // The only version's last `count` parts, those that stand anywhere not counted, in reverse, into
  // `reversed`. False, and nothing was done: they can be taken up in several ways.
  bool PopPlain(unsigned count, std::vector<PartId>& reversed) {
    Settle();
    const auto base = Walk(0, count, reversed);
    if (base) DropTo(*base);
    return base.has_value();
  }

  // The last `count` parts of any version in the same way, which stay; and what they stand on.
  // Nothing: they can be taken up in several ways.
  std::optional<PlaceId> Walk(std::size_t version, unsigned count,
                              std::vector<PartId>& reversed) const {
    PlaceId place = versions_[version].top;
    for (unsigned taken = 0; taken < count;) {
      const Place& here = places_[place];
      if (here.links != 1) return std::nullopt;
      reversed.push_back(here.link.part);
      if (!parts_.at(here.link.part).extra) ++taken;
      place = here.link.before;
    }
    return place;
  }
  // One of several versions goes on from `base`, with a part on it.
  void Replace(std::size_t version, PlaceId base, PartId part, TSStateId state) {
    shared_ = true;
    versions_[version].top = Above(base, part, state);
  }

  // What was put on the only version since there was one, as a plain array: from `bottom` on, each
  // place stands on the one before it. For the innermost loop; to be given back. Nothing in it may
  // stand anywhere.
  struct Straight {
    Place* top;
    const Place* bottom;
    const Place* all;
    const Place* limit;  // up to there, there is room for as many as were asked for

    void Push(TSStateId state, std::uint32_t end, PartId part, std::int32_t precedence) {
      const auto before = static_cast<PlaceId>(top - all);
      ::new (++top) Place{state, 1, end, {before, part}, 0, precedence};
    }
  };
  // Room for `count` more is made.
  Straight Lend(std::size_t count) {
    if (shared_ || (versions_.front().top <= floor_ && floor_ > 0)) LayOut();
    const PlaceId top = versions_.front().top;
    places_.Room(count);
    return Straight{&places_[top], &places_[floor_], &places_[0], places_.Limit(count + 1)};
  }
  void TakeBack(const Straight& straight) {
    const auto top = static_cast<PlaceId>(straight.top - straight.all);
    versions_.front().top = top;
    places_.Resize(top + 1);
  }

  // The last `count` parts of any version, which stays: each way down makes a version of its own,
  // or joins one that has ended up in the same place. False: there are too many ways.
  bool Pop(std::size_t version, unsigned count, std::vector<Slice>& slices);
  // All of it. False: there are several ways.
  bool PopAll(std::size_t version, std::vector<PartId>& reversed) const;

  // One version of two, if they have come to the same. Two that cannot be told to be the same
  // without following them too far set `lost`.
  bool Merge(std::size_t into, std::size_t from);
  void Remove(std::size_t version) {
    versions_.erase(versions_.begin() + static_cast<std::ptrdiff_t>(version));
  }
  // `from` takes the place of `to`, which ends.
  void Rename(std::size_t from, std::size_t to);
  bool lost() const { return lost_; }

 private:
  static constexpr std::size_t kMostLinks = 8;
  static constexpr std::size_t kMostLaidOut = 6;
  struct Way {
    PlaceId place;
    unsigned count;
    std::vector<PartId> reversed;
  };
  struct More {
    Link links[kMostLinks - 1];
  };

  PlaceId Above(PlaceId before, PartId part, TSStateId state) {
    const Part& pushed = parts_.at(part);
    const std::int32_t precedence = places_[before].precedence + pushed.precedence;
    places_.Push({state, 1, pushed.end, {before, part}, 0, precedence});
    return static_cast<PlaceId>(places_.size() - 1);
  }
  const Link& LinkOf(const Place& place, unsigned number) const {
    return number == 0 ? place.link : more_[place.more].links[number - 1];
  }
  Link& LinkOf(PlaceId place, unsigned number) {
    return number == 0 ? places_[place].link : more_[places_[place].more].links[number - 1];
  }
  void Settle() {
    if (!shared_) return;
    floor_ = static_cast<PlaceId>(places_.size());
    shared_ = false;
  }
  void LayOut();
  void DropTo(PlaceId place) {
    versions_.front().top = place;
    places_.Resize(std::max(place + 1, floor_));
  }
  bool PopStraight(std::size_t version, unsigned count, std::vector<Slice>& slices);
  void AddSlice(std::size_t version, Way& way, std::vector<Slice>& slices);
  bool Alike(const Link& a, const Link& b) const;
  void AddLink(PlaceId to, Link link, int depth);
  bool Fold(PlaceId to, unsigned number, const Link& link, int depth);

  const LrParts& parts_;
  const LrLexer& lexer_;
  std::vector<Version> versions_;
  LrPool<Place> places_;
  std::vector<More> more_;
  std::vector<Way> ways_;
  std::vector<PartId> spare_;  // a buffer of the last slice
  // Places below this may be used by more than the only version's way down, or be of parts that may
  // stand anywhere.
  PlaceId floor_ = 0;
  bool shared_ = false;
  bool lost_ = false;
};

}  // namespace belljar::analysis
