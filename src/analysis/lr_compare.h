// For those who compare the two readers of a text: the lean driver (lr_driver.h) and tree-sitter's
// runtime.
#pragma once

#include <string_view>

#include "analysis/syntax.h"

namespace belljar::analysis {

enum class Compared {
  kSame,          // both have read it, and every node is the same
  kGaveUp,        // the driver has not read it, and there are errors in it
  kGaveUpFreely,  // the driver has not read it, and there are none
  kDifferent,
};

inline Compared CompareReaders(const Grammar& grammar, std::string_view text) {
  const auto lean = Syntax::Parse(grammar, text, text, Reader::kDriver);
  const auto full = Syntax::Parse(grammar, text, text, Reader::kRuntime);
  if (!lean) {
    return full && full->errors().empty() ? Compared::kGaveUpFreely : Compared::kGaveUp;
  }
  if (!full || !full->errors().empty() || lean->size() != full->size()) return Compared::kDifferent;
  for (NodeId node = 0; node < full->size(); ++node) {
    if (lean->at(node) != full->at(node)) return Compared::kDifferent;
  }
  return Compared::kSame;
}

}  // namespace belljar::analysis
