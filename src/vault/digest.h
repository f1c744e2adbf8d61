// SHA-256 of a file's content, as it passes by.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

namespace belljar::vault {

using Digest = std::array<std::uint8_t, 32>;

class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  void Add(std::string_view bytes);
  Digest Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace belljar::vault
