#include "analysis/lr_stack.h"

#include <algorithm>
#include <utility>

namespace belljar::analysis {
namespace {

constexpr TSStateId kFirstState = 1;
constexpr std::size_t kMostWays = 64;
constexpr int kDeepest = 100;

}  // namespace

void LrStack::Clear() {
  versions_.assign(1, {});
  places_.Clear();
  places_.Push({kFirstState, 0, 0, {}, 0, 0});
  more_.clear();
  floor_ = 0;
  shared_ = false;
  lost_ = false;
}

// The upper end of the only version once more, as a plain array: what it has shared with others
// would stop the innermost loop at each reduction that goes below them.
void LrStack::LayOut() {
  PlaceId ids[kMostLaidOut + 1] = {versions_.front().top};
  std::size_t count = 1;
  for (; count <= kMostLaidOut; ++count) {
    const Place& place = places_[ids[count - 1]];
    if (place.links != 1 || parts_.at(place.link.part).extra) break;
    ids[count] = place.link.before;
  }
  floor_ = static_cast<PlaceId>(places_.size());
  shared_ = false;
  places_.Room(count);
  for (std::size_t i = count; i-- > 0;) {
    Place copy = places_[ids[i]];
    if (i + 1 < count) copy.link.before = static_cast<PlaceId>(places_.size() - 1);
    places_.Push(copy);
  }
  versions_.front().top = static_cast<PlaceId>(places_.size() - 1);
}

// Mostly there is one way.
bool LrStack::PopStraight(std::size_t version, unsigned count, std::vector<Slice>& slices) {
  Slice slice{0, std::move(spare_)};
  slice.reversed.clear();
  const auto base = Walk(version, count, slice.reversed);
  if (!base) return false;
  slice.version = versions_.size();
  versions_.push_back({*base, versions_[version].scanner, Status::kActive});
  slices.push_back(std::move(slice));
  return true;
}

void LrStack::AddSlice(std::size_t version, Way& way, std::vector<Slice>& slices) {
  for (std::size_t i = slices.size(); i-- > 0;) {
    if (versions_[slices[i].version].top != way.place) continue;
    slices.insert(slices.begin() + static_cast<std::ptrdiff_t>(i + 1),
                  {slices[i].version, std::move(way.reversed)});
    return;
  }
  slices.push_back({versions_.size(), std::move(way.reversed)});
  versions_.push_back({way.place, versions_[version].scanner, Status::kActive});
}

bool LrStack::Pop(std::size_t version, unsigned count, std::vector<Slice>& slices) {
  shared_ = true;
  if (!slices.empty()) spare_ = std::move(slices.back().reversed);
  slices.clear();
  if (PopStraight(version, count, slices)) return true;
  ways_.clear();
  ways_.push_back({versions_[version].top, 0, {}});
  ways_.back().reversed.reserve(count);
  while (!ways_.empty()) {
    std::size_t size = ways_.size();
    for (std::size_t i = 0; i < size; ++i) {
      const Place here = places_[ways_[i].place];
      if (ways_[i].count == count || here.links == 0) {
        if (ways_[i].count == count) AddSlice(version, ways_[i], slices);
        ways_.erase(ways_.begin() + static_cast<std::ptrdiff_t>(i--));
        --size;
        continue;
      }
      for (unsigned j = 1; j <= here.links; ++j) {
        const bool last = j == here.links;
        if (!last && ways_.size() >= kMostWays) return false;
        if (!last) ways_.push_back(Way(ways_[i]));
        Way& way = last ? ways_[i] : ways_.back();
        const Link& link = LinkOf(here, last ? 0 : j);
        way.place = link.before;
        way.reversed.push_back(link.part);
        if (!parts_.at(link.part).extra) ++way.count;
      }
    }
  }
  return true;
}

bool LrStack::PopAll(std::size_t version, std::vector<PartId>& reversed) const {
  for (PlaceId place = versions_[version].top; places_[place].links > 0;
       place = places_[place].link.before) {
    if (places_[place].links > 1) return false;
    reversed.push_back(places_[place].link.part);
  }
  return true;
}

bool LrStack::Alike(const Link& a, const Link& b) const {
  if (a.part == b.part) return true;
  const Part& one = parts_.at(a.part);
  const Part& other = parts_.at(b.part);
  const auto padding = [this](const Link& link, const Part& part) {
    return part.start - places_[link.before].position;
  };
  const auto scanner = [](const Part& part) {
    return part.external && part.count == 0 ? part.first : 0;
  };
  return one.symbol == other.symbol && padding(a, one) == padding(b, other) &&
         one.end - one.start == other.end - other.start && one.count == other.count &&
         one.extra == other.extra && lexer_.Same(scanner(one), scanner(other));
}

// Whether `link` is the same as the link of that number, which then stands for both.
bool LrStack::Fold(PlaceId to, unsigned number, const Link& link, int depth) {
  const Link existing = LinkOf(to, number);
  if (!Alike(existing, link)) return false;
  const std::int32_t precedence = places_[link.before].precedence + parts_.at(link.part).precedence;
  if (existing.before == link.before) {
    if (parts_.at(link.part).precedence > parts_.at(existing.part).precedence) {
      LinkOf(to, number).part = link.part;
      places_[to].precedence = precedence;
    }
    return true;
  }
  const Place& one = places_[existing.before];
  const Place other = places_[link.before];
  if (one.state != other.state || one.position != other.position) return false;
  for (unsigned i = 0; i < other.links; ++i) {
    AddLink(existing.before, LinkOf(other, i), depth + 1);
  }
  places_[to].precedence = std::max(places_[to].precedence, precedence);
  return true;
}

void LrStack::AddLink(PlaceId to, Link link, int depth) {
  if (depth > kDeepest) lost_ = true;
  if (lost_ || link.before == to) return;
  for (unsigned i = 0; i < places_[to].links; ++i) {
    if (Fold(to, i, link, depth)) return;
  }
  Place& place = places_[to];
  if (place.links == kMostLinks) return;
  if (place.links == 1) {
    place.more = static_cast<std::uint32_t>(more_.size());
    more_.emplace_back();
  }
  if (place.links == 0) {
    place.link = link;
  } else {
    more_[place.more].links[place.links - 1] = link;
  }
  ++place.links;
  place.precedence =
      std::max(place.precedence, places_[link.before].precedence + parts_.at(link.part).precedence);
}

bool LrStack::Merge(std::size_t into, std::size_t from) {
  const Version& one = versions_[into];
  const Version& other = versions_[from];
  if (one.status != Status::kActive || other.status != Status::kActive) return false;
  const Place& here = places_[one.top];
  const Place there = places_[other.top];
  if (here.state != there.state || here.position != there.position) return false;
  if (!lexer_.Same(one.scanner, other.scanner)) return false;
  shared_ = true;
  for (unsigned i = 0; i < there.links; ++i) AddLink(one.top, LinkOf(there, i), 0);
  Remove(from);
  return true;
}

void LrStack::Rename(std::size_t from, std::size_t to) {
  if (from == to) return;
  versions_[to] = versions_[from];
  Remove(from);
}

}  // namespace belljar::analysis
