// Arbitrary bytes from a guest, in arbitrary groups: whatever the grouping, FrameReader,
// GuestDialogue, SessionDialogue, the PieceReader and the Crossings of containers come to the same
// end, within the promised sizes.
//
// The input's first byte says how many of the next bytes are group lengths; the rest is the
// guest's stream.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cell/guest/protocol/session_dialogue.h"
#include "cell/guest/protocol/wire.h"
#include "cell/oci/host/stream_framing.h"
#include "cell/oci/shim/tunnelled_connections.h"
#include "foundation/base/text.h"

namespace {

using namespace belljar;
using namespace belljar::cell::guest;

void Require(bool holds) {
  if (!holds) std::abort();
}

// Calls `take` with `stream` cut into groups, until it says stop by returning false.
template <class Take>
void InGroups(std::string_view stream, std::string_view lengths, Take take) {
  std::size_t turn = 0;
  while (!stream.empty()) {
    const std::size_t wish = lengths.empty()
                                 ? stream.size()
                                 : static_cast<unsigned char>(lengths[turn % lengths.size()]);
    const std::size_t group = std::clamp<std::size_t>(wish, 1, stream.size());
    if (!take(stream.substr(0, group))) return;
    stream.remove_prefix(group);
    ++turn;
  }
}

struct Ending {
  std::string violation;
  GuestReport report;
  bool ready = false;
  bool operator==(const Ending&) const = default;
};

Ending Converse(std::string_view stream, std::string_view lengths) {
  GuestDialogue dialogue;
  Ending ending;
  InGroups(stream, lengths, [&](std::string_view group) {
    const Result<> result = dialogue.Feed(group);
    if (!result) ending.violation = result.error().message();
    return ending.violation.empty();
  });
  if (!ending.violation.empty()) Require(!dialogue.Feed(""));
  ending.report = dialogue.report();
  ending.ready = dialogue.ready();
  return ending;
}

void CheckBounds(const Ending& ending) {
  if (!ending.report.error) return;
  const GuestError& error = *ending.report.error;
  Require(ending.ready);
  Require(error.type.size() <= kMaxErrorTypeBytes && IsValidUtf8(error.type));
  Require(error.message.size() <= kMaxErrorMessageBytes && IsValidUtf8(error.message));
  Require(error.traceback.size() <= kMaxErrorTracebackBytes && IsValidUtf8(error.traceback));
}

// The frames before any violation, each encoded again.
std::string Cut(std::string_view stream, std::string_view lengths) {
  FrameReader reader(Sender::kGuest);
  std::string again;
  InGroups(stream, lengths, [&](std::string_view group) {
    reader.Append(group);
    while (true) {
      const auto frame = reader.Next();
      if (!frame) return false;
      if (!*frame) return true;
      again += EncodeFrame((*frame)->type, (*frame)->payload);
    }
  });
  return again;
}

// The pieces of a container before any violation.
std::string Pieces(cell::oci::Framing framing, std::string_view stream, std::string_view lengths) {
  cell::oci::PieceReader reader(framing);
  std::string all;
  const auto keep = [&](cell::oci::Channel channel, std::string_view payload) -> Result<> {
    Require(payload.size() <= cell::oci::kMaxPiece);
    all += std::to_string(static_cast<int>(channel)) + std::string(payload) + "\n";
    return {};
  };
  InGroups(stream, lengths,
           [&](std::string_view group) { return static_cast<bool>(reader.Feed(group, keep)); });
  return all;
}

// What a shim says of its doors; nobody outside reads, so that all of it would have to be kept.
// What is answered, and what is open in the end.
std::string Doors(std::string_view stream, std::string_view lengths) {
  using cell::oci::Channel;
  cell::oci::PieceReader reader(cell::oci::Framing::kPlain);
  std::string answers;
  cell::oci::Crossings crossings(cell::oci::Crossings::End::kOutside,
                                 {[&](Channel channel, std::string_view payload) {
                                    answers += static_cast<char>(channel);
                                    answers += payload;
                                  },
                                  [] { return true; }});
  const auto take = [&](Channel channel, std::string_view payload) -> Result<> {
    if (channel == Channel::kOpen) return crossings.TakeOpen(payload);
    const bool of_doors = channel == Channel::kDataOut || channel == Channel::kTakenOut ||
                          channel == Channel::kCloseOut;
    return of_doors ? crossings.Take(channel, payload) : Result<>();
  };
  InGroups(stream, lengths, [&](std::string_view group) {
    const bool good = static_cast<bool>(reader.Feed(group, take));
    const std::size_t most = cell::kListenerCount * cell::oci::kConnectionsOfListener;
    Require(crossings.size() <= most);
    Require(crossings.Waiting() <= crossings.size() * cell::oci::kWindow);
    return good;
  });
  return answers + std::to_string(crossings.size()) + " " + std::to_string(crossings.Waiting());
}

void CheckRun(std::string_view payload) {
  const auto run = DecodeRun(payload);
  if (!run) return;
  const std::string bytes = EncodeRun(*run);
  const auto back = DecodeRun(std::string_view(bytes).substr(kHeaderBytes));
  Require(back && *back == *run);
}

template <class Message>
void CheckJourney(const Message& message, std::string (*encode)(const Message&),
                  Result<Message> (*decode)(std::string_view)) {
  const std::string bytes = encode(message);
  const auto back = decode(std::string_view(bytes).substr(kHeaderBytes));
  Require(back && *back == message);
}

void CheckSessionMessages(std::string_view payload) {
  if (const auto session = DecodeSession(payload)) {
    CheckJourney<SessionMessage>(*session, EncodeSession, DecodeSession);
  }
  if (const auto statement = DecodeStatement(payload)) {
    CheckJourney<StatementMessage>(*statement, EncodeStatement, DecodeStatement);
  }
}

struct SessionEnding {
  std::string violation;
  std::vector<SessionEvent> events;
  bool operator==(const SessionEnding&) const = default;
};

// Takes out what has arrived; a supervisor that sends statement after statement, each numbered 1.
bool TakeEvents(SessionDialogue& dialogue, SessionEnding& ending) {
  while (true) {
    auto event = dialogue.Next();
    if (!event) ending.violation = event.error().message();
    if (!event) return false;
    if (!*event) return true;
    ending.events.push_back(**std::move(event));
    if (!dialogue.running()) Require(static_cast<bool>(dialogue.Begin(1)));
  }
}

SessionEnding ConverseInSession(std::string_view stream, std::string_view lengths) {
  SessionDialogue dialogue;
  SessionEnding ending;
  InGroups(stream, lengths, [&](std::string_view group) {
    dialogue.Append(group);
    return TakeEvents(dialogue, ending);
  });
  if (!ending.violation.empty()) Require(!dialogue.Next());
  return ending;
}

void CheckSessionBounds(const SessionEnding& ending) {
  std::size_t displays = 0;
  for (const SessionEvent& event : ending.events) {
    if (std::holds_alternative<StatementDone>(event)) displays = 0;
    const Display* display = std::get_if<Display>(&event);
    if (display == nullptr) continue;
    Require(++displays <= kMaxDisplays);
    Require(!display->bundle.empty() && display->bundle.size() <= kMaxBundleEntries);
    for (const auto& member : display->bundle) Require(member.key().size() <= kMaxMimeBytes);
  }
  Require(ending.events.empty() || std::holds_alternative<SessionReady>(ending.events.front()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t split = std::min<std::size_t>(data[0] % 8, input.size());
  const std::string_view lengths = input.substr(0, split);
  const std::string_view stream = input.substr(split);

  const Ending whole = Converse(stream, "");
  CheckBounds(whole);
  Require(whole == Converse(stream, lengths));
  Require(whole == Converse(stream, std::string_view("\x01", 1)));
  const std::string again = Cut(stream, "");
  Require(stream.starts_with(again));
  Require(again == Cut(stream, lengths));
  for (const auto framing : {cell::oci::Framing::kPlain, cell::oci::Framing::kDocker}) {
    Require(Pieces(framing, stream, "") == Pieces(framing, stream, lengths));
  }
  Require(Doors(stream, "") == Doors(stream, lengths));
  CheckRun(stream);
  CheckSessionMessages(stream);
  const SessionEnding session = ConverseInSession(stream, "");
  CheckSessionBounds(session);
  Require(session == ConverseInSession(stream, lengths));
  Require(session == ConverseInSession(stream, std::string_view("\x01", 1)));
  return 0;
}
