// How long the analysis of a file takes, afresh and from the cache: microseconds as one JSON
// object.
//
// usage: analysis_bench FILE
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <vector>

#include "judgement/analysis/analyse.h"
#include "judgement/analysis/cache.h"

namespace {

using Clock = std::chrono::steady_clock;

double MedianMicroseconds(int turns, const std::function<void()>& work) {
  std::vector<double> taken;
  for (int turn = 0; turn < turns; ++turn) {
    const auto began = Clock::now();
    work();
    taken.push_back(std::chrono::duration<double, std::micro>(Clock::now() - began).count());
  }
  std::nth_element(taken.begin(), taken.begin() + turns / 2, taken.end());
  return taken[static_cast<std::size_t>(turns / 2)];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string source((std::istreambuf_iterator<char>(file)), {});
  using belljar::judgement::analysis::Language;
  constexpr int kTurns = 500;
  const double fresh = MedianMicroseconds(
      kTurns, [&] { static_cast<void>(belljar::judgement::analysis::AnalysePython(source)); });
  belljar::judgement::analysis::AnalysisCache cache;
  static_cast<void>(cache.Text(Language::kPython, source));
  const double cached =
      MedianMicroseconds(kTurns, [&] { static_cast<void>(cache.Text(Language::kPython, source)); });
  fmt::print("{{\"fresh_us\":{:.1f},\"cached_us\":{:.2f}}}\n", fresh, cached);
  return 0;
}
