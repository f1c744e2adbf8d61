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
// Connections through the cell's listeners (oci::CellListener) travel in it as well, each under a
// number that the payload of its pieces begins with.
//
// The supervisor believes no piece more than it believes the guest, which may have taken over the
// shim. docs/guest-protocol.md has the page.
#pragma once

#include <cstddef>
#include <cstdint>

#include "foundation/base/bytes.h"

namespace belljar::cell::oci {

enum class Channel : std::uint8_t {
  // From the supervisor.
  kToControl = 0x01,  // bytes for the guest's control channel
  kToStdin = 0x02,    // bytes for its stdin; none: the end of it
  kInterrupt = 0x03,  // no bytes: SIGINT to the guest
  kDataIn = 0x04,     // a connection's number, and bytes for it; none: no more will come
  kTakenIn = 0x05,    // a number, and how many of its bytes have gone: as many may follow
  kCloseIn = 0x06,    // a number: nothing more is said of it
  kHush = 0x07,       // a number: say it back as kHushed, and then nothing before kSpeak
  kSpeak = 0x08,      // no bytes
  // From the shim.
  kFromControl = 0x81,
  kFromStdout = 0x82,
  kFromStderr = 0x83,
  kStdinTaken = 0x84,  // no bytes: one piece of stdin has gone, another may follow
  kEnded = 0x85,       // two bytes: kExited or kSignaled, and the status; the last piece
  kOpen = 0x86,        // the next number, and a byte for the listener: somebody has connected to it
  kDataOut = 0x87,     // as the three above
  kTakenOut = 0x88,
  kCloseOut = 0x89,
  kHushed = 0x8A,  // the number of kHush; whole pieces are before it, and none behind
};

constexpr std::uint8_t kExited = 0;
constexpr std::uint8_t kSignaled = 1;

constexpr std::size_t kPieceHeader = 5;
constexpr std::size_t kMaxPiece = 64 * 1024;

// In the shim's argument that names the cell's listeners: a minus, and a letter for each
// oci::CellListener.
constexpr char kListenerLetters[] = {'e', 't'};

constexpr std::size_t kNumberBytes = 4;  // of a connection, and of what is counted
// Of one connection, each way: bytes that have been sent and not been taken.
constexpr std::size_t kWindow = 64 * 1024;
// Through one listener, at a time. More than the broker serves, so that those who are too many hear
// its own refusal; who comes then waits to be accepted.
constexpr std::size_t kConnectionsOfListener = 72;

constexpr void PutNumber(char* to, std::uint32_t number) {
  StoreNumber(ByteOrder::kLittle, number, {to, kNumberBytes});
}

constexpr std::uint32_t NumberAt(const char* from) {
  return static_cast<std::uint32_t>(LoadNumber(ByteOrder::kLittle, {from, kNumberBytes}));
}

constexpr void PutPieceHeader(char* to, std::size_t length, Channel channel) {
  PutNumber(to, static_cast<std::uint32_t>(length));
  to[4] = static_cast<char>(channel);
}

constexpr std::size_t PieceLength(const char* header) { return NumberAt(header); }

constexpr Channel PieceChannel(const char* header) {
  return static_cast<Channel>(static_cast<std::uint8_t>(header[4]));
}

}  // namespace belljar::cell::oci
