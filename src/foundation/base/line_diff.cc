#include "foundation/base/line_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace belljar {
namespace {

using Lines = std::vector<std::string_view>;

// Splits a text into lines, each with its newline; the last line may lack one.
Lines SplitLines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::size_t length = newline == std::string_view::npos ? text.size() : newline + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

// One line of the diff: kept (' '), removed ('-') or added ('+').
struct Edit {
  char mark;
  std::string_view line;
};

// How far each diagonal k reaches after d changes: the furthest x for k = -d … d; index 0 is k =
// -d.
using Reach = std::vector<int>;

int Start(const Reach& before, int k, int d) {
  // `before` belongs to step d - 1, so diagonal j is at index j + d - 1.
  if (d == 0) return 0;
  const auto at = [&](int diagonal) { return before[static_cast<std::size_t>(diagonal + d - 1)]; };
  if (k == -d) return at(k + 1);
  if (k == d) return at(k - 1) + 1;
  return std::max(at(k - 1) + 1, at(k + 1));
}

// Runs Myers' forward search. Returns the reaches for each number of changes, up to the number that
// leads from one text to the other; empty if that takes too many changes.
std::vector<Reach> Explore(const Lines& before, const Lines& after) {
  const int n = static_cast<int>(before.size());
  const int m = static_cast<int>(after.size());
  const Reach none;
  std::vector<Reach> steps;
  for (int d = 0; d <= static_cast<int>(kMaxDiffChanges); ++d) {
    Reach reach(static_cast<std::size_t>(2 * d + 1), -1);
    for (int k = -d; k <= d; k += 2) {
      int x = Start(d == 0 ? none : steps.back(), k, d);
      while (x < n && x - k < m &&
             before[static_cast<std::size_t>(x)] == after[static_cast<std::size_t>(x - k)]) {
        ++x;
      }
      reach[static_cast<std::size_t>(k + d)] = x;
      if (x >= n && x - k >= m) {
        steps.push_back(std::move(reach));
        return steps;
      }
    }
    steps.push_back(std::move(reach));
  }
  return {};
}

// Walks back from the end to the start along the reaches, and so recovers the edits.
std::vector<Edit> Trace(const Lines& before, const Lines& after, const std::vector<Reach>& steps) {
  std::vector<Edit> edits;
  int x = static_cast<int>(before.size());
  int y = static_cast<int>(after.size());
  for (int d = static_cast<int>(steps.size()) - 1; d >= 0; --d) {
    const int k = x - y;
    const int start = d == 0 ? 0 : Start(steps[static_cast<std::size_t>(d - 1)], k, d);
    for (; x > start && x > 0 && y > 0; --x, --y) {
      edits.push_back({' ', before[static_cast<std::size_t>(x - 1)]});
    }
    if (d == 0) break;
    const Reach& last = steps[static_cast<std::size_t>(d - 1)];
    const bool down = k == -d || (k != d && last[static_cast<std::size_t>(k + 1 + d - 1)] >
                                                last[static_cast<std::size_t>(k - 1 + d - 1)]);
    if (down) {
      edits.push_back({'+', after[static_cast<std::size_t>(--y)]});
    } else {
      edits.push_back({'-', before[static_cast<std::size_t>(--x)]});
    }
  }
  std::ranges::reverse(edits);
  return edits;
}

std::vector<Edit> EditsOf(const Lines& before, const Lines& after) {
  std::vector<Edit> edits;
  const auto [b, a] = std::ranges::mismatch(before, after);
  for (auto line = before.begin(); line != b; ++line) edits.push_back({' ', *line});
  std::vector<Edit> tail;
  std::ptrdiff_t ends = 0;
  while (before.end() - ends > b && after.end() - ends > a &&
         *(before.end() - ends - 1) == *(after.end() - ends - 1)) {
    ++ends;
  }
  for (auto line = before.end() - ends; line != before.end(); ++line) tail.push_back({' ', *line});
  const Lines old_middle(b, before.end() - ends);
  const Lines new_middle(a, after.end() - ends);
  const auto steps = Explore(old_middle, new_middle);
  if (steps.empty()) {
    for (const auto line : old_middle) edits.push_back({'-', line});
    for (const auto line : new_middle) edits.push_back({'+', line});
  } else {
    const auto middle = Trace(old_middle, new_middle, steps);
    edits.insert(edits.end(), middle.begin(), middle.end());
  }
  edits.insert(edits.end(), tail.begin(), tail.end());
  return edits;
}

constexpr std::size_t kContext = 3;

struct Hunk {
  std::size_t first, last;  // indexes into the edits; `last` is exclusive
};

std::vector<Hunk> HunksOf(const std::vector<Edit>& edits) {
  std::vector<Hunk> hunks;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].mark == ' ') continue;
    const std::size_t first = i > kContext ? i - kContext : 0;
    const std::size_t last = std::min(edits.size(), i + 1 + kContext);
    if (!hunks.empty() && first <= hunks.back().last) {
      hunks.back().last = last;
    } else {
      hunks.push_back({first, last});
    }
  }
  return hunks;
}

// A range in a hunk header: "12,3", or "12" for a single line. An empty range names the line before
// it.
std::string RangeText(std::size_t first, std::size_t count) {
  if (count == 1) return fmt::format("{}", first + 1);
  return fmt::format("{},{}", count == 0 ? first : first + 1, count);
}

// How many lines of the old and the new text a range of edits covers.
struct Counted {
  std::size_t before = 0, after = 0;
  void Add(const std::vector<Edit>& edits, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (edits[i].mark != '+') ++before;
      if (edits[i].mark != '-') ++after;
    }
  }
};

void Write(const std::vector<Edit>& edits, const Hunk& hunk, const Counted& ahead,
           std::string& out) {
  Counted own;
  own.Add(edits, hunk.first, hunk.last);
  out += fmt::format("@@ -{} +{} @@\n", RangeText(ahead.before, own.before),
                     RangeText(ahead.after, own.after));
  for (std::size_t i = hunk.first; i < hunk.last && out.size() <= kMaxDiffBytes; ++i) {
    out += edits[i].mark;
    out += edits[i].line;
    if (!edits[i].line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
  }
}

}  // namespace

std::string UnifiedDiff(std::string_view before, std::string_view after, const DiffNames& names) {
  if (before == after) return "";
  const auto edits = EditsOf(SplitLines(before), SplitLines(after));
  std::string out = fmt::format("--- {}\n+++ {}\n", names.before, names.after);
  Counted ahead;
  std::size_t counted = 0;
  for (const Hunk& hunk : HunksOf(edits)) {
    if (out.size() > kMaxDiffBytes) break;
    ahead.Add(edits, std::exchange(counted, hunk.first), hunk.first);
    Write(edits, hunk, ahead, out);
  }
  if (out.size() <= kMaxDiffBytes) return out;
  // Cut after a whole line, so that no UTF-8 character is cut in two.
  out.resize(out.rfind('\n', kMaxDiffBytes) + 1);
  return out + "(the rest of the differences is left out)\n";
}

}  // namespace belljar
