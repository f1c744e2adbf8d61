// The bash guest outside of any cell, for test_guest_sessions.py: says HELLO, reads SESSION,
// serves statements.
//
// Usage: bash_guest DIRECTORY, with the control stream on descriptor 3.
#include <unistd.h>

#include <array>
#include <cstdio>

#include "cell/guest/shell/bash_session.h"

int main(int argc, char** argv) {
  using namespace belljar;
  constexpr int kControl = 3;
  if (argc != 2) return 2;
  const std::string hello = cell::guest::EncodeHello("native");
  if (::write(kControl, hello.data(), hello.size()) < 0) return 1;
  cell::guest::FrameReader reader(cell::guest::Sender::kSupervisor);
  std::array<char, 4096> chunk;
  while (true) {
    const ssize_t n = ::read(kControl, chunk.data(), chunk.size());
    if (n <= 0) return 0;
    const auto frames = reader.Feed({chunk.data(), static_cast<std::size_t>(n)});
    if (!frames) return 5;
    if (frames->empty()) continue;
    auto message = cell::guest::DecodeSession(frames->front().payload);
    if (!message) return 5;
    cell::guest::ServeBash({*std::move(message), kControl, argv[1]});
  }
}
