// ScannerTraits: what a driver of a grammar's scanner relies on, since the grammar's tables say
// nothing of it.
#pragma once

#include <string_view>

namespace belljar::analysis {

// Whether what a scanner writes down needs to be given back to it before each token.
enum class ScannerKeeps {
  kNothing,  // always: it may know something else by then
  kState,    // only when that was another: a search that found nothing has left it as it was, and
             // what it writes down is all that it knows
};

// What there is to know of a grammar's scanner, of which its tables say nothing.
struct ScannerTraits {
  ScannerKeeps keeps = ScannerKeeps::kNothing;
  // Whether it would find none of the tokens marked in `wanted` where `rest` begins, and leave
  // everything as it was. Then it is not asked.
  bool (*finds_nothing)(const bool* wanted, std::string_view rest) = nullptr;
  // Whether it is asked within a string, having written down `known`. There it goes over a run of
  // the bytes marked in `alike` one by one, and remembers no more than that there were some.
  bool (*in_string)(const bool* wanted, std::string_view known) = nullptr;
  const bool* alike = nullptr;
  // Where it skips this byte, it skips all that follows on the line. In no text: it skips none.
  char comment = '\xFF';
};

}  // namespace belljar::analysis
