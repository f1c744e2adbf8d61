// ThreadScratch: a large buffer that is allocated once per thread, for bytes that are passed on at
// once.
//
// Clearing a new buffer for each use would cost more than most uses. It lives on the heap because
// the storage of thread_local objects themselves is zeroed for every new thread, whether the thread
// uses it or not. `Tag` separates users whose uses may be nested.
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
