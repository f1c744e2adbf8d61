// The container stream: everything that passes between the supervisor and the shim, which is
// process 1 of a container, on the container's own stdin and stdout.
//
// The guest inside is the guest of any cell, with its control channel and three streams of its
// own; containers have only stdio. So the shim carries them all on one byte stream, in pieces:
//
//   piece   = length channel payload
//   length  = u32, little-endian: bytes of payload, at most kMaxPiece
//   channel = u8
//
// The supervisor believes no piece more than it believes the guest, which may have taken over the
// shim. docs/guest-protocol.md has the page.
#pragma once

#include <cstddef>
#include <cstdint>

namespace belljar::isolate {

enum class Channel : std::uint8_t {
  // From the supervisor.
  kToControl = 0x01,  // bytes for the guest's control channel
  kToStdin = 0x02,    // bytes for its stdin; none: the end of it
  kInterrupt = 0x03,  // no bytes: SIGINT to the guest
  // From the shim.
  kFromControl = 0x81,
  kFromStdout = 0x82,
  kFromStderr = 0x83,
  kStdinTaken = 0x84,  // no bytes: one piece of stdin has gone, another may follow
  kEnded = 0x85,       // two bytes: kExited or kSignaled, and the status; the last piece
};

constexpr std::uint8_t kExited = 0;
constexpr std::uint8_t kSignaled = 1;

constexpr std::size_t kPieceHeader = 5;
constexpr std::size_t kMaxPiece = 64 * 1024;

constexpr void PutPieceHeader(char* to, std::size_t length, Channel channel) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<char>(length >> (8 * i) & 0xFF);
  to[4] = static_cast<char>(channel);
}

constexpr std::size_t PieceLength(const char* header) {
  std::size_t length = 0;
  for (int i = 3; i >= 0; --i) length = length << 8 | static_cast<std::uint8_t>(header[i]);
  return length;
}

constexpr Channel PieceChannel(const char* header) {
  return static_cast<Channel>(static_cast<std::uint8_t>(header[4]));
}

}  // namespace belljar::isolate
