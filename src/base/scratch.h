// ThreadScratch: a large buffer that each thread has once, for bytes that are passed on at once.
//
// To clear a new one for each use would cost more than most uses. On the heap, because whatever
// lies in thread-local storage itself is cleared for every thread that is started, needed there or
// not. `Tag` keeps users apart whose uses may be nested.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace belljar {

template <class Tag, std::size_t kBytes>
std::span<char> ThreadScratch() {
  static thread_local const auto bytes = std::make_unique_for_overwrite<char[]>(kBytes);
  return {bytes.get(), kBytes};
}

}  // namespace belljar
