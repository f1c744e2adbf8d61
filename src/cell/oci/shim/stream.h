// The container stream: all traffic between the supervisor and the shim, which is process 1 of a
// container. It runs over the container's own stdin and stdout.
//
// The guest inside is the same as in any cell, with a control channel and three streams of its own,
// but a container has only stdio. So the shim multiplexes them on one byte stream, in pieces:
//
//   piece   = length channel payload
//   length  = u32, little-endian: bytes of payload, at most kMaxPiece
//   channel = u8
//
// Connections through the cell's listeners (cell::CellListener) are multiplexed in it as well. Each
// has a number, with which the payload of its pieces begins.
//
// The supervisor trusts pieces no more than it trusts the guest, which may have taken over the
// shim. docs/guest-protocol.md describes the protocol.
#pragma once

#include <cstddef>
#include <cstdint>

#include "foundation/base/bytes.h"

namespace belljar::cell::oci {

enum class Channel : std::uint8_t {
  // From the supervisor.
  kToControl = 0x01,  // bytes for the guest's control channel
  kToStdin = 0x02,    // bytes for its stdin; none: end of file
  kInterrupt = 0x03,  // no bytes: SIGINT to the guest
  kDataIn = 0x04,     // a connection's number, and bytes for it; none: end of its data
  kTakenIn = 0x05,    // a number, and a count of its bytes passed on: as many more may be sent
  kCloseIn = 0x06,    // a number: the connection is closed, no more pieces with it follow
  kHush = 0x07,       // a number: reply with it in kHushed, then send nothing until kSpeak
  kSpeak = 0x08,      // no bytes: ends the silence that kHush began
  // From the shim.
  kFromControl = 0x81,
  kFromStdout = 0x82,
  kFromStderr = 0x83,
  kStdinTaken = 0x84,  // no bytes: a piece of stdin has been written, another may follow
  kEnded = 0x85,       // two bytes: kExited or kSignaled, and the status; the last piece
  kOpen = 0x86,        // the next number, and a byte for the listener: a new connection
  kDataOut = 0x87,     // these three as kDataIn, kTakenIn and kCloseIn
  kTakenOut = 0x88,
  kCloseOut = 0x89,
  kHushed = 0x8A,  // the number of kHush; it follows whole pieces, and nothing follows it
};

constexpr std::uint8_t kExited = 0;
constexpr std::uint8_t kSignaled = 1;

constexpr std::size_t kPieceHeader = 5;
constexpr std::size_t kMaxPiece = 64 * 1024;

// Letters for the shim's argument that names the cell's listeners: "-", then a letter for each
// cell::CellListener.
constexpr char kListenerLetters[] = {'e', 't'};

constexpr std::size_t kNumberBytes = 4;  // of a connection number or a byte count
// The credit of each way of a connection: bytes sent and not yet acknowledged.
constexpr std::size_t kWindow = 64 * 1024;
// Concurrent connections through one listener. More than the broker serves, so that excess clients
// receive the broker's own refusal; clients beyond this limit wait to be accepted.
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
